import { today } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { announce } from "../announce.ts";
import type { Lease } from "./lease.entity.ts";

/** What every event of a lease says. */
export const ofLease = ({ id, tenantId, propertyId, unitId }: Lease) => ({ leaseId: id, tenantId, propertyId, unitId });

/** The tenants of a lease, who may hear of it besides the office: not those who were released before today, or before its end. */
export const tenantsOf = async (tx: OrgTx, leaseId: string): Promise<string[]> => (await tenantsOfEach(tx, [leaseId])).get(leaseId) ?? [];

/** The same of several leases, by the lease. */
export async function tenantsOfEach(tx: OrgTx, leaseIds: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await tx.all(sql<{ leaseId: string; tenantIds: string[] }>`select c.lease_id, array_agg(distinct c.tenant_id) as tenant_ids from lease_occupant c
      join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
    where c.organization_id = ${tx.organizationId} and c.lease_id = any(${[...leaseIds]}::uuid[]) and c.tenant_id is not null and c.role in ('primary', 'co_tenant')
      and c.removed_at is null and (c.released_on is null or c.released_on >= least(${today(tx.principal.timezone)}::date, l.termination_date))
    group by c.lease_id`);
  return new Map(rows.map(({ leaseId, tenantIds }) => [leaseId, tenantIds]));
}

/** Announces that leases are in force, to the office and to those who live there. */
export async function announceInForce(tx: OrgTx, leases: readonly Lease[]): Promise<void> {
  const tenants = await tenantsOfEach(
    tx,
    leases.map(({ id }) => id),
  );
  const data = (lease: Lease) => ({ ...ofLease(lease), status: lease.status as "active" | "pending" });
  await announce(
    tx,
    "lease.activated",
    ...leases.map((lease) => ({ entityId: lease.id, data: data(lease), audience: { tenantIds: tenants.get(lease.id) ?? [] } })),
  );
}

/** Announces to the office that a lease is other than it was. */
export const announceUpdate = (tx: OrgTx, lease: Lease): Promise<void> =>
  announce(tx, "lease.updated", { entityId: lease.id, data: { ...ofLease(lease), status: lease.status } });
