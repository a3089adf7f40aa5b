/** Job scheduler: a replica holds a job's lease while it runs, runs other jobs meanwhile, and another replica takes over when it dies. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openDatabase } from "@freehold/kit/db/database";
import { transaction } from "@freehold/kit/db/transaction";
import { OrgDb } from "@freehold/kit/db/org-db";
import { createLogger } from "@freehold/kit/observability/log";
import { scheduleNow, startScheduler } from "@freehold/kit/jobs/scheduler";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { database as definition } from "../services/portfolio/src/database.ts";
import { waitForIdleJobs } from "./support/jobs.ts";
import { anOffice } from "./support/office.ts";
import { running } from "./support/running.ts";
import { eventually } from "./support/world.ts";

const JOB = "aJobOfTheTests";
const office = await anOffice();
const log = createLogger("schedule", "silent");
let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase(definition, running().databaseUrls.portfolio.service, 4);
});
afterAll(() => database.close());

const tomorrow = () => new Date(Date.now() + 86_400_000);
const schedule = (job = JOB) => transaction(new OrgDb(database, systemPrincipal(office.organizationId)), (tx) => scheduleNow(tx, job));

/** Waits until the job is neither due, requested nor running. */
const waitUntilIdle = () => waitForIdleJobs("portfolio", office);

test("a job that takes longer than its lease runs once on one replica, and again when it is due again", async () => {
  const [started, finished] = [[] as number[], [] as number[]];
  const unblock = Promise.withResolvers<void>();
  const replica = (name: number) =>
    startScheduler(
      database,
      {
        [JOB]: async () => {
          started.push(name);
          await unblock.promise;
          finished.push(name);
          return tomorrow();
        },
      },
      log,
      { everyMs: 20, leaseMs: 5_000 },
    );
  await schedule();
  const replicas = [1, 2, 3].map(replica);
  const claimedUntil = async () => {
    const { rows } = await database.pool.query<{ claimed_until: Date | null }>(
      "select claimed_until from scheduled_work where job = $1 and organization_id = $2",
      [JOB, office.organizationId],
    );
    return rows[0]?.claimed_until ?? undefined;
  };
  const firstLease = await eventually("claimed job", claimedUntil);
  await eventually("end of the first lease", async () => {
    const { rows } = await database.pool.query<{ has_ended: boolean }>("select now() > $1 as has_ended", [firstLease]);
    return rows[0]!.has_ended || undefined;
  });
  expect(started.length).toBe(1);
  unblock.resolve();
  await waitUntilIdle();
  expect([started.length, finished.length]).toEqual([1, 1]);
  await schedule();
  await eventually("second run", async () => finished[1]);
  await Promise.all(replicas.map(({ stop }) => stop()));
  expect(started.length).toBe(2);
});

test("a job of a dead replica runs on another replica when its lease expires", async () => {
  await schedule();
  const claims: true[] = [];
  const hang = () => (claims.push(true), Promise.race<never>([]));
  const dead = startScheduler(database, { [JOB]: hang }, log, { everyMs: 20, leaseMs: 60_000 });
  await eventually("claimed job", async () => claims[0]);
  await database.pool.query("update scheduled_work set next_run_at = now(), claimed_until = now() where job = $1 and organization_id = $2", [
    JOB,
    office.organizationId,
  ]);
  const runs: true[] = [];
  const successor = startScheduler(database, { [JOB]: () => Promise.resolve((runs.push(true), tomorrow())) }, log, { everyMs: 20 });
  await eventually("second run", async () => runs[0]);
  await Promise.all([successor.stop(), dead.stop()]);
  expect(runs).toEqual([true]);
});

test("a job requested while it runs is run once more afterwards, never concurrently", async () => {
  let [running, maxRunning, finished] = [0, 0, 0];
  const unblock = Promise.withResolvers<void>();
  const job = async () => {
    maxRunning = Math.max(maxRunning, ++running);
    await unblock.promise;
    [running, finished] = [running - 1, finished + 1];
    return tomorrow();
  };
  const replicas = [1, 2].map(() => startScheduler(database, { [JOB]: job }, log, { everyMs: 20 }));
  await schedule();
  await eventually("running job", () => Promise.resolve(running || undefined));
  for (let requests = 0; requests < 3; requests++) await schedule();
  const countRequests = async () => (await database.pool.query("select 1 from work_request where job = $1", [JOB])).rowCount;
  await eventually("accepted requests", async () => ((await countRequests()) === 0 ? true : undefined));
  expect([finished, maxRunning]).toEqual([0, 1]);
  unblock.resolve();
  await eventually("second run", () => Promise.resolve(finished === 2 || undefined));
  await waitUntilIdle();
  await Promise.all(replicas.map(({ stop }) => stop()));
  expect([finished, maxRunning]).toEqual([2, 1]);
});

test("a long job does not block other jobs", async () => {
  const LONG = "aLongJobOfTheTests";
  const ended = new AbortController();
  const long = () => new Promise<Date>((resolve) => ended.signal.addEventListener("abort", () => resolve(tomorrow())));
  await schedule(LONG);
  const started: true[] = [];
  const scheduler = startScheduler(
    database,
    { [LONG]: () => (started.push(true), long()), [JOB]: () => Promise.resolve((started.push(true), tomorrow())) },
    log,
    {
      everyMs: 20,
    },
  );
  await eventually("long job", async () => started[0]);
  await schedule();
  await eventually("other job", async () => started[1]);
  ended.abort();
  await scheduler.stop();
});

test("a failing job is retried after one second, with a growing delay", async () => {
  const attempts: number[] = [];
  const failing = () => (
    attempts.push(performance.now()),
    attempts.length < 3 ? Promise.reject(new Error("a failure of the tests")) : Promise.resolve(tomorrow())
  );
  await schedule();
  const scheduler = startScheduler(database, { [JOB]: failing }, log, { everyMs: 20 });
  await eventually("third attempt", async () => attempts[2]);
  await scheduler.stop();
  const [first, second, third] = attempts as [number, number, number];
  expect(second - first).toBeGreaterThan(950);
  expect(third - second).toBeGreaterThan(1_950);
});
