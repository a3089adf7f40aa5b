/** Access to documents of tenants and vendors who are not the caller: readers of mailed links, and those to whom documents are sent. */
import { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { Clients } from "../clients.ts";
import { scopeToSurvivingTenant } from "../portals/surviving-tenant.ts";
import type { LinkReader } from "./document-link.rules.ts";

const tables = { tenant: sql`tenant`, vendor: sql`vendor` };

/**
 * Returns the database with the access that a tenant or vendor has today, by the day of the organization; for a merged tenant with that of
 * the surviving one. Undefined when the tenant or vendor does not exist or was deleted.
 */
export async function withAccessOf(db: OrgDb, { identity }: Pick<Clients, "identity">, { kind, id }: LinkReader): Promise<OrgDb | undefined> {
  const { timezone } = await identity.getOrganization(db, {});
  const reader = await scopeToSurvivingTenant(new OrgDb(db.database, { ...db.principal, timezone, role: kind, subjectId: id, userId: null }, db.request));
  const existing = await db.first(
    sql`select 1 as one from ${tables[kind]} where organization_id = ${db.organizationId} and id = ${reader.principal.subjectId} and deleted_at is null`,
  );
  return existing ? reader : undefined;
}
