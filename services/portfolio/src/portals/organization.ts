import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Clients } from "../clients.ts";

/** Returns the organization's members that a portal shows. */
export async function getPortalOrganization(db: OrgDb, clients: Clients): Promise<{ id: string; name: string; timezone: string }> {
  const { id, name, timezone } = await clients.identity.getOrganization(db, {});
  return { id, name, timezone };
}
