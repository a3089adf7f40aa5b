/** Events of leases and the jobs that they schedule. */
import { today } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { publish } from "../publish.ts";
import { Lease } from "./lease.entity.ts";
import { isReaderOfLease } from "./residence.queries.ts";

type LeaseParties = Pick<Lease, "id" | "tenantId" | "propertyId" | "unitId">;
type ActivatedLease = LeaseParties & Pick<Lease, "status" | "endDate"> & Partial<Pick<Lease, "renewedFromLeaseId">>;

/** Returns the data that every event of a lease has. */
export const leaseEventData = ({ id, tenantId, propertyId, unitId }: LeaseParties) => ({ leaseId: id, tenantId, propertyId, unitId });

/** Returns the ids of a lease's current tenants, who receive its events besides the office. */
export const findLeaseTenantIds = async (tx: OrgTx, leaseId: string): Promise<string[]> => (await findTenantIdsByLease(tx, [leaseId])).get(leaseId) ?? [];

/** Returns the ids of the tenants of each lease, without those released before the lease ended. */
async function findTenantIdsByLease(tx: OrgTx, leaseIds: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await tx.all(sql<{ leaseId: string; tenantIds: string[] }>`select c.lease_id, array_agg(distinct c.tenant_id) as tenant_ids from lease_occupant c
      join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
    where c.organization_id = ${tx.organizationId} and c.lease_id = any(${[...leaseIds]}::uuid[]) and c.tenant_id is not null
      and ${isReaderOfLease(today(tx.principal.timezone))}
    group by c.lease_id`);
  return new Map(rows.map(({ leaseId, tenantIds }) => [leaseId, tenantIds]));
}

/**
 * Publishes a change of the leases with rollover that others follow in their units, or no longer follow: a followed one is billed to its end
 * date only. The predecessor of a renewal has events of its own.
 */
export async function publishFollowedLeases(
  tx: OrgTx,
  followers: readonly Pick<ActivatedLease, "id" | "unitId" | "renewedFromLeaseId">[],
  unitIds = followers.map(({ unitId }) => unitId),
): Promise<void> {
  await tx.flush();
  const id = { $nin: followers.flatMap((follower) => [follower.id, follower.renewedFromLeaseId ?? follower.id]) };
  const rollingOver = await tx.find(Lease, {
    id,
    unitId: { $in: unitIds },
    status: { $in: ["draft", "pending", "active"] },
    termType: "fixed_with_rollover",
    deletedAt: null,
  });
  await publishLeaseUpdated(tx, ...rollingOver);
}

/** Publishes the activation of leases to the office and to their tenants, and schedules the jobs that start and expire them. */
export async function onLeaseActivated(tx: OrgTx, ...leases: readonly ActivatedLease[]): Promise<void> {
  if (leases.length === 0) return;
  await tx.flush();
  if (leases.some(({ status }) => status === "pending")) await scheduleNow(tx, "startLeases");
  if (leases.some(({ endDate }) => endDate)) await scheduleNow(tx, "expireLeases");
  const tenantIds = await findTenantIdsByLease(
    tx,
    leases.map(({ id }) => id),
  );
  await publish(
    tx,
    "lease.activated",
    ...leases.map((lease) => ({
      entityId: lease.id,
      data: { ...leaseEventData(lease), status: lease.status as "active" | "pending" },
      audience: { tenantIds: tenantIds.get(lease.id) ?? [] },
    })),
  );
  await publishFollowedLeases(tx, leases);
}

/** Publishes changes of leases to the office and to their tenants. */
export async function publishLeaseUpdated(tx: OrgTx, ...leases: readonly Lease[]): Promise<void> {
  if (leases.length === 0) return;
  await tx.flush();
  const tenantIds = await findTenantIdsByLease(
    tx,
    leases.map(({ id }) => id),
  );
  await publish(
    tx,
    "lease.updated",
    ...leases.map((lease) => ({
      entityId: lease.id,
      data: { ...leaseEventData(lease), status: lease.status },
      audience: { tenantIds: tenantIds.get(lease.id) ?? [] },
    })),
  );
}
