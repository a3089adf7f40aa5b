/** Properties of an owner, with their ownerships, from portfolio. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import type { OwnedProperty, Owner } from "@freehold/proto/portfolio/v1/portfolio";
import type { Clients } from "../clients.ts";

/** Returns an owner, deleted or not. Throws 404 for an unknown one. */
export async function requireOwner(db: OrgDb, { portfolio }: Clients, ownerId: string): Promise<Owner> {
  const { owners } = await portfolio.getOwners(db, { ids: [ownerId] });
  if (!owners[0]) throw notFound("Owner");
  return owners[0];
}

/** Tells whether an owner has, had or will have a share in a property. */
export const isOwner = ({ ownerships }: Pick<OwnedProperty, "ownerships">, ownerId: string): boolean =>
  ownerships.some(({ shares }) => shares.some((share) => share.ownerId === ownerId));

/** Returns the properties that owners own, owned or will own, or without ids those of all owners, by name. */
export const findOwnedProperties = async (db: OrgDb, { portfolio }: Clients, ownerIds: readonly string[] = []): Promise<OwnedProperty[]> =>
  (await portfolio.getOwnedProperties(db, { ownerIds: [...ownerIds], propertyIds: [] })).properties;

/** Returns those of some properties that have owners, by name. */
export const findOwnershipOf = async (db: OrgDb, { portfolio }: Clients, propertyIds: readonly string[]): Promise<OwnedProperty[]> =>
  propertyIds.length === 0 ? [] : (await portfolio.getOwnedProperties(db, { ownerIds: [], propertyIds: [...propertyIds] })).properties;
