import { z } from "zod";
import { Document } from "./documents.ts";
import { area, body } from "./operation.ts";
import { office } from "./roles.ts";
import { anyOf, Id, Instant, listQuery, NonNegativeCents, page, PlainDate, Search, text } from "./values.ts";
import { WorkOrder, workOrderTerms } from "./work-orders.ts";

export const inspectionTypes = ["move_in", "move_out", "routine", "annual", "pre_listing", "other"] as const;
export const inspectionStatuses = ["scheduled", "in_progress", "completed", "cancelled"] as const;
/** From as good as it can be to gone; what nobody looked at comes first. */
export const conditions = ["not_inspected", "good", "fair", "poor", "damaged", "missing"] as const;
export type Condition = (typeof conditions)[number];

const Type = z.enum(inspectionTypes);
const Status = z.enum(inspectionStatuses);
const Condition = z.enum(conditions);
const Name = text(1, 120);

const InspectionItem = z
  .strictObject({
    id: Id,
    name: Name,
    condition: Condition,
    note: z.string().nullable(),
    documentIds: z.array(Id).meta({ description: "Photos and other documents about the inspection that show this item." }),
    workOrderId: Id.nullable(),
    estimatedCostCents: NonNegativeCents.nullable().meta({ description: "What it should cost to put right, in cents." }),
  })
  .meta({ id: "InspectionItem", description: "One thing that is looked at." });
export const InspectionArea = z
  .strictObject({ id: Id, name: Name, items: z.array(InspectionItem) })
  .meta({ id: "InspectionArea", description: "A room or another part of a place, and what is looked at there." });
export type InspectionArea = z.output<typeof InspectionArea>;

const Signature = z
  .strictObject({ name: Name, role: z.enum(["tenant", "owner", "inspector", "witness", "other"]), signedAt: Instant })
  .meta({ id: "InspectionSignature", description: "Who agreed with what was found, and when." });
export type Signature = z.output<typeof Signature>;

/** What somebody may say of an inspection besides what is looked at. */
const terms = {
  propertyId: Id,
  unitId: Id.nullable(),
  leaseId: Id.nullable(),
  type: Type,
  scheduledAt: Instant,
  inspectorUserId: Id.nullable(),
  summary: z.string().trim().max(8000).nullable(),
};

export const Inspection = z
  .strictObject({
    id: Id,
    organizationId: Id,
    ...terms,
    propertyName: z.string(),
    unitNumber: z.string().nullable(),
    status: Status,
    templateId: Id.nullable().meta({ description: "The template that its areas were taken from." }),
    startedAt: Instant.nullable(),
    completedAt: Instant.nullable(),
    cancelledAt: Instant.nullable(),
    cancelReason: z.string().nullable().meta({ description: "Why it was called off." }),
    areas: z.array(InspectionArea),
    signatures: z.array(Signature),
    createdByUserId: Id.nullable(),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: "Inspection", description: "A visit on which the condition of a place is recorded." });
export type Inspection = z.output<typeof Inspection>;

const AREAS_AT_MOST = 100;
const ITEMS_AT_MOST = 200;

/** An item as it is sent: with its id it is the one that was there, without one it is new. */
const SentItem = body({
  id: Id,
  name: Name,
  condition: Condition,
  note: z.string().trim().max(4000).nullable(),
  documentIds: z.array(Id).max(100),
  workOrderId: Id.nullable().meta({ description: "Taken as it was answered, and never changed here." }),
  estimatedCostCents: NonNegativeCents.nullable().meta({ description: "What it should cost to put right, in cents." }),
})
  .partial()
  .required({ name: true });
const SentArea = body({ id: Id.optional(), name: Name, items: z.array(SentItem).max(ITEMS_AT_MOST) });
export type SentArea = z.output<typeof SentArea>;
const SentAreas = z.array(SentArea).max(AREAS_AT_MOST);

const ComparedItem = z
  .strictObject({
    area: z.string(),
    item: z.string(),
    before: Condition.nullable().meta({ description: "Null when the earlier inspection has no such item." }),
    after: Condition.nullable().meta({ description: "Null when the later inspection has no such item." }),
    worsened: z.boolean(),
    suggestedDeductionCents: NonNegativeCents.meta({ description: "What might be kept of a deposit for it, in cents." }),
    beforeItemId: Id.nullable(),
    afterItemId: Id.nullable(),
  })
  .meta({ id: "InspectionComparison", description: "What one thing was and became." });
export type ComparedItem = z.output<typeof ComparedItem>;

const answer = { inspection: Inspection };
const unfinished = "One that is completed or cancelled cannot be changed.";

export const inspections = area("Inspections", "portfolio", {
  listInspections: {
    method: "GET",
    path: "/api/inspections",
    summary: "list inspections",
    access: office,
    description: "Search looks at summaries and at the names of property and unit.",
    query: listQuery(
      ["scheduledAt", "createdAt", "status", "propertyName"],
      {
        search: Search.optional(),
        propertyId: Id.optional(),
        unitId: Id.optional(),
        leaseId: Id.optional(),
        type: anyOf(inspectionTypes).optional(),
        status: anyOf(inspectionStatuses).optional(),
        inspectorUserId: Id.optional(),
        scheduledAfter: PlainDate.optional(),
        scheduledBefore: PlainDate.optional(),
      },
      "desc",
    ),
    returns: page("inspections", Inspection),
  },
  createInspection: {
    method: "POST",
    path: "/api/inspections",
    summary: "create inspections",
    access: office,
    description:
      "The unit must be one of the property, the lease one of property and unit; a lease brings its unit along unless another is sent. " +
      "What is looked at comes from a template, or from `areas`, or is said later; a template that changes does not change inspections. " +
      "Names of areas, and of the items in one, are each there once, whatever their case.",
    body: body({ ...terms, templateId: Id.nullable(), areas: SentAreas })
      .partial()
      .required({ propertyId: true, type: true, scheduledAt: true })
      .refine(({ templateId, areas }) => !templateId || areas === undefined, {
        path: ["areas"],
        params: { code: "not_allowed" },
        message: "Send either templateId or areas: the areas come from the template.",
      }),
    returns: answer,
    idempotent: true,
  },
  getInspection: {
    method: "GET",
    path: "/api/inspections/{id}",
    summary: "read an inspection",
    access: office,
    description: "Documents come newest first, at most a hundred.",
    returns: { ...answer, documents: z.array(Document) },
  },
  updateInspection: {
    method: "PATCH",
    path: "/api/inspections/{id}",
    summary: "change inspections",
    access: office,
    description: `${unfinished} Its place stays once an item has a work order. What is looked at is changed by \`PUT …/areas\`.`,
    body: body(terms).partial(),
    returns: answer,
    fails: [409],
  },
  saveInspectionAreas: {
    method: "PUT",
    path: "/api/inspections/{id}/areas",
    summary: "save the areas of inspections",
    access: office,
    description:
      "Saves all areas at once. Send `If-Match` with the `ETag` that was read: of two who save the same version one is refused with 412; without it the last one to save wins. " +
      "An area or item that is sent with its id stays the same one, and keeps what is not sent of it; without an id it is new; what is not sent is removed, but for an item that has a work order (409). " +
      `Documents must have been uploaded about the inspection. ${unfinished}`,
    body: body({ areas: SentAreas }),
    returns: answer,
    fails: [409],
  },
  startInspection: {
    method: "POST",
    path: "/api/inspections/{id}/start",
    summary: "start inspections",
    access: office,
    description: "From `scheduled` to `in_progress`. Whoever starts it is its inspector, unless somebody is.",
    returns: answer,
    fails: [409],
  },
  completeInspection: {
    method: "POST",
    path: "/api/inspections/{id}/complete",
    summary: "complete inspections",
    access: office,
    description:
      "From `in_progress` to `completed`: from then on it stays as it is. Items that are `not_inspected` are refused unless `allowNotInspected` is true. " +
      "`completedAt` cannot lie in the future; whoever signed without saying when did so then.",
    body: body({
      summary: terms.summary.optional(),
      completedAt: Instant.optional(),
      signatures: z
        .array(body({ ...Signature.shape, signedAt: Instant.optional() }))
        .max(20)
        .default([]),
      allowNotInspected: z.boolean().default(false),
    }),
    returns: answer,
    fails: [409],
  },
  cancelInspection: {
    method: "POST",
    path: "/api/inspections/{id}/cancel",
    summary: "cancel inspections",
    access: office,
    description: "From `scheduled` or `in_progress` to `cancelled`.",
    body: body({ reason: text(1, 500).optional() }),
    returns: answer,
    fails: [409],
  },
  createInspectionItemWorkOrder: {
    method: "POST",
    path: "/api/inspections/{id}/items/{itemId}/work-order",
    summary: "create work orders from inspections",
    access: office,
    description:
      "Work on what was found, once for each item, also when the inspection is completed; not when it was cancelled. " +
      "What is not sent comes from the inspection: its place, the names of area and item as the title, the note as the description, the estimated cost as the estimate.",
    body: body(workOrderTerms).omit({ propertyId: true, unitId: true, leaseId: true, tenantId: true }).partial(),
    returns: { workOrder: WorkOrder },
    fails: [409],
    idempotent: true,
  },
  compareInspections: {
    method: "GET",
    path: "/api/inspections/{id}/compare",
    summary: "compare inspections",
    access: office,
    description:
      "Two inspections of the same unit, item by item, matched by the names of area and item whatever their case. `before` is the one that was scheduled earlier, whichever is asked for. " +
      "A deduction is suggested where a thing suffered more than normal wear: it was good, fair or poor and is damaged or missing, or it was good and is poor. It is the later inspection's estimated cost, and nothing where there is none, " +
      "or where the earlier inspection did not look. One grade down is wear.",
    query: z.strictObject({ with: Id.meta({ description: "The other inspection." }) }),
    returns: {
      comparison: z.array(ComparedItem),
      beforeInspectionId: Id,
      afterInspectionId: Id,
      suggestedDeductionCents: NonNegativeCents.meta({ description: "All suggested deductions together, in cents." }),
    },
  },
});

const TemplateItem = body({ name: Name }).meta({ id: "InspectionTemplateItem" });
const TemplateArea = body({ name: Name, items: z.array(TemplateItem).max(ITEMS_AT_MOST) }).meta({ id: "InspectionTemplateArea" });
export type TemplateArea = z.output<typeof TemplateArea>;

const templateTerms = {
  name: Name,
  type: Type.nullable().meta({ description: "The type of inspection that it is meant for; null for any." }),
  areas: z.array(TemplateArea).max(AREAS_AT_MOST),
};

export const InspectionTemplate = z
  .strictObject({ id: Id, organizationId: Id, ...templateTerms, createdAt: Instant, updatedAt: Instant, deletedAt: Instant.nullable() })
  .meta({ id: "InspectionTemplate", description: "What is usually looked at, to begin inspections with." });
export type InspectionTemplate = z.output<typeof InspectionTemplate>;

const template = { inspectionTemplate: InspectionTemplate };

export const inspectionTemplates = area("Inspection templates", "portfolio", {
  listInspectionTemplates: {
    method: "GET",
    path: "/api/inspection-templates",
    summary: "list inspection templates",
    access: office,
    description: "Every organization has one to begin with, of an apartment.",
    query: listQuery(["name", "createdAt"], { search: Search.optional(), type: anyOf(inspectionTypes).optional() }),
    returns: page("inspectionTemplates", InspectionTemplate),
  },
  createInspectionTemplate: {
    method: "POST",
    path: "/api/inspection-templates",
    summary: "create inspection templates",
    access: office,
    description: "Names of areas, and of the items in one, are each there once, whatever their case.",
    body: body(templateTerms).partial({ type: true }),
    returns: template,
    fails: [409],
    idempotent: true,
  },
  getInspectionTemplate: {
    method: "GET",
    path: "/api/inspection-templates/{id}",
    summary: "read an inspection template",
    access: office,
    returns: template,
  },
  updateInspectionTemplate: {
    method: "PATCH",
    path: "/api/inspection-templates/{id}",
    summary: "change inspection templates",
    access: office,
    description: "The areas are replaced as a whole. Inspections that were made from it stay as they are.",
    body: body(templateTerms).partial(),
    returns: template,
    fails: [409],
  },
  deleteInspectionTemplate: {
    method: "DELETE",
    path: "/api/inspection-templates/{id}",
    summary: "delete inspection templates",
    access: office,
    description: "Inspections that were made from it stay as they are.",
    returns: template,
  },
});
