import { z } from "zod";
import { Document } from "../documents/documents.ts";
import { Note } from "../overview/notes.ts";
import { operationGroup, body } from "../operation.ts";
import { officeRoles } from "../roles.ts";
import { AssignedWorkOrder } from "./assigned-work-order.schema.ts";
import { csvEnum, QueryBoolean, Id, Instant, listQuery, NonNegativeCents, page, PlainDate, PositiveCents, Search, text } from "../values.ts";
import {
  EstimateLine,
  estimateStatuses,
  WorkOrder,
  workOrderCategories,
  WorkOrderChange,
  WorkOrderEstimate,
  workOrderPriorities,
  workOrderStatuses,
  workOrderTerms,
} from "./work-order.schema.ts";

export {
  estimateStatuses,
  WorkOrder,
  workOrderCategories,
  WorkOrderEstimate,
  workOrderPriorities,
  workOrderSources,
  workOrderStatuses,
  workOrderTerms,
  type EstimateLine,
  type WorkOrderChange,
  type WorkOrderSource,
} from "./work-order.schema.ts";

const sorts = ["number", "createdAt", "dueOn", "priority", "status", "propertyName"] as const;
const filters = {
  search: Search.optional().describe(
    "Case-insensitive text to find in the title, the description, the names of property and vendor and the unit number, or a work order number as `17` or `#17`.",
  ),
  unitId: Id.optional().describe("Only work orders of this unit."),
  tenantId: Id.optional().describe("Only work orders for this tenant."),
  assignedUserId: Id.optional().describe("Only work orders assigned to this user of the office."),
  status: csvEnum(workOrderStatuses).optional().describe("Statuses of the work order, repeated or comma-separated."),
  priority: csvEnum(workOrderPriorities).optional().describe("Priorities of the work order, repeated or comma-separated."),
  category: csvEnum(workOrderCategories).optional().describe("Categories of the work order, repeated or comma-separated."),
  overdue: QueryBoolean.optional().describe("`true` for unfinished work orders whose `dueOn` has passed, `false` for the others."),
  createdAfter: PlainDate.optional().describe("Only work orders created on or after this day in the organization's time zone."),
  createdBefore: PlainDate.optional().describe("Only work orders created on or before this day in the organization's time zone."),
  dueAfter: PlainDate.optional().describe("Only work orders due on or after this day."),
  dueBefore: PlainDate.optional().describe("Only work orders due on or before this day."),
};
const byProperty = { propertyId: Id.optional().describe("Only work orders of this property.") };
const byVendor = { vendorId: Id.optional().describe("Only work orders assigned to this vendor.") };
const sortDescription = "Sorting by `priority` orders by urgency, sorting by `status` by progress.";

const decision = body({ note: text(1, 500).optional().describe("Remark on the decision, kept with the estimate.") });

export const workOrders = operationGroup("Work orders", "portfolio", {
  listWorkOrders: {
    method: "GET",
    path: "/api/work-orders",
    summary: "list work orders",
    access: officeRoles,
    description: sortDescription,
    query: listQuery(sorts, { ...filters, ...byProperty, ...byVendor }),
    response: page("workOrders", WorkOrder),
  },
  createWorkOrder: {
    method: "POST",
    path: "/api/work-orders",
    summary: "create work orders",
    access: officeRoles,
    description:
      "Creates an open work order. The unit must belong to the property, the lease to the property and unit, and the tenant must be or have been on the lease. " +
      "A lease sets the unit and the tenant unless others are sent. The assigned user and vendor are notified, a vendor by e-mail and in the portal as available.",
    body: body({
      ...workOrderTerms,
      source: z.enum(["staff", "tenant", "owner"]).describe("Party that requested the work. Default `staff`."),
    })
      .partial()
      .required({ propertyId: true, title: true }),
    response: { workOrder: WorkOrder.describe("Created work order.") },
    errors: [409],
    idempotent: true,
  },
  getWorkOrder: {
    method: "GET",
    path: "/api/work-orders/{id}",
    summary: "read a work order",
    access: officeRoles,
    response: {
      workOrder: WorkOrder.describe("Requested work order."),
      notes: z.array(Note).describe("Notes about the work order, newest first, at most 100."),
      documents: z.array(Document).describe("Documents attached to the work order, newest first, at most 100."),
      estimates: z.array(WorkOrderEstimate).describe("Estimates for the work order, newest first, at most 100."),
      history: z.array(WorkOrderChange).describe("Changes of the work order, newest first, at most 100."),
    },
  },
  updateWorkOrder: {
    method: "PATCH",
    path: "/api/work-orders/{id}",
    summary: "change work orders",
    access: officeRoles,
    description:
      "A completed or cancelled work order cannot be changed. The status is changed by `POST /api/work-orders/{id}/transition`. " +
      "An assignment made here sends no notification.",
    body: body({ ...workOrderTerms, actualCents: NonNegativeCents.describe("Actual cost of the work in cents.") }).partial(),
    response: { workOrder: WorkOrder.describe("Work order after the change.") },
    errors: [409],
  },
  transitionWorkOrder: {
    method: "POST",
    path: "/api/work-orders/{id}/transition",
    summary: "change the status of work orders",
    access: [...officeRoles, "vendor"],
    description:
      "Allows `open` to `in_progress` or `cancelled`, and `in_progress` to `completed` or `cancelled`; other transitions return 409. " +
      "Vendors change only work orders assigned to them, and cannot cancel them (403); a vendor receives the work order as in the vendor portal.",
    body: body({
      status: z.enum(workOrderStatuses).describe("New status of the work order."),
      note: text(1, 4000).optional().describe("Note to add to the work order, internal to the office; the note of a vendor is shared with the vendor."),
      completedAt: Instant.optional().describe("Time of completion, not in the future; only with the status `completed`. Default now."),
      actualCents: NonNegativeCents.optional().describe("Actual cost of the work in cents. Default unchanged."),
    }).refine(({ status, completedAt }) => completedAt === undefined || status === "completed", {
      path: ["completedAt"],
      params: { code: "not_allowed" },
      message: "completedAt can only be sent with the status completed.",
    }),
    response: {
      workOrder: z.union([WorkOrder, AssignedWorkOrder]).describe("Work order after the transition; for a vendor, with the members of the vendor portal."),
    },
    errors: [409],
  },
  assignWorkOrder: {
    method: "POST",
    path: "/api/work-orders/{id}/assign",
    summary: "assign work orders",
    access: officeRoles,
    description:
      "Assigns the work order to a vendor, to an active user of the office, or to both; null removes an assignment. Inactive vendors are rejected. " +
      "With the policy `vendorInsurance: block`, a vendor whose liability insurance has expired returns 409, here and wherever a vendor is assigned; " +
      "a vendor without recorded liability insurance is accepted. With `warn`, the vendor is assigned and the `history` of the work order records the expiry. " +
      "With `notify`, the assignees in the request are notified, a vendor by e-mail and in the portal as available.",
    body: body({
      vendorId: Id.nullable().optional().describe("Vendor to assign; null removes the vendor. `vendorId` or `assignedUserId` is required."),
      assignedUserId: Id.nullable().optional().describe("User of the office to assign; null removes the user."),
      scheduledStart: Instant.nullable().optional().describe("Start of the appointment; null cancels it. Default unchanged."),
      scheduledEnd: Instant.nullable().optional().describe("End of the appointment, not before its start; null for none. Default unchanged."),
      notify: z.boolean().default(true).describe("Whether the assignees in the request are notified. Default `true`."),
    }).refine(({ vendorId, assignedUserId }) => vendorId !== undefined || assignedUserId !== undefined, {
      path: ["vendorId"],
      params: { code: "required" },
      message: "Send vendorId or assignedUserId.",
    }),
    response: { workOrder: WorkOrder.describe("Assigned work order.") },
    errors: [409],
    idempotent: true,
  },
  listWorkOrderEstimates: {
    method: "GET",
    path: "/api/work-orders/{id}/estimates",
    summary: "list the estimates of a work order",
    access: [...officeRoles, "owner", "vendor"],
    description: "Vendors see their own estimates for work orders assigned to them; owners see all estimates for their properties.",
    query: listQuery(["createdAt", "amountCents"], {
      status: csvEnum(estimateStatuses).optional().describe("Statuses of the estimate, repeated or comma-separated."),
    }),
    response: page("estimates", WorkOrderEstimate),
  },
  createWorkOrderEstimate: {
    method: "POST",
    path: "/api/work-orders/{id}/estimates",
    summary: "submit estimates",
    access: [...officeRoles, "vendor"],
    description: "Submits an estimate in the name of the vendor that the work order is assigned to, and sets `estimateCents` of the work order to its amount.",
    body: body({
      amountCents: PositiveCents.describe("Total amount of the estimate in cents, at least 1."),
      lines: z
        .array(EstimateLine)
        .max(100)
        .default([])
        .describe("Lines of the estimate, each rounded half up to a cent, that add up to `amountCents`. Default none: only a total."),
      validUntil: PlainDate.nullable()
        .optional()
        .describe("Last day on which the estimate can be approved, not in the past; null for no limit. Default no limit."),
    }),
    response: { estimate: WorkOrderEstimate.describe("Submitted estimate.") },
    errors: [409],
    idempotent: true,
  },
  approveWorkOrderEstimate: {
    method: "POST",
    path: "/api/work-order-estimates/{id}/approve",
    summary: "approve estimates",
    access: [...officeRoles, "owner"],
    description:
      "Approves an estimate, rejects all other estimates of the work order and sets `approvedEstimateCents` of the work order to the amount. An estimate above " +
      "the property's `maintenanceLimitCents` needs the approval of an owner: owners approve it themselves, or the office records their approval.",
    body: decision,
    response: { estimate: WorkOrderEstimate.describe("Approved estimate.") },
    errors: [409],
  },
  rejectWorkOrderEstimate: {
    method: "POST",
    path: "/api/work-order-estimates/{id}/reject",
    summary: "reject estimates",
    access: [...officeRoles, "owner"],
    description: "Rejects an estimate that is neither decided nor expired.",
    body: decision,
    response: { estimate: WorkOrderEstimate.describe("Rejected estimate.") },
    errors: [409],
  },
  listPropertyWorkOrders: {
    method: "GET",
    path: "/api/properties/{id}/work-orders",
    summary: "list the work orders of a property",
    access: officeRoles,
    description: sortDescription,
    query: listQuery(sorts, { ...filters, ...byVendor }),
    response: page("workOrders", WorkOrder),
  },
  listVendorWorkOrders: {
    method: "GET",
    path: "/api/vendors/{id}/work-orders",
    summary: "list the work orders of a vendor",
    access: officeRoles,
    description: sortDescription,
    query: listQuery(sorts, { ...filters, ...byProperty }),
    response: page("workOrders", WorkOrder),
  },
});
