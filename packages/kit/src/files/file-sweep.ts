/** Removal of stored files without a row: uploads that ended before their commit, and deleted files. */
import { systemPrincipal } from "../auth/principal.ts";
import { OrgDb } from "../db/org-db.ts";
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

/** Creates the hourly job that removes unreferenced files older than an hour; a younger one may belong to an open transaction. */
export const sweepFiles =
  (store: FileStore, { hasFiles, findReferenced }: FileReferences): Job =>
  async ({ database }) => {
    const until = new Date(now().getTime() - HOUR_MS);
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
    return new Date(now().getTime() + HOUR_MS);
  };
