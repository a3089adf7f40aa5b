import type { OrgTx } from "@freehold/kit/db";
import { sql } from "@freehold/kit/statement";
import { announce } from "../announce.ts";
import type { Lease } from "./lease.entity.ts";

/** What every event of a lease says. */
export const ofLease = ({ id, tenantId, propertyId, unitId }: Lease) => ({ leaseId: id, tenantId, propertyId, unitId });

/** The tenants of a lease, who may hear of it besides the office. */
export async function tenantsOf(tx: OrgTx, leaseId: string): Promise<string[]> {
  const rows = await tx.all(sql<{ tenantId: string }>`select distinct tenant_id from lease_occupant
    where organization_id = ${tx.organizationId} and lease_id = ${leaseId} and tenant_id is not null and role in ('primary', 'co_tenant') and removed_at is null`);
  return rows.map(({ tenantId }) => tenantId);
}

/** Announces to the office that a lease is other than it was. */
export const announceUpdate = (tx: OrgTx, lease: Lease): Promise<void> =>
  announce(tx, "lease.updated", { entityId: lease.id, data: { ...ofLease(lease), status: lease.status } });
