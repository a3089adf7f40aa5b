/**
 * Exclusive use of a unit by one lease at a time: locks on units and leases, overlap checks, and the handover from a lease
 * to its renewal. Checks run while the unit is locked, so that changes that end a lease and changes that start one are serialized.
 */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { addDays } from "@freehold/kit/time/plain-date";
import { conflict, unknownReference } from "@freehold/kit/errors";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { publish } from "../../publish.ts";
import { hasHeldUnit, isFollowed } from "../residence.queries.ts";
import { findLeaseTenantIds, leaseEventData, publishLeaseUpdated } from "../lease-events.ts";
import { Lease } from "../lease.entity.ts";
import { endDateBeforeRenewal, leaseStateMachine, requireStartAfterPredecessor } from "../lease.rules.ts";

export const leaseOverlapError = () =>
  conflict("Another lease holds the unit on some of these days. End that lease first, or choose other dates.", "lease_overlap");

/** Locks the units with these ids that are not deleted, in id order, and returns the property id of each. */
export async function lockUnits(tx: StatementRunner, ids: readonly string[]): Promise<Map<string, string>> {
  const units = await tx.all(sql<{ id: string; propertyId: string }>`select id, property_id from unit
    where organization_id = ${tx.organizationId} and id = any(${[...ids]}::uuid[]) and deleted_at is null order by id for no key update`);
  return new Map(units.map(({ id, propertyId }) => [id, propertyId]));
}

/** Locks a unit. Returns false when the unit was deleted. */
export const lockUnit = async (tx: StatementRunner, unitId: string): Promise<boolean> => (await lockUnits(tx, [unitId])).size === 1;

/**
 * Locks the units that request bodies refer to in `unitId` and returns the property id of each. Throws 400 when one does
 * not exist. The locks are exclusive: two transactions with shared locks on a unit could deadlock when both change the unit.
 */
export async function lockReferencedUnits(tx: StatementRunner, unitIds: readonly string[]): Promise<Map<string, string>> {
  const propertyIds = await lockUnits(tx, unitIds);
  if (unitIds.some((id) => !propertyIds.has(id.toLowerCase()))) throw unknownReference("unitId", "unit");
  return propertyIds;
}

interface UnitHold {
  id: string;
  unitId: string;
  startDate: string;
}

interface UnitTerm extends UnitHold {
  termType: string;
  endDate?: string | null | undefined;
}

/**
 * Throws 409 when a terminated, expired or renewed lease held the unit of one of the leases on a day of its term, or when an active one
 * holds it beyond its end date until its renewal takes over. The exclusion constraint in the database covers the terms of active and
 * pending leases only.
 */
export async function requireUnitsFree(tx: StatementRunner, leases: readonly UnitTerm[]): Promise<void> {
  const terms = leases.map(({ id, unitId, startDate, endDate, termType }) => ({
    id,
    unit_id: unitId,
    start_date: startDate,
    last_day: termType === "month_to_month" ? null : endDate,
  }));
  const overlap = await tx.first(sql`select 1 as one
    from jsonb_to_recordset(${JSON.stringify(terms)}::jsonb) as starting (id uuid, unit_id uuid, start_date date, last_day date)
    cross join lateral (select from lease where organization_id = ${tx.organizationId} and unit_id = starting.unit_id and id <> starting.id
      and renewed_to_lease_id is distinct from starting.id and deleted_at is null and (starting.last_day is null or start_date <= starting.last_day)
      and case status when 'terminated' then termination_date >= starting.start_date and ${hasHeldUnit("lease")}
        when 'expired' then end_date >= starting.start_date else superseded_from > starting.start_date end limit 1) holding limit 1`);
  if (overlap) throw leaseOverlapError();
}

/** Tells whether another lease of the unit starts later than this lease, also one that has ended since. */
export async function isUnitTaken(tx: StatementRunner, { id }: UnitHold): Promise<boolean> {
  return (await tx.first(sql`select 1 as one from lease l where l.organization_id = ${tx.organizationId} and l.id = ${id} and ${isFollowed}`)) !== undefined;
}

/**
 * Throws 409 when another lease of the unit, except its renewal if given, starts later than this lease and on or before a day, also one
 * that has ended since: the tenant of this lease cannot stay, or have stayed, until that day.
 */
export async function requireUnitNotTakenUntil(tx: StatementRunner, { id, unitId, startDate }: UnitHold, day: string, renewalId = id): Promise<void> {
  const laterLease =
    await tx.first(sql`select 1 as one from lease where organization_id = ${tx.organizationId} and unit_id = ${unitId} and id not in (${id}, ${renewalId})
    and status not in ('draft', 'cancelled') and deleted_at is null and start_date > ${startDate}::date and start_date <= ${day}::date
    and (status <> 'terminated' or ${hasHeldUnit("lease")}) limit 1`);
  if (laterLease) throw leaseOverlapError();
}

/** Returns a lease after locking both the lease and its predecessor, in id order. Throws 404 and 412 like `getForUpdate`. */
export async function lockWithPredecessor(tx: OrgTx, id: string): Promise<Lease> {
  const row = await tx.first(
    sql<{ renewedFromLeaseId: string | null }>`select renewed_from_lease_id from lease where organization_id = ${tx.organizationId} and id = ${id}`,
  );
  const renewedFromLeaseId = row?.renewedFromLeaseId;
  if (renewedFromLeaseId) await tx.findAllForUpdate(Lease, [id, renewedFromLeaseId]);
  return tx.getForUpdate(Lease, id, "Lease", { deletedAt: null });
}

/** Returns the lease that a lease renews, or null. */
export const findPredecessor = async (tx: OrgTx, { renewedFromLeaseId }: Lease): Promise<Lease | null> =>
  renewedFromLeaseId ? tx.findOne(Lease, { id: renewedFromLeaseId }) : null;

/**
 * Ends the predecessor of a renewal that is activated, or pending with a new start date, on the day before the renewal starts. When the
 * renewal is active, it takes over: the predecessor becomes `renewed`, and `lease.renewed` is published. While the renewal is pending, the
 * predecessor stays active and holds the unit, so no other lease may start before the renewal (409). An expired predecessor stays expired;
 * from `startDate` on its occupants live under the renewal.
 */
export async function supersedePredecessor(
  tx: OrgTx,
  renewal: Pick<Lease, "id" | "renewedFromLeaseId">,
  startDate: string,
  renewalStatus: "active" | "pending",
  path: string,
): Promise<void> {
  const predecessor = await tx.findOne(Lease, { id: renewal.renewedFromLeaseId! });
  if (predecessor?.status !== "active" && predecessor?.status !== "expired") return;
  requireStartAfterPredecessor(predecessor, startDate, path);
  if (predecessor.status === "active") {
    // The days until an unchanged start were free when the renewal became pending.
    if (predecessor.supersededFrom !== startDate) await requireUnitNotTakenUntil(tx, predecessor, addDays(startDate, -1), renewal.id);
    const endDate = (predecessor.supersededFrom ? predecessor.ownEndDate : predecessor.endDate) ?? null;
    predecessor.ownEndDate = endDate;
    predecessor.endDate = endDateBeforeRenewal({ endDate }, startDate);
  }
  predecessor.supersededFrom = startDate;
  if (renewalStatus === "active") {
    if (predecessor.status === "active") predecessor.status = leaseStateMachine.transition(predecessor.status, "renewed");
    await publish(tx, "lease.renewed", {
      entityId: predecessor.id,
      data: { ...leaseEventData(predecessor), renewedToLeaseId: renewal.id },
      audience: { tenantIds: await findLeaseTenantIds(tx, predecessor.id) },
    });
  }
  await tx.flush();
}

/** Restores the predecessor of a cancelled or deleted renewal: it continues until its own end date, and can be renewed again. */
export async function reinstatePredecessor(tx: OrgTx, renewal: Lease): Promise<void> {
  const predecessor = await findPredecessor(tx, renewal);
  if (predecessor?.renewedToLeaseId !== renewal.id) return;
  await detachRenewal(tx, predecessor);
  await tx.flush();
  await publishLeaseUpdated(tx, predecessor);
  await scheduleNow(tx, "expireLeases");
}

/** Detaches a lease from its renewal, which was cancelled or deleted in the same transaction. */
export async function detachRenewal(tx: OrgTx, predecessor: Lease): Promise<void> {
  // The renewal must release the unit before the predecessor holds it again.
  await tx.flush();
  predecessor.renewedToLeaseId = null;
  if (predecessor.supersededFrom && predecessor.status === "active") predecessor.endDate = predecessor.ownEndDate ?? null;
  predecessor.supersededFrom = null;
  predecessor.ownEndDate = null;
}
