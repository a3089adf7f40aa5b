import type { leases } from "@freehold/contract/leases";
import type { Output } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict } from "@freehold/kit/errors";
import { announce } from "../announce.ts";
import type { Clients } from "../clients.ts";
import { askMoney, endBilling } from "./billing/lease-billing.ts";
import { ofLease } from "./lease-events.ts";
import { Lease } from "./lease.entity.ts";
import { leaseView } from "./lease.view.ts";
import { findLease } from "./leases.queries.ts";
import { letOneBeforeGoOn, lockWithOneBefore } from "./lifecycle/renewal-chain.ts";

/** Soft-deletes a lease that the books know nothing of and that no other lease follows. */
export async function deleteLease(db: OrgDb, ask: Clients, id: string): Promise<Output<(typeof leases)["operations"]["deleteLease"]>> {
  await findLease(db, id);
  const money = (await askMoney(db, ask, [id])).get(id)!;
  const answer = await transaction(db, async (tx) => {
    const lease = await lockWithOneBefore(tx, id);
    if (money.hasEntries) throw conflict("The lease has charges or payments. Terminate it instead; it stays with its money.", "resource_in_use");
    await refuseWithinChain(tx, lease);
    lease.deletedAt = now();
    await letOneBeforeGoOn(tx, lease);
    await announce(tx, "lease.deleted", { entityId: id, data: ofLease(lease) });
    return { lease: leaseView(await findLease(tx, id, true), money) };
  });
  await endBilling(db, ask, answer.lease, true);
  return answer;
}

/** A lease that another one follows, or that has taken over from another, cannot go without leaving a gap. */
async function refuseWithinChain(tx: OrgTx, { id, renewedToLeaseId, renewedFromLeaseId }: Lease): Promise<void> {
  if (renewedToLeaseId) throw conflict("Another lease follows this one. Cancel or delete that one first.", "resource_in_use");
  const old = renewedFromLeaseId ? await tx.findOne(Lease, { id: renewedFromLeaseId }) : null;
  if (old?.status === "renewed" && old.renewedToLeaseId === id)
    throw conflict("The lease has taken over from the one before it. Terminate it instead.", "resource_in_use");
}
