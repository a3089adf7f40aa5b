import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import type { FeeTemplateTerms, units } from "@freehold/contract/units";
import { now } from "@freehold/kit/time/clock";
import type { BatchWriter } from "@freehold/kit/db/batch-write";
import { transaction, batchTransaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import type { z } from "zod";
import { announce } from "../../announce.ts";
import { refuseUnknownCategories } from "../../asking.ts";
import type { Clients } from "../../clients.ts";
import { hasUnfinishedInspection } from "../../maintenance/inspections/inspections.queries.ts";
import { cancelDrafts } from "../../leases/lifecycle/cancel-lease.ts";
import { isLet } from "../../leases/leases.queries.ts";
import { notesOf } from "../../documents/notes/notes.ts";
import { holdReferences } from "../../references.ts";
import { Unit, UnitFeeTemplate } from "./unit.entity.ts";
import { unitNumber } from "./unit.rules.ts";
import { hasUnfinishedWork } from "../../maintenance/work-orders/work-orders.queries.ts";
import { unitView } from "./unit.view.ts";
import { findUnit, findUnits, livesSomebodyIn, pageOfUnits } from "./units.queries.ts";

type Operations = (typeof units)["operations"];
type Fee = z.output<typeof FeeTemplateTerms>;
export type UnitTerms = Omit<BodyOf<Operations["createUnit"]>, "propertyId">;

/** Refuses fee templates whose account the chart does not have, each by its place in the body. */
export const refuseUnknownFeeCategories = (db: OrgDb, ask: Clients, fees: readonly Fee[], path: string): Promise<void> =>
  refuseUnknownCategories(
    db,
    ask,
    fees.map(({ categoryId }, index) => ({ categoryId, path: `${path}.${index}.categoryId` })),
  );

/** Adds units and their fee templates to properties that the transaction holds, and announces them. */
export async function addUnits(tx: OrgTx, rows: readonly (UnitTerms & { propertyId: string })[]): Promise<string[]> {
  const units = rows.map(({ feeTemplates: _fees, ...terms }) =>
    tx.create(Unit, { amenities: [], ...omitUndefined(terms), unitNumber: unitNumber(terms.unitNumber) }),
  );
  await tx.flush();
  for (const [index, { feeTemplates }] of rows.entries())
    for (const [position, fee] of feeTemplates.entries()) tx.create(UnitFeeTemplate, { ...fee, unitId: units[index]!.id, position });
  await announce(tx, "unit.created", ...units.map(({ id, propertyId }) => ({ entityId: id, data: { propertyId } })));
  return units.map(({ id }) => id);
}

/** A page of units as they stand today. */
export async function listUnits(db: OrgDb, query: QueryOf<Operations["listUnits"]>): Promise<Output<Operations["listUnits"]>> {
  const { rows, paging } = await pageOfUnits(db, query);
  return { units: rows.map(unitView), ...paging };
}

/** Adds a unit to a live property. Its number is free in the property, whatever the case. */
export async function createUnit(db: OrgDb, ask: Clients, body: BodyOf<Operations["createUnit"]>): Promise<Output<Operations["createUnit"]>> {
  await refuseUnknownFeeCategories(db, ask, body.feeTemplates, "feeTemplates");
  return batchTransaction(db, writeUnits, body);
}

const writeUnits: BatchWriter<BodyOf<Operations["createUnit"]>, Output<Operations["createUnit"]>> = async (tx, asked) => {
  await holdReferences(
    tx,
    "property",
    asked.map(({ propertyId }) => ({ id: propertyId, path: "propertyId" })),
  );
  const ids = await addUnits(tx, asked);
  const rows = new Map((await findUnits(tx, ids)).map((row) => [row.id, row]));
  return ids.map((id) => ({ unit: unitView(rows.get(id)!) }));
};

export async function getUnit(db: OrgDb, ask: Clients, id: string): Promise<Output<Operations["getUnit"]>> {
  const [unit, notes] = await Promise.all([findUnit(db, id), notesOf(db, ask, "unit", id)]);
  return { unit: unitView(unit), notes };
}

/** Changes what is sent. */
export function updateUnit(db: OrgDb, id: string, changes: BodyOf<Operations["updateUnit"]>): Promise<Output<Operations["updateUnit"]>> {
  return transaction(db, async (tx) => {
    const unit = await tx.getForUpdate(Unit, id, "Unit", { deletedAt: null });
    tx.assign(unit, { ...omitUndefined(changes), ...(changes.unitNumber !== undefined && { unitNumber: unitNumber(changes.unitNumber) }) });
    await announce(tx, "unit.updated", { entityId: id, data: { propertyId: unit.propertyId } });
    return { unit: unitView(await findUnit(tx, id)) };
  });
}

/** Soft-deletes a unit that nobody has, lives in or works on; drafts of leases for it are cancelled. */
export function deleteUnit(db: OrgDb, id: string): Promise<Output<Operations["deleteUnit"]>> {
  return transaction(db, async (tx) => {
    const unit = await tx.getForUpdate(Unit, id, "Unit", { deletedAt: null });
    if (await isLet(tx, "unit", id)) throw conflict("The unit has an active or pending lease. Terminate it first.", "resource_in_use");
    if (await livesSomebodyIn(tx, id)) throw conflict("Somebody still lives in the unit. Release the occupants first.", "resource_in_use");
    if (await hasUnfinishedWork(tx, "unit", id)) throw conflict("A work order of the unit is not finished. Complete or cancel it first.", "resource_in_use");
    if (await hasUnfinishedInspection(tx, "unit", id))
      throw conflict("An inspection of the unit is not finished. Complete or cancel it first.", "resource_in_use");
    tx.assign(unit, { deletedAt: now() });
    await cancelDrafts(tx, "unit", id);
    await announce(tx, "unit.deleted", { entityId: id, data: { propertyId: unit.propertyId } });
    return { unit: unitView(await findUnit(tx, id, true)) };
  });
}
