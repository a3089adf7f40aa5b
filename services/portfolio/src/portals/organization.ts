import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Clients } from "../clients.ts";

/** Who manages the property, as a portal names it. */
export async function organizationOf(db: OrgDb, ask: Clients): Promise<{ id: string; name: string; timezone: string }> {
  const { id, name, timezone } = await ask.identity.getOrganization(db, {});
  return { id, name, timezone };
}
