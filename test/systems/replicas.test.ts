/** Two of every service and two gateways over one PostgreSQL and a cluster of three NATS servers. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { operationsById } from "@freehold/contract";
import pg from "pg";
import { services } from "../../deploy/system/secrets.ts";
import { startSystem, type System } from "../../deploy/system/system.ts";
import { upstream, type Upstream } from "../../gateway/src/upstream.ts";
import { Client } from "../support/client.ts";
import { anEmail, anOffice, password, type Colleague, type Office } from "../support/office.ts";
import { startLoad, type Outcome } from "./replicas/load.ts";
import { sized } from "../support/proof.ts";
import { testSettings } from "../support/settings.ts";
import { EventReader } from "../support/stream.ts";
import { aPayment, aTenancy, type Tenancy } from "../support/tenancy.ts";
import { eventually } from "../support/world.ts";

const dataDir = mkdtempSync(join(tmpdir(), "freehold-replicas-"));
const PER_SECOND = 100;
const SENDERS = 10;
/** What one user may send: so much at once, and so little a second that also a slow machine's requests spend it. */
const BURST = 200;
const REFILL = 30;
/** A drain that is longer than the second in which whoever sends requests looks twice. */
const settings = {
  ...testSettings,
  DRAIN_MS: "1200",
  RATE_LIMIT_PER_SECOND: String(REFILL),
  RATE_LIMIT_BURST: String(BURST),
  SIGN_IN_ATTEMPTS: "5",
  STREAMS_PER_USER: "3",
  TRUSTED_PROXIES: "1",
};
let system: System;
let gateways: Upstream;
let office: Office;
let tenancy: Tenancy;
let tenancies: Tenancy[];
let tokens: string[];

beforeAll(async () => {
  system = await startSystem({ dataDir, host: "127.0.0.1", port: 0, fsync: "off", replicas: 2, natsServers: 3, environment: settings });
  await eventually("health", isWell);
  gateways = upstream(system.baseUrls);
  office = await anOffice(system.baseUrl);
  tenancies = await Promise.all(Array.from({ length: 13 }, () => aTenancy(office)));
  tenancy = tenancies[0]!;
  tokens = (await Promise.all(Array.from({ length: SENDERS }, () => office.colleague("manager")))).map(({ token }) => token!);
});
afterAll(async () => {
  gateways?.close();
  await system?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function isWell(): Promise<true | undefined> {
  const answers = await Promise.all(system.baseUrls.map((url) => fetch(`${url}/api/health`).catch(() => undefined)));
  // While everything starts, Node may answer by itself, without a body.
  const bodies = await Promise.all(answers.map(async (answer) => (await answer?.json().catch(() => undefined)) as { status: string } | undefined));
  return bodies.every((body) => body?.status === "ok") || undefined;
}

/** The same person at the other gateway. */
function atTheOther(colleague: Colleague): Client {
  return new Client(system.baseUrls[1]!, colleague.token);
}

async function inDatabase<R extends pg.QueryResultRow>(service: string, statement: string, values: unknown[] = []): Promise<R[]> {
  const client = new pg.Client({ connectionString: system.adminUrl!.replace(/\/postgres$/, `/${service}`) });
  await client.connect();
  try {
    return (await client.query<R>(statement, values)).rows;
  } finally {
    await client.end();
  }
}

const answeredBy = (key: string): number => readFileSync(join(dataDir, "logs", `${key}.log`), "utf8").split('"msg":"request"').length - 1;
/** What failed and how often. */
const failed = (outcomes: readonly Outcome[]) => {
  const kinds = outcomes.filter(({ status }) => status !== 200).map(({ operation: what, status }) => `${what} ${status ?? "unanswered"}`);
  return Object.fromEntries([...Map.groupBy(kinds, (kind) => kind)].map(([kind, same]) => [kind, same.length]));
};

describe("requests", () => {
  test("spread over the replicas of every service, from both gateways", async () => {
    const before = new Map(system.instances.map(({ key }) => [key, answeredBy(key)]));
    const load = startLoad({ gateways, tokens, tenancies, perSecond: PER_SECOND, retries: 0 });
    await sleep(3_000);
    const outcomes = await load.stop();
    expect(failed(outcomes)).toEqual({});
    await sleep(500);
    const asked = system.instances.filter(({ name }) => name !== "imports");
    for (const { key } of asked) expect([key, answeredBy(key) - before.get(key)! > 10]).toEqual([key, true]);
  });

  test("what one gateway wrote the other reads at once", async () => {
    for (let count = 0; count < 20; count++) {
      const { vendor } = await office.call("createVendor", { body: { name: `Vendor ${count}` } });
      expect((await atTheOther(office).call("getVendor", { params: { id: vendor.id } })).vendor.id).toBe(vendor.id);
    }
  });
});

describe("the death of one replica under load", () => {
  const victims = sized(
    ["gateway.2", "ledger.2", "portfolio", "nats"],
    ["gateway.2", ...services.map((name) => `${name}.2`), "ledger", "portfolio", "gateway", "nats", "nats.3"],
  );
  test("costs no request beyond what a caller's one retry heals", async () => {
    const load = startLoad({ gateways, tokens, tenancies, perSecond: PER_SECOND, retries: 1 });
    for (const key of victims) {
      await sleep(1_000);
      process.kill(system.children.get(key)!.pid!, "SIGKILL");
      await eventually(`health after ${key}`, isWell);
    }
    const outcomes = await load.stop();
    const retried = outcomes.filter(({ attempts }) => attempts > 1);
    process.stdout.write(`killed=${victims.length} requests=${outcomes.length} retried=${retried.length} failed=${JSON.stringify(failed(outcomes))}\n`);
    expect(failed(outcomes)).toEqual({});
  }, 180_000);
});

describe("a rolling restart of everything under 100 requests a second", () => {
  test("fails none of them, though nobody tries twice", async () => {
    const load = startLoad({ gateways, tokens, tenancies, perSecond: PER_SECOND, retries: 0 });
    await sleep(500);
    const oneOfEach = (replica: number) =>
      services.map((name) => system.instances.find((instance) => instance.name === name && instance.replica === replica)!.key);
    for (const wave of [oneOfEach(1), oneOfEach(2), ["gateway"], ["gateway.2"]]) {
      await Promise.all(wave.map((key) => system.children.get(key)!.restart()));
      // Whoever sends requests looks every half second whether it is there again.
      await sleep(1_100);
    }
    const outcomes = await load.stop();
    process.stdout.write(`restarted=${system.instances.length} requests=${outcomes.length} failed=${JSON.stringify(failed(outcomes))}\n`);
    expect(failed(outcomes)).toEqual({});
  }, 180_000);
});

describe("work over time and events", () => {
  const holders = async (consumer: string) =>
    new Set((await inDatabase<{ holder: string }>(consumer, "select holder from consumer_share where until > now()")).map(({ holder }) => holder));

  test("consumers of one service share its events, and have each effect once", async () => {
    await eventually("two consumers", async () => ((await holders("communications")).size === 2 ? true : undefined));
    const staff = await office.colleague("staff");
    const made = await Promise.all(Array.from({ length: 60 }, () => office.call("recordPayment", { body: aPayment(tenancy, 100) })));
    const wanted = made.map(({ payment }) => payment.id).toSorted();
    const told = async () =>
      (
        await inDatabase<{ entity_id: string }>(
          "communications",
          // What the load before recorded may still be on its way, and is told to the new colleague too.
          "select entity_id from notification where user_id = $1 and type = 'payment.received' and entity_id = any($2)",
          [staff.userId, wanted],
        )
      ).map(({ entity_id }) => entity_id);
    await eventually("notifications", async () => ((await told()).length >= wanted.length ? true : undefined));
    await sleep(500);
    expect((await told()).toSorted()).toEqual(wanted);
  });

  test("what a dead consumer left another does within seconds", async () => {
    process.kill(system.children.get("communications.2")!.pid!, "SIGSTOP");
    try {
      await eventually("one consumer", async () => ((await holders("communications")).size === 1 ? true : undefined));
      const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 100) });
      const told = () => inDatabase("communications", "select id from notification where entity_id = $1", [payment.id]);
      await eventually("notification", async () => ((await told()).length > 0 ? true : undefined));
    } finally {
      process.kill(system.children.get("communications.2")!.pid!, "SIGCONT");
    }
  });

  test("scheduled work runs once: rent is posted once a month, whichever ledger posts it", async () => {
    const leases = await Promise.all(Array.from({ length: 10 }, () => aTenancy(office, { createRecurringRent: true, startDate: "2026-01-01" })));
    const months = () =>
      inDatabase<{ lease_id: string; due_date: string; count: string }>(
        "ledger",
        "select lease_id, due_date::text, count(*) from charge where lease_id = any($1) group by 1, 2",
        [leases.map(({ leaseId }) => leaseId)],
      );
    // The night comes at once, for both ledgers.
    await inDatabase("ledger", "update scheduled_work set next_run_at = now()");
    await eventually("all rent", async () => ((await months()).length >= leases.length * 11 ? true : undefined));
    await sleep(1_000);
    expect((await months()).filter(({ count }) => count !== "1")).toEqual([]);
  });
});

describe("limits that the gateways share", () => {
  test("a user gets one burst and one rate, not one from each gateway", async () => {
    const user = await office.colleague("staff");
    const clients = [new Client(system.baseUrls[0]!, user.token), atTheOther(user)];
    const started = performance.now();
    const statuses: number[] = [];
    await Promise.all(
      Array.from({ length: 40 }, async (_, worker) => {
        for (let sent = 0; sent < 40; sent++) statuses.push((await clients[(worker + sent) % 2]!.raw("GET", operationsById.listCategories.path)).status);
      }),
    );
    const seconds = (performance.now() - started) / 1000;
    const admitted = statuses.filter((status) => status === 200).length;
    process.stdout.write(`admitted=${admitted} of ${statuses.length} in ${seconds.toFixed(1)} s\n`);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(admitted).toBeLessThanOrEqual(BURST + REFILL * (seconds + 0.1));
    expect(admitted).toBeGreaterThanOrEqual(BURST * 0.9);
  });

  test("what one gateway spent the other knows", async () => {
    const user = await office.colleague("staff");
    const left = async (client: Client) => Number(/r=(\d+)/.exec((await client.raw("GET", operationsById.listCategories.path)).headers.get("ratelimit")!)![1]);
    const here = new Client(system.baseUrls[0]!, user.token);
    await Promise.all(Array.from({ length: BURST - 10 }, () => here.raw("GET", operationsById.listCategories.path)));
    expect(await left(atTheOther(user))).toBeLessThan(BURST - 50);
  });

  test("a user has so many streams, counted over both gateways", async () => {
    const user = await office.colleague("staff");
    const open = (at: number) => EventReader.open(system.baseUrls[at]!, user.token!);
    const readers = [await open(0), await open(1), await open(0)];
    await expect(open(1)).rejects.toThrow(/429/);
    await expect(open(0)).rejects.toThrow(/429/);
    await readers[0]!.close();
    await eventually("room for one more", () =>
      open(1).then(
        (reader) => readers.push(reader),
        () => undefined,
      ),
    );
    for (const reader of readers) await reader.close();
  });

  test("tries to sign in are counted by the address that the trusted proxy saw, not by what a caller says", async () => {
    const from = (seen: string, at: number) =>
      new Client(system.baseUrls[at % 2]!).attempt("login", { body: { email: anEmail(), password }, headers: { "X-Forwarded-For": seen } });
    const tries = await Promise.all(Array.from({ length: 50 }, (_, at) => from("192.0.2.1", at)));
    expect(new Set(tries.map(({ status }) => status))).toEqual(new Set([401]));
    expect((await from("192.0.2.1", 0)).status).toBe(429);
    expect((await from("198.51.100.7, 192.0.2.1", 1)).status).toBe(429);
    expect((await from("192.0.2.1, 192.0.2.2", 0)).status).toBe(401);
  });

  test("wrong passwords are counted over all replicas", async () => {
    const [here, there] = system.baseUrls.map((url) => new Client(url));
    const wrong = (client: Client) => client.attempt("login", { body: { email: office.email, password: "not the password" } });
    for (let tries = 0; tries < 3; tries++) await Promise.all([wrong(here!), wrong(there!)]);
    for (const client of [here!, there!]) expect((await client.attempt("login", { body: { email: office.email, password } })).status).toBe(429);
    expect((await here!.attempt("login", { body: { email: anEmail(), password } })).status).toBe(401);
  });
});
