/** Removal of stored files without a row: uploads that ended before their commit, and deleted files. */
import { systemPrincipal } from "../auth/principal.ts";
import { OrgDb, type Database } from "../db/org-db.ts";
import { sendOnce, sql } from "../db/statement.ts";
import { nextRunIn } from "../jobs/run-delay.ts";
import type { Job } from "../jobs/scheduler.ts";
import { now } from "../time/clock.ts";
import type { FileStore } from "./file-store.ts";

const HOUR_MS = 3_600_000;
const BATCH_SIZE = 1_000;

export interface FileReferences {
  /** Tells whether the organization has or had a file. */
  hasFiles(db: OrgDb): Promise<boolean>;
  /** Returns those of the file ids that a row refers to. */
  findReferenced(db: OrgDb, ids: readonly string[]): Promise<Set<string>>;
}

/** Returns the time of this process or that of the database, whichever is earlier, so that a clock that is ahead makes no new file look old. */
async function earlierClock({ pool }: Database): Promise<number> {
  const [row] = await sendOnce(pool, sql<{ time: string }>`select now() as time`);
  return Math.min(now().getTime(), Date.parse(row!.time));
}

/** Creates the hourly job that removes unreferenced files older than an hour; a younger one may belong to an open transaction. */
export const sweepFiles =
  (store: FileStore, { hasFiles, findReferenced }: FileReferences): Job =>
  async ({ database }) => {
    const until = new Date((await earlierClock(database)) - HOUR_MS);
    await store.deleteStaleUploads(until);
    for (const organizationId of await store.listOrganizations()) {
      const db = new OrgDb(database, systemPrincipal(organizationId));
      // The store may hold organizations of another database, whose files look unreferenced here.
      if (!(await hasFiles(db))) continue;
      const old = (await store.list(organizationId)).filter(({ storedAt }) => storedAt < until).map(({ id }) => id);
      for (let at = 0; at < old.length; at += BATCH_SIZE) {
        const ids = old.slice(at, at + BATCH_SIZE);
        const referenced = await findReferenced(db, ids);
        for (const id of ids.filter((each) => !referenced.has(each))) await store.remove(organizationId, id);
      }
    }
    return nextRunIn(undefined, HOUR_MS);
  };
