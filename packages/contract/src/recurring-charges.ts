import { z } from "zod";
import { area, body } from "./operation.ts";
import { managers, office } from "./roles.ts";
import { DayOfMonth, Id, Instant, Page, PageSize, paging, PlainDate, PositiveCents, text } from "./values.ts";

const terms = {
  amountCents: PositiveCents,
  categoryId: Id,
  dayOfMonth: DayOfMonth,
  startDate: PlainDate,
  endDate: PlainDate.nullable(),
  frequency: z.literal("monthly"),
  kind: z.enum(["rent", "fee"]),
  label: text(1, 160),
};

export const RecurringChargeRule = z
  .strictObject({
    id: Id,
    organizationId: Id,
    leaseId: Id.nullable(),
    propertyId: Id.nullable(),
    tenantId: Id.nullable(),
    unitId: Id.nullable(),
    ...terms,
    status: z.enum(["draft", "active", "paused", "ended"]),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({
    id: "RecurringChargeRule",
    description:
      "Posts a charge each month on its day; on the last day of a month that has no such day. The day is always counted from the rule, never from the last posting.",
  });
export type RecurringChargeRule = z.output<typeof RecurringChargeRule>;

const one = { recurringChargeRule: RecurringChargeRule };

export const recurringCharges = area("Recurring charges", "ledger", {
  listRecurringCharges: {
    method: "GET",
    path: "/api/recurring-charges",
    summary: "list recurring charges",
    access: office,
    description: "Unpaged unless `page` or `pageSize` is sent; above 10 000 rows paging is required (`page_required`).",
    query: z.strictObject({
      leaseId: Id.optional(),
      unitId: Id.optional(),
      kind: z.enum(["rent", "fee"]).optional(),
      updatedAfter: Instant.optional(),
      page: Page.optional(),
      pageSize: PageSize.optional(),
    }),
    returns: { recurringChargeRules: z.array(RecurringChargeRule), ...z.strictObject(paging).partial().shape },
  },
  createRecurringCharge: {
    method: "POST",
    path: "/api/recurring-charges",
    summary: "create recurring charges",
    access: managers,
    description: "Belongs to a lease or to a unit (then to whichever lease is active there). A start in the past posts the past only with `postMissed`.",
    body: body({
      ...terms,
      leaseId: Id.optional(),
      unitId: Id.optional(),
      endDate: PlainDate.nullable().default(null),
      frequency: z.literal("monthly").default("monthly"),
      status: z.enum(["active", "draft"]).default("active"),
      postMissed: z.boolean().default(false),
    })
      .refine((rule) => (rule.leaseId === undefined) !== (rule.unitId === undefined), {
        path: ["leaseId"],
        params: { code: "required" },
        message: "Give either leaseId or unitId.",
      })
      .refine((rule) => !rule.endDate || rule.endDate >= rule.startDate, {
        path: ["endDate"],
        params: { code: "before_start" },
        message: "endDate cannot be before startDate.",
      }),
    returns: one,
    idempotent: true,
  },
  getRecurringCharge: { method: "GET", path: "/api/recurring-charges/{id}", summary: "read a recurring charge", access: office, returns: one },
  pauseRecurringCharge: {
    method: "POST",
    path: "/api/recurring-charges/{id}/pause",
    summary: "pause recurring charges",
    access: managers,
    description: "Only an active rule. Periods that pass while it is paused are skipped, not queued.",
    returns: one,
    fails: [409],
    idempotent: true,
  },
  resumeRecurringCharge: {
    method: "POST",
    path: "/api/recurring-charges/{id}/resume",
    summary: "resume recurring charges",
    access: managers,
    description: "Only a paused rule. `postMissed` posts the periods that passed meanwhile.",
    body: body({ postMissed: z.boolean().default(false) }),
    returns: one,
    fails: [409],
    idempotent: true,
  },
});
