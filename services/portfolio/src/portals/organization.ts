import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Clients } from "../clients.ts";

/** Returns the fields of the organization that a portal displays. */
export async function getPortalOrganization(db: OrgDb, clients: Clients): Promise<{ id: string; name: string; timezone: string }> {
  const { id, name, timezone } = await clients.identity.getOrganization(db, {});
  return { id, name, timezone };
}
