import type { leases } from "@freehold/contract/leases";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { minDate } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict, invalid } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import type { Clients } from "../clients.ts";
import { changePrimary, moveInWith } from "./occupants/primary-occupant.ts";
import { hasStalls } from "./parking-rights/parking-rights.queries.ts";
import { holdReference } from "../references.ts";
import { Unit } from "../properties/units/unit.entity.ts";
import { askMoney, moneyOf, reviseBilling } from "./billing/lease-billing.ts";
import { refuseAgreed, refuseImpossibleDays, touchesAgreed } from "./lease-change.rules.ts";
import { announceUpdate } from "./lease-events.ts";
import type { Lease } from "./lease.entity.ts";
import { requireStatus } from "./lease.rules.ts";
import { leaseView } from "./lease.view.ts";
import { findLease } from "./leases.queries.ts";
import { lockWithOneBefore, refuseBeforeOneBefore, supersede } from "./lifecycle/renewal-chain.ts";
import { holdNamedUnits, holdUnit, refuseHeldByTerminated } from "./lifecycle/unit-hold.queries.ts";

type Operation = (typeof leases)["operations"]["updateLease"];
type Changes = BodyOf<Operation>;

/** Changes what is sent of a lease that is not over; what it names nowhere stays, and its rent in the ledger follows. */
export async function updateLease(db: OrgDb, ask: Clients, id: string, changes: Changes): Promise<Output<Operation>> {
  const known = touchesAgreed(changes) ? await askMoney(db, ask, [id]) : undefined;
  const row = await transaction(db, async (tx) => {
    const lease = await lockWithOneBefore(tx, id);
    await holdNamed(tx, lease, changes);
    requireStatus(lease, "be changed");
    refuseAgreed(lease, changes, known?.get(id)?.hasUnreversedEntries ?? false);
    await change(tx, lease, changes);
    await announceUpdate(tx, lease);
    return findLease(tx, id);
  });
  await reviseBilling(db, ask, id);
  return { lease: leaseView(row, (await moneyOf(db, ask, [id])).get(id)) };
}

/** Holds what the change names; the unit must be one of the property. */
async function holdNamed(tx: OrgTx, lease: Lease, { propertyId, unitId, tenantId }: Changes): Promise<void> {
  if (propertyId) await holdReference(tx, "property", propertyId, "propertyId");
  if (propertyId && propertyId !== lease.propertyId && (await hasStalls(tx, lease.id)))
    throw conflict("A parking right of the lease names stalls at its property. Take them off the right first.", "resource_in_use");
  if (unitId) await holdNamedUnits(tx, [unitId]);
  if (tenantId) await holdReference(tx, "tenant", tenantId, "tenantId");
  if (!propertyId && !unitId) return;
  if (!(await tx.findOne(Unit, { id: unitId ?? lease.unitId, propertyId: propertyId ?? lease.propertyId })))
    throw invalid([{ path: "unitId", code: "mismatch", message: "The unit belongs to another property. Check propertyId and unitId." }]);
}

async function change(tx: OrgTx, lease: Lease, { tenantId, signedAt, ...changes }: Changes): Promise<void> {
  const movedIn = lease.moveInDate ?? lease.startDate;
  const { startDate = lease.startDate } = changes;
  if (lease.status !== "draft") await holdUnit(tx, changes.unitId ?? lease.unitId);
  if (changes.startDate) await refuseBeforeOneBefore(tx, lease, startDate);
  // Neither lease of a chain may stand on a day of the other, not even in between.
  await giveWay(tx, lease, minDate(startDate, lease.startDate));
  tx.assign(lease, { ...omitUndefined(changes), ...(signedAt !== undefined && { signedAt: signedAt ? new Date(signedAt) : null }), updatedAt: now() });
  if (changes.termType && changes.termType !== "month_to_month") lease.isHoldover = false;
  refuseImpossibleDays(lease);
  await tx.flush();
  await giveWay(tx, lease, startDate);
  if (tenantId) await changePrimary(tx, lease, tenantId);
  await moveInWith(tx, lease.id, movedIn, lease.moveInDate ?? lease.startDate);
  if (lease.status === "draft") return;
  if (lease.status === "pending") await refuseHeldByTerminated(tx, [lease]);
  for (const job of ["startLeases", "expireLeases"]) await scheduleNow(tx, job);
}

/** The lease that a pending renewal follows ends the day before it starts. */
async function giveWay(tx: OrgTx, { status, renewedFromLeaseId }: Lease, startDate: string): Promise<void> {
  if (status === "pending" && renewedFromLeaseId) await supersede(tx, renewedFromLeaseId, startDate, status, "startDate");
}
