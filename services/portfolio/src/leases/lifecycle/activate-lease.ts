/** Activation of a lease, on request and on the first day of a pending lease. */
import type { Lease as LeaseView, leases } from "@freehold/contract/leases/leases";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { ApiError, conflict } from "@freehold/kit/errors";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import type { Job } from "@freehold/kit/jobs/scheduler";
import type { Clients } from "../../clients.ts";
import { lockLiveRows } from "../../db/references.ts";
import { calendarJob } from "../../jobs/calendar-job.ts";
import { workThrough } from "@freehold/kit/jobs/work-through";
import { fetchLeaseBalances, syncLeaseBilling, type Billing } from "../lease-billing.ts";
import { onLeaseActivated } from "../lease-events.ts";
import { type Lease, LeaseOccupant } from "../lease.entity.ts";
import { activatedStatus, leaseStateMachine, requireStartBeforeEnd } from "../lease.rules.ts";
import { leaseView } from "../lease.view.ts";
import { findLeasesToStart, findNextStartDate, getLeaseRow, isDueToStart } from "../leases.queries.ts";
import { moveStartDate } from "../occupants/move-ins.ts";
import { lockUnit, lockWithPredecessor, requireUnitsFree, supersedePredecessor } from "./unit-holds.ts";

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
    await activate(tx, lease, activateOn);
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

/** Creates the job that activates pending leases on their first day. */
export const startLeases = (clients: Clients): Job =>
  calendarJob(clients, async (db, day) => {
    const due: string[] = [];
    for (let leases = await findLeasesToStart(db, day); leases.length > 0; leases = await findLeasesToStart(db, day, leases.at(-1)))
      due.push(...leases.map(({ id }) => id));
    await workThrough(due, (id) => startLease(db, id, day));
    return findNextStartDate(db, day);
  });

async function startLease(db: OrgDb, id: string, day: string): Promise<void> {
  try {
    await transaction(db, async (tx) => activate(tx, await lockWithPredecessor(tx, id)));
  } catch (error) {
    // A lease that was cancelled or moved meanwhile does not start. One that still should is reported, and does not block the others.
    const isRefused = error instanceof ApiError && error.status < 500;
    if (!isRefused || (await isDueToStart(db, id, day))) throw new Error(`Lease ${id} cannot start: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Activates a locked lease, on `activateOn` instead of its start date if given. Throws 409 without a primary occupant, or when
 * another lease holds the unit.
 */
async function activate(tx: OrgTx, lease: Lease, activateOn?: string): Promise<void> {
  if (activateOn) requireStartBeforeEnd(lease, activateOn);
  const startDate = activateOn ?? lease.startDate;
  const status = activatedStatus(startDate, today(tx.principal.timezone));
  const holdsUnit = lease.status === "pending" && startDate === lease.startDate;
  leaseStateMachine.transition(lease.status, status);
  await lockLiveUnitAndProperty(tx, lease);
  // Ends the predecessor before the start of the lease moves: the exclusion constraint checks each statement.
  if (lease.renewedFromLeaseId) await supersedePredecessor(tx, lease, startDate, status, activateOn ? "activateOn" : "startDate");
  const occupants = await tx.find(LeaseOccupant, { leaseId: lease.id, removedAt: null });
  requirePrimaryOccupant(occupants);
  moveStartDate(lease, occupants, startDate);
  if (!holdsUnit) await requireUnitsFree(tx, [lease]);
  lease.status = status;
  await onLeaseActivated(tx, lease);
}

/** Locks the property and the unit of the lease. Throws 409 when either was deleted. */
async function lockLiveUnitAndProperty(tx: OrgTx, { propertyId, unitId }: Lease): Promise<void> {
  const isLive = (await lockLiveRows(tx, "property", [propertyId])).size === 1 && (await lockUnit(tx, unitId));
  if (!isLive) throw conflict("The unit of the lease, or its property, was deleted. Cancel the lease and create one for another unit.", "invalid_transition");
}

/** Throws 409 without a primary occupant. */
function requirePrimaryOccupant(occupants: readonly LeaseOccupant[]): void {
  if (!occupants.some(({ isPrimary, releasedOn }) => isPrimary && !releasedOn))
    throw conflict("The lease has no primary occupant. Add its tenant as an occupant with the role primary first.", "invalid_transition");
}
