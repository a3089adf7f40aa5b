/** Locks of leases. They come before every other lock of the ledger. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";

/** Locks a lease until the commit, so that changes of its billing, requested over gRPC or caused by an event, run one at a time. */
export const lockLease = (tx: OrgTx, leaseId: string) => lockLeases(tx, [leaseId]);

/** Locks several leases, in the order of their ids so that two transactions cannot deadlock. */
export const lockLeases = (tx: OrgTx, leaseIds: readonly string[]) =>
  tx.all(
    sql`select pg_advisory_xact_lock(hashtextextended(id, 0)) from (select distinct id from unnest(${[...leaseIds]}::text[]) as input (id) order by id) as ordered`,
  );

/**
 * Statement that takes shared locks of leases until the commit: changes of their billing, such as a takeover by a renewal, wait for them,
 * and other payments do not. `record_payments` takes the same locks.
 */
export const lockLeasesShared = (leaseIds: readonly string[]) =>
  sql`select pg_advisory_xact_lock_shared(hashtextextended(id, 0)) from (select distinct id::text from unnest(${[...leaseIds]}::uuid[]) as input (id) order by id) as ordered`;
