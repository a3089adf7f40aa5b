/**
 * `npm run soak`: half of the system's capacity for 30 minutes (`SOAK_MINUTES`), of which 5 % is hostile traffic of all kinds, with the
 * default limits. Prints a line every minute and a report at the end. Fails on an unexpected response, and unless memory, open files,
 * database connections and the growth of each table are level. `SOAK_SEED` repeats the choice of requests.
 */
import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { startSystem, type System } from "../../deploy/system/system.ts";
import { createRandom } from "../systems/faults/random.ts";
import { createSoakOrganizations, refreshTokens, type SoakOrganization } from "./clients.ts";
import { actHostilely } from "./hostile.ts";
import { report } from "./report.ts";
import { sampleResources, tableSizes, type Sample } from "./resources.ts";
import { actHonestly, type Outcome } from "./traffic.ts";

const ORGANIZATIONS = 20;
const HOSTILE_SHARE = 0.05;
const CAPACITY_CONNECTIONS = 16;
const CAPACITY_SECONDS = 20;
const SAMPLE_SECONDS = 15;
const REFRESH_SECONDS = 300;

const print = (text: string) => process.stdout.write(`${text}\n`);
const minutes = Number(process.env["SOAK_MINUTES"] ?? 30);
const seed = Number(process.env["SOAK_SEED"] ?? randomInt(2 ** 31));
const random = createRandom(seed);

/** Returns the honest actions per second of clients that wait for their responses, after a warm-up of as long. */
async function measureCapacity(organizations: readonly SoakOrganization[]): Promise<number> {
  const run = async () => {
    const deadline = performance.now() + CAPACITY_SECONDS * 1_000;
    let completed = 0;
    const act = async () => {
      for (; performance.now() < deadline; completed++) await actHonestly(organizations, random);
    };
    await Promise.all(Array.from({ length: CAPACITY_CONNECTIONS }, act));
    return completed / CAPACITY_SECONDS;
  };
  await run();
  return run();
}

/** Sends actions at a constant rate, whatever the time of their responses, until the time is over. Returns the outcomes of all. */
async function sendTraffic(organizations: readonly SoakOrganization[], baseUrl: string, perSecond: number): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const pending = new Set<Promise<unknown>>();
  const started = performance.now();
  let refreshAt = REFRESH_SECONDS;
  for (let index = 0; performance.now() - started < minutes * 60_000; index++) {
    const wait = started + (index * 1_000) / perSecond - performance.now();
    if (wait > 0) await sleep(wait);
    if (performance.now() - started > refreshAt * 1_000) {
      refreshAt += REFRESH_SECONDS;
      const statuses = await refreshTokens(organizations);
      outcomes.push(...statuses.map((status) => ({ name: "refreshToken", unexpected: status === 200 ? undefined : String(status), milliseconds: 0 })));
    }
    const action = random.next() < HOSTILE_SHARE ? actHostilely(organizations, baseUrl, random) : actHonestly(organizations, random);
    const recorded = action.then((outcome) => outcomes.push(outcome)).finally(() => pending.delete(recorded));
    pending.add(recorded);
  }
  await Promise.all(pending);
  return outcomes;
}

/** Samples resources until it is stopped, and the sizes of the tables in the middle. */
function watch(system: System, database: pg.Client) {
  const samples: Sample[] = [];
  const tables: Map<string, number>[] = [];
  const started = performance.now();
  let isStopped = false;
  const watching = (async () => {
    tables.push(await tableSizes(system));
    for (let index = 1; !isStopped; index++) {
      const sample = await sampleResources(system, database, (performance.now() - started) / 1_000);
      samples.push(sample);
      if (tables.length === 1 && sample.seconds >= minutes * 30) tables.push(await tableSizes(system));
      if (index % 4 === 1)
        print(
          `${sample.seconds.toFixed(0)} s: ${Object.entries(sample.memoryMib)
            .map(([name, mib]) => `${name} ${mib.toFixed(0)} MiB`)
            .join(", ")}, ${sample.databaseConnections} database connections`,
        );
      await sleep(SAMPLE_SECONDS * 1_000);
    }
    if (tables.length === 1) tables.push(await tableSizes(system));
  })();
  return async () => {
    isStopped = true;
    await watching;
    tables.push(await tableSizes(system));
    return { samples, tables };
  };
}

const dataDir = mkdtempSync(join(tmpdir(), "freehold-soak-"));
const environment = { DEV_OUTBOX: "true", TRUSTED_PROXIES: "127.0.0.1", CONNECTIONS_PER_ADDRESS: "0" };
const system = await startSystem({ dataDir, host: "127.0.0.1", port: 0, environment, onWarning: print });
const database = new pg.Client({ connectionString: system.adminUrl! });
let hasPassed = false;
try {
  await database.connect();
  const organizations = await createSoakOrganizations(system.baseUrl, ORGANIZATIONS);
  const capacity = await measureCapacity(organizations);
  print(
    `SOAK_SEED=${seed}: capacity ${capacity.toFixed(0)} actions a second; half of it for ${minutes} minutes, ${HOSTILE_SHARE * 100} % hostile, in ${dataDir}`,
  );
  const stopWatching = watch(system, database);
  const outcomes = await sendTraffic(organizations, system.baseUrl, capacity / 2);
  const { samples, tables } = await stopWatching();
  hasPassed = report({ outcomes, samples, tables, print });
} finally {
  await database.end();
  await system.stop();
}
if (hasPassed) rmSync(dataDir, { recursive: true, force: true });
else print(`Logs are in ${join(dataDir, "logs")}.`);
process.exit(hasPassed ? 0 : 1);
