import { z } from "zod";
import { Document } from "../documents/documents.ts";
import { ComparedItem, InspectionArea, inspectionStatuses, InspectionType, inspectionTypes, SentAreas, SentSignature, Signature } from "./inspection.schema.ts";
import { operationGroup, body } from "../operation.ts";
import { officeRoles } from "../roles.ts";
import { csvEnum, Id, Instant, listQuery, NonNegativeCents, page, PlainDate, Search, text } from "../values.ts";
import { WorkOrder, workOrderTerms } from "./work-orders.ts";

export { conditions, inspectionStatuses, inspectionTypes } from "./inspection.schema.ts";
export { InspectionArea };
export type { ComparedItem, Condition, SentArea, Signature } from "./inspection.schema.ts";
export { InspectionTemplate, inspectionTemplates, type SentTemplateArea, type TemplateArea } from "./inspection-templates.ts";

/** Members of an inspection that callers set, except its areas. */
const terms = {
  propertyId: Id.describe("Property to inspect."),
  unitId: Id.nullable().describe("Unit to inspect, of the same property; null for common areas or the whole property."),
  leaseId: Id.nullable().describe("Lease that the inspection concerns, of the same property and unit; null for none."),
  type: InspectionType.describe("Type of the inspection; `pre_listing` precedes advertising a unit."),
  scheduledAt: Instant.describe("Time for which the inspection is scheduled."),
  inspectorUserId: Id.nullable().describe(
    "Active user of the office who inspects; null until assigned. Starting an inspection without an inspector assigns the caller.",
  ),
  summary: z.string().trim().max(8000).nullable().describe("Summary of the findings; null for none."),
};

export const Inspection = z
  .strictObject({
    id: Id.describe("Unique identifier of the inspection."),
    organizationId: Id.describe("Organization that the inspection belongs to."),
    ...terms,
    propertyName: z.string().describe("Name of the property."),
    unitNumber: z.string().nullable().describe("Number of the unit; null without a unit, or for a unit without a number."),
    status: z.enum(inspectionStatuses).describe("Status of the inspection. `completed` and `cancelled` are final: the inspection cannot be changed any more."),
    templateId: Id.nullable().describe("Template that the areas were copied from; null when created without a template."),
    startedAt: Instant.nullable().describe("Time at which the inspection was started; null until started."),
    completedAt: Instant.nullable().describe("Time at which the inspection was completed; null until completed."),
    cancelledAt: Instant.nullable().describe("Time at which the inspection was cancelled; null unless cancelled."),
    cancelReason: z.string().nullable().describe("Reason for the cancellation; null when not cancelled or not given."),
    areas: z.array(InspectionArea).describe("Inspected areas with their items."),
    signatures: z.array(Signature).describe("Signatures given on completion."),
    createdByUserId: Id.nullable().describe("ID of the user or service key that created the inspection, or null."),
    createdAt: Instant.describe("Time at which the inspection was created."),
    updatedAt: Instant.describe("Time at which the inspection was last changed."),
  })
  .meta({ id: "Inspection", description: "A scheduled visit that records the condition of a property or unit." });
export type Inspection = z.output<typeof Inspection>;

const inspectionResponse = (description: string) => ({ inspection: Inspection.describe(description) });
const IMMUTABLE_WHEN_FINAL = "A completed or cancelled inspection cannot be changed.";

export const inspections = operationGroup("Inspections", "portfolio", {
  listInspections: {
    method: "GET",
    path: "/api/inspections",
    summary: "list inspections",
    access: officeRoles,
    query: listQuery(["scheduledAt", "createdAt", "status", "propertyName"], {
      search: Search.optional().describe("Case-insensitive text to find in the summary, the name of the property and the unit number."),
      propertyId: Id.optional().describe("Only inspections of this property."),
      unitId: Id.optional().describe("Only inspections of this unit."),
      leaseId: Id.optional().describe("Only inspections that concern this lease."),
      type: csvEnum(inspectionTypes).optional().describe("Types of the inspection, repeated or comma-separated."),
      status: csvEnum(inspectionStatuses).optional().describe("Statuses of the inspection, repeated or comma-separated."),
      inspectorUserId: Id.optional().describe("Only inspections assigned to this inspector."),
      scheduledAfter: PlainDate.optional().describe("Only inspections scheduled on or after this day in the organization's time zone."),
      scheduledBefore: PlainDate.optional().describe("Only inspections scheduled on or before this day in the organization's time zone."),
    }),
    response: page("inspections", Inspection),
  },
  createInspection: {
    method: "POST",
    path: "/api/inspections",
    summary: "create inspections",
    access: officeRoles,
    description:
      "The unit must belong to the property, and the lease to the property and unit; a lease sets the unit unless one is sent. " +
      "The areas are copied from a template, sent in `areas`, or saved later; later changes of the template do not affect the inspection. " +
      "Names of areas, and of items within an area, must be unique regardless of case.",
    body: body({
      ...terms,
      unitId: Id.nullable().describe("Unit to inspect, of the same property; null for common areas or the whole property. Default the unit of the lease."),
      templateId: Id.nullable().describe("Template to copy the areas from; excludes `areas`. Default none."),
      areas: SentAreas.describe("Areas to inspect, at most 100; excludes `templateId`. Default none."),
    })
      .partial()
      .required({ propertyId: true, type: true, scheduledAt: true })
      .refine(({ templateId, areas }) => !templateId || areas === undefined, {
        path: ["areas"],
        params: { code: "not_allowed" },
        message: "Send either templateId or areas: the areas come from the template.",
      }),
    response: inspectionResponse("Created inspection."),
    idempotent: true,
  },
  getInspection: {
    method: "GET",
    path: "/api/inspections/{id}",
    summary: "read an inspection",
    access: officeRoles,
    response: {
      ...inspectionResponse("Requested inspection."),
      documents: z.array(Document).describe("Documents attached to the inspection, newest first, at most 100."),
    },
  },
  updateInspection: {
    method: "PATCH",
    path: "/api/inspections/{id}",
    summary: "change inspections",
    access: officeRoles,
    description:
      `${IMMUTABLE_WHEN_FINAL} The property, unit and lease cannot be changed once an item has a work order. ` +
      "Areas are changed with `PUT /api/inspections/{id}/areas`.",
    body: body(terms).partial(),
    response: inspectionResponse("Inspection after the change."),
    errors: [409],
  },
  saveInspectionAreas: {
    method: "PUT",
    path: "/api/inspections/{id}/areas",
    summary: "save the areas of inspections",
    access: officeRoles,
    description:
      "Replaces all areas at once. Send `If-Match` with the `ETag` of the version that was read: of two concurrent saves the second then returns 412; " +
      "without `If-Match` the last save wins. An area or item sent with its id is kept, and members of an item that are not sent keep their values; " +
      "an entry without an id is added. Entries that are not sent are removed, except that an item with a work order returns 409. " +
      `Documents must be attached to the inspection before they are referred to. ${IMMUTABLE_WHEN_FINAL}`,
    body: body({ areas: SentAreas.describe("Complete list of areas, at most 100.") }),
    response: inspectionResponse("Inspection with the saved areas."),
    errors: [409],
  },
  startInspection: {
    method: "POST",
    path: "/api/inspections/{id}/start",
    summary: "start inspections",
    access: officeRoles,
    description:
      "Changes the status from `scheduled` to `in_progress`. The caller becomes the inspector unless an inspector is assigned or the caller is a service key.",
    response: inspectionResponse("Started inspection."),
    errors: [409],
  },
  completeInspection: {
    method: "POST",
    path: "/api/inspections/{id}/complete",
    summary: "complete inspections",
    access: officeRoles,
    description: "Changes the status from `in_progress` to `completed`; the inspection is immutable from then on. Items may remain `not_inspected`.",
    body: body({
      summary: terms.summary.optional(),
      completedAt: Instant.optional().describe("Time of completion, not in the future. Default now."),
      signatures: z.array(SentSignature).max(20).default([]).describe("Signatures that confirm the findings. Default none."),
    }),
    response: inspectionResponse("Completed inspection."),
    errors: [409],
  },
  cancelInspection: {
    method: "POST",
    path: "/api/inspections/{id}/cancel",
    summary: "cancel inspections",
    access: officeRoles,
    description: "Changes the status from `scheduled` or `in_progress` to `cancelled`.",
    body: body({ reason: text(1, 500).optional().describe("Reason for the cancellation.") }),
    response: inspectionResponse("Cancelled inspection."),
    errors: [409],
  },
  createInspectionItemWorkOrder: {
    method: "POST",
    path: "/api/inspections/{id}/items/{itemId}/work-order",
    summary: "create work orders from inspections",
    access: officeRoles,
    description:
      "Creates a work order for an item, at most one per item, from an inspection in any status except `cancelled`. Values that are not sent are taken from " +
      "the inspection: the property, unit and lease, the names of the area and item as the title, the note as the description, " +
      "and the estimated cost as the estimate.",
    body: body(workOrderTerms).omit({ propertyId: true, unitId: true, leaseId: true, tenantId: true }).partial(),
    response: { workOrder: WorkOrder.describe("Created work order.") },
    errors: [409],
    idempotent: true,
  },
  compareInspections: {
    method: "GET",
    path: "/api/inspections/{id}/compare",
    summary: "compare inspections",
    access: officeRoles,
    description:
      "Compares two inspections of the same unit item by item. Items correspond when they were created under the same names of area and item, regardless of case " +
      "and also if one was renamed since, and otherwise when they have the same names now. The inspection scheduled earlier is " +
      "`before`, whichever of the two is in the path. A deduction is suggested for damage beyond normal wear: an item that was good, fair or poor and is damaged " +
      "or missing, or that was good and is poor. The suggestion is the estimated cost recorded in the later inspection, and 0 without an estimate or when the " +
      "earlier inspection did not record a condition. A decline by one grade is normal wear.",
    query: z.strictObject({ with: Id.describe("Other inspection of the same unit.") }),
    response: {
      comparison: z.array(ComparedItem).describe("Items of both inspections, those of the earlier inspection first."),
      beforeInspectionId: Id.describe("Inspection that was scheduled earlier."),
      afterInspectionId: Id.describe("Inspection that was scheduled later."),
      suggestedDeductionCents: NonNegativeCents.describe("Sum of the suggested deductions in cents."),
    },
  },
});
