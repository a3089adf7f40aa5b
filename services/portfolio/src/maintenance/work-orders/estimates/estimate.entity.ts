import type { EstimateLine } from "@freehold/contract/maintenance/work-orders";
import { cents, defineEntity, inPortalReach, enumText, orgColumns, p, plainDate } from "@freehold/kit/db/entity";

const WorkOrderEstimateSchema = defineEntity({
  name: "WorkOrderEstimate",
  tableName: "work_order_estimate",
  ...inPortalReach,
  indexes: [
    { name: "work_order_estimate_by_work_order", properties: ["organizationId", "workOrderId", "createdAt"] },
    {
      name: "work_order_estimate_approved_once",
      expression: `create unique index work_order_estimate_approved_once on work_order_estimate (organization_id, work_order_id) where status = 'approved'`,
    },
  ],
  properties: {
    ...orgColumns,
    workOrderId: p.uuid(),
    vendorId: p.uuid().nullable(),
    amountCents: cents(),
    lines: p.json().$type<EstimateLine[]>(),
    validUntil: plainDate().nullable(),
    status: enumText(["submitted", "approved", "rejected"]),
    decidedByUserId: p.uuid().nullable(),
    decidedAt: p.datetime(3).nullable(),
    decisionNote: p.text().nullable(),
    /** Maintenance limit of the property at the first decision; null when the property had none, and until then. */
    decidedLimitCents: cents().nullable(),
    createdByUserId: p.uuid().nullable(),
  },
});
/** Estimate of the cost of a work order. The status `expired` is derived from `validUntil`, never stored. */
export class WorkOrderEstimate extends WorkOrderEstimateSchema.class {}
WorkOrderEstimateSchema.setClass(WorkOrderEstimate);
