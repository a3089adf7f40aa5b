import { z } from "zod";
import { Document } from "./documents.ts";
import { Note, visibilities } from "./notes.ts";
import { area, body } from "./operation.ts";
import { office } from "./roles.ts";
import { anyOf, Cents, Flag, Id, Instant, listQuery, NonNegativeCents, page, Person, PlainDate, PositiveCents, Search, text } from "./values.ts";

export const workOrderStatuses = ["open", "in_progress", "completed", "cancelled"] as const;
export const workOrderPriorities = ["low", "normal", "high", "emergency"] as const;
export const workOrderCategories = ["plumbing", "electrical", "hvac", "appliance", "structural", "pest", "cleaning", "landscaping", "safety", "other"] as const;
export const workOrderSources = ["staff", "tenant", "owner", "inspection", "recurring", "import"] as const;
export type WorkOrderSource = (typeof workOrderSources)[number];
export const estimateStatuses = ["submitted", "approved", "rejected", "expired"] as const;

const Status = z.enum(workOrderStatuses);
const Priority = z.enum(workOrderPriorities);
const Category = z.enum(workOrderCategories);
const EntryPermission = z.enum(["unknown", "granted", "denied"]);
const Visibility = z.enum(visibilities);

/** What somebody may say of the work; all but the property and the title can be left open. */
const terms = {
  propertyId: Id,
  unitId: Id.nullable(),
  leaseId: Id.nullable(),
  tenantId: Id.nullable(),
  vendorId: Id.nullable(),
  assignedUserId: Id.nullable(),
  title: text(1, 160),
  description: z.string().trim().max(8000).nullable(),
  category: Category,
  priority: Priority,
  entryPermission: EntryPermission,
  entryNotes: z.string().trim().max(2000).nullable(),
  requestedAt: Instant,
  dueOn: PlainDate.nullable(),
  scheduledStart: Instant.nullable(),
  scheduledEnd: Instant.nullable(),
  estimateCents: NonNegativeCents.nullable().meta({ description: "What the work should cost; the amount of the newest estimate once there is one." }),
  chargeableTo: z.enum(["owner", "tenant", "organization"]).nullable(),
  visibility: Visibility,
};
export { terms as workOrderTerms };

export const WorkOrder = z
  .strictObject({
    id: Id,
    organizationId: Id,
    number: z.int().min(1).meta({ description: "Counted up in the organization from 1." }),
    ...terms,
    propertyName: z.string(),
    unitNumber: z.string().nullable(),
    tenantName: z.string().nullable(),
    vendorName: z.string().nullable(),
    status: Status,
    source: z.enum(workOrderSources),
    acceptedAt: Instant.nullable().meta({ description: "When its vendor said that it will do it; null again when it is given to another one." }),
    startedAt: Instant.nullable(),
    completedAt: Instant.nullable(),
    cancelledAt: Instant.nullable(),
    approvedEstimateCents: NonNegativeCents.nullable(),
    actualCents: NonNegativeCents,
    expenseIds: z.array(Id),
    inspectionId: Id.nullable(),
    createdByUserId: Id.nullable(),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: "WorkOrder", description: "Work to be done on a property." });
export type WorkOrder = z.output<typeof WorkOrder>;

const Quantity = z
  .number()
  .positive()
  .max(10_000)
  .refine((quantity) => Math.abs(quantity * 100 - Math.round(quantity * 100)) < 1e-6, {
    params: { code: "format" },
    message: "quantity has at most two decimals.",
  });
const EstimateLine = z
  .strictObject({
    description: text(1, 500),
    quantity: Quantity,
    unitPriceCents: Cents.min(-1_000_000_000).max(1_000_000_000).meta({ description: "Negative for a discount." }),
  })
  .meta({ id: "WorkOrderEstimateLine" });
export type EstimateLine = z.output<typeof EstimateLine>;

export const WorkOrderEstimate = z
  .strictObject({
    id: Id,
    workOrderId: Id,
    vendorId: Id.nullable(),
    amountCents: PositiveCents,
    lines: z.array(EstimateLine),
    validUntil: PlainDate.nullable(),
    needsOwnerApproval: z.boolean().meta({ description: "Whether it is more than the property's `maintenanceLimitCents`." }),
    status: z.enum(estimateStatuses).meta({ description: "`expired` from the day after `validUntil`, unless it was decided before." }),
    decidedByUserId: Id.nullable(),
    decidedBy: Person.nullable(),
    decidedAt: Instant.nullable(),
    decisionNote: z.string().nullable(),
    createdByUserId: Id.nullable(),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: "WorkOrderEstimate", description: "What somebody would do the work for." });
export type WorkOrderEstimate = z.output<typeof WorkOrderEstimate>;

const WorkOrderChange = z
  .strictObject({
    at: Instant,
    actorUserId: Id.nullable(),
    actor: Person.nullable().meta({ description: "Null when no person did it." }),
    field: z.string(),
    from: z.string().nullable(),
    to: z.string().nullable(),
  })
  .meta({
    id: "WorkOrderChange",
    description:
      "What one field of a work order was and became, both as text; null is nothing. With the policy `vendorInsurance: warn`, a vendor that gets the work " +
      "after its liability insurance ran out leaves an entry of the field `vendorInsurance` that says so in `to`.",
  });
export type WorkOrderChange = z.output<typeof WorkOrderChange>;

const sorts = ["number", "createdAt", "dueOn", "priority", "status", "propertyName"] as const;
const filters = {
  search: Search.optional(),
  unitId: Id.optional(),
  tenantId: Id.optional(),
  assignedUserId: Id.optional(),
  status: anyOf(workOrderStatuses).optional(),
  priority: anyOf(workOrderPriorities).optional(),
  category: anyOf(workOrderCategories).optional(),
  overdue: Flag.optional().meta({ description: "Whether the work is still to be done and its `dueOn` has passed." }),
  createdAfter: PlainDate.optional(),
  createdBefore: PlainDate.optional(),
  dueAfter: PlainDate.optional(),
  dueBefore: PlainDate.optional(),
};
const byProperty = { propertyId: Id.optional() };
const byVendor = { vendorId: Id.optional() };
const listed = "Search looks at titles, descriptions, the names of property, unit and vendor, and at the number, as `17` or `#17`.";

const decision = body({ note: text(1, 500).optional() });
const decided = "Approving one rejects all others of the work order and makes its amount the `approvedEstimateCents`.";

export const workOrders = area("Work orders", "portfolio", {
  listWorkOrders: {
    method: "GET",
    path: "/api/work-orders",
    summary: "list work orders",
    access: office,
    description: listed,
    query: listQuery(sorts, { ...filters, ...byProperty, ...byVendor }, "desc"),
    returns: page("workOrders", WorkOrder),
  },
  createWorkOrder: {
    method: "POST",
    path: "/api/work-orders",
    summary: "create work orders",
    access: office,
    description:
      "The unit must be one of the property, the lease one of property and unit, the tenant one who is or was under the lease. " +
      "A lease brings its unit and its tenant along unless others are sent. `source` says who asked for the work. " +
      "Whom it is assigned to is notified, a vendor by e-mail and in the portal, as far as it has either.",
    body: body({ ...terms, source: z.enum(["staff", "tenant", "owner"]) })
      .partial()
      .required({ propertyId: true, title: true }),
    returns: { workOrder: WorkOrder },
    fails: [409],
    idempotent: true,
  },
  getWorkOrder: {
    method: "GET",
    path: "/api/work-orders/{id}",
    summary: "read a work order",
    access: office,
    description: "Notes, estimates and history come newest first, at most a hundred of each.",
    returns: {
      workOrder: WorkOrder,
      notes: z.array(Note),
      documents: z.array(Document),
      estimates: z.array(WorkOrderEstimate),
      history: z.array(WorkOrderChange),
    },
  },
  updateWorkOrder: {
    method: "PATCH",
    path: "/api/work-orders/{id}",
    summary: "change work orders",
    access: office,
    description: "One that is completed or cancelled cannot be changed. The status is changed by `transition`; nobody is notified of an assignment made here.",
    body: body({ ...terms, actualCents: NonNegativeCents }).partial(),
    returns: { workOrder: WorkOrder },
    fails: [409],
  },
  transitionWorkOrder: {
    method: "POST",
    path: "/api/work-orders/{id}/transition",
    summary: "move work orders on",
    access: [...office, "vendor"],
    description:
      "From `open` to `in_progress` or `cancelled`, from `in_progress` to `completed` or `cancelled`; every other move is refused. " +
      "Vendors move only what is assigned to them. `completedAt` goes with `completed` alone and cannot lie in the future. " +
      "The note is kept with the work order; a vendor's is shared with the vendor.",
    body: body({ status: Status, note: text(1, 4000).optional(), completedAt: Instant.optional(), actualCents: NonNegativeCents.optional() }).refine(
      ({ status, completedAt }) => completedAt === undefined || status === "completed",
      { path: ["completedAt"], params: { code: "not_allowed" }, message: "completedAt can only be sent with the status completed." },
    ),
    returns: { workOrder: WorkOrder },
    fails: [409],
  },
  assignWorkOrder: {
    method: "POST",
    path: "/api/work-orders/{id}/assign",
    summary: "assign work orders",
    access: office,
    description:
      "To a vendor, to an active user of the office, or to both; null takes it from whom it was assigned to. An inactive vendor is refused. " +
      "With the policy `vendorInsurance: block` so is one (409), here and wherever a work order gets a vendor, whose liability insurance has run out; " +
      "one of whom no insurance is kept is not. With `warn` the vendor gets the work all the same, and the `history` of the work order says when its insurance ran out. " +
      "With `notify` whom the request names is notified, a vendor by e-mail and in the portal, as far as it has either.",
    body: body({
      vendorId: Id.nullable().optional(),
      assignedUserId: Id.nullable().optional(),
      scheduledStart: Instant.nullable().optional(),
      scheduledEnd: Instant.nullable().optional(),
      notify: z.boolean().default(true),
    }).refine(({ vendorId, assignedUserId }) => vendorId !== undefined || assignedUserId !== undefined, {
      path: ["vendorId"],
      params: { code: "required" },
      message: "Say to whom: send vendorId or assignedUserId.",
    }),
    returns: { workOrder: WorkOrder },
    fails: [409],
    idempotent: true,
  },
  listWorkOrderEstimates: {
    method: "GET",
    path: "/api/work-orders/{id}/estimates",
    summary: "list the estimates of a work order",
    access: [...office, "owner", "vendor"],
    description: "Vendors see their own estimates for what is assigned to them, owners all for their properties.",
    query: listQuery(["createdAt", "amountCents"], { status: anyOf(estimateStatuses).optional() }, "desc"),
    returns: page("estimates", WorkOrderEstimate),
  },
  createWorkOrderEstimate: {
    method: "POST",
    path: "/api/work-orders/{id}/estimates",
    summary: "submit estimates",
    access: [...office, "vendor"],
    description:
      "It is the estimate of the vendor that the work order is assigned to. The lines, if there are any, must add up to the amount; each is rounded half up to a cent.",
    body: body({ amountCents: PositiveCents, lines: z.array(EstimateLine).max(100).default([]), validUntil: PlainDate.nullable().optional() }),
    returns: { estimate: WorkOrderEstimate },
    fails: [409],
    idempotent: true,
  },
  approveWorkOrderEstimate: {
    method: "POST",
    path: "/api/work-order-estimates/{id}/approve",
    summary: "approve estimates",
    access: [...office, "owner"],
    description: `${decided} Beyond the property's maintenance limit it takes the word of an owner: owners give it themselves, or the office records it.`,
    body: decision,
    returns: { estimate: WorkOrderEstimate },
    fails: [409],
  },
  rejectWorkOrderEstimate: {
    method: "POST",
    path: "/api/work-order-estimates/{id}/reject",
    summary: "reject estimates",
    access: [...office, "owner"],
    body: decision,
    returns: { estimate: WorkOrderEstimate },
    fails: [409],
  },
  listPropertyWorkOrders: {
    method: "GET",
    path: "/api/properties/{id}/work-orders",
    summary: "list the work orders of a property",
    access: office,
    description: listed,
    query: listQuery(sorts, { ...filters, ...byVendor }, "desc"),
    returns: page("workOrders", WorkOrder),
  },
  listVendorWorkOrders: {
    method: "GET",
    path: "/api/vendors/{id}/work-orders",
    summary: "list the work orders of a vendor",
    access: office,
    description: listed,
    query: listQuery(sorts, { ...filters, ...byProperty }, "desc"),
    returns: page("workOrders", WorkOrder),
  },
});
