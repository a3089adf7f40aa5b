import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Clients } from "../clients.ts";
import { orUndefinedIfUnavailable } from "./lookups.ts";

/**
 * Runs work while the ledger posts nothing on the records, leases, tenants, properties or owners, so that the balances that the work
 * reads still hold when it commits. Postings are accepted again when the work fails, when the ledger has applied the change of the
 * record, or after a minute. Throws 503 while the ledger is unavailable.
 */
export async function withoutPostings<T>(db: OrgDb, clients: Clients, recordIds: readonly string[], work: () => Promise<T>): Promise<T> {
  if (recordIds.length === 0) return work();
  const hold = await clients.ledger.holdPostings(db, { recordIds: [...recordIds] });
  try {
    return await work();
  } catch (error) {
    await orUndefinedIfUnavailable(clients.ledger.releasePostings(db, hold));
    throw error;
  }
}
