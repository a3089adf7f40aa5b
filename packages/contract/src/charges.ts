import { z } from "zod";
import { chargeTypes } from "./accounts.ts";
import { area, body } from "./operation.ts";
import { managers, office } from "./roles.ts";
import { anyOf, Cents, Flag, Id, Instant, listQuery, NonNegativeCents, page, PlainDate, PositiveCents, Search, text } from "./values.ts";

export const chargeStatuses = ["pending", "partially_paid", "paid", "voided"] as const;

export const Charge = z
  .strictObject({
    id: Id,
    organizationId: Id,
    leaseId: Id,
    tenantId: Id,
    propertyId: Id,
    unitId: Id,
    recurringChargeRuleId: Id.nullable(),
    name: z.string(),
    chargeType: z.enum(chargeTypes),
    categoryId: Id,
    amountCents: PositiveCents,
    allocatedCents: NonNegativeCents,
    creditedCents: NonNegativeCents,
    balanceCents: NonNegativeCents,
    dueDate: PlainDate,
    postedAt: Instant,
    periodStart: PlainDate.nullable(),
    periodEnd: PlainDate.nullable(),
    status: z.enum(chargeStatuses),
    isOverdue: z.boolean(),
    daysOverdue: z.int().min(0),
    lateFeeForChargeId: Id.nullable(),
    memo: z.string().nullable(),
    createdAt: Instant,
    updatedAt: Instant,
    voidedAt: Instant.nullable(),
  })
  .meta({ id: "Charge", description: "What a tenant owes. `pending` is unpaid; the balance is the amount less what was allocated and credited." });
export type Charge = z.output<typeof Charge>;

export const ChargeAllocation = z
  .strictObject({ id: Id, paymentId: Id, chargeId: Id, amountCents: PositiveCents, createdAt: Instant })
  .meta({ id: "ChargeAllocation" });

export const charges = area("Charges", "ledger", {
  listCharges: {
    method: "GET",
    path: "/api/charges",
    summary: "list charges",
    access: office,
    query: listQuery(
      ["dueDate", "amountCents", "balanceCents", "status", "createdAt"],
      {
        search: Search.optional(),
        leaseId: Id.optional(),
        tenantId: Id.optional(),
        propertyId: Id.optional(),
        unitId: Id.optional(),
        chargeType: anyOf(chargeTypes).optional(),
        status: anyOf(chargeStatuses).optional(),
        overdue: Flag.optional(),
        dueAfter: PlainDate.optional(),
        dueBefore: PlainDate.optional(),
        createdAfter: PlainDate.optional(),
        createdBefore: PlainDate.optional(),
      },
      "desc",
    ),
    returns: { ...page("charges", Charge), totals: z.strictObject({ amountCents: Cents, balanceCents: Cents }) },
  },
  createCharge: {
    method: "POST",
    path: "/api/charges",
    summary: "create charges",
    access: managers,
    description:
      "Debits receivables and credits the income account of the charge type (`categoryId` names another one); a deposit credits the liability. Credit the tenant already has is not used by itself unless the organization's policy says so.",
    body: body({
      leaseId: Id,
      amountCents: PositiveCents,
      dueDate: PlainDate,
      chargeType: z.enum(chargeTypes),
      categoryId: Id.optional(),
      name: text(1, 160).optional(),
      memo: text(1, 1000).optional(),
    }),
    returns: { charge: Charge },
    fails: [409],
    idempotent: true,
  },
  getCharge: {
    method: "GET",
    path: "/api/charges/{id}",
    summary: "read a charge",
    access: office,
    returns: { charge: Charge, allocations: z.array(ChargeAllocation) },
  },
  voidCharge: {
    method: "POST",
    path: "/api/charges/{id}/void",
    summary: "void charges",
    access: managers,
    description: "Reverses what the charge posted. Refused with `already_allocated` while a payment is allocated to it.",
    body: body({ reason: text(1, 500) }),
    returns: { charge: Charge },
    fails: [409],
    idempotent: true,
  },
  postDueCharges: {
    method: "POST",
    path: "/api/charges/post-due",
    summary: "post due charges",
    access: managers,
    description:
      "Posts every recurring charge that is due through a day (default: today plus the days that the organization posts in advance; at most a year ahead), once for each period however often it is called. With `dryRun` it only says what it would do.",
    body: body({ throughDate: PlainDate.optional(), propertyId: Id.optional(), dryRun: z.boolean().default(false) }),
    returns: {
      posting: z
        .strictObject({
          throughDate: PlainDate,
          created: z.int().min(0),
          skipped: z.int().min(0),
          lines: z.array(
            z.strictObject({
              ruleId: Id,
              periodStart: PlainDate,
              dueDate: PlainDate,
              amountCents: PositiveCents,
              chargeId: Id.nullable(),
              reason: z.string().nullable(),
            }),
          ),
        })
        .meta({ id: "Posting" }),
    },
    fails: [409],
    idempotent: true,
  },
});
