import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import type { Lease } from "@freehold/proto/portfolio/v1/portfolio";
import type { Clients } from "../../clients.ts";
import { replicateTenants } from "../../projections/projections.ts";
import { reassignMergedTenants } from "./tenant-merges.ts";

/**
 * Reassigns the records of a lease whose tenant was merged into the tenant that the lease names. The lease may be read before the
 * merge event is consumed, so the merges of its previous tenants are read from portfolio. A tenant who was not merged keeps the records.
 */
export async function reassignMergedLeaseTenants(db: OrgDb, portfolio: Clients["portfolio"], { id, tenantId }: Pick<Lease, "id" | "tenantId">): Promise<void> {
  const seen = new Set([tenantId]);
  let isMerged = false;
  for (let ids = await findPreviousTenants(db, id, tenantId); ids.length > 0;) {
    ids.forEach((each) => seen.add(each));
    await replicateTenants(db, portfolio, ids);
    const merged = await db.all(sql<{ id: string }>`select distinct merged_into_id as id from tenant_copy
      where organization_id = ${db.organizationId} and id = any(${ids}::uuid[]) and merged_into_id is not null`);
    isMerged ||= merged.length > 0;
    ids = merged.map((each) => each.id).filter((each) => !seen.has(each));
  }
  if (isMerged) await transaction(db, reassignMergedTenants);
}

async function findPreviousTenants(db: OrgDb, leaseId: string, tenantId: string): Promise<string[]> {
  const rows = await db.all(sql<{
    id: string;
  }>`select tenant_id as id from recurring_charge_rule where organization_id = ${db.organizationId} and lease_id = ${leaseId} and tenant_id <> ${tenantId}
    union select tenant_id from charge where organization_id = ${db.organizationId} and lease_id = ${leaseId} and tenant_id <> ${tenantId}`);
  return rows.map(({ id }) => id);
}
