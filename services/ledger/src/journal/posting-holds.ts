/** Holds of postings on records that another service is about to delete or cancel. */
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";

/**
 * Holds postings on records for a minute. It waits for the postings in progress, so that balances that are read afterwards include
 * them. Idempotent by the id of the hold.
 */
export const holdPostings = (db: OrgDb, holdId: string, recordIds: readonly string[]): Promise<void> =>
  transaction(db, async (tx) => {
    await tx.all(sql`select pg_advisory_xact_lock(period_lock_key(${tx.organizationId}))`);
    await tx.all(sql`delete from posting_hold where organization_id = ${tx.organizationId} and held_until <= clock_timestamp()`);
    await tx.all(sql`insert into posting_hold (organization_id, hold_id, record_id, held_until)
      select ${tx.organizationId}, ${holdId}, id, clock_timestamp() + interval '1 minute' from unnest(${[...recordIds]}::uuid[]) as input (id) on conflict do nothing`);
  });

/** Ends the holds on records, once the ledger has applied the change that they were for. */
export const releaseRecords = async (db: StatementRunner, recordIds: readonly string[]): Promise<void> => {
  await db.all(sql`delete from posting_hold where organization_id = ${db.organizationId} and record_id = any(${[...recordIds]}::uuid[])`);
};

/** Ends a hold before its time. */
export const releasePostings = async (db: OrgDb, holdId: string): Promise<void> => {
  await db.all(sql`delete from posting_hold where organization_id = ${db.organizationId} and hold_id = ${holdId}`);
};
