/**
 * Work over time: one due row for each job and organization, claimed by whichever replica comes first and held by a
 * lease. A job may run twice or late; it must be idempotent.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { OrgDb, type Database, type OrgTx } from "./db.ts";
import type { Logger } from "./log.ts";
import { systemScope } from "./scope.ts";
import { sendOnce, sql } from "./statement.ts";

/** Does what is due in one organization and answers when to come again. */
export type Job = (db: OrgDb) => Promise<Date>;

interface Due {
  job: string;
  organizationId: string;
  /** When the row is due again if nobody comes back to it: the claim of this run. */
  nextRunAt: string;
}

const LEASE_SECONDS = 60;

/** Has the job run for this organization as soon as may be; creates its row the first time. */
export const scheduleNow = (tx: OrgTx, job: string): Promise<unknown[]> =>
  tx.all(sql`insert into scheduled_work (job, organization_id, next_run_at) values (${job}, ${tx.organizationId}, now())
    on conflict (job, organization_id) do update set next_run_at = least(scheduled_work.next_run_at, excluded.next_run_at)`);

export function startSchedule(database: Database, jobs: Record<string, Job>, log: Logger, everyMs = 500): { stop(): Promise<void> } {
  let stopping = false;

  async function claimOne(): Promise<Due | undefined> {
    const [due] = await sendOnce(
      database.pool,
      sql<Due>`update scheduled_work set next_run_at = now() + make_interval(secs => ${LEASE_SECONDS})
        where (job, organization_id) in (select job, organization_id from scheduled_work where job = any(${Object.keys(jobs)}) and next_run_at <= now()
          order by next_run_at limit 1 for update skip locked)
        returning job, organization_id, next_run_at`,
    );
    return due;
  }

  async function runOne({ job, organizationId, nextRunAt }: Due): Promise<void> {
    const db = new OrgDb(database, systemScope(organizationId));
    const next = await jobs[job]!(db).catch((error: unknown) => {
      log.error({ err: error, job, organizationId }, "a scheduled job failed and will run again in a minute");
      return new Date(Date.now() + LEASE_SECONDS * 1_000);
    });
    // What was scheduled while the job ran stays scheduled.
    await db.all(
      sql`update scheduled_work set next_run_at = ${next} where job = ${job} and organization_id = ${organizationId} and next_run_at = ${nextRunAt}`,
    );
  }

  const running = (async () => {
    while (!stopping) {
      try {
        for (let due = await claimOne(); due && !stopping; due = await claimOne()) await runOne(due);
      } catch (error) {
        log.warn({ err: error }, "scheduled work pauses");
      }
      if (!stopping) await sleep(everyMs, undefined, { ref: false });
    }
  })();
  return {
    stop: async () => {
      stopping = true;
      await Promise.race([running, sleep(5_000, undefined, { ref: false })]);
    },
  };
}
