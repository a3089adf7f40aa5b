import { now } from "@freehold/kit/time/clock";
import type { Job } from "@freehold/kit/jobs/scheduler";
import { sql } from "@freehold/kit/db/statement";

const BATCH_SIZE = 5_000;
const DAY_MS = 86_400_000;

/** Daily job that deletes audit entries older than the retention period, in batches. */
export const deleteOldAuditEntries =
  (retentionDays: number): Job =>
  async (db) => {
    const result = await db.first(sql<{ deletedCount: number }>`select forget_audit_entries(${retentionDays}, ${BATCH_SIZE}) as deleted_count`);
    return new Date(now().getTime() + (result!.deletedCount < BATCH_SIZE ? DAY_MS : 0));
  };
