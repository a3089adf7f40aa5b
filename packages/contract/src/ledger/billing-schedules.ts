import { z } from "zod";
import { operationGroup, body } from "../operation.ts";
import { adminsAndManagers } from "../roles.ts";
import { Cents, Id, Instant, listQuery, NonNegativeCents, page, PlainDate, text } from "../values.ts";

const step = {
  startDate: PlainDate.describe("First day of the step."),
  amountCents: NonNegativeCents.describe("Amount in cents for each billing period of the schedule."),
};
const END_DATE_DESCRIPTION = "Last day of the step. Null for a step without an end; only the last step may have none.";
const Step = z
  .strictObject({ ...step, endDate: PlainDate.nullable().describe(END_DATE_DESCRIPTION) })
  .meta({ id: "BillingScheduleStep", description: "Amount of a billing schedule for a range of dates." });

const terms = {
  label: text(1, 160).describe("Name of the billing schedule, such as `Base rent`."),
  chargeType: z
    .enum(["base_rent", "cam", "tax", "insurance", "parking", "other"])
    .describe("Type of the billed amount. `cam` is common area maintenance; `tax` and `insurance` are recoveries from the tenant."),
  categoryId: Id.describe("ID of the account in the chart of accounts that the amount belongs to."),
  frequency: z.enum(["monthly", "quarterly", "annual"]).describe("Billing period that the amounts of the steps apply to."),
};

export const BillingSchedule = z
  .strictObject({
    id: Id.describe("ID of the billing schedule."),
    organizationId: Id.describe("ID of the organization the billing schedule belongs to."),
    leaseId: Id.describe("ID of the lease."),
    ...terms,
    steps: z.array(Step).describe("Steps of the schedule in order of date."),
    currentAmountCents: Cents.nullable().describe("Amount in cents of the step in effect today. Null when no step is in effect."),
    createdAt: Instant.describe("Time at which the billing schedule was created."),
    updatedAt: Instant.describe("Time at which the billing schedule was last changed."),
    deletedAt: Instant.nullable().describe("Time at which the billing schedule was deleted. Null for a schedule that was not deleted."),
  })
  .meta({
    id: "BillingSchedule",
    description: "Contractual amounts of a lease over time, such as stepped base rent. A billing schedule is a record and posts no charges.",
  });
export type BillingSchedule = z.output<typeof BillingSchedule>;

const schedule = {
  ...terms,
  steps: z
    .array(z.strictObject({ ...step, endDate: PlainDate.nullable().default(null).describe(END_DATE_DESCRIPTION) }))
    .min(1)
    .max(200)
    .describe("Steps of the schedule, at most 200. Their dates must not overlap."),
};

const rules =
  "Steps must not overlap, and only the last step may have no end. Schedules of the type `base_rent` on one lease must not overlap either (409 `duplicate`).";
const billingScheduleResponse = { billingSchedule: BillingSchedule };

export const billingSchedules = operationGroup("Leases", "portfolio", {
  listBillingSchedules: {
    method: "GET",
    path: "/api/leases/{leaseId}/billing-schedules",
    summary: "list the billing schedules of a lease",
    access: adminsAndManagers,
    query: listQuery(["createdAt", "label"], {}),
    response: page("billingSchedules", BillingSchedule),
  },
  createBillingSchedule: {
    method: "POST",
    path: "/api/leases/{leaseId}/billing-schedules",
    summary: "create billing schedules",
    access: adminsAndManagers,
    description: `Records contractual amounts; charges are posted by recurring charge rules. ${rules} \`scheduledBaseRentCents\` of the lease is the monthly amount of the base rent step in effect.`,
    body: body(schedule),
    response: billingScheduleResponse,
    errors: [409],
    idempotent: true,
  },
  updateBillingSchedule: {
    method: "PATCH",
    path: "/api/lease-billing-schedules/{id}",
    summary: "change billing schedules",
    access: adminsAndManagers,
    description: `Changes only the members that are sent; \`steps\` replaces all steps. ${rules}`,
    body: body(schedule).partial(),
    response: billingScheduleResponse,
    errors: [409],
  },
  deleteBillingSchedule: {
    method: "DELETE",
    path: "/api/lease-billing-schedules/{id}",
    summary: "delete billing schedules",
    access: adminsAndManagers,
    description: "Returns 409 `resource_in_use` while a parking right is linked to the billing schedule.",
    response: billingScheduleResponse,
    errors: [409],
  },
});
