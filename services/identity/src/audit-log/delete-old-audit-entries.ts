import { now } from "@freehold/kit/time/clock";
import type { Job } from "@freehold/kit/jobs/scheduler";
import { sql } from "@freehold/kit/db/statement";

const BATCH_SIZE = 5_000;
const DAY_MS = 86_400_000;

/** Once a day has the entries of the audit log go that are older than they are kept. */
export const deleteOldAuditEntries =
  (keptDays: number): Job =>
  async (db) => {
    const done = await db.first(sql<{ gone: number }>`select forget_audit_entries(${keptDays}, ${BATCH_SIZE}) as gone`);
    return new Date(now().getTime() + (done!.gone < BATCH_SIZE ? DAY_MS : 0));
  };
