import { cents, defineEntity, inPortalReach, enumText, orgColumns, p, plainDate } from "@freehold/kit/db/entity";

const BillingScheduleSchema = defineEntity({
  name: "BillingSchedule",
  tableName: "billing_schedule",
  ...inPortalReach,
  indexes: [{ name: "billing_schedule_by_lease", properties: ["organizationId", "leaseId"] }],
  properties: {
    ...orgColumns,
    leaseId: p.uuid(),
    label: p.text(),
    chargeType: enumText(["base_rent", "cam", "tax", "insurance", "parking", "other"]),
    categoryId: p.uuid(),
    frequency: enumText(["monthly", "quarterly", "annual"]),
    deletedAt: p.datetime(3).nullable(),
  },
});
/** Charge that a lease provides for, with amounts that change over time in steps. */
export class BillingSchedule extends BillingScheduleSchema.class {}
BillingScheduleSchema.setClass(BillingSchedule);

const BillingStepSchema = defineEntity({
  name: "BillingStep",
  tableName: "billing_step",
  ...inPortalReach,
  properties: {
    organizationId: p.uuid().primary(),
    scheduleId: p.uuid().primary(),
    startDate: plainDate().primary(),
    endDate: plainDate().nullable(),
    amountCents: cents(),
  },
});
/** Amount of a billing schedule for a period. The steps of a schedule are replaced together. */
export class BillingStep extends BillingStepSchema.class {}
BillingStepSchema.setClass(BillingStep);
