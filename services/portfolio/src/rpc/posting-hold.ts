import { newId } from "@freehold/kit/db/entity";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { transaction } from "@freehold/kit/db/transaction";
import { isRefusal, unavailable } from "@freehold/kit/errors";
import type { Clients } from "../clients.ts";

/** Runs the transaction that the postings are held for. */
export type HeldTransaction = <T>(work: (tx: OrgTx) => Promise<T>) => Promise<T>;

/** Half of the time for which the ledger holds postings. The other half is left for the statements after the check and for the commit. */
const MAX_HELD_MS = 30_000;

/** Returns a function that tells how long ago it was created, by the clock that has advanced more: one of them stands still while a virtual machine sleeps. */
function stopwatch(): () => number {
  const [startedAt, startedOn] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - startedAt, Date.now() - startedOn);
}

/**
 * Runs work while the ledger posts nothing on the records (leases, tenants, properties, owners or vendors), so that the balances that the work
 * reads still hold when `inHeldTransaction`, which it receives, commits. A transaction that ends later than the hold allows, since this
 * process was paused, is rolled back with 503. Postings are accepted again when the work has certainly failed, when the ledger has applied
 * the change of the record, or after a minute. Callers check before the hold as well what refuses the change, so that a refused one does
 * not stop postings. Throws 503 while the ledger is unavailable.
 */
export async function withPostingHold<T>(
  db: OrgDb,
  clients: Pick<Clients, "ledger">,
  recordIds: readonly string[],
  work: (inHeldTransaction: HeldTransaction) => Promise<T>,
): Promise<T> {
  if (recordIds.length === 0) return work((change) => transaction(db, change));
  const holdId = newId();
  const heldMs = stopwatch();
  let mayHaveCommitted = false;
  const inHeldTransaction: HeldTransaction = (change) =>
    transaction(db, async (tx) => {
      const result = await change(tx);
      if (heldMs() > MAX_HELD_MS) throw unavailable(new Error("the hold of postings ends before the transaction does"));
      mayHaveCommitted = true;
      return result;
    });
  try {
    await clients.ledger.holdPostings(db, { holdId, recordIds: [...recordIds] });
    return await work(inHeldTransaction);
  } catch (error) {
    // If the release fails, the hold ends by itself.
    if (!mayHaveCommitted || isRefusal(error)) await clients.ledger.releasePostings(db, { holdId }).catch(() => undefined);
    throw error;
  }
}
