import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import type { properties } from "@freehold/contract/properties";
import type { Cents } from "@freehold/contract/values";
import { now, today } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict, invalid, unknownReference } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { announce } from "../announce.ts";
import { ifItAnswers } from "../asking.ts";
import type { Clients } from "../clients.ts";
import { cancelDrafts } from "../leases/lifecycle/cancel-lease.ts";
import { isLet } from "../leases/leases.queries.ts";
import { listLeases } from "../leases/leases.ts";
import { hasUnfinishedInspection } from "../maintenance/inspections/inspections.queries.ts";
import { notesOf } from "../documents/notes/notes.ts";
import { ownersOn } from "./ownership/ownership.queries.ts";
import { holdReferences } from "../references.ts";
import { addUnits, listUnits, refuseUnknownFeeCategories } from "./units/units.ts";
import { hasUnfinishedWork } from "../maintenance/work-orders/work-orders.queries.ts";
import { deleteUnitsOf, findProperty, pageOfProperties, replaceOwners } from "./properties.queries.ts";
import { Property } from "./property.entity.ts";
import { holdTogether } from "./property.rules.ts";
import { propertyView } from "./property.view.ts";

type Operations = (typeof properties)["operations"];
type Changes = BodyOf<Operations["updateProperty"]>;

/** What is overdue on properties, in one question; unknown for all while the ledger does not answer. */
async function overdueOf(db: OrgDb, ask: Clients, ids: string[]): Promise<(id: string) => Cents | undefined> {
  if (ids.length === 0) return () => undefined;
  const answer = await ifItAnswers(ask.ledger.getPropertyBalances(db, { propertyIds: ids }));
  const overdue = new Map(answer?.properties.map(({ propertyId, overdueRentCents }) => [propertyId, overdueRentCents as Cents]));
  return (id) => (answer ? (overdue.get(id) ?? (0 as Cents)) : undefined);
}

const holdOwners = (tx: OrgTx, ownerIds: readonly string[]): Promise<void> =>
  holdReferences(
    tx,
    "owner",
    ownerIds.map((id, index) => ({ id, path: `ownerIds.${index}` })),
  );

export async function listProperties(db: OrgDb, ask: Clients, query: QueryOf<Operations["listProperties"]>): Promise<Output<Operations["listProperties"]>> {
  const { rows, paging } = await pageOfProperties(db, query);
  const overdue = await overdueOf(
    db,
    ask,
    rows.map(({ id }) => id),
  );
  return { properties: rows.map((row) => propertyView(row, overdue(row.id))), ...paging };
}

/** Adds a property, with its owners and its first unit when they are given: all of it or nothing. */
export async function createProperty(
  db: OrgDb,
  ask: Clients,
  { ownerIds, initialUnit, ...terms }: BodyOf<Operations["createProperty"]>,
): Promise<Output<Operations["createProperty"]>> {
  holdTogether(terms);
  await refuseUnknownFeeCategories(db, ask, initialUnit?.feeTemplates ?? [], "initialUnit.feeTemplates");
  return transaction(db, async (tx) => {
    await holdOwners(tx, ownerIds);
    const property = tx.create(Property, terms);
    await announce(tx, "property.created", { entityId: property.id, data: {} });
    await replaceOwners(tx, property.id, ownerIds);
    if (initialUnit)
      await addUnits(tx, [{ propertyId: property.id, unitType: terms.assetClass === "commercial" ? "commercial" : "residential", ...initialUnit }]);
    return { property: propertyView(await findProperty(tx, property.id), 0 as Cents), notes: [] };
  });
}

export async function getProperty(db: OrgDb, ask: Clients, id: string): Promise<Output<Operations["getProperty"]>> {
  const [property, overdue, notes] = await Promise.all([findProperty(db, id), overdueOf(db, ask, [id]), notesOf(db, ask, "property", id)]);
  return { property: propertyView(property, overdue(property.id)), notes };
}

/** No bank account exists yet, so none can be named. */
function refuseBankAccounts(changes: Changes): void {
  for (const path of ["operatingBankAccountId", "depositBankAccountId"] as const) {
    if (changes[path]) throw unknownReference(path, "bank account");
  }
}

/** Once it is said who owns how much, owners change with their shares. */
async function refuseOwnersWithShares(tx: OrgTx, id: string, ownerIds: readonly string[]): Promise<void> {
  const owners = await ownersOn(tx, id, today(tx.principal.timezone));
  if (owners.length === 0 || (owners.length === ownerIds.length && owners.every((ownerId, index) => ownerId === ownerIds[index]))) return;
  const message = "The owners of this property have shares. Change both with PUT /api/properties/{id}/ownership.";
  throw invalid([{ path: "ownerIds", code: "not_allowed", message }]);
}

/** Changes what is sent; the result as a whole must still hold together. */
export async function updateProperty(db: OrgDb, ask: Clients, id: string, { ownerIds, ...changes }: Changes): Promise<Output<Operations["updateProperty"]>> {
  const row = await transaction(db, async (tx) => {
    const property = await tx.getForUpdate(Property, id, "Property", { deletedAt: null });
    refuseBankAccounts(changes);
    tx.assign(property, { ...omitUndefined(changes), updatedAt: now() });
    holdTogether(property);
    if (ownerIds) {
      await refuseOwnersWithShares(tx, id, ownerIds);
      await holdOwners(tx, ownerIds);
      await replaceOwners(tx, id, ownerIds);
    }
    await announce(tx, "property.updated", { entityId: id, data: {} });
    return findProperty(tx, id);
  });
  const [overdue, notes] = await Promise.all([overdueOf(db, ask, [id]), notesOf(db, ask, "property", id)]);
  return { property: propertyView(row, overdue(row.id)), notes };
}

/** The units of one property. */
export async function listPropertyUnits(
  db: OrgDb,
  id: string,
  query: QueryOf<Operations["listPropertyUnits"]>,
): Promise<Output<Operations["listPropertyUnits"]>> {
  await findProperty(db, id);
  return listUnits(db, { ...query, propertyId: id });
}

/** The leases of one property. */
export async function listPropertyLeases(
  db: OrgDb,
  ask: Clients,
  id: string,
  query: QueryOf<Operations["listPropertyLeases"]>,
): Promise<Output<Operations["listPropertyLeases"]>> {
  await findProperty(db, id);
  return listLeases(db, ask, { ...query, propertyId: id });
}

/** Soft-deletes a property with its units, unless somebody has a lease there or owes money, or there is work to do. */
export async function deleteProperty(db: OrgDb, ask: Clients, id: string): Promise<Output<Operations["deleteProperty"]>> {
  await findProperty(db, id);
  const { properties: money } = await ask.ledger.getPropertyBalances(db, { propertyIds: [id] });
  const open = money.find(({ propertyId }) => propertyId === id)?.openCents ?? 0;
  return transaction(db, async (tx) => {
    const property = await tx.getForUpdate(Property, id, "Property", { deletedAt: null });
    if (await isLet(tx, "property", id)) throw conflict("The property still has an active or pending lease. Terminate it first.", "resource_in_use");
    if (await hasUnfinishedWork(tx, "property", id))
      throw conflict("The property still has an open work order. Complete or cancel it first.", "resource_in_use");
    if (await hasUnfinishedInspection(tx, "property", id))
      throw conflict("The property still has an open inspection. Complete or cancel it first.", "resource_in_use");
    if (open > 0) throw conflict("Money is still open on the property's leases. Collect or void it first.", "resource_in_use");
    const at = now();
    tx.assign(property, { deletedAt: at });
    await tx.flush();
    await announce(tx, "property.deleted", { entityId: id, data: {} });
    const row = await findProperty(tx, id, true);
    await deleteUnitsOf(tx, id, at);
    await cancelDrafts(tx, "property", id);
    return { property: propertyView(row, 0 as Cents) };
  });
}
