import type { Output, BodyOf, QueryOf } from "@freehold/contract/operation";
import type { owners } from "@freehold/contract/people/owners";
import type { Cents } from "@freehold/contract/values";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { conflict } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { publish } from "../../publish.ts";
import { withPostingHold } from "../../rpc/posting-hold.ts";
import { findAmounts } from "../../rpc/lookups.ts";
import { needsBalances } from "../balances.queries.ts";
import { listWithBalances } from "../list-with-balances.ts";
import type { Clients } from "../../clients.ts";
import { requireVersion } from "../../db/require-version.ts";
import { findEntityNotes } from "../../documents/notes/notes.ts";
import { endPortalAccess } from "../invites/portal-access.ts";
import type { TaxIdEncryptor } from "../tax-ids/tax-id.rules.ts";
import { Owner } from "./owner.entity.ts";
import { ownerView } from "./owner.view.ts";
import { getOwnerRow, ownsProperty, listOwnerRows } from "./owners.queries.ts";

type Operations = (typeof owners)["operations"];

/** Returns a lookup of the owners' balances, fetched in one call. Balances are null while the ledger is unavailable. */
const findOwnerBalances = (db: OrgDb, clients: Clients, ids: readonly string[]): Promise<(id: string) => Cents | null> =>
  findAmounts(db, clients, ids, async (ownerIds) =>
    (await clients.ledger.getOwnerBalances(db, { ownerIds })).owners.map(({ ownerId, balanceCents }) => [ownerId, balanceCents]),
  );

/** Returns a page of owners. Balances are null while the ledger is unavailable; a filter or sort by balance throws 503 then. */
export async function listOwners(db: OrgDb, clients: Clients, query: QueryOf<Operations["listOwners"]>): Promise<Output<Operations["listOwners"]>> {
  const { rows, paging, balanceOf } = await listWithBalances(db, clients, {
    needsAll: needsBalances(query),
    fetchAll: () => clients.ledger.listOwnerBalances(db, {}),
    findSome: (ids) => findOwnerBalances(db, clients, ids),
    list: (balances) => listOwnerRows(db, query, balances),
  });
  return { owners: rows.map((row) => ownerView(row, balanceOf(row.id))), ...paging };
}

/** Creates an active owner without a portal account. E-mail addresses need not be unique. */
export function createOwner(
  db: OrgDb,
  encryptTaxId: TaxIdEncryptor,
  { taxId, taxIdType, ...terms }: BodyOf<Operations["createOwner"]>,
): Promise<Output<Operations["createOwner"]>> {
  const taxIdColumns = encryptTaxId({ taxId, taxIdType });
  return transaction(db, async (tx) => {
    const owner = tx.create(Owner, {
      isActive: true,
      include1099: true,
      payoutMethod: "none",
      holdPayouts: false,
      statementDeliver: "none",
      ...omitUndefined(terms),
      ...taxIdColumns,
      portalStatus: "none",
    });
    await publish(tx, "owner.created", { entityId: owner.id, data: {} });
    return { owner: ownerView(await getOwnerRow(tx, owner.id), 0 as Cents), notes: [] };
  });
}

/** Returns an owner with its notes. The balance is null while the ledger is unavailable. */
export async function getOwner(db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["getOwner"]>> {
  const [owner, balanceOf, notes] = await Promise.all([getOwnerRow(db, id), findOwnerBalances(db, clients, [id]), findEntityNotes(db, clients, "owner", id)]);
  return { owner: ownerView(owner, balanceOf(id)), notes };
}

/** Updates the given fields of an owner. */
export async function updateOwner(
  db: OrgDb,
  clients: Clients,
  encryptTaxId: TaxIdEncryptor,
  id: string,
  { taxId, taxIdType, ...changes }: BodyOf<Operations["updateOwner"]>,
): Promise<Output<Operations["updateOwner"]>> {
  const taxIdColumns = encryptTaxId({ taxId, taxIdType });
  await transaction(db, async (tx) => {
    const owner = await tx.getForUpdate(Owner, id, "Owner", { deletedAt: null });
    tx.assign(owner, { ...omitUndefined(changes), ...taxIdColumns });
    await publish(tx, "owner.updated", { entityId: id, data: {} });
  });
  return getOwner(db, clients, id);
}

async function requireNoProperty(db: StatementRunner, id: string): Promise<void> {
  if (await ownsProperty(db, id)) throw conflict("The owner still owns a property. Give the property other owners first.", "resource_in_use");
}

/** Soft-deletes an owner. Throws 409 when the owner still owns a property or has a balance. */
export async function deleteOwner(db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["deleteOwner"]>> {
  await getOwnerRow(db, id);
  await requireVersion(db, Owner, id, "Owner");
  // Checked before the hold as well, so that a refused deletion does not stop postings.
  await requireNoProperty(db, id);
  return withPostingHold(db, clients, [id], async (inHeldTransaction) => {
    const { owners: balances } = await clients.ledger.getOwnerBalances(db, { ownerIds: [id] });
    const balanceCents = (balances[0]?.balanceCents ?? 0) as Cents;
    return inHeldTransaction(async (tx) => {
      const owner = await tx.getForUpdate(Owner, id, "Owner", { deletedAt: null });
      await requireNoProperty(tx, id);
      if (balanceCents !== 0) throw conflict("The owner still has a balance. Pay it out or collect it first.", "resource_in_use");
      tx.assign(owner, { deletedAt: now(), isActive: false });
      await endPortalAccess(tx, owner);
      await publish(tx, "owner.deleted", { entityId: id, data: {} });
      return { owner: ownerView(await getOwnerRow(tx, id, { includeDeleted: true }), balanceCents) };
    });
  });
}
