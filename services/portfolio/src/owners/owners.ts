import type { Output, BodyOf, QueryOf } from "@freehold/contract/operation";
import type { owners } from "@freehold/contract/owners";
import { now } from "@freehold/kit/clock";
import { transaction, type OrgDb } from "@freehold/kit/db";
import { conflict } from "@freehold/kit/errors";
import { given } from "@freehold/kit/given";
import { announce } from "../announce.ts";
import type { Clients } from "../clients.ts";
import { notesOf } from "../notes/notes.ts";
import type { TaxIds } from "../tax-ids/tax-id.rules.ts";
import { Owner } from "./owner.entity.ts";
import { ownerView } from "./owner.view.ts";
import { findOwner, ownsProperty, pageOfOwners } from "./owners.queries.ts";

type Operations = (typeof owners)["operations"];

export async function listOwners(db: OrgDb, query: QueryOf<Operations["listOwners"]>): Promise<Output<Operations["listOwners"]>> {
  const { rows, paging } = await pageOfOwners(db, query);
  return { owners: rows.map(ownerView), ...paging };
}

/** Adds an owner, active and without a portal account. Two owners may share an e-mail address. */
export function createOwner(
  db: OrgDb,
  taxIds: TaxIds,
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
      ...given(terms),
      ...kept,
      portalStatus: "none",
    });
    await announce(tx, "owner.created", { entityId: owner.id, data: {} });
    return { owner: ownerView(await findOwner(tx, owner.id)), notes: [] };
  });
}

export async function getOwner(db: OrgDb, ask: Clients, id: string): Promise<Output<Operations["getOwner"]>> {
  const [owner, notes] = await Promise.all([findOwner(db, id), notesOf(db, ask, "owner", id)]);
  return { owner: ownerView(owner), notes };
}

/** Changes what is sent. */
export async function updateOwner(
  db: OrgDb,
  ask: Clients,
  taxIds: TaxIds,
  id: string,
  { taxId, taxIdType, ...changes }: BodyOf<Operations["updateOwner"]>,
): Promise<Output<Operations["updateOwner"]>> {
  const kept = taxIds({ taxId, taxIdType });
  const row = await transaction(db, async (tx) => {
    const owner = await tx.change(Owner, id, "Owner", { deletedAt: null });
    tx.assign(owner, { ...given(changes), ...kept });
    await announce(tx, "owner.updated", { entityId: id, data: {} });
    return findOwner(tx, id);
  });
  return { owner: ownerView(row), notes: await notesOf(db, ask, "owner", id) };
}

/** Soft-deletes an owner whom no live property belongs to. */
export function deleteOwner(db: OrgDb, id: string): Promise<Output<Operations["deleteOwner"]>> {
  return transaction(db, async (tx) => {
    const owner = await tx.change(Owner, id, "Owner", { deletedAt: null });
    if (await ownsProperty(tx, id)) throw conflict("The owner still owns a property. Give the property other owners first.", "resource_in_use");
    tx.assign(owner, { deletedAt: now(), isActive: false });
    await announce(tx, "owner.deleted", { entityId: id, data: {} });
    return { owner: ownerView(await findOwner(tx, id, true)) };
  });
}
