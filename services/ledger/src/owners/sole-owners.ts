/** Owners of properties that belong to one owner alone. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Clients } from "../clients.ts";
import { findOwnershipOf } from "./owned-properties.ts";
import { ownersUntil } from "./ownership.rules.ts";

/** Returns the ID of the owner of each property that has had exactly one owner, the same up to a day, whose money all its money is. */
export async function findSoleOwners(db: OrgDb, clients: Clients, propertyIds: readonly string[], day: string): Promise<Map<string, string>> {
  const properties = await findOwnershipOf(db, clients, propertyIds);
  return new Map(
    properties.flatMap((property) => {
      const [ownerId, ...others] = ownersUntil(property, day);
      return ownerId && others.length === 0 ? [[property.propertyId, ownerId]] : [];
    }),
  );
}
