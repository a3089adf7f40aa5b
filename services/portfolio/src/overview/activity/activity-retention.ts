import { now } from "@freehold/kit/time/clock";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";

/** Name of the retention job. */
export const ACTIVITY_RETENTION_JOB = "forgetActivity";

const DAY_MS = 86_400_000;
/** Two years, one of which may be a leap year. */
const RETENTION_MS = 731 * DAY_MS;
const BATCH_SIZE = 5_000;

/** Deletes activity older than two years in batches. Returns the time of the next run, a day later. */
export async function deleteExpiredActivity(db: OrgDb): Promise<Date> {
  const cutoff = new Date(now().getTime() - RETENTION_MS);
  for (let deleted = BATCH_SIZE; deleted === BATCH_SIZE;) deleted = await deleteBatch(db, cutoff);
  return new Date(now().getTime() + DAY_MS);
}

async function deleteBatch(db: OrgDb, cutoff: Date): Promise<number> {
  const deleted = await db.all(sql`delete from activity where organization_id = ${db.organizationId} and (subject_id, occurred_at, id) in (
    select subject_id, occurred_at, id from activity where organization_id = ${db.organizationId} and occurred_at < ${cutoff}
    limit ${sql.lit(BATCH_SIZE)}) returning 1 as one`);
  return deleted.length;
}
