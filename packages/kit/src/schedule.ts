/**
 * Work over time: one due row for each job and organization, claimed by whichever replica comes first and held by a
 * lease that is renewed while the job runs. A job may run twice or late; it must be idempotent.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { OrgDb, type Database, type OrgTx } from "./db.ts";
import type { Logger } from "./log.ts";
import { systemScope } from "./scope.ts";
import { sendOnce, sql, type RawBuilder } from "./statement.ts";

/** Does what is due in one organization and answers when to come again. */
export type Job = (db: OrgDb) => Promise<Date>;

interface Due {
  job: string;
  organizationId: string;
  /** When the row is due again if nobody comes back to it: the claim of this run. */
  nextRunAt: string;
}

/** So long after a replica has died another one goes on with its job. */
const LEASE_MS = 15_000;
const AFTER_FAILURE_MS = 60_000;

/** Has the job run for this organization as soon as may be once this has committed. */
export const scheduleNow = (tx: OrgTx, job: string): Promise<unknown[]> =>
  tx.all(sql`insert into work_request (job, organization_id) values (${job}, ${tx.organizationId})`);

export function startSchedule(
  database: Database,
  jobs: Record<string, Job>,
  log: Logger,
  { everyMs = 500, leaseMs = LEASE_MS } = {},
): { stop(): Promise<void> } {
  let stopping = false;
  const leaseEnd = sql`now() + make_interval(secs => ${leaseMs / 1_000})`;

  /** What was asked for is due now; the first time it gets its row. What is asked for while a job runs is done once more. */
  const takeRequests = () =>
    sendOnce(
      database.pool,
      sql`with requested as (delete from work_request where id in (select id from work_request where job = any(${Object.keys(jobs)}) for update skip locked)
          returning job, organization_id)
        insert into scheduled_work (job, organization_id, next_run_at) select distinct job, organization_id, now() from requested order by job, organization_id
        on conflict (job, organization_id) do update set next_run_at = least(scheduled_work.next_run_at, excluded.next_run_at)`,
    );

  async function claimOne(): Promise<Due | undefined> {
    await takeRequests();
    const [due] = await sendOnce(
      database.pool,
      sql<Due>`update scheduled_work set next_run_at = ${leaseEnd}
        where (job, organization_id) in (select job, organization_id from scheduled_work where job = any(${Object.keys(jobs)}) and next_run_at <= now()
          order by next_run_at limit 1 for update skip locked)
        returning job, organization_id, next_run_at`,
    );
    return due;
  }

  /** Says when claimed work is due next, unless somebody has said otherwise since: what was scheduled while the job ran stays scheduled. */
  async function setNext({ job, organizationId, nextRunAt }: Due, next: RawBuilder<unknown>): Promise<Due | undefined> {
    const [set] = await sendOnce(
      database.pool,
      sql<Due>`update scheduled_work set next_run_at = ${next} where job = ${job} and organization_id = ${organizationId} and next_run_at = ${nextRunAt}
        returning job, organization_id, next_run_at`,
    );
    return set;
  }

  /** Renews a claim until the work is done, and answers how it stands then. */
  async function keep(claim: Due, done: AbortSignal): Promise<Due> {
    let held = claim;
    const wait = () => sleep(leaseMs / 3, true, { ref: false, signal: done }).catch(() => false);
    while (await wait()) held = (await setNext(held, leaseEnd).catch(() => undefined)) ?? held;
    return held;
  }

  async function runOne(claim: Due): Promise<void> {
    const { job, organizationId } = claim;
    const done = new AbortController();
    const kept = keep(claim, done.signal);
    const next = await jobs[job]!(new OrgDb(database, systemScope(organizationId))).catch((error: unknown) => {
      log.error({ err: error, job, organizationId }, "a scheduled job failed and will run again in a minute");
      return new Date(Date.now() + AFTER_FAILURE_MS);
    });
    done.abort();
    await setNext(await kept, sql`${next}`);
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
