import { visibilities } from "@freehold/contract/overview/notes";
import { workOrderCategories, workOrderPriorities, workOrderSources, workOrderStatuses } from "@freehold/contract/maintenance/work-orders";
import { cents, defineEntity, inPortalReach, newId, enumText, orgColumns, p, plainDate } from "@freehold/kit/db/entity";

const WorkOrderSchema = defineEntity({
  name: "WorkOrder",
  tableName: "work_order",
  ...inPortalReach,
  uniques: [
    { name: "work_order_number_once", properties: ["organizationId", "number"] },
    { name: "work_order_once_for_inspection_item", properties: ["organizationId", "inspectionId", "inspectionItemId"] },
  ],
  indexes: [
    { name: "work_order_by_property", properties: ["organizationId", "propertyId", "status"] },
    { name: "work_order_by_unit", properties: ["organizationId", "unitId"] },
    { name: "work_order_by_tenant", properties: ["organizationId", "tenantId"] },
    { name: "work_order_by_vendor", properties: ["organizationId", "vendorId", "status"] },
    { name: "work_order_by_assigned_user", properties: ["organizationId", "assignedUserId"] },
    { name: "work_order_by_creation", properties: ["organizationId", "createdAt"] },
    { name: "work_order_by_due_date", properties: ["organizationId", "dueOn"] },
    { name: "work_order_by_change", properties: ["organizationId", "updatedAt"] },
    {
      name: "work_order_unfinished",
      expression: `create index work_order_unfinished on work_order (organization_id, property_id) include (status, due_on, requested_at) where status in ('open', 'in_progress')`,
    },
  ],
  properties: {
    ...orgColumns,
    number: p.integer(),
    propertyId: p.uuid(),
    unitId: p.uuid().nullable(),
    leaseId: p.uuid().nullable(),
    tenantId: p.uuid().nullable(),
    vendorId: p.uuid().nullable(),
    assignedUserId: p.uuid().nullable(),
    title: p.text(),
    description: p.text().nullable(),
    category: enumText(workOrderCategories),
    priority: enumText(workOrderPriorities),
    status: enumText(workOrderStatuses),
    source: enumText(workOrderSources),
    entryPermission: enumText(["unknown", "granted", "denied"]),
    entryNotes: p.text().nullable(),
    requestedAt: p.datetime(3),
    dueOn: plainDate().nullable(),
    scheduledStart: p.datetime(3).nullable(),
    scheduledEnd: p.datetime(3).nullable(),
    acceptedAt: p.datetime(3).nullable(),
    startedAt: p.datetime(3).nullable(),
    completedAt: p.datetime(3).nullable(),
    cancelledAt: p.datetime(3).nullable(),
    estimateCents: cents().nullable(),
    approvedEstimateCents: cents().nullable(),
    actualCents: cents(),
    chargeableTo: enumText(["owner", "tenant", "organization"]).nullable(),
    inspectionId: p.uuid().nullable(),
    inspectionItemId: p.uuid().nullable(),
    visibility: enumText(visibilities),
    createdByUserId: p.uuid().nullable(),
    /** Time at which the last former vendor was replaced or removed; null if there was none. Later vendors read the notes shared since. */
    vendorReplacedAt: p.datetime(3).nullable(),
    /** Time at which the last former tenant was replaced or removed; null if there was none. */
    tenantReplacedAt: p.datetime(3).nullable(),
    /** Time at which `actualCents` was last set; null while it has its default. */
    actualCostRecordedAt: p.datetime(3).nullable(),
  },
});
/** Maintenance work on a property. Its number is unique in the organization. Never deleted, only cancelled. */
export class WorkOrder extends WorkOrderSchema.class {}
WorkOrderSchema.setClass(WorkOrder);

const WorkOrderChangeSchema = defineEntity({
  name: "WorkOrderChange",
  tableName: "work_order_change",
  ...inPortalReach,
  indexes: [{ name: "work_order_change_by_work_order", properties: ["organizationId", "workOrderId", "at"] }],
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary().onCreate(newId),
    workOrderId: p.uuid(),
    at: p.datetime(3),
    actorUserId: p.uuid().nullable(),
    field: p.text(),
    fromValue: p.text().nullable(),
    toValue: p.text().nullable(),
  },
});
/** Change of one field of a work order. Append-only. */
export class WorkOrderChange extends WorkOrderChangeSchema.class {}
WorkOrderChangeSchema.setClass(WorkOrderChange);
