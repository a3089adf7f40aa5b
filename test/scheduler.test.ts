/** Work over time: whoever has a job keeps it while it runs, leaves way for other jobs, and leaves it to others when he dies. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openDatabase } from "@freehold/kit/db/database";
import { transaction } from "@freehold/kit/db/transaction";
import { OrgDb } from "@freehold/kit/db/org-db";
import { createLogger } from "@freehold/kit/observability/log";
import { scheduleNow, startScheduler } from "@freehold/kit/jobs/scheduler";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { database as definition } from "../services/portfolio/src/database.ts";
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

test("a job that takes longer than its lease is done by one replica, once, and by the next one when it is due again", async () => {
  const [under, ran] = [[] as number[], [] as number[]];
  const replica = (name: number) =>
    startScheduler(
      database,
      {
        [JOB]: async () => {
          under.push(name);
          await new Promise((resolve) => setTimeout(resolve, 2_000));
          ran.push(name);
          return tomorrow();
        },
      },
      log,
      { everyMs: 20, leaseMs: 400 },
    );
  await schedule();
  const replicas = [1, 2, 3].map(replica);
  await eventually("job that ran", async () => ran[0]);
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect([under.length, ran.length]).toEqual([1, 1]);
  await schedule();
  await eventually("job that ran again", async () => ran[1]);
  await Promise.all(replicas.map(({ stop }) => stop()));
  expect(under.length).toBe(2);
});

test("a job whose replica died is gone on with as soon as its lease is over", async () => {
  await schedule();
  const deaths: true[] = [];
  const dying = () => (deaths.push(true), Promise.race<never>([]));
  const dead = startScheduler(database, { [JOB]: dying }, log, { everyMs: 20, leaseMs: 60_000 });
  await eventually("job that is held", async () => deaths[0]);
  await database.pool.query("update scheduled_work set next_run_at = now(), claimed_until = now() where job = $1 and organization_id = $2", [
    JOB,
    office.organizationId,
  ]);
  const heirs: true[] = [];
  const heir = startScheduler(database, { [JOB]: () => Promise.resolve((heirs.push(true), tomorrow())) }, log, { everyMs: 20 });
  await eventually("heir", async () => heirs[0]);
  await Promise.all([heir.stop(), dead.stop()]);
  expect(heirs).toEqual([true]);
});

test("a job that is asked for while it runs is done once more after it, never beside it", async () => {
  let [under, atMost, ran] = [0, 0, 0];
  const free = Promise.withResolvers<void>();
  const job = async () => {
    atMost = Math.max(atMost, ++under);
    await free.promise;
    [under, ran] = [under - 1, ran + 1];
    return tomorrow();
  };
  const replicas = [1, 2].map(() => startScheduler(database, { [JOB]: job }, log, { everyMs: 20 }));
  await schedule();
  await eventually("job that runs", () => Promise.resolve(under || undefined));
  for (let asked = 0; asked < 3; asked++) await schedule();
  const waiting = async () => (await database.pool.query("select 1 from work_request where job = $1", [JOB])).rowCount;
  await eventually("taken requests", async () => ((await waiting()) === 0 ? true : undefined));
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect([ran, atMost]).toEqual([0, 1]);
  free.resolve();
  await eventually("job that ran again", () => Promise.resolve(ran === 2 || undefined));
  await new Promise((resolve) => setTimeout(resolve, 500));
  await Promise.all(replicas.map(({ stop }) => stop()));
  expect([ran, atMost]).toEqual([2, 1]);
});

test("a job that takes long leaves way for other jobs", async () => {
  const LONG = "aLongJobOfTheTests";
  const ended = new AbortController();
  const long = () => new Promise<Date>((resolve) => ended.signal.addEventListener("abort", () => resolve(tomorrow())));
  await schedule(LONG);
  const started: true[] = [];
  const schedules = startScheduler(
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
  await schedules.stop();
});

test("a job that fails is tried again after a second, and later each time it fails again", async () => {
  const tries: number[] = [];
  const failing = () => (tries.push(performance.now()), tries.length < 3 ? Promise.reject(new Error("a failure of the tests")) : Promise.resolve(tomorrow()));
  await schedule();
  const schedules = startScheduler(database, { [JOB]: failing }, log, { everyMs: 20 });
  await eventually("third try", async () => tries[2]);
  await schedules.stop();
  const [first, second, third] = tries as [number, number, number];
  expect(second - first).toBeGreaterThan(950);
  expect(third - second).toBeGreaterThan(1_950);
});
