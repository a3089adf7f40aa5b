import { now } from "@freehold/kit/clock";
import { everywhere, OrgDb, type Database } from "@freehold/kit/db";
import type { Job } from "@freehold/kit/schedule";
import { systemScope } from "@freehold/kit/scope";
import { sql } from "@freehold/kit/statement";
import { hasDocuments, liveDocuments } from "./documents.queries.ts";
import type { FileStore } from "./file-store.ts";

const HOUR = 3_600_000;
const BATCH = 1_000;

/** Has the files looked through for all organizations at once, from now on, by whichever replica comes first. */
export async function keepSweeping(database: Database): Promise<void> {
  const db = everywhere(database);
  await db.all(
    sql`insert into scheduled_work (job, organization_id, next_run_at) values ('sweepDocuments', ${db.organizationId}, now()) on conflict do nothing`,
  );
}

/** Removes files that no document names: of uploads that ended before their commit, and of documents that were deleted. What is younger than an hour may be on its way. */
export const sweepDocuments =
  (store: FileStore): Job =>
  async ({ database }) => {
    const until = new Date(now().getTime() - HOUR);
    await store.forgetReceived(until);
    for (const organizationId of await store.organizations()) {
      const db = new OrgDb(database, systemScope(organizationId));
      // A database that knows nothing of these files is another one than theirs.
      if (!(await hasDocuments(db))) continue;
      const old = (await store.list(organizationId)).filter(({ since }) => since < until).map(({ id }) => id);
      for (let at = 0; at < old.length; at += BATCH) {
        const ids = old.slice(at, at + BATCH);
        const live = await liveDocuments(db, ids);
        for (const id of ids.filter((each) => !live.has(each))) await store.remove(organizationId, id);
      }
    }
    return new Date(now().getTime() + HOUR);
  };
