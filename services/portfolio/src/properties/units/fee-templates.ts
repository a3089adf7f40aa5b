/** The fees that new leases of a unit usually carry, one by one. */
import type { BodyOf, Output } from "@freehold/contract/operation";
import type { feeTemplates } from "@freehold/contract/units";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict, notFound } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { announce } from "../../announce.ts";
import { refuseUnknownCategory } from "../../asking.ts";
import type { Clients } from "../../clients.ts";
import { feeTemplateView } from "./fee-template.view.ts";
import { Unit, UnitFeeTemplate } from "./unit.entity.ts";
import { findUnit } from "./units.queries.ts";

type Operations = (typeof feeTemplates)["operations"];
const AT_MOST = 50;

/** A unit's fees, in the order in which they were added. */
export async function listUnitFeeTemplates(db: OrgDb, unitId: string): Promise<Output<Operations["listUnitFeeTemplates"]>> {
  return { feeTemplates: (await findUnit(db, unitId)).feeTemplates };
}

/** The unit, locked: its fees change one after the other. */
async function lockUnit(tx: OrgTx, id: string): Promise<Unit> {
  const [unit] = await tx.findAllForUpdate(Unit, [id]);
  if (!unit || unit.deletedAt) throw notFound("Unit");
  return unit;
}

type View = ReturnType<typeof feeTemplateView>;

/** Announces that a unit changed by one of its fees, as it was and as it is. */
function announceChange(tx: OrgTx, { id, propertyId }: Unit, before: View | null, after: View | null): Promise<void> {
  tx.changeTracker?.recordChange(id, "feeTemplate", before, after);
  return announce(tx, "unit.updated", { entityId: id, data: { propertyId } });
}

/** Adds a fee to a unit, behind those it has. */
export async function createUnitFeeTemplate(
  db: OrgDb,
  ask: Clients,
  unitId: string,
  terms: BodyOf<Operations["createUnitFeeTemplate"]>,
): Promise<Output<Operations["createUnitFeeTemplate"]>> {
  await refuseUnknownCategory(db, ask, terms);
  return transaction(db, async (tx) => {
    const unit = await lockUnit(tx, unitId);
    const earlier = await tx.find(UnitFeeTemplate, { unitId });
    if (earlier.length >= AT_MOST) throw conflict(`The unit has ${AT_MOST} fee templates, and cannot have more. Delete one first.`, "resource_in_use");
    const position = Math.max(-1, ...earlier.map((fee) => fee.position)) + 1;
    const fee = tx.create(UnitFeeTemplate, { ...omitUndefined(terms), unitId, position });
    await tx.flush();
    const feeTemplate = feeTemplateView(fee);
    await announceChange(tx, unit, null, feeTemplate);
    return { feeTemplate };
  });
}

/** Changes what is sent. */
export async function updateUnitFeeTemplate(
  db: OrgDb,
  ask: Clients,
  id: string,
  changes: BodyOf<Operations["updateUnitFeeTemplate"]>,
): Promise<Output<Operations["updateUnitFeeTemplate"]>> {
  await refuseUnknownCategory(db, ask, changes);
  return transaction(db, async (tx) => {
    const fee = await tx.getForUpdate(UnitFeeTemplate, id, "Fee template");
    const unit = await lockUnit(tx, fee.unitId);
    const before = feeTemplateView(fee);
    tx.assign(fee, omitUndefined(changes));
    await tx.flush();
    const feeTemplate = feeTemplateView(fee);
    await announceChange(tx, unit, before, feeTemplate);
    return { feeTemplate };
  });
}

/** Removes a fee from its unit; leases that took it over keep it. */
export function deleteUnitFeeTemplate(db: OrgDb, id: string): Promise<Output<Operations["deleteUnitFeeTemplate"]>> {
  return transaction(db, async (tx) => {
    const fee = await tx.getForUpdate(UnitFeeTemplate, id, "Fee template");
    const unit = await lockUnit(tx, fee.unitId);
    const feeTemplate = feeTemplateView(fee);
    tx.remove(fee);
    await announceChange(tx, unit, feeTemplate, null);
    return { feeTemplate };
  });
}
