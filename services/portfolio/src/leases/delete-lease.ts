import type { leases } from "@freehold/contract/leases/leases";
import type { Output } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict } from "@freehold/kit/errors";
import type { LeaseBalance } from "@freehold/proto/ledger/v1/ledger";
import type { Clients } from "../clients.ts";
import { requireVersion } from "../db/require-version.ts";
import { publish } from "../publish.ts";
import { withPostingHold } from "../rpc/posting-hold.ts";
import { fetchLeaseBalances, refreshBalance, tryCancelBilling } from "./lease-billing.ts";
import { leaseEventData, publishFollowedLeases } from "./lease-events.ts";
import { Lease } from "./lease.entity.ts";
import { leaseView } from "./lease.view.ts";
import { getLeaseRow } from "./leases.queries.ts";
import { findPredecessor, lockWithPredecessor, reinstatePredecessor } from "./lifecycle/unit-holds.ts";

/** Soft-deletes a lease without entries in the ledger and without a renewal. */
export async function deleteLease(db: OrgDb, clients: Clients, id: string): Promise<Output<(typeof leases)["operations"]["deleteLease"]>> {
  await getLeaseRow(db, id);
  await requireVersion(db, Lease, id, "Lease");
  // Checked before the hold as well, so that a refused deletion does not stop postings.
  requireNoEntries((await fetchLeaseBalances(db, clients, [id])).get(id)!);
  const response = await withPostingHold(db, clients, [id], async (inHeldTransaction) => {
    const balance = (await fetchLeaseBalances(db, clients, [id])).get(id)!;
    return inHeldTransaction(async (tx) => {
      const lease = await lockWithPredecessor(tx, id);
      requireNoEntries(balance);
      await forbidLeaseGap(tx, lease);
      lease.deletedAt = now();
      await reinstatePredecessor(tx, lease);
      await publish(tx, "lease.deleted", { entityId: id, data: leaseEventData(lease) });
      await publishFollowedLeases(tx, [lease]);
      return { lease: leaseView(await getLeaseRow(tx, id, { includeDeleted: true }), balance) };
    });
  });
  await tryCancelBilling(db, clients, id, { isDeleted: true });
  await refreshBalance(db, clients, response.lease);
  return response;
}

function requireNoEntries({ hasEntries, usedDepositId }: LeaseBalance): void {
  if (hasEntries) throw conflict("The lease has charges or payments. Terminate it instead, so that they are kept.", "resource_in_use");
  if (usedDepositId) throw conflict(`The security deposit ${usedDepositId} of the lease has transactions. Void these first.`, "resource_in_use");
}

/**
 * Throws 409 when the lease has a renewal or has replaced its predecessor, also an expired one, since the deletion would leave a gap between
 * leases, and credit and deposits on a deleted lease.
 */
async function forbidLeaseGap(tx: OrgTx, lease: Lease): Promise<void> {
  if (lease.renewedToLeaseId) throw conflict("Another lease follows this one. Cancel or delete that one first.", "resource_in_use");
  const predecessor = await findPredecessor(tx, lease);
  const hasBegun = lease.status !== "draft" && lease.status !== "pending";
  if (hasBegun && predecessor?.renewedToLeaseId === lease.id)
    throw conflict("The lease has taken over from the one before it. Terminate it instead.", "resource_in_use");
}
