import { now } from "@freehold/kit/time/clock";
import type { Job } from "@freehold/kit/jobs/scheduler";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";

/** Name of the job, which has deleted audit entries only when the first organizations were scheduled. */
export const DELETE_EXPIRED = "forgetAuditEntries";

const BATCH_SIZE = 5_000;
const DAY_MS = 86_400_000;

/** Daily job of an organization that deletes, in batches, audit entries older than the retention period, and expired sessions and tokens of mailed links. */
export const deleteExpired =
  (auditLogDays: number): Job =>
  async (db) => {
    const counts = [await deleteAuditEntries(db, auditLogDays), await deleteExpiredRows(db, "session"), await deleteExpiredRows(db, "one_time_token")];
    const isComplete = counts.every((count) => count < BATCH_SIZE);
    return new Date(now().getTime() + (isComplete ? DAY_MS : 0));
  };

async function deleteAuditEntries(db: OrgDb, retentionDays: number): Promise<number> {
  const result = await db.first(sql<{ deletedCount: number }>`select forget_audit_entries(${retentionDays}, ${BATCH_SIZE}) as deleted_count`);
  return result!.deletedCount;
}

/** Deletes a batch of rows that have expired by the clock of the database, and returns their number. The refresh tokens of a session are deleted with it. */
async function deleteExpiredRows(db: OrgDb, table: "session" | "one_time_token"): Promise<number> {
  const deleted = await db.all(sql`delete from ${sql.table(table)} where organization_id = ${db.organizationId} and id in (
    select id from ${sql.table(table)} where organization_id = ${db.organizationId} and expires_at < now() limit ${BATCH_SIZE}) returning id`);
  return deleted.length;
}
