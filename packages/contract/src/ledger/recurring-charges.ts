import { z } from "zod";
import { chargeFilters, Charge } from "./charges.ts";
import { operationGroup, body } from "../operation.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import {
  DayOfMonth,
  Id,
  Instant,
  listQuery,
  NonNegativeCents,
  Page,
  page,
  PageSize,
  paging,
  PlainDate,
  PositiveCents,
  QueryBoolean,
  queryInteger,
  text,
  csvEnum,
} from "../values.ts";

const END_DATE_DESCRIPTION = "Last day of the rule; no charge is due after it. Null for a rule without an end.";
const FREQUENCY_DESCRIPTION = "Billing frequency, always `monthly`.";
const terms = {
  amountCents: PositiveCents.describe(
    "Amount of each monthly charge in cents, at least 1. The rent that a lease charges by itself is prorated for partial months; other charges are not.",
  ),
  categoryId: Id.describe("ID of the income account that the charges are credited to."),
  dayOfMonth: DayOfMonth.describe("Day of the month on which the charges are due, 1 to 31; the last day in shorter months."),
  startDate: PlainDate.describe("First day of the rule; no charge is due before it."),
  endDate: PlainDate.nullable().describe(END_DATE_DESCRIPTION),
  frequency: z.literal("monthly").describe(FREQUENCY_DESCRIPTION),
  kind: z.enum(["rent", "fee"]).describe("`rent` for the rent that a lease charges by itself or a part of the rent besides it, `fee` for an additional fee."),
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
        "Status of the rule. Only `active` rules post charges: a `draft` starts with the activation of its lease, a `paused` rule skips periods, `ended` is final. The deletion of a unit ends the rules on it.",
      ),
    createdAt: Instant.describe("Time at which the rule was created."),
    updatedAt: Instant.describe("Time at which the rule was last changed."),
    deletedAt: Instant.nullable().describe("Time at which the draft was deleted; null unless deleted. A rule that was active is never deleted."),
  })
  .meta({
    id: "RecurringChargeRule",
    description:
      "Rule that posts a charge every month, due on `dayOfMonth` or on the last day of a shorter month. The due day is always derived from the rule, never from the previous charge.",
  });
export type RecurringChargeRule = z.output<typeof RecurringChargeRule>;

const ruleResponse = { recurringChargeRule: RecurringChargeRule };
const { amountCents, categoryId, dayOfMonth, label } = terms;

const ForecastLine = z.strictObject({
  periodStart: PlainDate.describe("First day of the billed period."),
  dueDate: PlainDate.describe("Due date of the charge."),
  amountCents: NonNegativeCents.describe("Amount of the charge in cents, prorated for a partial month of the rent that a lease charges by itself."),
  alreadyPosted: z.boolean().describe("Indicates that the charge was posted, also if it was voided since. Each period is posted once."),
  chargeId: Id.nullable().describe("ID of the posted charge. Null for a period that is not posted yet."),
});

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
      kind: csvEnum(["rent", "fee"]).optional().describe("Kinds of the rules, repeated or comma-separated."),
      updatedAfter: Instant.optional().describe("Return only rules changed after this time, for incremental synchronization."),
      includeDeleted: QueryBoolean.optional().describe(
        "Also return deleted drafts. Admins and managers only; other roles receive 403 `scope_forbidden`. Default: `false`.",
      ),
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
      "A rule belongs either to a lease or to a unit; a rule of a unit charges the lease active in the unit. A `startDate` before the start of the lease is replaced by the start of the lease. Charges due before today are posted only with `postMissed`. An active rule of a lease that is not active or pending is refused (409 `lease_not_active`), unless the lease is terminated for today or a later day: the rule ends with it.",
    body: body({
      ...terms,
      leaseId: Id.optional().describe("ID of the lease to charge. Required unless `unitId` is sent."),
      unitId: Id.optional().describe("ID of the unit whose active lease is charged. Required unless `leaseId` is sent."),
      endDate: PlainDate.nullable().default(null).describe(END_DATE_DESCRIPTION),
      frequency: z.literal("monthly").default("monthly").describe(FREQUENCY_DESCRIPTION),
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
    response: ruleResponse,
    idempotent: true,
  },
  getRecurringCharge: {
    method: "GET",
    path: "/api/recurring-charges/{id}",
    summary: "read a recurring charge",
    access: officeRoles,
    response: ruleResponse,
  },
  updateRecurringCharge: {
    method: "PATCH",
    path: "/api/recurring-charges/{id}",
    summary: "change recurring charges",
    access: adminsAndManagers,
    description:
      "Changes future charges only; posted charges stay as they are. A change takes effect with a whole month: each month is charged once, with the previous or with the changed terms. When months before `applyFrom` are not posted yet, the rule is split: `previousRule` charges these months and ends, and `recurringChargeRule` is a new rule that charges the later ones. The change of a fee also applies to the fee of a renewal that continues it and has not begun, except for terms that were changed on the renewal. Of the rent of a lease, label and category can be changed, which later rent changes and the renewal take over; its other terms are changed by a rent change (409 `resource_in_use`). An ended rule cannot be changed (409 `invalid_transition`).",
    body: body({
      amountCents,
      categoryId,
      dayOfMonth,
      endDate: PlainDate.nullable().describe(`${END_DATE_DESCRIPTION} Not before the last due date that is posted. Independent of \`applyFrom\`.`),
      label,
      applyFrom: PlainDate.describe(
        "Date from which the changed terms apply: to charges due on or after it by both the previous and the changed day of the month. Such charges must not be posted yet. Default: the next charge that is not posted; a due date of today or later does not move before today.",
      ),
    }).partial(),
    response: {
      ...ruleResponse,
      previousRule: RecurringChargeRule.nullable().describe(
        "Rule that charges the months before `applyFrom` with the previous terms. Null unless the rule was split.",
      ),
    },
    errors: [409],
  },
  deleteRecurringCharge: {
    method: "DELETE",
    path: "/api/recurring-charges/{id}",
    summary: "delete recurring charges",
    access: adminsAndManagers,
    description:
      "Deletes a draft; lists then return it only with `includeDeleted`. A rule that was active is ended instead, because its charges refer to it (409 `invalid_transition`).",
    response: ruleResponse,
    errors: [409],
  },
  activateRecurringCharge: {
    method: "POST",
    path: "/api/recurring-charges/{id}/activate",
    summary: "activate recurring charges",
    access: adminsAndManagers,
    description:
      "Requires a draft. Activating a lease activates its drafts, so a draft of a lease that is not active or pending is refused (409 `lease_not_active`).",
    body: body({
      postMissed: z.boolean().default(false).describe("Also posts charges that were due between `startDate` and today."),
    }),
    response: ruleResponse,
    errors: [409],
    idempotent: true,
  },
  pauseRecurringCharge: {
    method: "POST",
    path: "/api/recurring-charges/{id}/pause",
    summary: "pause recurring charges",
    access: adminsAndManagers,
    description: "Requires an active rule. Periods that fall due while the rule is paused are skipped.",
    response: ruleResponse,
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
    response: ruleResponse,
    errors: [409],
    idempotent: true,
  },
  endRecurringCharge: {
    method: "POST",
    path: "/api/recurring-charges/{id}/end",
    summary: "end recurring charges",
    access: adminsAndManagers,
    description:
      "Sets the last day of a rule. The status becomes `ended` when that day has passed and all charges due up to it are posted; a draft ends at once. The rent of a lease ends with the lease (409 `resource_in_use`).",
    body: body({
      endDate: PlainDate.describe("Last day of the rule; no charge is due after it. Not before `startDate` and not before the last due date that is posted."),
    }),
    response: ruleResponse,
    errors: [409],
    idempotent: true,
  },
  getRecurringChargeForecast: {
    method: "GET",
    path: "/api/recurring-charges/{id}/forecast",
    summary: "forecast a recurring charge",
    access: officeRoles,
    description:
      "Lists the charges of the coming months. A draft or paused rule is forecast as if it were active. A rule of a unit is forecast for all months, although it skips those in which the unit is vacant.",
    query: z.strictObject({
      months: queryInteger(1, 36)
        .default(12)
        .describe("Number of months to forecast, starting with the current month or, for a rule that starts later, with its first month."),
    }),
    response: { forecast: z.array(ForecastLine).describe("Charges of the rule by period, oldest first.") },
  },
  listRecurringChargeCharges: {
    method: "GET",
    path: "/api/recurring-charges/{id}/charges",
    summary: "list the charges of a recurring charge",
    access: officeRoles,
    query: listQuery(["dueDate", "amountCents", "balanceCents", "status", "createdAt"], {
      status: chargeFilters.status,
      dueAfter: chargeFilters.dueAfter,
      dueBefore: chargeFilters.dueBefore,
    }),
    response: page("charges", Charge),
  },
});
