import type { inspectionTemplates, TemplateArea } from "@freehold/contract/maintenance/inspections";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { publish } from "../../publish.ts";
import { requireUniqueNames } from "./areas.rules.ts";
import { InspectionTemplate } from "./inspection.entity.ts";
import { inspectionTemplateView } from "./inspection.view.ts";
import { getTemplateRow, listTemplateRows } from "./inspections.queries.ts";
import { starterTemplate } from "./starter-template.ts";

type Operations = (typeof inspectionTemplates)["operations"];
type Answer = Promise<Output<Operations["getInspectionTemplate"]>>;

export async function listInspectionTemplates(
  db: OrgDb,
  query: QueryOf<Operations["listInspectionTemplates"]>,
): Promise<Output<Operations["listInspectionTemplates"]>> {
  const { rows, paging } = await listTemplateRows(db, query);
  return { inspectionTemplates: rows.map(inspectionTemplateView), ...paging };
}

const checked = (areas: TemplateArea[] | undefined): void => {
  if (areas) requireUniqueNames(areas);
};

/** Adds a template under a name that no other one has. */
export function createInspectionTemplate(db: OrgDb, terms: BodyOf<Operations["createInspectionTemplate"]>): Answer {
  checked(terms.areas);
  return transaction(db, async (tx) => {
    const template = tx.create(InspectionTemplate, omitUndefined(terms));
    await tx.flush();
    await publish(tx, "inspection_template.created", { entityId: template.id, data: {} });
    return { inspectionTemplate: inspectionTemplateView(await getTemplateRow(tx, template.id)) };
  });
}

export const getInspectionTemplate = async (db: OrgDb, id: string): Answer => ({ inspectionTemplate: inspectionTemplateView(await getTemplateRow(db, id)) });

const lockTemplate = (tx: OrgTx, id: string): Promise<InspectionTemplate> =>
  tx.getForUpdate(InspectionTemplate, id, "Inspection template", { deletedAt: null });

/** Changes what is sent; the areas are replaced as a whole. */
export function updateInspectionTemplate(db: OrgDb, id: string, changes: BodyOf<Operations["updateInspectionTemplate"]>): Answer {
  checked(changes.areas);
  return transaction(db, async (tx) => {
    tx.assign(await lockTemplate(tx, id), { ...omitUndefined(changes), updatedAt: now() });
    await publish(tx, "inspection_template.updated", { entityId: id, data: {} });
    return { inspectionTemplate: inspectionTemplateView(await getTemplateRow(tx, id)) };
  });
}

/** Soft-deletes a template; what was made from it stays. */
export const deleteInspectionTemplate = (db: OrgDb, id: string): Answer =>
  transaction(db, async (tx) => {
    tx.assign(await lockTemplate(tx, id), { deletedAt: now() });
    await publish(tx, "inspection_template.deleted", { entityId: id, data: {} });
    return { inspectionTemplate: inspectionTemplateView(await getTemplateRow(tx, id, true)) };
  });

/** Gives a new organization the template that it begins with, unless it was quicker and has one of that name. */
export async function addStarterTemplate(tx: OrgTx): Promise<void> {
  const taken = await tx.findOne(InspectionTemplate, { name: starterTemplate.name, deletedAt: null });
  if (!taken) tx.create(InspectionTemplate, starterTemplate);
}
