/** Schemas of the inspection resource: its areas and items, its signatures and the comparison of two inspections. */
import { z } from "zod";
import { body } from "../operation.ts";
import { Id, Instant, NonNegativeCents, text } from "../values.ts";

export const inspectionTypes = ["move_in", "move_out", "routine", "annual", "pre_listing", "other"] as const;
export const inspectionStatuses = ["scheduled", "in_progress", "completed", "cancelled"] as const;
/** Conditions of an item: `not_inspected` first, then from the best to the worst. */
export const conditions = ["not_inspected", "good", "fair", "poor", "damaged", "missing"] as const;
export type Condition = (typeof conditions)[number];

/** Maximum number of areas in an inspection or template. */
export const MAX_AREAS = 100;
/** Maximum number of items in an area. */
export const MAX_ITEMS = 200;

export const InspectionType = z.enum(inspectionTypes);
export const Name = text(1, 120);
const Condition = z.enum(conditions);

const item = {
  id: Id.describe("Unique identifier of the item."),
  name: Name.describe("Name of the item, unique within the area regardless of case."),
  condition: Condition.describe("Condition of the item; `not_inspected` until recorded."),
  documentIds: z.array(Id).describe("Documents attached to the inspection that show the item, such as photos."),
  workOrderId: Id.nullable().describe("Work order created from the item; null when there is none."),
  estimatedCostCents: NonNegativeCents.nullable().describe("Estimated cost of repair or replacement in cents; null when not estimated."),
};
const InspectionItem = z
  .strictObject({
    id: item.id,
    name: item.name,
    condition: item.condition,
    note: z.string().nullable().describe("Remarks about the item; null when there are none."),
    documentIds: item.documentIds,
    workOrderId: item.workOrderId,
    estimatedCostCents: item.estimatedCostCents,
  })
  .meta({ id: "InspectionItem", description: "One inspected item and its condition." });
export const InspectionArea = z
  .strictObject({
    id: Id.describe("Unique identifier of the area."),
    name: Name.describe("Name of the area, unique within the inspection regardless of case."),
    items: z.array(InspectionItem).describe("Items of the area."),
  })
  .meta({ id: "InspectionArea", description: "A room or another part of the inspected unit, with its items." });
export type InspectionArea = z.output<typeof InspectionArea>;

const signature = {
  name: Name.describe("Full name of the person who signed."),
  role: z.enum(["tenant", "owner", "inspector", "witness", "other"]).describe("Role of the person who signed."),
};
export const Signature = z
  .strictObject({ ...signature, signedAt: Instant.describe("Time of the signature.") })
  .meta({ id: "InspectionSignature", description: "A signature that confirms the findings of an inspection." });
export type Signature = z.output<typeof Signature>;
/** Signature in a request. */
export const SentSignature = body({
  ...signature,
  signedAt: Instant.optional().describe("Time of the signature, not in the future. Default the completion time of the inspection."),
});

/** Item in a request: with an id an existing item, without an id a new item. */
const SentItem = body({
  id: Id.describe("Existing item to keep; omit for a new item. Members that are not sent keep their values."),
  name: item.name,
  condition: item.condition,
  note: z.string().trim().max(4000).nullable().describe("Remarks about the item; null for none."),
  documentIds: z.array(Id).max(100).describe("Documents attached to the inspection that show the item, such as photos."),
  workOrderId: Id.nullable().describe("Work order of the item, accepted as returned by a read; cannot be changed here."),
  estimatedCostCents: item.estimatedCostCents,
})
  .partial()
  .required({ name: true });
const SentArea = body({
  id: Id.optional().describe("Existing area to keep; omit for a new area."),
  name: Name.describe("Name of the area, unique within the inspection regardless of case."),
  items: z.array(SentItem).max(MAX_ITEMS).describe("Items of the area."),
});
export type SentArea = z.output<typeof SentArea>;
export const SentAreas = z.array(SentArea).max(MAX_AREAS);

export const ComparedItem = z
  .strictObject({
    area: z.string().describe("Name of the area."),
    item: z.string().describe("Name of the item."),
    before: Condition.nullable().describe("Condition in the earlier inspection; null when that inspection does not have the item."),
    after: Condition.nullable().describe("Condition in the later inspection; null when that inspection does not have the item."),
    worsened: z.boolean().describe("Whether the condition became worse; `false` when either inspection did not record a condition."),
    suggestedDeductionCents: NonNegativeCents.describe("Suggested deduction from the security deposit for the item, in cents; 0 for normal wear."),
    beforeItemId: Id.nullable().describe("Item of the earlier inspection; null when that inspection does not have the item."),
    afterItemId: Id.nullable().describe("Item of the later inspection; null when that inspection does not have the item."),
  })
  .meta({ id: "InspectionComparison", description: "The condition of one item in two inspections." });
export type ComparedItem = z.output<typeof ComparedItem>;
