/** Expiry of rows at a set time, with an event for each. */
import type { OrgDb } from "../db/org-db.ts";
import { now } from "../time/clock.ts";
import type { Job } from "./scheduler.ts";
import { workThrough } from "./work-through.ts";

const BATCH_SIZE = 500;
const DAY_MS = 86_400_000;

interface Expirable<T> {
  /** Returns the first rows whose expiry was not processed yet, in order of expiry. */
  findNext(db: OrgDb, limit: number): Promise<T[]>;
  /** Publishes the expiry of one row in its own transaction. */
  expire(db: OrgDb, row: T): Promise<void>;
}

/** Creates the job that expires due rows. It runs again at the next expiry, and at least once a day. */
export const expiryJob =
  <T extends { expiresAt: string }>({ findNext, expire }: Expirable<T>): Job =>
  async (db) => {
    for (let rows = await findNext(db, BATCH_SIZE); ; rows = await findNext(db, BATCH_SIZE)) {
      const due = rows.filter(({ expiresAt }) => new Date(expiresAt) <= now());
      await workThrough(due, (row) => expire(db, row));
      if (due.length === BATCH_SIZE) continue;
      const next = rows[due.length];
      const tomorrow = now().getTime() + DAY_MS;
      return new Date(next ? Math.min(new Date(next.expiresAt).getTime(), tomorrow) : tomorrow);
    }
  };
