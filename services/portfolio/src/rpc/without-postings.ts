import { newId } from "@freehold/kit/db/entity";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Clients } from "../clients.ts";

/** How long a hold lasts: until the change has committed, or until the ledger has applied it, since it accepts postings on the record until then. */
type HoldEnd = "committed" | "applied";

/**
 * Runs work while the ledger posts nothing on the records, leases, tenants, properties or owners, so that the balances that the work
 * reads still hold when it commits. Postings are accepted again when the work fails, at the end of the hold, or after a minute. Throws 503
 * while the ledger is unavailable.
 */
export async function withoutPostings<T>(db: OrgDb, clients: Clients, recordIds: readonly string[], until: HoldEnd, work: () => Promise<T>): Promise<T> {
  if (recordIds.length === 0) return work();
  const holdId = newId();
  // A release that fails is made up for by the end of the hold.
  const release = () =>
    clients.ledger.releasePostings(db, { holdId }).then(
      () => undefined,
      () => undefined,
    );
  try {
    await clients.ledger.holdPostings(db, { holdId, recordIds: [...recordIds] });
    const result = await work();
    if (until === "committed") await release();
    return result;
  } catch (error) {
    await release();
    throw error;
  }
}
