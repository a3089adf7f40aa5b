/**
 * Work over time: one row for each job and organization, claimed by whichever replica comes first and held by a lease
 * that is renewed while the job runs. Several run at once, none of them twice at the same time; a job whose replica died
 * runs again, so it must be idempotent.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { OrgDb, type Database, type OrgTx } from "./db.ts";
import type { Logger } from "./log.ts";
import { systemScope } from "./scope.ts";
import { sendOnce, sql } from "./statement.ts";

/** Does what is due in one organization and answers when to come again. */
export type Job = (db: OrgDb) => Promise<Date>;

interface Claim {
  job: string;
  organizationId: string;
  /** How often in a row the job has failed. */
  failures: number;
  /** How long it is ours; after that it is anybody's. */
  claimedUntil: string;
}

/** So long after a replica has died another one goes on with its job. */
const LEASE_MS = 15_000;
/** So many jobs run at once in a replica: one that takes long leaves way for those of others. */
const AT_ONCE = 4;
/** What failed is tried again after this, and twice as late each time it fails again, up to a minute. */
const AFTER_FAILURE_MS = 1_000;
const AT_MOST_AFTER_FAILURE_MS = 60_000;

/** Has the job run for this organization as soon as may be once this has committed. */
export const scheduleNow = (tx: OrgTx, job: string): Promise<unknown[]> =>
  tx.all(sql`insert into work_request (job, organization_id) values (${job}, ${tx.organizationId})`);

export function startSchedule(
  database: Database,
  jobs: Record<string, Job>,
  log: Logger,
  { everyMs = 500, leaseMs = LEASE_MS } = {},
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const leaseEnd = sql`now() + make_interval(secs => ${leaseMs / 1_000})`;

  /** What was asked for is due now; the first time it gets its row. */
  const takeRequests = () =>
    sendOnce(
      database.pool,
      sql`with requested as (delete from work_request where id in (select id from work_request where job = any(${Object.keys(jobs)}) for update skip locked)
          returning job, organization_id)
        insert into scheduled_work (job, organization_id, next_run_at) select distinct job, organization_id, now() from requested order by job, organization_id
        on conflict (job, organization_id) do update set next_run_at = least(scheduled_work.next_run_at, excluded.next_run_at)`,
    );

  /** While a job is held it is due when its lease ends; an earlier time was asked for since, for when it is done. */
  async function claimOne(): Promise<Claim | undefined> {
    await takeRequests();
    const [claimed] = await sendOnce(
      database.pool,
      sql<Claim>`update scheduled_work set next_run_at = ${leaseEnd}, claimed_until = ${leaseEnd}
        where (job, organization_id) in (select job, organization_id from scheduled_work
          where job = any(${Object.keys(jobs)}) and next_run_at <= now() and (claimed_until is null or claimed_until <= now())
          order by next_run_at limit 1 for update skip locked)
        returning job, organization_id, failures, claimed_until`,
    );
    return claimed;
  }

  /** Holds a claim until the work is done, and answers how it stands then. */
  async function keep(claim: Claim, done: AbortSignal): Promise<Claim> {
    let held = claim;
    const renew = async ({ job, organizationId, claimedUntil }: Claim) => {
      const [renewed] = await sendOnce(
        database.pool,
        sql<Claim>`update scheduled_work set claimed_until = ${leaseEnd}, next_run_at = case when next_run_at < claimed_until then next_run_at else ${leaseEnd} end
          where job = ${job} and organization_id = ${organizationId} and claimed_until = ${claimedUntil}
          returning job, organization_id, failures, claimed_until`,
      );
      return renewed;
    };
    const wait = () => sleep(leaseMs / 3, true, { ref: false, signal: done }).catch(() => false);
    while (await wait()) held = (await renew(held).catch(() => undefined)) ?? held;
    return held;
  }

  /** Says when it is due next, unless it was asked for since, or its lease ended and it is another's by now. */
  const release = ({ job, organizationId, claimedUntil }: Claim, { next, failures }: { next: Date; failures: number }) =>
    sendOnce(
      database.pool,
      sql`update scheduled_work set claimed_until = null, failures = ${failures}, next_run_at = case when next_run_at < claimed_until then next_run_at else ${next} end
        where job = ${job} and organization_id = ${organizationId} and claimed_until = ${claimedUntil}`,
    );

  async function run(claim: Claim): Promise<void> {
    const { job, organizationId, failures } = claim;
    const done = new AbortController();
    const kept = keep(claim, done.signal);
    const ended = await jobs[job]!(new OrgDb(database, systemScope(organizationId))).then(
      (next) => ({ next, failures: 0 }),
      (error: unknown) => {
        const inMs = Math.min(AFTER_FAILURE_MS * 2 ** failures, AT_MOST_AFTER_FAILURE_MS);
        log.error({ err: error, job, organizationId, failures: failures + 1 }, `a scheduled job failed and will run again in ${inMs / 1_000} s`);
        return { next: new Date(Date.now() + inMs), failures: failures + 1 };
      },
    );
    done.abort();
    await release(await kept, ended);
  }

  function start(claim: Claim): void {
    const work = run(claim)
      .catch((error: unknown) => log.warn({ err: error, job: claim.job }, "a scheduled job could not be put back and is due when its lease ends"))
      .finally(() => running.delete(work));
    running.add(work);
  }

  const dispatching = (async () => {
    while (!stopping.signal.aborted) {
      try {
        for (let claim = await claimOne(); claim; claim = stopping.signal.aborted ? undefined : await claimOne()) {
          start(claim);
          if (running.size >= AT_ONCE) await Promise.race(running);
        }
      } catch (error) {
        log.warn({ err: error }, "scheduled work pauses");
      }
      await sleep(everyMs, undefined, { ref: false, signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      const ended = dispatching.then(() => Promise.all(running));
      await Promise.race([ended, sleep(5_000, undefined, { ref: false })]);
    },
  };
}
