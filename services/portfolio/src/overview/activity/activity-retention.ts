import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { nextRunIn } from "@freehold/kit/jobs/run-delay";

/** Name of the retention job. */
export const ACTIVITY_RETENTION_JOB = "forgetActivity";

const DAY_MS = 86_400_000;
/** Two years, one of which may be a leap year. */
const RETENTION_DAYS = 731;
const BATCH_SIZE = 5_000;

/** Deletes activity older than two years in batches. Returns the time of the next run, a day later. */
export async function deleteExpiredActivity(db: OrgDb): Promise<Date> {
  for (let deleted = BATCH_SIZE; deleted === BATCH_SIZE;) deleted = await deleteBatch(db);
  return nextRunIn(undefined, DAY_MS);
}

async function deleteBatch(db: OrgDb): Promise<number> {
  const deleted = await db.all(sql`delete from activity where organization_id = ${db.organizationId} and (subject_id, occurred_at, id) in (
    select subject_id, occurred_at, id from activity where organization_id = ${db.organizationId} and occurred_at < now() - make_interval(days => ${RETENTION_DAYS})
    limit ${sql.lit(BATCH_SIZE)}) returning 1 as one`);
  return deleted.length;
}
