import { now } from "@freehold/kit/time/clock";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";

/** The name of the job. */
export const ACTIVITY_RETENTION_JOB = "forgetActivity";

const DAY = 86_400_000;
/** Two years: last year's activity can be compared with this year's to the day. */
const KEPT_MS = 731 * DAY;
const BATCH = 5_000;

/** Removes what happened more than two years ago, and comes again in a day. */
export async function deleteExpiredActivity(db: OrgDb): Promise<Date> {
  const until = new Date(now().getTime() - KEPT_MS);
  for (let gone = BATCH; gone === BATCH;) gone = await forgetSome(db, until);
  return new Date(now().getTime() + DAY);
}

async function forgetSome(db: OrgDb, until: Date): Promise<number> {
  const gone = await db.all(sql`delete from activity where organization_id = ${db.organizationId} and (subject_id, occurred_at, id) in (
    select subject_id, occurred_at, id from activity where organization_id = ${db.organizationId} and occurred_at < ${until} limit ${sql.lit(BATCH)}) returning 1 as one`);
  return gone.length;
}
