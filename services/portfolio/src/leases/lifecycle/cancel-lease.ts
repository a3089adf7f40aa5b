import type { leases } from "@freehold/contract/leases";
import type { Output } from "@freehold/contract/operation";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict } from "@freehold/kit/errors";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import type { Clients } from "../../clients.ts";
import { askMoney, endBilling } from "../billing/lease-billing.ts";
import { announceUpdate } from "../lease-events.ts";
import type { Lease } from "../lease.entity.ts";
import { leaseFlow } from "../lease.rules.ts";
import { leaseView } from "../lease.view.ts";
import { findDrafts, findLease } from "../leases.queries.ts";
import { letOneBeforeGoOn, lockWithOneBefore } from "./renewal-chain.ts";

type Answer = Output<(typeof leases)["operations"]["cancelLease"]>;

/** Gives up a lease that has not begun and that no money was posted on; the one that it was to follow goes on. */
export async function cancelLease(db: OrgDb, ask: Clients, id: string): Promise<Answer> {
  const money = (await askMoney(db, ask, [id])).get(id)!;
  const work = transaction(db, async (tx): Promise<Answer> => {
    const lease = await lockWithOneBefore(tx, id);
    leaseFlow.transition(lease.status, "cancelled");
    if (money.hasUnreversedEntries)
      throw conflict("Money was posted on the lease, so it cannot become cancelled. Void its charges and reverse its payments first.", "invalid_transition");
    await giveUp(tx, lease);
    return { lease: leaseView(await findLease(tx, id), money) };
  });
  return completeAfterCommit(work, async (answer) => {
    await endBilling(db, ask, answer.lease, false);
    return answer;
  });
}

/** Gives up the drafts of leases for a property or a unit that goes. */
export async function cancelDrafts(tx: OrgTx, of: "property" | "unit", id: string): Promise<void> {
  for (const draft of await findDrafts(tx, of, id)) {
    const lease = await lockWithOneBefore(tx, draft);
    if (lease.status === "draft") await giveUp(tx, lease);
  }
}

async function giveUp(tx: OrgTx, lease: Lease): Promise<void> {
  lease.status = leaseFlow.transition(lease.status, "cancelled");
  await letOneBeforeGoOn(tx, lease);
  await announceUpdate(tx, lease);
}
