/** Job scheduler: a replica renews the lease of a job while the job runs, runs other jobs meanwhile, and another replica takes over when the lease expires. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openDatabase } from "@freehold/kit/db/database";
import { transaction } from "@freehold/kit/db/transaction";
import { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { createLogger } from "@freehold/kit/observability/log";
import { scheduleNow, startScheduler } from "@freehold/kit/jobs/scheduler";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { database as definition } from "../services/portfolio/src/database.ts";
import { waitForIdleJobs } from "./support/jobs.ts";
import { anOffice } from "./support/office.ts";
import { running as runningSystem } from "./support/running.ts";
import { eventually } from "./support/eventually.ts";
import { withShiftedClock } from "./support/clock/shifted-clock.ts";

const JOB = "testJob";
const office = await anOffice();
const log = createLogger("scheduler-test", "silent");
let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase(definition, runningSystem().databaseUrls.portfolio.service, 4);
});
afterAll(() => database.close());

const tomorrow = () => new Date(Date.now() + 86_400_000);
const schedule = (job = JOB) => transaction(new OrgDb(database, systemPrincipal(office.organizationId)), (tx) => scheduleNow(tx, job));

/** Returns the time until the next run of the test job by the clock of the database. */
async function minutesUntilRun(): Promise<number> {
  const { rows } = await database.pool.query<{ minutes: number }>(
    "select round(extract(epoch from next_run_at - now()) / 60)::int as minutes from scheduled_work where job = $1 and organization_id = $2",
    [JOB, office.organizationId],
  );
  return rows[0]!.minutes;
}

/** Waits until no job of the organization is due, requested or running. */
const waitUntilIdle = () => waitForIdleJobs("portfolio", office);

test("a job that takes longer than its lease runs once, on one replica, until it is requested again", async () => {
  let [startedCount, finishedCount] = [0, 0];
  const unblock = Promise.withResolvers<void>();
  const job = async () => {
    startedCount++;
    await unblock.promise;
    finishedCount++;
    return tomorrow();
  };
  const startReplica = () => startScheduler(database, { [JOB]: job }, log, { everyMs: 20, leaseMs: 5_000 });
  await schedule();
  const replicas = [startReplica(), startReplica(), startReplica()];
  const claimedUntil = async () => {
    const { rows } = await database.pool.query<{ claimed_until: Date | null }>(
      "select claimed_until from scheduled_work where job = $1 and organization_id = $2",
      [JOB, office.organizationId],
    );
    return rows[0]?.claimed_until ?? undefined;
  };
  const firstLease = await eventually("claimed job", claimedUntil);
  // The other replicas have time for several polls after the end of the first lease.
  await eventually("second after the end of the first lease", async () => {
    const { rows } = await database.pool.query<{ is_past: boolean }>("select now() > $1::timestamptz + interval '1 second' as is_past", [firstLease]);
    return rows[0]!.is_past;
  });
  expect(startedCount).toBe(1);
  unblock.resolve();
  await waitUntilIdle();
  expect([startedCount, finishedCount]).toEqual([1, 1]);
  await schedule();
  await eventually("second run", async () => finishedCount === 2);
  await Promise.all(replicas.map(({ stop }) => stop()));
  expect(startedCount).toBe(2);
});

test("a job of a dead replica runs once on another replica when its lease expires", async () => {
  await schedule();
  const endHungJob = Promise.withResolvers<Date>();
  let hasClaimed = false;
  const hang = () => {
    hasClaimed = true;
    return endHungJob.promise;
  };
  const dead = startScheduler(database, { [JOB]: hang }, log, { everyMs: 60_000, leaseMs: 60_000 });
  await eventually("claimed job", async () => hasClaimed);
  let runCount = 0;
  const job = () => {
    runCount++;
    return Promise.resolve(tomorrow());
  };
  const successor = startScheduler(database, { [JOB]: job }, log, { everyMs: 20 });
  // Leases of the successor are shorter than 30 seconds.
  const expireLeaseOfDead = () =>
    database.pool.query(
      "update scheduled_work set next_run_at = now(), claimed_until = now() where job = $1 and organization_id = $2 and claimed_until > now() + interval '30 seconds'",
      [JOB, office.organizationId],
    );
  // Repeated, because the scheduler of the "dead" replica still runs: it polls once more and may claim the expired job again.
  await eventually("second run", async () => {
    if (runCount > 0) return true;
    await expireLeaseOfDead();
    return undefined;
  });
  await waitUntilIdle();
  endHungJob.resolve(tomorrow());
  await Promise.all([successor.stop(), dead.stop()]);
  expect(runCount).toBe(1);
});

test("a job requested three times while it runs is run once more afterwards, never concurrently", async () => {
  let [runningCount, maxRunningCount, finishedCount] = [0, 0, 0];
  const unblock = Promise.withResolvers<void>();
  const job = async () => {
    maxRunningCount = Math.max(maxRunningCount, ++runningCount);
    await unblock.promise;
    runningCount--;
    finishedCount++;
    return tomorrow();
  };
  const replicas = [1, 2].map(() => startScheduler(database, { [JOB]: job }, log, { everyMs: 20 }));
  await schedule();
  await eventually("running job", () => runningCount > 0);
  for (let request = 1; request <= 3; request++) await schedule();
  const countRequests = async () =>
    (await database.pool.query("select 1 from work_request where job = $1 and organization_id = $2", [JOB, office.organizationId])).rowCount;
  await eventually("accepted requests", async () => (await countRequests()) === 0);
  expect([finishedCount, maxRunningCount]).toEqual([0, 1]);
  unblock.resolve();
  await eventually("second run", () => finishedCount === 2);
  await waitUntilIdle();
  await Promise.all(replicas.map(({ stop }) => stop()));
  expect([finishedCount, maxRunningCount]).toEqual([2, 1]);
});

test("a long job does not block other jobs", async () => {
  const LONG_JOB = "longTestJob";
  const endLongJob = Promise.withResolvers<Date>();
  let hasStartedLongJob = false;
  const longJob = () => {
    hasStartedLongJob = true;
    return endLongJob.promise;
  };
  let hasRun = false;
  const job = () => {
    hasRun = true;
    return Promise.resolve(tomorrow());
  };
  await schedule(LONG_JOB);
  const scheduler = startScheduler(database, { [LONG_JOB]: longJob, [JOB]: job }, log, { everyMs: 20 });
  await eventually("long job", async () => hasStartedLongJob);
  await schedule();
  await eventually("other job", async () => hasRun);
  endLongJob.resolve(tomorrow());
  await scheduler.stop();
});

test("a failing job is retried after one second, then after two", async () => {
  const attemptTimes: number[] = [];
  const failTwice = async () => {
    attemptTimes.push(performance.now());
    if (attemptTimes.length < 3) throw new Error("failure of the test job");
    return tomorrow();
  };
  await schedule();
  const scheduler = startScheduler(database, { [JOB]: failTwice }, log, { everyMs: 20 });
  await eventually("third attempt", async () => attemptTimes[2]);
  await scheduler.stop();
  const [first, second, third] = attemptTimes as [number, number, number];
  expect(second - first).toBeGreaterThan(950);
  expect(third - second).toBeGreaterThan(1_950);
});

test("a job that hangs loses its lease, starts no further statement, and runs again", async () => {
  let runs = 0;
  const statements = Promise.withResolvers<unknown>();
  const hasRunAgain = Promise.withResolvers<void>();
  const job = async (db: OrgDb) => {
    if (++runs === 1) {
      await hasRunAgain.promise;
      statements.resolve(await db.all(sql`select 1`).catch((error: unknown) => error));
    } else hasRunAgain.resolve();
    return tomorrow();
  };
  const scheduler = startScheduler(database, { [JOB]: job }, log, { everyMs: 20, leaseMs: 300, maxJobMs: 200 });
  await schedule();
  await hasRunAgain.promise;
  expect(await statements.promise).toMatchObject({ status: 499 });
  await scheduler.stop();
  expect(runs).toBeGreaterThanOrEqual(2);
});

test.each([
  { description: "two hours behind", shiftMs: -7_200_000 },
  { description: "two years ahead", shiftMs: 730 * 86_400_000 },
])("a job of a process whose clock is $description runs again an hour later by the database's clock", async ({ shiftMs }) => {
  let runs = 0;
  const scheduler = startScheduler(database, { [JOB]: async () => (runs++, new Date(Date.now() + 3_600_000)) }, log, { everyMs: 20 });
  await withShiftedClock(shiftMs, async () => {
    await schedule();
    await eventually("run", () => runs > 0);
    await waitUntilIdle();
  });
  await scheduler.stop();
  expect(runs).toBe(1);
  expect(await minutesUntilRun()).toBe(60);
});

test("a job that returns a time a day ago or two years ahead runs again after a second or 25 hours", async () => {
  const runsAt: number[] = [];
  const returned = [-86_400_000, 730 * 86_400_000];
  const job = async () => new Date(Date.now() + returned[runsAt.push(performance.now()) - 1]!);
  const scheduler = startScheduler(database, { [JOB]: job }, log, { everyMs: 20 });
  await schedule();
  await eventually("second run", () => runsAt.length === 2);
  await waitUntilIdle();
  await scheduler.stop();
  expect(runsAt[1]! - runsAt[0]!).toBeGreaterThan(950);
  expect(await minutesUntilRun()).toBe(25 * 60);
});

test("a job that hangs again and again is retried like a failed one, takes no place of other jobs, and shows how long it has run", async () => {
  const HANGING_JOB = "hangingTestJob";
  const end = Promise.withResolvers<Date>();
  let hungRuns = 0;
  let hasRun = false;
  const jobs = {
    [HANGING_JOB]: () => (hungRuns++, end.promise),
    [JOB]: async () => ((hasRun = true), tomorrow()),
  };
  const scheduler = startScheduler(database, jobs, log, { everyMs: 20, leaseMs: 300, maxJobMs: 50 });
  const makeDue = "update scheduled_work set next_run_at = now() where job = $1 and organization_id = $2 and claimed_until is null and failures > 0";
  await schedule(HANGING_JOB);
  // A run counts as failed unless its lease has expired before, as on a busy machine.
  await eventually("five hung runs, of which four have failed", async () => {
    await database.pool.query(makeDue, [HANGING_JOB, office.organizationId]);
    const select = "select failures from scheduled_work where job = $1 and organization_id = $2";
    const { rows } = await database.pool.query<{ failures: number }>(select, [HANGING_JOB, office.organizationId]);
    return hungRuns >= 5 && rows[0]!.failures >= 4;
  });
  expect(scheduler.longestRunSeconds).toBeGreaterThan(0.4);
  await schedule();
  await eventually("run of the other job", () => hasRun);
  end.resolve(tomorrow());
  await eventually("end of all runs", () => scheduler.longestRunSeconds === 0);
  await scheduler.stop();
});
