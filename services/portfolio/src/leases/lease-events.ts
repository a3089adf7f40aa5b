import { today } from "@freehold/kit/clock";
import type { OrgTx } from "@freehold/kit/db";
import { sql } from "@freehold/kit/statement";
import { announce } from "../announce.ts";
import type { Lease } from "./lease.entity.ts";

/** What every event of a lease says. */
export const ofLease = ({ id, tenantId, propertyId, unitId }: Lease) => ({ leaseId: id, tenantId, propertyId, unitId });

/** The tenants of a lease, who may hear of it besides the office: not those who were released before today, or before its end. */
export async function tenantsOf(tx: OrgTx, leaseId: string): Promise<string[]> {
  const rows = await tx.all(sql<{ tenantId: string }>`select distinct c.tenant_id from lease_occupant c
      join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
    where c.organization_id = ${tx.organizationId} and c.lease_id = ${leaseId} and c.tenant_id is not null and c.role in ('primary', 'co_tenant') and c.removed_at is null
      and (c.released_on is null or c.released_on >= least(${today(tx.scope.timezone)}::date, l.termination_date))`);
  return rows.map(({ tenantId }) => tenantId);
}

/** Announces to the office that a lease is other than it was. */
export const announceUpdate = (tx: OrgTx, lease: Lease): Promise<void> =>
  announce(tx, "lease.updated", { entityId: lease.id, data: { ...ofLease(lease), status: lease.status } });
