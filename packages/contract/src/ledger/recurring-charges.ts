import { z } from "zod";
import { operationGroup, body } from "../operation.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { DayOfMonth, Id, Instant, Page, PageSize, paging, PlainDate, PositiveCents, text } from "../values.ts";

const endDate = "Last day of the rule; no charge is due after it. Null for a rule without an end.";
const frequency = "Billing frequency, always `monthly`.";
const terms = {
  amountCents: PositiveCents.describe("Amount of each monthly charge in cents, at least 1. Partial months of rent are prorated."),
  categoryId: Id.describe("ID of the income account that the charges are credited to."),
  dayOfMonth: DayOfMonth.describe("Day of the month on which the charges are due, 1 to 31; the last day in shorter months."),
  startDate: PlainDate.describe("First day of the rule; no charge is due before it."),
  endDate: PlainDate.nullable().describe(endDate),
  frequency: z.literal("monthly").describe(frequency),
  kind: z.enum(["rent", "fee"]).describe("Charge type of the charges: `rent` or `fee`."),
  label: text(1, 160).describe("Name of the charges, shown on statements and in the tenant portal."),
};

export const RecurringChargeRule = z
  .strictObject({
    id: Id.describe("ID of the recurring charge rule."),
    organizationId: Id.describe("ID of the organization the rule belongs to."),
    leaseId: Id.nullable().describe("ID of the lease that is charged. Null for a rule of a unit, which charges the lease active in the unit."),
    propertyId: Id.nullable().describe("ID of the property of the lease or unit, or null."),
    tenantId: Id.nullable().describe("ID of the tenant who is charged. Null for a rule of a unit."),
    unitId: Id.nullable().describe("ID of the unit of the lease, or of the unit the rule belongs to."),
    ...terms,
    status: z
      .enum(["draft", "active", "paused", "ended"])
      .describe(
        "Status of the rule. Only `active` rules post charges: a `draft` starts with the activation of its lease, a `paused` rule skips periods, `ended` is final.",
      ),
    createdAt: Instant.describe("Time at which the rule was created."),
    updatedAt: Instant.describe("Time at which the rule was last changed."),
  })
  .meta({
    id: "RecurringChargeRule",
    description:
      "Rule that posts a charge every month, due on `dayOfMonth` or on the last day of a shorter month. The due day is always derived from the rule, never from the previous charge.",
  });
export type RecurringChargeRule = z.output<typeof RecurringChargeRule>;

const one = { recurringChargeRule: RecurringChargeRule };

export const recurringCharges = operationGroup("Recurring charges", "ledger", {
  listRecurringCharges: {
    method: "GET",
    path: "/api/recurring-charges",
    summary: "list recurring charges",
    access: officeRoles,
    description:
      "Not paged unless `page` or `pageSize` is sent; the paging members are returned only then. Lists of more than 10,000 rules must be paged (400 `page_required`).",
    query: z.strictObject({
      leaseId: Id.optional().describe("Return only rules of this lease."),
      unitId: Id.optional().describe("Return only rules of this unit and of its leases."),
      kind: z.enum(["rent", "fee"]).optional().describe("Return only rules of this kind."),
      updatedAfter: Instant.optional().describe("Return only rules changed after this time, for incremental synchronization."),
      page: Page.optional().describe("Number of the page to return, starting at 1. Default: 1 when `pageSize` is sent."),
      pageSize: PageSize.optional().describe("Maximum number of rules on a page. Default: 20 when `page` is sent."),
    }),
    response: {
      recurringChargeRules: z.array(RecurringChargeRule).describe("Recurring charge rules, oldest first."),
      ...z.strictObject(paging).partial().shape,
    },
  },
  createRecurringCharge: {
    method: "POST",
    path: "/api/recurring-charges",
    summary: "create recurring charges",
    access: adminsAndManagers,
    description:
      "A rule belongs either to a lease or to a unit; a rule of a unit charges the lease active in the unit. Charges due before today are posted only with `postMissed`.",
    body: body({
      ...terms,
      leaseId: Id.optional().describe("ID of the lease to charge. Required unless `unitId` is sent."),
      unitId: Id.optional().describe("ID of the unit whose active lease is charged. Required unless `leaseId` is sent."),
      endDate: PlainDate.nullable().default(null).describe(endDate),
      frequency: z.literal("monthly").default("monthly").describe(frequency),
      status: z.enum(["active", "draft"]).default("active").describe("Initial status. A `draft` posts nothing until its lease is activated."),
      postMissed: z.boolean().default(false).describe("Also posts charges that were due between `startDate` and today."),
    })
      .refine((rule) => (rule.leaseId === undefined) !== (rule.unitId === undefined), {
        path: ["leaseId"],
        params: { code: "required" },
        message: "Send either leaseId or unitId.",
      })
      .refine((rule) => !rule.endDate || rule.endDate >= rule.startDate, {
        path: ["endDate"],
        params: { code: "before_start" },
        message: "endDate cannot be before startDate.",
      }),
    response: one,
    idempotent: true,
  },
  getRecurringCharge: { method: "GET", path: "/api/recurring-charges/{id}", summary: "read a recurring charge", access: officeRoles, response: one },
  pauseRecurringCharge: {
    method: "POST",
    path: "/api/recurring-charges/{id}/pause",
    summary: "pause recurring charges",
    access: adminsAndManagers,
    description: "Requires an active rule. Periods that fall due while the rule is paused are skipped.",
    response: one,
    errors: [409],
    idempotent: true,
  },
  resumeRecurringCharge: {
    method: "POST",
    path: "/api/recurring-charges/{id}/resume",
    summary: "resume recurring charges",
    access: adminsAndManagers,
    description: "Requires a paused rule. Charging continues with the next due date.",
    body: body({
      postMissed: z.boolean().default(false).describe("Also posts the charges that fell due while the rule was paused."),
    }),
    response: one,
    errors: [409],
    idempotent: true,
  },
});
