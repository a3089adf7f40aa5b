/** Fee templates of a unit: fees that new leases of the unit usually have. */
import type { BodyOf, Output } from "@freehold/contract/operation";
import type { feeTemplates } from "@freehold/contract/properties/units";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict, notFound } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import type { Clients } from "../../clients.ts";
import { publish } from "../../publish.ts";
import { requireCategory } from "../../rpc/lookups.ts";
import { feeTemplateView } from "./fee-template.view.ts";
import { Unit, UnitFeeTemplate } from "./unit.entity.ts";
import { getUnitRow } from "./units.queries.ts";

type Operations = (typeof feeTemplates)["operations"];
const MAX_TEMPLATES = 50;

/** Returns the fee templates of a unit in order of creation. */
export async function listUnitFeeTemplates(db: OrgDb, unitId: string): Promise<Output<Operations["listUnitFeeTemplates"]>> {
  return { feeTemplates: (await getUnitRow(db, unitId)).feeTemplates };
}

/** Locks the unit whose fee templates change, so that concurrent changes run one after the other, and marks it as changed. Throws 404. */
async function lockParentUnit(tx: OrgTx, id: string): Promise<Unit> {
  const [unit] = await tx.findAllForUpdate(Unit, [id]);
  if (!unit || unit.deletedAt) throw notFound("Unit");
  unit.updatedAt = now();
  return unit;
}

type FeeTemplateView = ReturnType<typeof feeTemplateView>;

/** Records the change of a fee template in the history of its unit and publishes the unit's update. */
function publishUnitUpdated(tx: OrgTx, { id, propertyId }: Unit, before: FeeTemplateView | null, after: FeeTemplateView | null): Promise<void> {
  tx.changeTracker?.recordChange(id, "feeTemplate", before, after);
  return publish(tx, "unit.updated", { entityId: id, data: { propertyId } });
}

/** Adds a fee template after those of the unit. */
export async function createUnitFeeTemplate(
  db: OrgDb,
  clients: Clients,
  unitId: string,
  terms: BodyOf<Operations["createUnitFeeTemplate"]>,
): Promise<Output<Operations["createUnitFeeTemplate"]>> {
  await requireCategory(db, clients, terms);
  return transaction(db, async (tx) => {
    const unit = await lockParentUnit(tx, unitId);
    const existingTemplates = await tx.find(UnitFeeTemplate, { unitId });
    if (existingTemplates.length >= MAX_TEMPLATES)
      throw conflict(`The unit has ${MAX_TEMPLATES} fee templates, and cannot have more. Delete one first.`, "resource_in_use");
    const position = Math.max(-1, ...existingTemplates.map((template) => template.position)) + 1;
    const template = tx.create(UnitFeeTemplate, { ...omitUndefined(terms), unitId, position });
    await tx.flush();
    const feeTemplate = feeTemplateView(template);
    await publishUnitUpdated(tx, unit, null, feeTemplate);
    return { feeTemplate };
  });
}

/** Updates the given fields of a fee template. */
export async function updateUnitFeeTemplate(
  db: OrgDb,
  clients: Clients,
  id: string,
  changes: BodyOf<Operations["updateUnitFeeTemplate"]>,
): Promise<Output<Operations["updateUnitFeeTemplate"]>> {
  await requireCategory(db, clients, changes);
  return transaction(db, async (tx) => {
    const template = await tx.getForUpdate(UnitFeeTemplate, id, "Fee template");
    const unit = await lockParentUnit(tx, template.unitId);
    const before = feeTemplateView(template);
    tx.assign(template, omitUndefined(changes));
    await tx.flush();
    const feeTemplate = feeTemplateView(template);
    await publishUnitUpdated(tx, unit, before, feeTemplate);
    return { feeTemplate };
  });
}

/** Deletes a fee template. Leases created with it keep their fee. */
export function deleteUnitFeeTemplate(db: OrgDb, id: string): Promise<Output<Operations["deleteUnitFeeTemplate"]>> {
  return transaction(db, async (tx) => {
    const template = await tx.getForUpdate(UnitFeeTemplate, id, "Fee template");
    const unit = await lockParentUnit(tx, template.unitId);
    const feeTemplate = feeTemplateView(template);
    tx.remove(template);
    await publishUnitUpdated(tx, unit, feeTemplate, null);
    return { feeTemplate };
  });
}
