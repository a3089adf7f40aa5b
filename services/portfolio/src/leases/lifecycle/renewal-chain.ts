/** A lease and the one that it renews: what becomes of the one before when the renewal is activated, or given up. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { announceUpdate } from "../lease-events.ts";
import { Lease } from "../lease.entity.ts";
import { endBefore, leaseFlow, refuseEarlyRenewal } from "../lease.rules.ts";
import { findLease } from "../leases.queries.ts";

/** The lease to change, and the one it renews, locked in the order of their ids. */
export async function lockWithOneBefore(tx: OrgTx, id: string): Promise<Lease> {
  const { renewedFromLeaseId } = await findLease(tx, id);
  if (renewedFromLeaseId) await tx.findAllForUpdate(Lease, [id, renewedFromLeaseId]);
  return tx.getForUpdate(Lease, id, "Lease", { deletedAt: null });
}

/** Refuses a renewal that does not come after the lease it follows. */
export async function refuseBeforeOneBefore(tx: OrgTx, { renewedFromLeaseId }: Lease, startDate: string): Promise<void> {
  const old = renewedFromLeaseId ? await tx.findOne(Lease, { id: renewedFromLeaseId }) : null;
  if (old) refuseEarlyRenewal(old, startDate, "startDate");
}

/**
 * The lease before a renewal ends the day before it starts: it is renewed once that day has come, and goes on until then.
 * One that has run out meanwhile stays expired; its people count as those of the renewal from then on.
 */
export async function supersede(tx: OrgTx, oldId: string, startDate: string, status: "active" | "pending", path: string): Promise<void> {
  const old = await tx.findOne(Lease, { id: oldId });
  if (old?.status !== "active" && old?.status !== "expired") return;
  refuseEarlyRenewal(old, startDate, path);
  if (old.status === "active") {
    const endDate = (old.supersededFrom ? old.ownEndDate : old.endDate) ?? null;
    old.ownEndDate = endDate;
    old.endDate = endBefore({ endDate }, startDate);
  }
  old.supersededFrom = startDate;
  if (old.status === "active" && status === "active") {
    old.status = leaseFlow.transition(old.status, "renewed");
    await announceUpdate(tx, old);
  }
  await tx.flush();
}

/** A lease whose renewal is given up goes on as if there had been none, and runs out when it would have. */
export async function letOneBeforeGoOn(tx: OrgTx, { id, renewedFromLeaseId }: Lease): Promise<void> {
  const old = renewedFromLeaseId ? await tx.findOne(Lease, { id: renewedFromLeaseId }) : null;
  if (old?.renewedToLeaseId !== id) return;
  // The unit must be free of the one before the other takes it again.
  await tx.flush();
  old.renewedToLeaseId = null;
  if (old.supersededFrom && old.status === "active") old.endDate = old.ownEndDate ?? null;
  old.supersededFrom = null;
  old.ownEndDate = null;
  await tx.flush();
  await announceUpdate(tx, old);
  await scheduleNow(tx, "expireLeases");
}
