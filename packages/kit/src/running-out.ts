/** What holds until a moment and is told of once that has passed, by a job that comes again when the next of it does. */
import { now } from "./clock.ts";
import type { OrgDb } from "./db.ts";
import type { Job } from "./schedule.ts";

const AT_ONCE = 500;
const DAY_MS = 86_400_000;

interface RunningOut<T> {
  /** The first so many that are still to be told of, in the order in which they run out. */
  next(db: OrgDb, atMost: number): Promise<T[]>;
  /** Tells of one that has run out, each in a transaction of its own. */
  expire(db: OrgDb, one: T): Promise<void>;
}

/** Tells of all that has run out, and comes again when the next one does, within a day whatever there is. */
export const tellOfRunningOut =
  <T extends { expiresAt: string }>({ next, expire }: RunningOut<T>): Job =>
  async (db) => {
    for (let open = await next(db, AT_ONCE); ; open = await next(db, AT_ONCE)) {
      const due = open.filter(({ expiresAt }) => new Date(expiresAt) <= now());
      for (const one of due) await expire(db, one);
      if (due.length === AT_ONCE) continue;
      const first = open[due.length];
      const inADay = now().getTime() + DAY_MS;
      return new Date(first ? Math.min(new Date(first.expiresAt).getTime(), inADay) : inADay);
    }
  };
