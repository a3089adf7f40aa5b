import { z } from "zod";
import { chargeTypes } from "./accounts.ts";
import { Charge, chargeStatuses } from "./charges.ts";
import { leaseStatuses } from "./leases.ts";
import { area, body } from "./operation.ts";
import { managers, office } from "./roles.ts";
import { anyOf, Cents, Flag, Id, Instant, listQuery, NonNegativeCents, page, PlainDate, PositiveCents, Search, text } from "./values.ts";

export const paymentMethods = ["ach", "card", "cash", "check", "money_order", "other"] as const;
export const paymentStatuses = ["pending", "received", "failed", "reversed", "refunded"] as const;
export const reversalReasons = ["nsf", "chargeback", "stop_payment", "unauthorized", "bank_error", "entry_error", "other"] as const;

export const PaymentAllocation = z
  .strictObject({
    id: Id,
    paymentId: Id,
    chargeId: Id,
    amountCents: PositiveCents,
    paymentReceivedAt: Instant,
    charge: z.strictObject({
      id: Id,
      name: z.string(),
      chargeType: z.enum(chargeTypes),
      status: z.enum(chargeStatuses),
      amountCents: Cents,
      balanceCents: Cents,
      dueDate: PlainDate,
    }),
  })
  .meta({ id: "PaymentAllocation" });

export const Payment = z
  .strictObject({
    id: Id,
    organizationId: Id,
    tenantId: Id,
    leaseId: Id.nullable(),
    amountCents: PositiveCents,
    unallocatedCents: NonNegativeCents,
    checkNumber: z.string().nullable(),
    idempotencyKey: z.string(),
    paymentMethod: z.enum(paymentMethods),
    receivedAt: Instant,
    status: z.enum(paymentStatuses),
    createdAt: Instant,
    updatedAt: Instant,
    allocations: z.array(PaymentAllocation),
    lease: z.strictObject({ id: Id, startDate: PlainDate, endDate: PlainDate.nullable(), status: z.enum(leaseStatuses) }).nullable(),
    property: z.strictObject({ id: Id, name: z.string(), city: z.string(), state: z.string() }).nullable(),
    tenant: z.strictObject({ id: Id, fullName: z.string() }),
    unit: z.strictObject({ id: Id, unitNumber: z.string().nullable() }).nullable(),
  })
  .meta({
    id: "Payment",
    description:
      "Money received from a tenant. What is not allocated to charges is the tenant's credit. Lease, property and unit are null for a payment that names no lease.",
  });
export type Payment = z.output<typeof Payment>;

const Allocation = body({ chargeId: Id, amountCents: PositiveCents });
const Allocations = z
  .array(Allocation)
  .max(500)
  .refine((all) => new Set(all.map(({ chargeId }) => chargeId)).size === all.length, {
    params: { code: "unique" },
    message: "Each charge may be named once.",
  });

export const payments = area("Payments", "ledger", {
  listPayments: {
    method: "GET",
    path: "/api/payments",
    summary: "list payments",
    access: office,
    query: listQuery(
      ["receivedAt", "amountCents", "tenantName", "status", "createdAt"],
      {
        search: Search.optional(),
        tenantId: Id.optional(),
        leaseId: Id.optional(),
        propertyId: Id.optional(),
        paymentMethod: anyOf(paymentMethods).optional(),
        status: anyOf(paymentStatuses).optional(),
        unallocatedOnly: Flag.optional(),
        receivedAfter: PlainDate.optional(),
        receivedBefore: PlainDate.optional(),
        createdAfter: PlainDate.optional(),
        createdBefore: PlainDate.optional(),
      },
      "desc",
    ),
    returns: page("payments", Payment),
  },
  recordPayment: {
    method: "POST",
    path: "/api/payments",
    summary: "record payments",
    access: managers,
    description:
      "Recorded once for each `idempotencyKey`, for ever: the same body again answers the first answer with `Idempotent-Replayed: true`, another body 409. Without `allocations` nothing is allocated, unless `autoAllocate` asks for it: oldest due date first, then by the organization's order.",
    body: body({
      tenantId: Id,
      leaseId: Id.optional(),
      amountCents: PositiveCents,
      paymentMethod: z.enum(paymentMethods),
      receivedAt: Instant,
      idempotencyKey: z
        .string()
        .regex(/^[\x20-\x7e]{1,255}$/)
        .meta({ description: "1 to 255 printable ASCII characters." }),
      checkNumber: text(1, 64).optional(),
      allocations: Allocations.default([]),
      autoAllocate: z.boolean().default(false),
    })
      .refine((payment) => payment.allocations.reduce((sum, { amountCents }) => sum + amountCents, 0) <= payment.amountCents, {
        path: ["allocations"],
        params: { code: "sum_exceeded" },
        message: "Allocations add up to more than the payment. Lower them or raise amountCents.",
      })
      .refine((payment) => !payment.autoAllocate || payment.allocations.length === 0, {
        path: ["autoAllocate"],
        params: { code: "not_allowed" },
        message: "Send either allocations or autoAllocate.",
      }),
    returns: { payment: Payment },
    fails: [409],
  },
  getPayment: { method: "GET", path: "/api/payments/{id}", summary: "read a payment", access: office, returns: { payment: Payment } },
  editPayment: {
    method: "PUT",
    path: "/api/payments/{id}",
    summary: "edit payments",
    access: office,
    description: "Always 409 `payment_immutable`: a payment is reversed and recorded again.",
    returns: {},
    fails: [409],
    always: 409,
  },
  allocatePayment: {
    method: "POST",
    path: "/api/payments/{id}/allocate",
    summary: "allocate payments",
    access: managers,
    description: "Applies what is left of the payment to charges of the same lease, all of them or none.",
    body: body({ allocations: Allocations.min(1) }),
    returns: { payment: Payment },
    fails: [409],
    idempotent: true,
  },
  reversePayment: {
    method: "POST",
    path: "/api/payments/{id}/reverse",
    summary: "reverse payments",
    access: managers,
    description:
      "Posts the exact opposite, gives the charges back with their original due dates, and charges `nsfFeeCents` when it is sent (or by policy for `nsf`).",
    body: body({
      reason: z.enum(reversalReasons),
      reversedAt: Instant.optional(),
      nsfFeeCents: PositiveCents.optional(),
      bankFeeCents: PositiveCents.optional(),
      memo: text(1, 500).optional(),
    }),
    returns: {
      payment: Payment,
      reversal: z.strictObject({ id: Id, journalEntryId: Id, reversedAt: Instant, reason: z.enum(reversalReasons) }),
      charges: z.array(Charge),
    },
    fails: [409],
    idempotent: true,
  },
});
