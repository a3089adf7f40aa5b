import type { leases } from "@freehold/contract/leases/leases";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { minDate } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict, invalid } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import type { LeaseBalance } from "@freehold/proto/ledger/v1/ledger";
import type { Clients } from "../clients.ts";
import { lockReference } from "../db/references.ts";
import { Unit } from "../properties/units/unit.entity.ts";
import { findLeaseBalances, fetchLeaseBalances, tryReviseBilling } from "./lease-billing.ts";
import { publishFollowedLeases, publishLeaseUpdated } from "./lease-events.ts";
import { changesChargedTerms, requireChangeableTerms, requireValidTerm } from "./lease-update.rules.ts";
import { type Lease, LeaseOccupant } from "./lease.entity.ts";
import { requireLeaseStatus, requireStartAfterPredecessor } from "./lease.rules.ts";
import { leaseView } from "./lease.view.ts";
import { getLeaseRow } from "./leases.queries.ts";
import { endPastTerms } from "./lifecycle/expire-leases.ts";
import { findPredecessor, lockReferencedUnits, lockUnit, lockWithPredecessor, requireUnitsFree, supersedePredecessor } from "./lifecycle/unit-holds.ts";
import { changeMoveInDate, moveStartDate } from "./occupants/move-ins.ts";
import { replacePrimaryOccupant } from "./occupants/primary-occupant.ts";
import { hasStalls } from "./parking-rights/parking-rights.queries.ts";

type Operation = (typeof leases)["operations"]["updateLease"];
type Changes = BodyOf<Operation>;

/** Updates the given fields of a draft, pending or active lease. The ledger revises the billing. */
export async function updateLease(db: OrgDb, clients: Clients, id: string, changes: Changes): Promise<Output<Operation>> {
  const balances = changesChargedTerms(changes) ? await fetchLeaseBalances(db, clients, [id]) : undefined;
  const row = await transaction(db, async (tx) => {
    await changeTerms(tx, await lockWithPredecessor(tx, id), changes, balances?.get(id));
    return getLeaseRow(tx, id);
  });
  await tryReviseBilling(db, clients, id);
  return { lease: leaseView(row, (await findLeaseBalances(db, clients, [id])).get(id)) };
}

/** Updates the given fields of a locked draft, pending or active lease. `balance` is that of the lease, required for a change of charged terms. */
export async function changeTerms(tx: OrgTx, lease: Lease, changes: Changes, balance?: LeaseBalance): Promise<void> {
  await lockReferencedRows(tx, lease, changes);
  requireLeaseStatus(lease, "be changed");
  requireChangeableTerms(lease, changes, balance);
  const unitIds = [...new Set([lease.unitId, changes.unitId ?? lease.unitId])];
  await applyChanges(tx, lease, changes);
  await publishLeaseUpdated(tx, lease);
  if (lease.status === "pending") await publishFollowedLeases(tx, [lease], unitIds);
  await endPastTerms(tx, [lease]);
}

/** Locks the rows that the changes refer to. Throws 400 when one does not exist or the unit belongs to another property. */
async function lockReferencedRows(tx: OrgTx, lease: Lease, { propertyId, unitId, tenantId }: Changes): Promise<void> {
  if (propertyId) await lockReference(tx, "property", propertyId, "propertyId");
  if (propertyId && propertyId !== lease.propertyId && (await hasStalls(tx, lease.id)))
    throw conflict("A parking right of the lease names stalls at its property. Remove the stalls from the parking right first.", "resource_in_use");
  if (unitId) await lockReferencedUnits(tx, [unitId]);
  if (tenantId) await lockReference(tx, "tenant", tenantId, "tenantId");
  if (!propertyId && !unitId) return;
  if (!(await tx.findOne(Unit, { id: unitId ?? lease.unitId, propertyId: propertyId ?? lease.propertyId })))
    throw invalid([{ path: "unitId", code: "mismatch", message: "The unit belongs to another property. Check propertyId and unitId." }]);
}

async function applyChanges(tx: OrgTx, lease: Lease, { tenantId, signedAt, startDate: changedStart, moveInDate, ...changes }: Changes): Promise<void> {
  const startDate = changedStart ?? lease.startDate;
  if (lease.status !== "draft") await lockUnit(tx, changes.unitId ?? lease.unitId);
  if (changedStart) await requireStartAfterOwnPredecessor(tx, lease, startDate);
  // The exclusion constraint checks each statement, so the predecessor first ends before the earlier of the two start dates.
  await endPredecessorBefore(tx, lease, minDate(startDate, lease.startDate));
  const occupants = await tx.find(LeaseOccupant, { leaseId: lease.id, removedAt: null });
  tx.assign(lease, { ...omitUndefined(changes), ...(signedAt !== undefined && { signedAt: signedAt ? new Date(signedAt) : null }), updatedAt: now() });
  moveStartDate(lease, occupants, startDate);
  if (moveInDate !== undefined) changeMoveInDate(lease, occupants, moveInDate);
  if (changes.termType && changes.termType !== "month_to_month") lease.isHoldover = false;
  requireValidTerm(lease);
  await tx.flush();
  await endPredecessorBefore(tx, lease, startDate);
  if (tenantId) await replacePrimaryOccupant(tx, lease, tenantId);
  if (lease.status === "draft") return;
  if (lease.status === "pending") await requireUnitsFree(tx, [lease]);
  for (const job of ["startLeases", "expireLeases"]) await scheduleNow(tx, job);
}

async function requireStartAfterOwnPredecessor(tx: OrgTx, lease: Lease, startDate: string): Promise<void> {
  const predecessor = await findPredecessor(tx, lease);
  if (predecessor) requireStartAfterPredecessor(predecessor, startDate, "startDate");
}

/** Ends the predecessor of a pending renewal on the day before `startDate`. */
async function endPredecessorBefore(tx: OrgTx, { id, status, renewedFromLeaseId }: Lease, startDate: string): Promise<void> {
  if (status === "pending" && renewedFromLeaseId) await supersedePredecessor(tx, { id, renewedFromLeaseId }, startDate, status, "startDate");
}
