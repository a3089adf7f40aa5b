import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import type { properties } from "@freehold/contract/properties/properties";
import type { Cents } from "@freehold/contract/values";
import { now, today } from "@freehold/kit/time/clock";
import { batchTransaction, transaction } from "@freehold/kit/db/transaction";
import type { BatchWriter } from "@freehold/kit/db/batches/batch-write";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict, invalid } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import type { Clients } from "../clients.ts";
import { lockReferences } from "../db/references.ts";
import { requireVersion } from "../db/require-version.ts";
import { findEntityNotes } from "../documents/notes/notes.ts";
import { listLeases } from "../leases/leases.ts";
import { deleteWithDraftLeases } from "../leases/lifecycle/cancel-lease.ts";
import { publish } from "../publish.ts";
import { findAmounts } from "../rpc/lookups.ts";
import { recordBeforeAll, recordOwnership } from "./ownership/ownership.ts";
import { findOwnerIdsOn, findOwnersWithoutShares, hasShares } from "./ownership/ownership.queries.ts";
import { equalShares } from "./ownership/ownership.rules.ts";
import { deletePropertyUnits, getPropertyRow, hasUnits, listPropertyRows, replaceOwners } from "./properties.queries.ts";
import { Property } from "./property.entity.ts";
import { requireBankAccounts } from "./bank-accounts.ts";
import { requireConsistentProperty, requireOwnersOfEntries } from "./property.rules.ts";
import { propertyView } from "./property.view.ts";
import { requireUnused } from "./require-unused.ts";
import { insertUnits, listUnits, requireFeeCategories } from "./units/units.ts";

type Operations = (typeof properties)["operations"];
type Changes = BodyOf<Operations["updateProperty"]>;

/** Returns a lookup of the overdue rent of properties, fetched in one call. Amounts are null while the ledger is unavailable. */
const findOverdueRent = (db: OrgDb, clients: Clients, ids: readonly string[]): Promise<(id: string) => Cents | null> =>
  findAmounts(db, clients, ids, async (propertyIds) =>
    (await clients.ledger.getPropertyBalances(db, { propertyIds })).properties.map(({ propertyId, overdueRentCents }) => [propertyId, overdueRentCents]),
  );

const lockOwners = (tx: OrgTx, ownerIds: readonly string[]): Promise<void> =>
  lockReferences(
    tx,
    "owner",
    ownerIds.map((id, index) => ({ id, path: `ownerIds.${index}` })),
  );

/** Returns a page of properties. The overdue rent is omitted while the ledger is unavailable. */
export async function listProperties(db: OrgDb, clients: Clients, query: QueryOf<Operations["listProperties"]>): Promise<Output<Operations["listProperties"]>> {
  const { rows, paging } = await listPropertyRows(db, query);
  const overdueRentOf = await findOverdueRent(
    db,
    clients,
    rows.map(({ id }) => id),
  );
  return { properties: rows.map((row) => propertyView(row, overdueRentOf(row.id))), ...paging };
}

type NewProperty = BodyOf<Operations["createProperty"]>;

/** Adds a property with its owners and, if given, its first unit. */
export async function createProperty(
  db: OrgDb,
  clients: Clients,
  { ownerIds, initialUnit, ...terms }: NewProperty,
): Promise<Output<Operations["createProperty"]>> {
  requireConsistentProperty(terms);
  await requireFeeCategories(db, clients, initialUnit?.feeTemplates ?? [], "initialUnit.feeTemplates");
  return transaction(db, async (tx) => {
    await lockOwners(tx, ownerIds);
    const property = tx.create(Property, terms);
    await publish(tx, "property.created", { entityId: property.id, data: {} });
    await replaceOwners(tx, property.id, ownerIds);
    if (initialUnit)
      await insertUnits(tx, [{ propertyId: property.id, unitType: terms.assetClass === "commercial" ? "commercial" : "residential", ...initialUnit }]);
    return { property: propertyView(await getPropertyRow(tx, property.id), 0 as Cents), notes: [] };
  });
}

type ImportedProperty = Omit<NewProperty, "ownerIds" | "initialUnit"> & Pick<Changes, "reserveCents" | "managementStartDate">;

/** Adds a property with the terms of its management agreement. The properties of a batch are inserted at once. */
export async function importProperty(db: OrgDb, terms: ImportedProperty): Promise<{ recordId: string }> {
  requireConsistentProperty(terms);
  return batchTransaction(db, insertImportedProperties, terms);
}

const insertImportedProperties: BatchWriter<ImportedProperty, { recordId: string }> = async (tx, batch) => {
  const inserted = await tx.insertAll(Property, batch);
  await publish(tx, "property.created", ...inserted.map(({ id }) => ({ entityId: id, data: {} })));
  return inserted.map(({ id }) => ({ recordId: id }));
};

/** Returns a property with its notes. The overdue rent is omitted while the ledger is unavailable. */
export async function getProperty(db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["getProperty"]>> {
  const [property, overdueRentOf, notes] = await Promise.all([
    getPropertyRow(db, id),
    findOverdueRent(db, clients, [id]),
    findEntityNotes(db, clients, "property", id),
  ]);
  return { property: propertyView(property, overdueRentOf(property.id)), notes };
}

/** Throws 400 when the owners, or their order, differ from today's ownership: owners with shares can change only together with the shares. */
function requireOwnersMatchOwnership(effectiveOwnerIds: readonly string[], ownerIds: readonly string[]): void {
  if (
    effectiveOwnerIds.length === 0 ||
    (effectiveOwnerIds.length === ownerIds.length && effectiveOwnerIds.every((ownerId, index) => ownerId === ownerIds[index]))
  )
    return;
  const message = "The owners of this property have shares. Change both with PUT /api/properties/{id}/ownership.";
  throw invalid([{ path: "ownerIds", code: "not_allowed", message }]);
}

/**
 * Changes the owners of a locked property without an ownership today. They own it until the first ownership, if one is recorded for a later
 * day. Once the property has entries in the ledger, other owners own it from today on, since what was earned before is that of the former ones,
 * and the property keeps an owner.
 */
async function changeOwners(tx: OrgTx, property: Property, ownerIds: string[], hasEntries: boolean): Promise<void> {
  const { id } = property;
  const day = today(tx.principal.timezone);
  const effectiveOwnerIds = await findOwnerIdsOn(tx, id, day);
  requireOwnersMatchOwnership(effectiveOwnerIds, ownerIds);
  await lockOwners(tx, ownerIds);
  if (hasEntries && (await replacesOwners(tx, id, ownerIds))) {
    requireOwnersOfEntries(ownerIds);
    await recordOwnership(tx, property, day, equalShares(ownerIds));
    return;
  }
  await replaceOwners(tx, id, ownerIds);
  if (effectiveOwnerIds.length === 0 && (await hasShares(tx, id))) recordBeforeAll(tx, id, equalShares(ownerIds));
}

/** Tells whether a property without recorded shares has owners and would get others or none. */
async function replacesOwners(db: StatementRunner, id: string, ownerIds: readonly string[]): Promise<boolean> {
  const formerOwnerIds = await findOwnersWithoutShares(db, id);
  const isSame = formerOwnerIds.length === ownerIds.length && formerOwnerIds.every((ownerId) => ownerIds.includes(ownerId));
  return formerOwnerIds.length > 0 && !isSame;
}

/** Tells whether anything was posted for a property. Throws 503 while the ledger is unavailable. */
async function hasLedgerEntries(db: OrgDb, clients: Clients, id: string): Promise<boolean> {
  const { properties: balances } = await clients.ledger.getPropertyBalances(db, { propertyIds: [id] });
  return balances.some(({ propertyId, hasEntries }) => propertyId === id && hasEntries);
}

/** Updates the given fields of a property. */
export async function updateProperty(
  db: OrgDb,
  clients: Clients,
  id: string,
  { ownerIds, ...changes }: Changes,
): Promise<Output<Operations["updateProperty"]>> {
  await requireBankAccounts(db, clients, changes);
  const hasEntries = ownerIds !== undefined && (await replacesOwners(db, id, ownerIds)) && (await hasLedgerEntries(db, clients, id));
  const row = await transaction(db, async (tx) => {
    const property = await tx.getForUpdate(Property, id, "Property", { deletedAt: null });
    const isDerived = await hasUnits(tx, id);
    tx.assign(property, { ...omitUndefined(changes), updatedAt: now() });
    // The declared number applies again once the unit records are deleted.
    if (isDerived) property.occupiedUnits = Math.min(property.occupiedUnits, property.units);
    requireConsistentProperty(property);
    if (ownerIds) await changeOwners(tx, property, ownerIds, hasEntries);
    await publish(tx, "property.updated", { entityId: id, data: {} });
    return getPropertyRow(tx, id);
  });
  const [overdueRentOf, notes] = await Promise.all([findOverdueRent(db, clients, [id]), findEntityNotes(db, clients, "property", id)]);
  return { property: propertyView(row, overdueRentOf(row.id)), notes };
}

/** Returns a page of the units of a property. Throws 404 for an unknown property. */
export async function listPropertyUnits(
  db: OrgDb,
  id: string,
  query: QueryOf<Operations["listPropertyUnits"]>,
): Promise<Output<Operations["listPropertyUnits"]>> {
  await getPropertyRow(db, id);
  return listUnits(db, { ...query, propertyId: id });
}

/** Returns a page of the leases of a property. Throws 404 for an unknown property. */
export async function listPropertyLeases(
  db: OrgDb,
  clients: Clients,
  id: string,
  query: QueryOf<Operations["listPropertyLeases"]>,
): Promise<Output<Operations["listPropertyLeases"]>> {
  await getPropertyRow(db, id);
  return listLeases(db, clients, { ...query, propertyId: id });
}

/** Soft-deletes a property with its units and cancels its draft leases. Throws 409 while it is used, its leases have open charges, an expense is unpaid, or money of it is held. */
export async function deleteProperty(db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["deleteProperty"]>> {
  await getPropertyRow(db, id);
  await requireVersion(db, Property, id, "Property");
  // Checked before the hold as well, so that a refused deletion does not stop postings.
  await requireUnused(db, "property", id);
  return deleteWithDraftLeases(db, clients, "property", id, async (inHeldTransaction, cancelDraftLeases) => {
    const { properties: balances } = await clients.ledger.getPropertyBalances(db, { propertyIds: [id] });
    const openCents = balances.find(({ propertyId }) => propertyId === id)?.openCents ?? 0;
    const money = await clients.ledger.getPropertyMoney(db, { propertyId: id });
    return inHeldTransaction(async (tx) => {
      const property = await tx.getForUpdate(Property, id, "Property", { deletedAt: null });
      await requireUnused(tx, "property", id);
      if (openCents > 0) throw conflict("The property's leases still have unpaid charges. Collect or void them first.", "resource_in_use");
      if (money.isHeld)
        throw conflict(`Bank accounts still hold ${money.cents} cents of the property. Pay them out or transfer them first.`, "resource_in_use");
      if (money.unpaidExpenseCents > 0) throw conflict("The property still has an unpaid expense. Pay or void it first.", "resource_in_use");
      const deletedAt = now();
      tx.assign(property, { deletedAt });
      await tx.flush();
      await publish(tx, "property.deleted", { entityId: id, data: {} });
      const row = await getPropertyRow(tx, id, { includeDeleted: true });
      const unitIds = await deletePropertyUnits(tx, id, deletedAt);
      await publish(tx, "unit.deleted", ...unitIds.map((unitId) => ({ entityId: unitId, data: { propertyId: id } })));
      await cancelDraftLeases(tx);
      return { property: propertyView(row, 0 as Cents) };
    });
  });
}
