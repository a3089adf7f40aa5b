import { newId } from "@freehold/kit/db/entity";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Clients } from "../clients.ts";

/**
 * Runs work while the ledger posts nothing on the records (leases, tenants, properties, owners or vendors), so that the balances that the work
 * reads still hold when it commits. Postings are accepted again when the work fails, when the ledger has applied the change of the
 * record, or after a minute. Callers check before the hold as well what refuses the change, so that a refused one does not stop postings.
 * Throws 503 while the ledger is unavailable.
 */
export async function withPostingHold<T>(db: OrgDb, clients: Clients, recordIds: readonly string[], work: () => Promise<T>): Promise<T> {
  if (recordIds.length === 0) return work();
  const holdId = newId();
  try {
    await clients.ledger.holdPostings(db, { holdId, recordIds: [...recordIds] });
    return await work();
  } catch (error) {
    // If the release fails, the hold ends by itself.
    await clients.ledger.releasePostings(db, { holdId }).catch(() => undefined);
    throw error;
  }
}
