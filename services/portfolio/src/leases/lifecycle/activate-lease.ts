/** Activation of a lease, on request and on the first day of a pending lease. */
import type { Lease as LeaseView, leases } from "@freehold/contract/leases/leases";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict, isRefusal } from "@freehold/kit/errors";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import type { Job } from "@freehold/kit/jobs/scheduler";
import type { Clients } from "../../clients.ts";
import { lockLiveRows } from "../../db/references.ts";
import { bisectBatches } from "@freehold/kit/jobs/bisect-batches";
import { calendarJob } from "../../jobs/calendar-job.ts";
import { workThrough } from "@freehold/kit/jobs/work-through";
import { fetchLeaseBalances, syncLeaseBilling, type Billing } from "../lease-billing.ts";
import { onLeaseActivated } from "../lease-events.ts";
import { Lease, LeaseOccupant } from "../lease.entity.ts";
import { activatedStatus, leaseStateMachine, requireStartBeforeEnd } from "../lease.rules.ts";
import { leaseView } from "../lease.view.ts";
import { findLeasesToStart, findNextStartDate, getLeaseRow, isDueToStart, type PendingLease } from "../leases.queries.ts";
import { moveStartDate } from "../occupants/move-ins.ts";
import { endPastTerms } from "./expire-leases.ts";
import { lockUnits, lockWithPredecessor, requireUnitsFree, supersedePredecessor } from "./unit-holds.ts";

type Operation = (typeof leases)["operations"]["activateLease"];

/**
 * Activates a draft lease, which becomes active, or pending until its start date. A pending lease becomes active, and its start
 * date or `activateOn` must be today or earlier. The ledger starts to bill the lease after the commit.
 */
export async function activateLease(db: OrgDb, clients: Clients, id: string, { activateOn, chargeProration }: BodyOf<Operation>): Promise<Output<Operation>> {
  const balances = await fetchLeaseBalances(db, clients, [id]);
  const committed = transaction(db, async (tx): Promise<Output<Operation>> => {
    const lease = await lockWithPredecessor(tx, id);
    if (!chargeProration) lease.prorateFirstMonth = false;
    await activate(tx, [lease], activateOn);
    return { lease: leaseView(await getLeaseRow(tx, id), balances.get(id)), recurringChargeRules: [], charges: [] };
  });
  return completeAfterCommit(committed, async ({ lease }) => ({ lease, ...(await startBilling(db, clients, lease, chargeProration)) }));
}

/** Starts the billing of an activated lease in the ledger. Throws 503 when the ledger fails; the lease stays activated. */
export const startBilling = (db: OrgDb, clients: Clients, lease: LeaseView, chargeProration: boolean): Promise<Billing> =>
  syncLeaseBilling(
    db,
    clients,
    lease,
    "The lease is activated; its recurring charges will be set up as soon as the ledger is available again. Read the lease again in a moment.",
    (message) => clients.startLeaseBilling(db, { lease: message, chargeProration }),
  );

/** Number of leases that start in one transaction. More would hold the locks of their units and properties for too long. */
const LEASES_PER_TRANSACTION = 50;

/** Creates the job that activates pending leases on their first day. */
export const startLeases = (clients: Clients): Job =>
  calendarJob(clients, async (db, day) => {
    const due: PendingLease[] = [];
    for (let leases = await findLeasesToStart(db, day); leases.length > 0; leases = await findLeasesToStart(db, day, leases.at(-1))) due.push(...leases);
    const unstarted = await startTogether(db, due, day);
    await workThrough(unstarted, (id) => startLease(db, id, day));
    return findNextStartDate(db, day);
  });

/**
 * Starts leases, a number of them in each transaction, and returns the ids of those to be started alone: the leases that make a transaction fail,
 * and the renewals of leases that start on the same day.
 */
async function startTogether(db: OrgDb, due: readonly PendingLease[], day: string): Promise<string[]> {
  const dueIds = new Set(due.map(({ id }) => id));
  const isAlone = ({ renewedFromLeaseId }: PendingLease) => renewedFromLeaseId !== null && dueIds.has(renewedFromLeaseId);
  const others = due.filter((lease) => !isAlone(lease));
  const unstarted = await bisectBatches(others, LEASES_PER_TRANSACTION, (batch) =>
    transaction(db, async (tx) => activate(tx, await lockDueLeases(tx, batch, day))),
  );
  return [...unstarted, ...due.filter(isAlone)].map(({ id }) => id);
}

/** Locks leases and those that they renew, in id order, and returns the leases that are still due to start by `day`. */
async function lockDueLeases(tx: OrgTx, batch: readonly PendingLease[], day: string): Promise<Lease[]> {
  const ids = new Set(batch.map(({ id }) => id));
  const locked = await tx.findAllForUpdate(
    Lease,
    batch.flatMap(({ id, renewedFromLeaseId }) => [id, ...(renewedFromLeaseId ? [renewedFromLeaseId] : [])]),
  );
  return locked.filter(({ id, status, startDate, deletedAt }) => ids.has(id) && status === "pending" && startDate <= day && !deletedAt);
}

async function startLease(db: OrgDb, id: string, day: string): Promise<void> {
  try {
    await transaction(db, async (tx) => activate(tx, [await lockWithPredecessor(tx, id)]));
  } catch (error) {
    // A lease that was cancelled or moved meanwhile does not start. One that still should is reported, and does not block the others.
    if (!isRefusal(error) || (await isDueToStart(db, id, day))) throw new Error(`Lease ${id} cannot start: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Activates locked leases, on `activateOn` instead of their start dates if given. Throws 409 when one of them has no primary occupant, or when
 * another lease holds its unit.
 */
export async function activate(tx: OrgTx, leases: readonly Lease[], activateOn?: string): Promise<void> {
  const starts = leases.map((lease) => startOf(lease, today(tx.principal.timezone), activateOn));
  await lockLiveUnitsAndProperties(tx, leases);
  const occupants = await tx.find(LeaseOccupant, { leaseId: { $in: leases.map(({ id }) => id) }, removedAt: null });
  const occupantsByLease = Map.groupBy(occupants, ({ leaseId }) => leaseId);
  for (const { lease, startDate, status } of starts) {
    const own = occupantsByLease.get(lease.id) ?? [];
    // Ends the predecessor before the start of the lease moves: the exclusion constraint checks each statement.
    if (lease.renewedFromLeaseId) await supersedePredecessor(tx, lease, startDate, status, activateOn ? "activateOn" : "startDate");
    requirePrimaryOccupant(own);
    moveStartDate(lease, own, startDate);
  }
  const unheld = starts.filter(({ holdsUnit }) => !holdsUnit).map(({ lease }) => lease);
  if (unheld.length > 0) await requireUnitsFree(tx, unheld);
  for (const { lease, status } of starts) lease.status = status;
  await onLeaseActivated(tx, ...leases);
  await endPastTerms(tx, leases);
}

/** Returns the first day and the new status of a lease, and whether the lease holds its unit from that day already. Throws 409 for a lease that cannot start. */
function startOf(lease: Lease, day: string, activateOn: string | undefined) {
  if (activateOn) requireStartBeforeEnd(lease, activateOn);
  const startDate = activateOn ?? lease.startDate;
  const status = activatedStatus(startDate, day);
  leaseStateMachine.transition(lease.status, status);
  return { lease, startDate, status, holdsUnit: lease.status === "pending" && startDate === lease.startDate };
}

/** Locks the properties and the units of leases. Throws 409 when one of them was deleted. */
async function lockLiveUnitsAndProperties(tx: OrgTx, leases: readonly Lease[]): Promise<void> {
  const propertyIds = new Set(leases.map(({ propertyId }) => propertyId));
  const unitIds = new Set(leases.map(({ unitId }) => unitId));
  const isLive = (await lockLiveRows(tx, "property", [...propertyIds])).size === propertyIds.size && (await lockUnits(tx, [...unitIds])).size === unitIds.size;
  if (!isLive) throw conflict("The unit of the lease, or its property, was deleted. Cancel the lease and create one for another unit.", "invalid_transition");
}

/** Throws 409 without a primary occupant. */
function requirePrimaryOccupant(occupants: readonly LeaseOccupant[]): void {
  if (!occupants.some(({ isPrimary, releasedOn }) => isPrimary && !releasedOn))
    throw conflict("The lease has no primary occupant. Add its tenant as an occupant with the role primary first.", "invalid_transition");
}
