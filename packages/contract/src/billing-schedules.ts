import { z } from "zod";
import { area, body } from "./operation.ts";
import { managers } from "./roles.ts";
import { Cents, Id, Instant, listQuery, NonNegativeCents, page, PlainDate, text } from "./values.ts";

const step = { startDate: PlainDate, amountCents: NonNegativeCents };
const Step = z
  .strictObject({ ...step, endDate: PlainDate.nullable() })
  .meta({ id: "BillingScheduleStep", description: "An amount for each period of the schedule, from one day to another." });

const terms = {
  label: text(1, 160),
  chargeType: z.enum(["base_rent", "cam", "tax", "insurance", "parking", "other"]),
  categoryId: Id,
  frequency: z.enum(["monthly", "quarterly", "annual"]),
};

export const BillingSchedule = z
  .strictObject({
    id: Id,
    organizationId: Id,
    leaseId: Id,
    ...terms,
    steps: z.array(Step).meta({ description: "In the order of their days." }),
    currentAmountCents: Cents.nullable().meta({ description: "What the step of today says, in cents; null when there is none." }),
    createdAt: Instant,
    updatedAt: Instant,
    deletedAt: Instant.nullable(),
  })
  .meta({ id: "BillingSchedule", description: "What a lease agrees to bill over time, step by step." });
export type BillingSchedule = z.output<typeof BillingSchedule>;

const schedule = {
  ...terms,
  steps: z
    .array(z.strictObject({ ...step, endDate: PlainDate.nullable().default(null) }))
    .min(1)
    .max(200),
};

const rules =
  "Steps share no day, and only the last one may be without an end. Two schedules of `base_rent` on a lease share no day either: 409 `duplicate`. The account must be in the chart.";
const one = { billingSchedule: BillingSchedule };

export const billingSchedules = area("Leases", "portfolio", {
  listBillingSchedules: {
    method: "GET",
    path: "/api/leases/{leaseId}/billing-schedules",
    summary: "list the billing schedules of a lease",
    access: managers,
    query: listQuery(["createdAt", "label"], {}),
    returns: page("billingSchedules", BillingSchedule),
  },
  createBillingSchedule: {
    method: "POST",
    path: "/api/leases/{leaseId}/billing-schedules",
    summary: "create billing schedules",
    access: managers,
    description: `Records what the lease agrees; recurring charges post it. ${rules} The lease's \`scheduledBaseRentCents\` is the step of base rent in force, by the month.`,
    body: body(schedule),
    returns: one,
    fails: [409],
    idempotent: true,
  },
  updateBillingSchedule: {
    method: "PATCH",
    path: "/api/lease-billing-schedules/{id}",
    summary: "change billing schedules",
    access: managers,
    description: `Changes what is sent; \`steps\` replaces them all. ${rules}`,
    body: body(schedule).partial(),
    returns: one,
    fails: [409],
  },
  deleteBillingSchedule: {
    method: "DELETE",
    path: "/api/lease-billing-schedules/{id}",
    summary: "delete billing schedules",
    access: managers,
    description: "Refused with 409 `resource_in_use` while a parking right is linked to it.",
    returns: one,
    fails: [409],
  },
});
