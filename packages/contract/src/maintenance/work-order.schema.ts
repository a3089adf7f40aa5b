/** Schemas of the work order resource: work orders, their estimates and their history. */
import { z } from "zod";
import { visibilities } from "../overview/notes.ts";
import { Cents, Id, Instant, NonNegativeCents, Person, PlainDate, PositiveCents, text } from "../values.ts";

export const workOrderStatuses = ["open", "in_progress", "completed", "cancelled"] as const;
export const workOrderPriorities = ["low", "normal", "high", "emergency"] as const;
export const workOrderCategories = ["plumbing", "electrical", "hvac", "appliance", "structural", "pest", "cleaning", "landscaping", "safety", "other"] as const;
export const workOrderSources = ["staff", "tenant", "owner", "inspection", "recurring", "import"] as const;
export type WorkOrderSource = (typeof workOrderSources)[number];
export const estimateStatuses = ["submitted", "approved", "rejected", "expired"] as const;

/** Members of a work order that callers set. */
export const workOrderTerms = {
  propertyId: Id.describe("Property where the work is done."),
  unitId: Id.nullable().describe("Unit where the work is done, of the same property; null for common areas or the whole property."),
  leaseId: Id.nullable().describe("Lease that the work concerns, of the same property and unit; null for none."),
  tenantId: Id.nullable().describe("Tenant for whom the work is done, an occupant of the lease when a lease is given; null for none."),
  vendorId: Id.nullable().describe("Vendor that the work is assigned to; null for none. Inactive vendors are rejected."),
  assignedUserId: Id.nullable().describe("Active user of the office that the work is assigned to; null for none."),
  title: text(1, 160).describe("Short title of the work."),
  description: z.string().trim().max(8000).nullable().describe("Description of the work or the problem; null for none."),
  category: z.enum(workOrderCategories).describe("Category of the work; `other` unless set."),
  priority: z.enum(workOrderPriorities).describe("Priority of the work; `normal` unless set."),
  entryPermission: z.enum(["unknown", "granted", "denied"]).describe("Whether the unit may be entered while nobody is at home; `unknown` unless set."),
  entryNotes: z.string().trim().max(2000).nullable().describe("Instructions for entering the unit; null for none."),
  requestedAt: Instant.describe("Time at which the work was requested; the time of creation unless set."),
  dueOn: PlainDate.nullable().describe("Day by which the work is due; null for none."),
  scheduledStart: Instant.nullable().describe("Start of the appointment; null when not scheduled."),
  scheduledEnd: Instant.nullable().describe("End of the appointment, not before its start; null when not scheduled."),
  estimateCents: NonNegativeCents.nullable().describe(
    "Estimated cost of the work in cents; submitting or approving an estimate sets its amount. Null when not estimated.",
  ),
  chargeableTo: z
    .enum(["owner", "tenant", "organization"])
    .nullable()
    .describe("Party that bears the cost: the owner, the tenant or the managing organization; null when not decided."),
  visibility: z
    .enum(visibilities)
    .describe(
      "Visibility of the work order to its tenant: shown with `tenant_shared` and `tenant_vendor_shared`. Tenants always see work that they requested, " +
        "vendors see work assigned to them, and owners see all work on their properties. `organization_only` unless set.",
    ),
};

export const WorkOrder = z
  .strictObject({
    id: Id.describe("Unique identifier of the work order."),
    organizationId: Id.describe("Organization that the work order belongs to."),
    number: z.int().min(1).describe("Sequential number of the work order within the organization, starting at 1."),
    ...workOrderTerms,
    propertyName: z.string().describe("Name of the property."),
    unitNumber: z.string().nullable().describe("Number of the unit; null without a unit, or for a unit without a number."),
    tenantName: z.string().nullable().describe("Full name of the tenant; null without a tenant."),
    vendorName: z.string().nullable().describe("Name of the vendor; null without a vendor."),
    status: z.enum(workOrderStatuses).describe("Status of the work order. `completed` and `cancelled` are final."),
    source: z
      .enum(workOrderSources)
      .describe("Origin of the work order: the party that requested the work, an `inspection`, a `recurring` schedule or an `import`."),
    acceptedAt: Instant.nullable().describe("Time at which the assigned vendor accepted the work; null until accepted; reset by a new assignment."),
    startedAt: Instant.nullable().describe("Time at which the work was started; null until started."),
    completedAt: Instant.nullable().describe("Time at which the work was completed; null until completed."),
    cancelledAt: Instant.nullable().describe("Time at which the work order was cancelled; null unless cancelled."),
    approvedEstimateCents: NonNegativeCents.nullable().describe("Amount of the approved estimate in cents; null until an estimate is approved."),
    actualCents: NonNegativeCents.describe("Actual cost of the work in cents; 0 until recorded."),
    expenseIds: z.array(Id).nullable().describe("Expenses of the work order that were not voided, oldest first. Null while the ledger is unavailable."),
    inspectionId: Id.nullable().describe("Inspection that the work order was created from; null for none."),
    createdByUserId: Id.nullable().describe("User who created the work order; null when no user did."),
    createdAt: Instant.describe("Time at which the work order was created."),
    updatedAt: Instant.describe("Time at which the work order was last changed."),
  })
  .meta({ id: "WorkOrder", description: "Maintenance work on a property, from the request to completion." });
export type WorkOrder = z.output<typeof WorkOrder>;

const Quantity = z
  .number()
  .positive()
  .max(10_000)
  .refine((quantity) => Math.abs(quantity * 100 - Math.round(quantity * 100)) < 1e-6, {
    params: { code: "format" },
    message: "quantity has at most two decimals.",
  });
export const EstimateLine = z
  .strictObject({
    description: text(1, 500).describe("Work or material of the line."),
    quantity: Quantity.describe("Quantity, with at most two decimal places."),
    unitPriceCents: Cents.min(-1_000_000_000).max(1_000_000_000).describe("Price per unit of quantity in cents; negative for a discount."),
  })
  .meta({ id: "WorkOrderEstimateLine", description: "One line of an estimate. Its amount is quantity times unit price, rounded half up to a cent." });
export type EstimateLine = z.output<typeof EstimateLine>;

export const WorkOrderEstimate = z
  .strictObject({
    id: Id.describe("Unique identifier of the estimate."),
    workOrderId: Id.describe("Work order that the estimate is for."),
    vendorId: Id.nullable().describe("Vendor that the work order was assigned to at submission; null without a vendor."),
    amountCents: PositiveCents.describe("Total amount of the estimate in cents."),
    lines: z.array(EstimateLine).describe("Lines that add up to `amountCents`; empty when only a total was submitted."),
    validUntil: PlainDate.nullable().describe("Last day on which the estimate can be approved; null for no limit."),
    needsOwnerApproval: z
      .boolean()
      .optional()
      .describe(
        "Whether the amount exceeds `maintenanceLimitCents` of the property, so that an owner must approve; after the decision, whether it exceeded the limit then. Not sent to vendors, who may not learn the limit.",
      ),
    status: z
      .enum(estimateStatuses)
      .describe(
        "Status of the estimate: `submitted` until approved or rejected, and `expired` without a decision after `validUntil` or once the work order is completed or cancelled.",
      ),
    decidedByUserId: Id.nullable().describe("User who approved or rejected the estimate; null until decided."),
    decidedBy: Person.nullable().describe("Name of the user who approved or rejected the estimate; null until decided or when the name cannot be read."),
    decidedAt: Instant.nullable().describe("Time of the decision; null until decided."),
    decisionNote: z.string().nullable().describe("Remark given with the decision; null for none."),
    createdByUserId: Id.nullable().describe("User who submitted the estimate; null when no user did."),
    createdAt: Instant.describe("Time at which the estimate was submitted."),
    updatedAt: Instant.describe("Time at which the estimate was last changed."),
  })
  .meta({ id: "WorkOrderEstimate", description: "An offer to do the work of a work order for a price." });
export type WorkOrderEstimate = z.output<typeof WorkOrderEstimate>;

export const WorkOrderChange = z
  .strictObject({
    at: Instant.describe("Time of the change."),
    actorUserId: Id.nullable().describe("User who made the change; null when no user did."),
    actor: Person.nullable().describe("Name of the user who made the change; null when no user did or the name cannot be read."),
    field: z.string().describe("Name of the changed member, or `vendorInsurance` for an insurance warning."),
    from: z.string().nullable().describe("Previous value as text; null for no value."),
    to: z.string().nullable().describe("New value as text, or the text of an insurance warning; null for no value."),
  })
  .meta({
    id: "WorkOrderChange",
    description:
      "A change of one member of a work order. With the policy `vendorInsurance: warn`, assigning a vendor with expired liability insurance adds an entry with " +
      "the field `vendorInsurance` and the warning in `to`.",
  });
export type WorkOrderChange = z.output<typeof WorkOrderChange>;
