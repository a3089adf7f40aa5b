import { identifyItems } from "./templates/template-areas.rules.ts";
import type { Inspection, InspectionTemplate } from "@freehold/contract/maintenance/inspections";
import { withVersion } from "@freehold/kit/http/etag";
import type { InspectionRow, TemplateRow } from "./inspections.queries.ts";

/** Returns the API representation of an inspection: each item with its work order and without deleted documents. */
export function inspectionView({ version, areas, workOrders, liveDocumentIds, ...inspection }: InspectionRow): Inspection {
  const liveIds = new Set(liveDocumentIds);
  const itemView = (item: InspectionRow["areas"][number]["items"][number]): Inspection["areas"][number]["items"][number] => ({
    id: item.id,
    name: item.name,
    condition: item.condition,
    note: item.note,
    documentIds: item.documentIds.filter((id) => liveIds.has(id)),
    workOrderId: workOrders[item.id] ?? null,
    estimatedCostCents: item.estimatedCostCents,
  });
  return withVersion({ ...inspection, areas: areas.map(({ id, name, items }) => ({ id, name, items: items.map(itemView) })) }, version);
}

/** Returns the API representation of an inspection template. */
export const inspectionTemplateView = ({ version, ...template }: TemplateRow): InspectionTemplate =>
  withVersion({ ...template, areas: identifyItems(template.id, template.areas) }, version);
