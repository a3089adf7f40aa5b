/** What a file store holds that no row names goes again: of uploads that ended before their commit, and of what was deleted. */
import { now } from "./clock.ts";
import { everywhere, OrgDb, type Database } from "./db.ts";
import type { FileStore } from "./file-store.ts";
import type { Job } from "./schedule.ts";
import { systemScope } from "./scope.ts";
import { sql } from "./statement.ts";

const HOUR = 3_600_000;
const BATCH = 1_000;

/** Has a job run that looks at all organizations at once, from now on, by whichever replica comes first. */
export async function keepRunning(database: Database, job: string): Promise<void> {
  const db = everywhere(database);
  await db.all(sql`insert into scheduled_work (job, organization_id, next_run_at) values (${job}, ${db.organizationId}, now()) on conflict do nothing`);
}

export interface NamedFiles {
  /** Whether the organization has or had a file. */
  hasAny(db: OrgDb): Promise<boolean>;
  /** Which of these ids name a file that is to stay. */
  live(db: OrgDb, ids: readonly string[]): Promise<Set<string>>;
}

/** Removes files that no row names, once an hour. What is younger than an hour may be on its way. */
export const sweepFiles =
  (store: FileStore, { hasAny, live }: NamedFiles): Job =>
  async ({ database }) => {
    const until = new Date(now().getTime() - HOUR);
    await store.forgetReceived(until);
    for (const organizationId of await store.organizations()) {
      const db = new OrgDb(database, systemScope(organizationId));
      // A database that knows nothing of these files is another one than theirs.
      if (!(await hasAny(db))) continue;
      const old = (await store.list(organizationId)).filter(({ since }) => since < until).map(({ id }) => id);
      for (let at = 0; at < old.length; at += BATCH) {
        const ids = old.slice(at, at + BATCH);
        const staying = await live(db, ids);
        for (const id of ids.filter((each) => !staying.has(each))) await store.remove(organizationId, id);
      }
    }
    return new Date(now().getTime() + HOUR);
  };
