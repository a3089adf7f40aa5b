import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import type { FeeTemplateTerms, units } from "@freehold/contract/properties/units";
import { now } from "@freehold/kit/time/clock";
import type { BatchWriter } from "@freehold/kit/db/batches/batch-write";
import { transaction, batchTransaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import type { z } from "zod";
import type { Clients } from "../../clients.ts";
import { lockReferences } from "../../db/references.ts";
import { findEntityNotes } from "../../documents/notes/notes.ts";
import { deleteWithDraftLeases } from "../../leases/lifecycle/cancel-lease.ts";
import { publish } from "../../publish.ts";
import { requireCategories } from "../../rpc/lookups.ts";
import { requireUnused } from "../require-unused.ts";
import { Unit, UnitFeeTemplate } from "./unit.entity.ts";
import { unitView } from "./unit.view.ts";
import { getUnitRow, listUnitRows } from "./units.queries.ts";

type Operations = (typeof units)["operations"];
type FeeTemplate = z.output<typeof FeeTemplateTerms>;
type NewUnit = BodyOf<Operations["createUnit"]>;
export type UnitTerms = Omit<NewUnit, "propertyId">;

/** Returns the stored form of a unit number: null for a blank one. */
const normalizeUnitNumber = (unitNumber: string | null | undefined): string | null => unitNumber || null;

/** Throws 400 that names each fee template, by its path in the request body, whose account does not exist. */
export const requireFeeCategories = (db: OrgDb, clients: Clients, templates: readonly FeeTemplate[], path: string): Promise<void> =>
  requireCategories(
    db,
    clients,
    templates.map(({ categoryId }, index) => ({ categoryId, path: `${path}.${index}.categoryId` })),
  );

/** Inserts units with their fee templates and publishes the events. The properties must be locked. Returns the ids of the units. */
export async function insertUnits(tx: OrgTx, inputs: readonly (UnitTerms & { propertyId: string })[]): Promise<string[]> {
  const createdUnits = await tx.insertAll(
    Unit,
    inputs.map(({ feeTemplates: _templates, ...terms }) => ({ amenities: [], ...omitUndefined(terms), unitNumber: normalizeUnitNumber(terms.unitNumber) })),
  );
  await tx.insertAll(
    UnitFeeTemplate,
    createdUnits.flatMap(({ id: unitId }, index) => inputs[index]!.feeTemplates.map((template, position) => ({ ...template, unitId, position }))),
  );
  await publish(tx, "unit.created", ...createdUnits.map(({ id, propertyId }) => ({ entityId: id, data: { propertyId } })));
  return createdUnits.map(({ id }) => id);
}

/** Returns a page of units with their status of today. */
export async function listUnits(db: OrgDb, query: QueryOf<Operations["listUnits"]>): Promise<Output<Operations["listUnits"]>> {
  const { rows, paging } = await listUnitRows(db, query);
  return { units: rows.map(unitView), ...paging };
}

/** Adds a unit to a property. Unit numbers are unique in the property, ignoring case. */
export async function createUnit(db: OrgDb, clients: Clients, input: NewUnit): Promise<Output<Operations["createUnit"]>> {
  await requireFeeCategories(db, clients, input.feeTemplates, "feeTemplates");
  return transaction(db, async (tx) => {
    const [id] = await insertUnitsOfProperties(tx, [input]);
    return { unit: unitView(await getUnitRow(tx, id!)) };
  });
}

/** Adds a unit without fee templates to a property. The units of a batch are inserted at once. */
export const importUnit = (db: OrgDb, input: Omit<NewUnit, "feeTemplates">): Promise<{ recordId: string }> =>
  batchTransaction(db, insertImportedUnits, { ...input, feeTemplates: [] });

const insertImportedUnits: BatchWriter<NewUnit, { recordId: string }> = async (tx, inputs) =>
  (await insertUnitsOfProperties(tx, inputs)).map((recordId) => ({ recordId }));

/** Inserts units of existing properties and returns their ids. Throws 400 for a property that does not exist. */
async function insertUnitsOfProperties(tx: OrgTx, inputs: readonly NewUnit[]): Promise<string[]> {
  await lockReferences(
    tx,
    "property",
    inputs.map(({ propertyId }) => ({ id: propertyId, path: "propertyId" })),
  );
  return insertUnits(tx, inputs);
}

/** Returns a unit with its status of today and its notes. */
export async function getUnit(db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["getUnit"]>> {
  const [unit, notes] = await Promise.all([getUnitRow(db, id), findEntityNotes(db, clients, "unit", id)]);
  return { unit: unitView(unit), notes };
}

/** Updates the given fields of a unit. */
export async function updateUnit(
  db: OrgDb,
  clients: Clients,
  id: string,
  changes: BodyOf<Operations["updateUnit"]>,
): Promise<Output<Operations["updateUnit"]>> {
  const row = await transaction(db, async (tx) => {
    const unit = await tx.getForUpdate(Unit, id, "Unit", { deletedAt: null });
    tx.assign(unit, { ...omitUndefined(changes), ...(changes.unitNumber !== undefined && { unitNumber: normalizeUnitNumber(changes.unitNumber) }) });
    await publish(tx, "unit.updated", { entityId: id, data: { propertyId: unit.propertyId } });
    return getUnitRow(tx, id);
  });
  return { unit: unitView(row), notes: await findEntityNotes(db, clients, "unit", id) };
}

/**
 * Soft-deletes a unit and cancels its draft leases. Throws 409 while the unit has an active or pending lease, is occupied, has unfinished
 * work orders or inspections, or a draft lease on which money is posted.
 */
export const deleteUnit = (db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["deleteUnit"]>> =>
  deleteWithDraftLeases(db, clients, "unit", id, (inHeldTransaction, cancelDraftLeases) =>
    inHeldTransaction(async (tx) => {
      const unit = await tx.getForUpdate(Unit, id, "Unit", { deletedAt: null });
      await requireUnused(tx, "unit", id);
      tx.assign(unit, { deletedAt: now() });
      await cancelDraftLeases(tx);
      await publish(tx, "unit.deleted", { entityId: id, data: { propertyId: unit.propertyId } });
      return { unit: unitView(await getUnitRow(tx, id, { includeDeleted: true })) };
    }),
  );
