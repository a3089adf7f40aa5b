/** Work over time: whoever has a job keeps it while it runs, and whoever died with one leaves it to others. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openDatabase } from "@freehold/kit/database";
import { transaction, OrgDb } from "@freehold/kit/db";
import { createLogger } from "@freehold/kit/log";
import { scheduleNow, startSchedule } from "@freehold/kit/schedule";
import { systemScope } from "@freehold/kit/scope";
import { database as definition } from "../services/portfolio/src/database.ts";
import { anOffice } from "./office.ts";
import { running } from "./running.ts";
import { eventually } from "./world.ts";

const JOB = "aJobOfTheTests";
const office = await anOffice();
const log = createLogger("schedule", "silent");
let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase(definition, running().databaseUrls.portfolio.service, 4);
});
afterAll(() => database.close());

const tomorrow = () => new Date(Date.now() + 86_400_000);
const schedule = () => transaction(new OrgDb(database, systemScope(office.organizationId)), (tx) => scheduleNow(tx, JOB));

test("a job that takes longer than its lease is done by one replica, once, and by the next one when it is due again", async () => {
  const [under, ran] = [[] as number[], [] as number[]];
  const replica = (name: number) =>
    startSchedule(
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
  await eventually("job that ran", async () => ran[0], 10_000);
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect([under.length, ran.length]).toEqual([1, 1]);
  await schedule();
  await eventually("job that ran again", async () => ran[1], 10_000);
  await Promise.all(replicas.map(({ stop }) => stop()));
  expect(under.length).toBe(2);
}, 30_000);

test("a job whose replica died is gone on with as soon as its lease is over", async () => {
  await schedule();
  const deaths: true[] = [];
  const dying = () => (deaths.push(true), Promise.race<never>([]));
  const dead = startSchedule(database, { [JOB]: dying }, log, { everyMs: 20, leaseMs: 60_000 });
  await eventually("job that is held", async () => deaths[0], 10_000);
  await database.pool.query("update scheduled_work set next_run_at = now() where job = $1 and organization_id = $2", [JOB, office.organizationId]);
  const heirs: true[] = [];
  const heir = startSchedule(database, { [JOB]: () => Promise.resolve((heirs.push(true), tomorrow())) }, log, { everyMs: 20 });
  await eventually("heir", async () => heirs[0], 10_000);
  await Promise.all([heir.stop(), dead.stop()]);
  expect(heirs).toEqual([true]);
}, 30_000);
