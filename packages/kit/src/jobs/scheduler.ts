/**
 * Scheduled jobs: one row per job and organization, claimed by any replica under a lease that is renewed while the job runs.
 * Several jobs run at once in a replica, but never two runs of the same one. A job whose replica died runs again, so jobs
 * must be idempotent.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { systemPrincipal } from "../auth/principal.ts";
import { OrgDb, unscopedDb, type Database } from "../db/org-db.ts";
import type { OrgTx } from "../db/org-tx.ts";
import { sendOnce, sql } from "../db/statement.ts";
import type { Logger } from "../observability/log.ts";
import { secondsUntil } from "./run-delay.ts";

/** Does the due work of one organization and returns the time of its next run by the clock of this process, at most 25 hours from now. */
export type Job = (db: OrgDb) => Promise<Date>;

interface Claim {
  job: string;
  organizationId: string;
  /** Number of consecutive failures. */
  failures: number;
  /** Expiry of the lease; it also identifies the claim. */
  claimedUntil: string;
}

/** Time after which another replica continues the jobs of one that died. */
const LEASE_MS = 15_000;
/** A run that takes longer has hung: it is reported, and its job is retried like a failed one, by any replica. */
const MAX_JOB_MS = 900_000;
/** Jobs that run at once in a replica, so that a long one does not hold up the others. */
const CONCURRENCY = 4;
const POLL_MS = 500;
/** Delay after the first failure; it doubles with each further one, up to the maximum. */
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;
const STOP_MS = 5_000;

const retryDelayMs = (failures: number): number => Math.min(RETRY_MS * 2 ** failures, MAX_RETRY_MS);

/** Requests a run of the job for the transaction's organization, as soon as the transaction has committed. */
export async function scheduleNow(tx: OrgTx, job: string): Promise<void> {
  await tx.all(sql`insert into work_request (job, organization_id) values (${job}, ${tx.organizationId})`);
  tx.hasJobRequests = true;
}

/** Time on the clock of the database, since the processes that run a job may have other clocks. */
const timeAfter = (seconds: number) => sql`now() + make_interval(secs => ${seconds})`;

/** Schedules the first run of a job for the transaction's organization, unless it is scheduled already. */
export async function scheduleAt(tx: OrgTx, job: string, nextRunAt: Date): Promise<void> {
  await tx.all(
    sql`insert into scheduled_work (job, organization_id, next_run_at) values (${job}, ${tx.organizationId}, ${timeAfter(secondsUntil(nextRunAt))}) on conflict do nothing`,
  );
}

/** Schedules a job that works across all organizations, unless it is scheduled already. */
export async function scheduleGlobalJob(database: Database, job: string): Promise<void> {
  const db = unscopedDb(database);
  await db.all(sql`insert into scheduled_work (job, organization_id, next_run_at) values (${job}, ${db.organizationId}, now()) on conflict do nothing`);
}

export interface Scheduler {
  /** Seconds since the start of the longest run that has not ended, also of one that has hung; 0 without one. */
  readonly longestRunSeconds: number;
  stop(): Promise<void>;
}

/** Starts running due jobs. `stop` starts no more and waits up to five seconds for those in progress. */
export function startScheduler(
  database: Database,
  jobs: Record<string, Job>,
  log: Logger,
  { everyMs = POLL_MS, leaseMs = LEASE_MS, maxJobMs = MAX_JOB_MS } = {},
): Scheduler {
  const stopping = new AbortController();
  /** Runs that hold their lease. */
  const running = new Set<Promise<void>>();
  /** Start times of all runs that have not ended, also of those that have lost their lease. */
  const startTimes = new Set<{ readonly startedAt: number }>();
  /** Rounded down, since the column has milliseconds: rounded up, the job would not be due yet. */
  const dueNow = sql`date_trunc('milliseconds', now())`;
  const leaseEnd = timeAfter(leaseMs / 1_000);
  let wakeUp: () => void = () => undefined;
  /** Set by `wake` during a round of claims, which may have missed jobs that have become due. */
  let isWakeRequested = false;
  const wake = () => {
    isWakeRequested = true;
    wakeUp();
  };
  database.wakeScheduler = wake;

  /** Makes the jobs due whose run was requested. */
  const acceptRequests = () =>
    sendOnce(
      database.pool,
      sql`with requested as (delete from work_request where id in (select id from work_request where job = any(${Object.keys(jobs)}) for update skip locked)
          returning job, organization_id)
        insert into scheduled_work (job, organization_id, next_run_at) select distinct job, organization_id, ${dueNow} from requested order by job, organization_id
        on conflict (job, organization_id) do update set next_run_at = least(scheduled_work.next_run_at, excluded.next_run_at)`,
    );

  /** Claims the job that is due first. Its next run is set to the end of the lease; an earlier value means that another run was requested meanwhile. */
  async function claimNext(): Promise<Claim | undefined> {
    await acceptRequests();
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

  /** Renews the lease until the job is done, and returns the latest claim. Gives up the lease of a hung job. Calls `onLost` when the lease was lost. */
  async function renewUntil(done: AbortSignal, claim: Claim, onLost: () => void): Promise<Claim> {
    let current = claim;
    const startedAt = performance.now();
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
    while (await wait()) {
      const hasHung = performance.now() - startedAt > maxJobMs;
      const renewed = hasHung ? undefined : await renew(current).catch(() => current);
      if (!renewed) {
        // First, since the statement of `giveUp` may hang as well.
        onLost();
        if (hasHung) await giveUp(current);
        break;
      }
      current = renewed;
    }
    return current;
  }

  /** Ends a claim and sets the next run, unless one was requested meanwhile or the lease was lost to another replica. */
  const release = ({ job, organizationId, claimedUntil }: Claim, { delaySeconds, failures }: { delaySeconds: number; failures: number }) =>
    sendOnce(
      database.pool,
      sql`update scheduled_work set claimed_until = null, failures = ${failures}, next_run_at = case when next_run_at < claimed_until then next_run_at else ${timeAfter(delaySeconds)} end
        where job = ${job} and organization_id = ${organizationId} and claimed_until = ${claimedUntil}`,
    );

  /** Postpones the next run of a hung job. Its last statement may take as long as a lease. */
  async function giveUp(claim: Claim): Promise<void> {
    const { job, organizationId, failures } = claim;
    const delayMs = Math.max(retryDelayMs(failures), leaseMs);
    log.error(
      { job, organizationId, failures: failures + 1 },
      `a job has hung for ${maxJobMs / 1_000} s; it is stopped and will be retried in ${delayMs / 1_000} s`,
    );
    // If this fails, the job runs again when its lease expires.
    await release(claim, { delaySeconds: delayMs / 1_000, failures: failures + 1 }).catch(() => undefined);
  }

  async function run(claim: Claim, onLost: () => void): Promise<void> {
    const { job, organizationId, failures } = claim;
    const done = new AbortController();
    let hasLostLease = false;
    const renewing = renewUntil(done.signal, claim, () => {
      hasLostLease = true;
      onLost();
    });
    const waiter = { hasLeft: () => hasLostLease };
    const result = await jobs[job]!(new OrgDb(database, systemPrincipal(organizationId), { requestId: null, waiter })).then(
      (next) => ({ delaySeconds: secondsUntil(next), failures: 0 }),
      (error: unknown) => {
        const delayMs = retryDelayMs(failures);
        log.error({ err: error, job, organizationId, failures: failures + 1 }, `a job failed and will be retried in ${delayMs / 1_000} s`);
        return { delaySeconds: delayMs / 1_000, failures: failures + 1 };
      },
    );
    done.abort();
    await release(await renewing, result);
  }

  /** Starts a run, which takes one of the places of this replica until it ends or loses its lease. */
  function start(claim: Claim): void {
    const lost = Promise.withResolvers<void>();
    const times = { startedAt: performance.now() };
    startTimes.add(times);
    const ended = run(claim, lost.resolve)
      .catch((error: unknown) => log.warn({ err: error, job: claim.job }, "a job could not be rescheduled; it runs again when its lease expires"))
      .finally(() => startTimes.delete(times));
    const place = Promise.race([ended, lost.promise]).finally(() => {
      running.delete(place);
      wake();
    });
    running.add(place);
  }

  const dispatching = (async () => {
    let hasFailed = false;
    while (!stopping.signal.aborted) {
      isWakeRequested = false;
      try {
        for (let claim = await claimNext(); claim; claim = stopping.signal.aborted ? undefined : await claimNext()) {
          start(claim);
          if (running.size >= CONCURRENCY) await Promise.race(running);
        }
        hasFailed = false;
      } catch (error) {
        hasFailed = true;
        log.warn({ err: error }, "scheduled jobs pause");
      }
      if (isWakeRequested && !hasFailed) continue;
      await new Promise<void>((resolve) => {
        wakeUp = resolve;
        void sleep(everyMs, undefined, { ref: false }).then(resolve);
      });
    }
  })();
  return {
    get longestRunSeconds() {
      return Math.max(0, ...[...startTimes].map(({ startedAt }) => (performance.now() - startedAt) / 1_000));
    },
    stop: async () => {
      stopping.abort();
      wakeUp();
      const ended = dispatching.then(() => Promise.all(running));
      await Promise.race([ended, sleep(STOP_MS, undefined, { ref: false })]);
    },
  };
}
