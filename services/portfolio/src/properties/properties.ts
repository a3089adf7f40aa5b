import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import type { properties } from "@freehold/contract/properties";
import type { Cents } from "@freehold/contract/values";
import { now } from "@freehold/kit/clock";
import { transaction, type OrgDb, type OrgTx } from "@freehold/kit/db";
import { conflict, unknownReference } from "@freehold/kit/errors";
import { given } from "@freehold/kit/given";
import { announce } from "../announce.ts";
import { ifItAnswers } from "../asking.ts";
import type { Clients } from "../clients.ts";
import { notesOf } from "../notes/notes.ts";
import { holdReferences } from "../references.ts";
import { addUnit, refuseUnknownFeeCategories } from "../units/units.ts";
import { deleteWhatBelongsTo, findProperty, isLet, pageOfProperties, replaceOwners } from "./properties.queries.ts";
import { Property } from "./property.entity.ts";
import { holdTogether } from "./property.rules.ts";
import { propertyView } from "./property.view.ts";

type Operations = (typeof properties)["operations"];
type Changes = BodyOf<Operations["updateProperty"]>;

/** What is overdue on properties, in one question; unknown for all while the ledger does not answer. */
async function overdueOf(db: OrgDb, ask: Clients, ids: string[]): Promise<(id: string) => Cents | undefined> {
  if (ids.length === 0) return () => undefined;
  const answer = await ifItAnswers(ask.ledger.getPropertyMoney(db, { propertyIds: ids }));
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
    if (initialUnit) await addUnit(tx, property.id, { unitType: terms.assetClass === "commercial" ? "commercial" : "residential", ...initialUnit });
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

/** Changes what is sent; the result as a whole must still hold together. */
export async function updateProperty(db: OrgDb, ask: Clients, id: string, { ownerIds, ...changes }: Changes): Promise<Output<Operations["updateProperty"]>> {
  const row = await transaction(db, async (tx) => {
    const property = await tx.change(Property, id, "Property", { deletedAt: null });
    refuseBankAccounts(changes);
    tx.assign(property, { ...given(changes), updatedAt: now() });
    holdTogether(property);
    if (ownerIds) {
      await holdOwners(tx, ownerIds);
      await replaceOwners(tx, id, ownerIds);
    }
    await announce(tx, "property.updated", { entityId: id, data: {} });
    return findProperty(tx, id);
  });
  const [overdue, notes] = await Promise.all([overdueOf(db, ask, [id]), notesOf(db, ask, "property", id)]);
  return { property: propertyView(row, overdue(row.id)), notes };
}

/** Soft-deletes a property with its units, unless somebody has a lease there or owes money. */
export async function deleteProperty(db: OrgDb, ask: Clients, id: string): Promise<Output<Operations["deleteProperty"]>> {
  await findProperty(db, id);
  const { properties: money } = await ask.ledger.getPropertyMoney(db, { propertyIds: [id] });
  const open = money.find(({ propertyId }) => propertyId === id)?.openCents ?? 0;
  return transaction(db, async (tx) => {
    const property = await tx.change(Property, id, "Property", { deletedAt: null });
    if (await isLet(tx, id)) throw conflict("The property still has an active or pending lease. Terminate it first.", "resource_in_use");
    if (open > 0) throw conflict("Money is still open on the property's leases. Collect or void it first.", "resource_in_use");
    const at = now();
    tx.assign(property, { deletedAt: at });
    await tx.flush();
    await announce(tx, "property.deleted", { entityId: id, data: {} });
    const row = await findProperty(tx, id, true);
    await deleteWhatBelongsTo(tx, id, at);
    return { property: propertyView(row, 0 as Cents) };
  });
}
