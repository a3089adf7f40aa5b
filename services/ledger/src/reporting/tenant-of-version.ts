/** Tenants of charges and payments in a version of the ledger, before later merges. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { isInVersion } from "./ledger-version.ts";

/**
 * Condition that the charge or payment `record` is of a tenant in a version, or now when no version is given. A record that merges
 * after the version reassigned is of the tenant from whom the first of them moved it.
 */
export function isOfTenant(db: OrgDb, tenantId: string, ledgerVersion: number | undefined): RawBuilder<unknown> {
  if (ledgerVersion === undefined) return sql`record.tenant_id = ${tenantId}`;
  const moved = sql`(select record_id from tenant_reassignment where organization_id = ${db.organizationId} and from_tenant_id = ${tenantId})`;
  const tenantInVersion = sql`coalesce((select r.from_tenant_id from tenant_reassignment r where r.organization_id = record.organization_id
    and r.record_id = record.id and not ${isInVersion(db, ledgerVersion, "r")} order by r.id limit 1), record.tenant_id)`;
  return sql`((record.tenant_id = ${tenantId} or record.id = any(array${moved})) and ${tenantInVersion} = ${tenantId})`;
}
