import type { inspectionTemplates } from "@freehold/contract/maintenance/inspections";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { newId } from "@freehold/kit/db/entity";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { publish } from "../../../publish.ts";
import { InspectionTemplate } from "../inspection.entity.ts";
import { inspectionTemplateView } from "../inspection.view.ts";
import { getTemplateRow, listTemplateRows } from "../inspections.queries.ts";
import { starterTemplate } from "./starter-template.ts";
import { identifyItems, mergeTemplateAreas } from "./template-areas.rules.ts";

type Operations = (typeof inspectionTemplates)["operations"];
type Result = Output<Operations["getInspectionTemplate"]>;

/** Returns a page of inspection templates. */
export async function listInspectionTemplates(
  db: OrgDb,
  query: QueryOf<Operations["listInspectionTemplates"]>,
): Promise<Output<Operations["listInspectionTemplates"]>> {
  const { rows, paging } = await listTemplateRows(db, query);
  return { inspectionTemplates: rows.map(inspectionTemplateView), ...paging };
}

/** Creates an inspection template. Throws 409 when its name is taken. */
export function createInspectionTemplate(db: OrgDb, { areas, ...terms }: BodyOf<Operations["createInspectionTemplate"]>): Promise<Result> {
  const newAreas = mergeTemplateAreas([], areas, newId);
  return transaction(db, async (tx) => {
    const template = tx.create(InspectionTemplate, { ...omitUndefined(terms), areas: newAreas });
    await tx.flush();
    await publish(tx, "inspection_template.created", { entityId: template.id, data: {} });
    return { inspectionTemplate: inspectionTemplateView(await getTemplateRow(tx, template.id)) };
  });
}

/** Returns an inspection template. Throws 404. */
export const getInspectionTemplate = async (db: OrgDb, id: string): Promise<Result> => ({
  inspectionTemplate: inspectionTemplateView(await getTemplateRow(db, id)),
});

const lockTemplate = (tx: OrgTx, id: string): Promise<InspectionTemplate> =>
  tx.getForUpdate(InspectionTemplate, id, "Inspection template", { deletedAt: null });

/** Updates the given fields of an inspection template; areas are replaced as a whole. */
export function updateInspectionTemplate(db: OrgDb, id: string, { areas, ...changes }: BodyOf<Operations["updateInspectionTemplate"]>): Promise<Result> {
  return transaction(db, async (tx) => {
    const template = await lockTemplate(tx, id);
    tx.assign(template, {
      ...omitUndefined(changes),
      ...(areas && { areas: mergeTemplateAreas(identifyItems(id, template.areas), areas, newId) }),
      updatedAt: now(),
    });
    await publish(tx, "inspection_template.updated", { entityId: id, data: {} });
    return { inspectionTemplate: inspectionTemplateView(await getTemplateRow(tx, id)) };
  });
}

/** Soft-deletes a template. Inspections created from the template keep their areas. */
export const deleteInspectionTemplate = (db: OrgDb, id: string): Promise<Result> =>
  transaction(db, async (tx) => {
    tx.assign(await lockTemplate(tx, id), { deletedAt: now() });
    await publish(tx, "inspection_template.deleted", { entityId: id, data: {} });
    return { inspectionTemplate: inspectionTemplateView(await getTemplateRow(tx, id, { includeDeleted: true })) };
  });

/** Creates the starter template of a new organization, unless a template of that name exists already. */
export async function addStarterTemplate(tx: OrgTx): Promise<void> {
  const existingTemplate = await tx.findOne(InspectionTemplate, { name: starterTemplate.name, deletedAt: null });
  if (!existingTemplate) tx.create(InspectionTemplate, { ...starterTemplate, areas: mergeTemplateAreas([], starterTemplate.areas, newId) });
}
