import { now } from "@freehold/kit/time/clock";
import type { Job } from "@freehold/kit/jobs/scheduler";
import { sql } from "@freehold/kit/db/statement";

const AT_ONCE = 5_000;
const DAY_MS = 86_400_000;

/** Once a day has the entries of the audit log go that are older than they are kept. */
export const forgetAuditEntries =
  (keptDays: number): Job =>
  async (db) => {
    const done = await db.first(sql<{ gone: number }>`select forget_audit_entries(${keptDays}, ${AT_ONCE}) as gone`);
    return new Date(now().getTime() + (done!.gone < AT_ONCE ? DAY_MS : 0));
  };
