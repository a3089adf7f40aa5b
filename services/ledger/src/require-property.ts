import type { OrgDb } from "@freehold/kit/db/org-db";
import { unknownReference } from "@freehold/kit/errors";
import type { Clients } from "./clients.ts";

/** Throws a 400 that names `propertyId` when the property of a request is unknown or deleted. */
export async function requireProperty(db: OrgDb, { portfolio }: Pick<Clients, "portfolio">, propertyId: string | null | undefined): Promise<void> {
  if (!propertyId) return;
  const { properties } = await portfolio.getProperties(db, { ids: [propertyId] });
  if (!properties[0] || properties[0].isDeleted) throw unknownReference("propertyId", "property");
}
