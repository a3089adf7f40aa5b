import type { leases } from "@freehold/contract/leases/leases";
import type { Output } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict } from "@freehold/kit/errors";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import type { Clients } from "../../clients.ts";
import { withPostingHold, type HeldTransaction } from "../../rpc/posting-hold.ts";
import type { LeaseBalance } from "@freehold/proto/ledger/v1/ledger";
import { fetchLeaseBalances, refreshBalance, tryCancelBilling } from "../lease-billing.ts";
import { publishFollowedLeases, publishLeaseUpdated } from "../lease-events.ts";
import type { Lease } from "../lease.entity.ts";
import { isUnbegun, leaseStateMachine } from "../lease.rules.ts";
import { leaseView } from "../lease.view.ts";
import { findDraftLeaseIds, getLeaseRow } from "../leases.queries.ts";
import { lockWithPredecessor, reinstatePredecessor } from "./unit-holds.ts";

type Result = Output<(typeof leases)["operations"]["cancelLease"]>;

/** Cancels a draft or pending lease on which no unreversed money is posted. The predecessor of a renewal continues. */
export async function cancelLease(db: OrgDb, clients: Clients, id: string): Promise<Result> {
  // A lease that has started cannot be cancelled, so its postings are not held.
  const idsToHold = isUnbegun(await getLeaseRow(db, id)) ? [id] : [];
  const committed = withPostingHold(db, clients, idsToHold, async (inHeldTransaction) => {
    const balance = (await fetchLeaseBalances(db, clients, [id])).get(id)!;
    return inHeldTransaction(async (tx): Promise<Result> => {
      const lease = await lockWithPredecessor(tx, id);
      await cancelUnposted(tx, lease, balance);
      return { lease: leaseView(await getLeaseRow(tx, id), balance) };
    });
  });
  return completeAfterCommit(committed, async (response) => {
    await tryCancelBilling(db, clients, id, { isDeleted: false });
    await refreshBalance(db, clients, response.lease);
    return response;
  });
}

/** Throws 409 when charges, payments or deposit transactions of a lease that would be cancelled were not undone. `name` begins the message. */
export function requireNoPostings(balance: LeaseBalance | undefined, name: string): void {
  if (balance?.hasUnreversedEntries)
    throw conflict(`${name} cannot be cancelled, because money was posted on it. Void its charges and reverse its payments first.`, "invalid_transition");
  if (balance?.usedDepositId)
    throw conflict(
      `${name} cannot be cancelled, because its security deposit ${balance.usedDepositId} has transactions. Void these first.`,
      "invalid_transition",
    );
}

/**
 * Runs the deletion of a property or unit while the ledger refuses postings on it and on its draft leases. `work` runs the transaction with
 * `inHeldTransaction` and calls in it the second function that it receives, which cancels these leases; that throws 409 when money is posted on one of them.
 */
export async function deleteWithDraftLeases<T>(
  db: OrgDb,
  clients: Clients,
  table: "property" | "unit",
  id: string,
  work: (inHeldTransaction: HeldTransaction, cancelDraftLeases: (tx: OrgTx) => Promise<void>) => Promise<T>,
): Promise<T> {
  const draftIds = await findDraftLeaseIds(db, table, id);
  return withPostingHold(db, clients, table === "property" ? [id, ...draftIds] : draftIds, async (inHeldTransaction) => {
    const balances = draftIds.length > 0 ? await fetchLeaseBalances(db, clients, draftIds) : new Map<string, LeaseBalance>();
    return work(inHeldTransaction, async (tx) => {
      for (const leaseId of await findDraftLeaseIds(tx, table, id)) {
        if (!draftIds.includes(leaseId)) throw conflict("A lease was drafted at the same moment. Delete it first, or repeat the request.", "resource_in_use");
        const lease = await lockWithPredecessor(tx, leaseId);
        if (lease.status !== "draft") continue;
        requireNoPostings(balances.get(leaseId), `The draft lease ${leaseId}`);
        await cancel(tx, lease);
      }
    });
  });
}

/** Cancels a locked draft or pending lease. Throws 409 when money is posted on it. */
export async function cancelUnposted(tx: OrgTx, lease: Lease, balance: LeaseBalance | undefined): Promise<void> {
  leaseStateMachine.transition(lease.status, "cancelled");
  requireNoPostings(balance, "The lease");
  await cancel(tx, lease);
}

/** Cancels a locked draft or pending lease. The predecessor of a renewal continues. */
export async function cancel(tx: OrgTx, lease: Lease): Promise<void> {
  lease.status = leaseStateMachine.transition(lease.status, "cancelled");
  await reinstatePredecessor(tx, lease);
  await publishLeaseUpdated(tx, lease);
  await publishFollowedLeases(tx, [lease]);
}
