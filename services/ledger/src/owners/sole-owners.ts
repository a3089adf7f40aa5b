/** Owners of properties that belong to one owner alone. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Clients } from "../clients.ts";
import { findOwnershipOf } from "./owned-properties.ts";
import { sharesOn } from "./ownership.rules.ts";

/** Returns the ID of the owner of each property that has exactly one owner on a day. */
export async function findSoleOwnersOn(db: OrgDb, clients: Clients, propertyIds: readonly string[], day: string): Promise<Map<string, string>> {
  const properties = await findOwnershipOf(db, clients, propertyIds);
  return new Map(
    properties.flatMap((property) => {
      const [share, ...others] = sharesOn(property, day);
      return share && others.length === 0 ? [[property.propertyId, share.ownerId]] : [];
    }),
  );
}
