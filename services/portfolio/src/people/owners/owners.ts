import type { Output, BodyOf, QueryOf } from "@freehold/contract/operation";
import type { owners } from "@freehold/contract/people/owners";
import type { Cents } from "@freehold/contract/values";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { conflict } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { publish } from "../../publish.ts";
import { orUndefinedIfUnavailable } from "../../rpc/lookups.ts";
import { needsBalances } from "../balances.queries.ts";
import type { Clients } from "../../clients.ts";
import { findEntityNotes } from "../../documents/notes/notes.ts";
import type { TaxIdEncryptor } from "../tax-ids/tax-id.rules.ts";
import { Owner } from "./owner.entity.ts";
import { ownerView } from "./owner.view.ts";
import { getOwnerRow, ownsProperty, listOwnerRows } from "./owners.queries.ts";

type Operations = (typeof owners)["operations"];

/** What is owed to owners, in one question; null for each while the ledger does not answer. */
async function balancesOf(db: OrgDb, clients: Clients, ownerIds: string[]): Promise<(id: string) => Cents | null> {
  if (ownerIds.length === 0) return () => null;
  const answer = await orUndefinedIfUnavailable(clients.ledger.getOwnerBalances(db, { ownerIds }));
  const balances = new Map(answer?.owners.map(({ ownerId, balanceCents }) => [ownerId, balanceCents as Cents]));
  return (id) => (answer ? (balances.get(id) ?? (0 as Cents)) : null);
}

export async function listOwners(db: OrgDb, clients: Clients, query: QueryOf<Operations["listOwners"]>): Promise<Output<Operations["listOwners"]>> {
  const all = needsBalances(query) ? await clients.ledger.listOwnerBalances(db, {}) : undefined;
  const { rows, paging } = await listOwnerRows(db, query, all);
  const balanceOf = await balancesOf(
    db,
    clients,
    rows.map(({ id }) => id),
  );
  return { owners: rows.map((row) => ownerView(row, balanceOf(row.id))), ...paging };
}

/** Adds an owner, active and without a portal account. Two owners may share an e-mail address. */
export function createOwner(
  db: OrgDb,
  taxIds: TaxIdEncryptor,
  { taxId, taxIdType, ...terms }: BodyOf<Operations["createOwner"]>,
): Promise<Output<Operations["createOwner"]>> {
  const kept = taxIds({ taxId, taxIdType });
  return transaction(db, async (tx) => {
    const owner = tx.create(Owner, {
      isActive: true,
      include1099: true,
      payoutMethod: "none",
      holdPayouts: false,
      statementDeliver: "none",
      ...omitUndefined(terms),
      ...kept,
      portalStatus: "none",
    });
    await publish(tx, "owner.created", { entityId: owner.id, data: {} });
    return { owner: ownerView(await getOwnerRow(tx, owner.id), 0 as Cents), notes: [] };
  });
}

export async function getOwner(db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["getOwner"]>> {
  const [owner, balanceOf, notes] = await Promise.all([getOwnerRow(db, id), balancesOf(db, clients, [id]), findEntityNotes(db, clients, "owner", id)]);
  return { owner: ownerView(owner, balanceOf(id)), notes };
}

/** Changes what is sent. */
export async function updateOwner(
  db: OrgDb,
  clients: Clients,
  taxIds: TaxIdEncryptor,
  id: string,
  { taxId, taxIdType, ...changes }: BodyOf<Operations["updateOwner"]>,
): Promise<Output<Operations["updateOwner"]>> {
  const kept = taxIds({ taxId, taxIdType });
  await transaction(db, async (tx) => {
    const owner = await tx.getForUpdate(Owner, id, "Owner", { deletedAt: null });
    tx.assign(owner, { ...omitUndefined(changes), ...kept });
    await publish(tx, "owner.updated", { entityId: id, data: {} });
  });
  return getOwner(db, clients, id);
}

/** Soft-deletes an owner whom no live property belongs to and with whom all is settled. */
export async function deleteOwner(db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["deleteOwner"]>> {
  await getOwnerRow(db, id);
  const { owners: money } = await clients.ledger.getOwnerBalances(db, { ownerIds: [id] });
  const balanceCents = (money[0]?.balanceCents ?? 0) as Cents;
  return transaction(db, async (tx) => {
    const owner = await tx.getForUpdate(Owner, id, "Owner", { deletedAt: null });
    if (await ownsProperty(tx, id)) throw conflict("The owner still owns a property. Give the property other owners first.", "resource_in_use");
    if (balanceCents !== 0) throw conflict("Money is still open with the owner. Pay it out or collect it first.", "resource_in_use");
    tx.assign(owner, { deletedAt: now(), isActive: false });
    await publish(tx, "owner.deleted", { entityId: id, data: {} });
    return { owner: ownerView(await getOwnerRow(tx, id, true), balanceCents) };
  });
}
