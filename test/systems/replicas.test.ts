/** Two replicas of every process over one PostgreSQL server and a cluster of three NATS servers. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { operationsById } from "@freehold/contract";
import pg from "pg";
import { services } from "../../deploy/system/secrets.ts";
import { startSystem, type System } from "../../deploy/system/system.ts";
import { upstream, type Upstream } from "../../gateway/src/forwarding/upstream.ts";
import { Client } from "../support/client.ts";
import { anEmail, anOffice, password, type Colleague, type Office } from "../support/office.ts";
import { startLoad, type Outcome } from "./replicas/load.ts";
import { sized } from "../support/proof.ts";
import { testSettings } from "../support/settings.ts";
import { EventReader } from "../support/events/stream.ts";
import { aPayment, aTenancy, type Tenancy } from "../support/tenancy.ts";
import { eventually } from "../support/eventually.ts";

const dataDir = mkdtempSync(join(tmpdir(), "freehold-replicas-"));
const REQUESTS_PER_SECOND = sized(20, 100);
const SENDERS = 10;
/** Rate limit of a user: its burst and its refill, which is so low that a slow machine also exhausts the limit. */
const BURST = 200;
const REFILL_PER_SECOND = 30;
/** The drain lasts six readiness probes of the load balancer, so that at least one of them fails before the replica stops, even on a busy machine. */
const settings = {
  ...testSettings,
  DRAIN_MS: "3000",
  RATE_LIMIT_PER_SECOND: String(REFILL_PER_SECOND),
  RATE_LIMIT_BURST: String(BURST),
  SIGN_IN_ATTEMPTS: "5",
  STREAMS_PER_USER: "3",
  TRUSTED_PROXIES: "1",
};
let system: System;
let gateways: Upstream;
let office: Office;
let tenancies: Tenancy[];
let tokens: string[];

beforeAll(async () => {
  system = await startSystem({ dataDir, host: "127.0.0.1", port: 0, fsync: "off", replicas: 2, natsServers: 3, environment: settings });
  await eventually("health", isHealthy);
  gateways = upstream(system.baseUrls);
  office = await anOffice(system.baseUrl);
  tenancies = await Promise.all(Array.from({ length: 13 }, () => aTenancy(office)));
  tokens = (await Promise.all(Array.from({ length: SENDERS }, () => office.colleague("manager")))).map(({ token }) => token!);
});
afterAll(async () => {
  gateways?.close();
  await system?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function isHealthy(): Promise<boolean> {
  const responses = await Promise.all(system.baseUrls.map((url) => fetch(`${url}/api/health`).catch(() => undefined)));
  // While processes start, Node may respond by itself, without a body.
  const bodies = await Promise.all(responses.map(async (response) => (await response?.json().catch(() => undefined)) as { status: string } | undefined));
  return bodies.every((body) => body?.status === "ok");
}

/** Returns a client of the same user at the second gateway. */
function atSecondGateway(colleague: Colleague): Client {
  return new Client(system.baseUrls[1]!, colleague.token);
}

async function queryDatabase<R extends pg.QueryResultRow>(service: string, statement: string, values: unknown[] = []): Promise<R[]> {
  const client = new pg.Client({ connectionString: system.adminUrl!.replace(/\/postgres$/, `/${service}`) });
  await client.connect();
  try {
    return (await client.query<R>(statement, values)).rows;
  } finally {
    await client.end();
  }
}

const countRequests = (key: string): number => readFileSync(join(dataDir, "logs", `${key}.log`), "utf8").split('"msg":"request"').length - 1;
/** Returns the number of failures by operation and status. */
const countFailures = (outcomes: readonly Outcome[]) => {
  const failures = outcomes.filter(({ status }) => status !== 200).map(({ operation, status }) => `${operation} ${status ?? "no response"}`);
  return Object.fromEntries([...Map.groupBy(failures, (failure) => failure)].map(([failure, occurrences]) => [failure, occurrences.length]));
};

describe("requests", () => {
  test("spread over the replicas of every service, from both gateways", async () => {
    const before = new Map(system.instances.map(({ key }) => [key, countRequests(key)]));
    const load = startLoad({ gateways, tokens, tenancies, perSecond: REQUESTS_PER_SECOND, retries: 0 });
    // A busy machine serves fewer requests a second, so the load lasts until every replica has had its share.
    for (const { key, name } of system.instances)
      if (name !== "imports") await eventually(`requests at ${key}`, async () => countRequests(key) - before.get(key)! > 10);
    expect(countFailures(await load.stop())).toEqual({});
  });

  test("a write through one gateway is visible through the other immediately", async () => {
    for (let count = 0; count < 20; count++) {
      const { vendor } = await office.call("createVendor", { body: { name: `Vendor ${count}` } });
      expect((await atSecondGateway(office).call("getVendor", { params: { id: vendor.id } })).vendor.id).toBe(vendor.id);
    }
  });
});

describe("a replica killed under load", () => {
  const victims = sized(
    ["gateway.2", "ledger.2", "portfolio", "nats"],
    ["gateway.2", ...services.map((name) => `${name}.2`), "ledger", "portfolio", "gateway", "nats", "nats.3"],
  );
  test("fails no request that is retried once", async () => {
    const load = startLoad({ gateways, tokens, tenancies, perSecond: REQUESTS_PER_SECOND, retries: 1 });
    for (const key of victims) {
      await sleep(1_000);
      process.kill(system.children.get(key)!.pid!, "SIGKILL");
      await eventually(`health after ${key}`, isHealthy);
    }
    const outcomes = await load.stop();
    const retried = outcomes.filter(({ attempts }) => attempts > 1);
    process.stdout.write(`killed=${victims.length} requests=${outcomes.length} retried=${retried.length} failed=${JSON.stringify(countFailures(outcomes))}\n`);
    expect(countFailures(outcomes)).toEqual({});
  }, 180_000);
});

describe("a rolling restart of everything under load", () => {
  test("fails no request, even without retries", async () => {
    const load = startLoad({ gateways, tokens, tenancies, perSecond: REQUESTS_PER_SECOND, retries: 0 });
    await sleep(500);
    const oneOfEach = (replica: number) =>
      services.map((name) => system.instances.find((instance) => instance.name === name && instance.replica === replica)!.key);
    for (const wave of [oneOfEach(1), oneOfEach(2), ["gateway"], ["gateway.2"]]) {
      await Promise.all(wave.map((key) => system.children.get(key)!.restart()));
      // The load balancer probes the readiness of replicas every half second.
      await sleep(1_100);
    }
    const outcomes = await load.stop();
    process.stdout.write(`restarted=${system.instances.length} requests=${outcomes.length} failed=${JSON.stringify(countFailures(outcomes))}\n`);
    expect(countFailures(outcomes)).toEqual({});
  }, 180_000);
});

describe("scheduled jobs and events", () => {
  const findHolders = async (consumer: string) =>
    new Set((await queryDatabase<{ holder: string }>(consumer, "select holder from consumer_share where until > now()")).map(({ holder }) => holder));

  test("consumers of a service share its events and apply each once", async () => {
    await eventually("two consumers", async () => (await findHolders("communications")).size === 2);
    // The office is notified of several payments at once, a tenant of each.
    const tenancy = await aTenancy(office);
    const tenant = await office.tenantUser(tenancy.tenantId);
    const recorded = await Promise.all(Array.from({ length: 60 }, () => office.call("recordPayment", { body: aPayment(tenancy, 100) })));
    const paymentIds = recorded.map(({ payment }) => payment.id).toSorted();
    const findNotifiedPayments = async () =>
      (
        await queryDatabase<{ entity_id: string }>(
          "communications",
          "select entity_id from notification where user_id = $1 and type = 'payment.received' and entity_id = any($2)",
          [tenant.userId, paymentIds],
        )
      ).map(({ entity_id }) => entity_id);
    await eventually("notifications", async () => (await findNotifiedPayments()).length >= paymentIds.length);
    const { payment: later } = await office.call("recordPayment", { body: aPayment(tenancy, 100) });
    await eventually(
      "later notification",
      async () => (await queryDatabase("communications", "select id from notification where entity_id = $1", [later.id]))[0],
    );
    expect((await findNotifiedPayments()).toSorted()).toEqual(paymentIds);
  });

  test("another consumer takes over from a stopped consumer", async () => {
    process.kill(system.children.get("communications.2")!.pid!, "SIGSTOP");
    try {
      await eventually("one consumer", async () => (await findHolders("communications")).size === 1);
      const tenancy = await aTenancy(office);
      await office.tenantUser(tenancy.tenantId);
      const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 100) });
      const findNotifications = () => queryDatabase("communications", "select id from notification where entity_id = $1", [payment.id]);
      await eventually("notification", async () => (await findNotifications()).length > 0);
    } finally {
      process.kill(system.children.get("communications.2")!.pid!, "SIGCONT");
    }
  });

  test("a scheduled job runs on one replica only: the rent of each month is posted once", async () => {
    const leases = await Promise.all(Array.from({ length: 10 }, () => aTenancy(office, { createRecurringRent: true, startDate: "2026-01-01" })));
    const countChargesByMonth = () =>
      queryDatabase<{ lease_id: string; due_date: string; count: string }>(
        "ledger",
        "select lease_id, due_date::text, count(*) from charge where lease_id = any($1) group by 1, 2",
        [leases.map(({ leaseId }) => leaseId)],
      );
    // Makes the nightly job due at once on both ledger replicas.
    await queryDatabase("ledger", "update scheduled_work set next_run_at = now()");
    // At least the rent of January to November 2026.
    await eventually("all rent", async () => (await countChargesByMonth()).length >= leases.length * 11);
    const findBusyJobs = () => queryDatabase("ledger", "select job from scheduled_work where next_run_at <= clock_timestamp() or claimed_until is not null");
    await eventually("idle jobs", async () => (await findBusyJobs()).length === 0);
    expect((await countChargesByMonth()).filter(({ count }) => count !== "1")).toEqual([]);
  });
});

describe("limits shared by the gateways", () => {
  /** Sends 1 600 requests of a new user through both gateways. Returns their statuses, and how many were admitted and may be by one limit. */
  async function exhaustLimit() {
    const user = await office.colleague("staff");
    const clients = [new Client(system.baseUrls[0]!, user.token), atSecondGateway(user)];
    const started = performance.now();
    const statuses: number[] = [];
    await Promise.all(
      Array.from({ length: 40 }, async (_, worker) => {
        for (let count = 0; count < 40; count++) statuses.push((await clients[(worker + count) % 2]!.raw("GET", operationsById.listCategories.path)).status);
      }),
    );
    const seconds = (performance.now() - started) / 1000;
    const admitted = statuses.filter((status) => status === 200).length;
    process.stdout.write(`admitted=${admitted} of ${statuses.length} in ${seconds.toFixed(1)} s\n`);
    return { statuses, admitted, allowed: BURST + REFILL_PER_SECOND * (seconds + 0.1) };
  }

  // Gateways that cannot exchange their counts in time, as on a busy machine, limit the user each on its own.
  test("a user has one rate limit over both gateways", async () => {
    let round = await exhaustLimit();
    for (let retry = 0; retry < 4 && round.admitted > round.allowed; retry++) round = await exhaustLimit();
    expect(new Set(round.statuses)).toEqual(new Set([200, 429]));
    expect(round.admitted).toBeLessThanOrEqual(round.allowed);
    expect(round.admitted).toBeGreaterThanOrEqual(BURST * 0.9);
  });

  test("requests through one gateway reduce the remaining requests at the other", async () => {
    const user = await office.colleague("staff");
    const remaining = async (client: Client) =>
      Number(/r=(\d+)/.exec((await client.raw("GET", operationsById.listCategories.path)).headers.get("ratelimit")!)![1]);
    const firstClient = new Client(system.baseUrls[0]!, user.token);
    await Promise.all(Array.from({ length: BURST - 10 }, () => firstClient.raw("GET", operationsById.listCategories.path)));
    expect(await remaining(atSecondGateway(user))).toBeLessThan(BURST - 50);
  });

  test("the stream limit of a user counts over both gateways", async () => {
    const user = await office.colleague("staff");
    const openAt = (gateway: number) => EventReader.open(system.baseUrls[gateway]!, user.token!);
    const readers = [await openAt(0), await openAt(1), await openAt(0)];
    await expect(openAt(1)).rejects.toThrow(/429/);
    await expect(openAt(0)).rejects.toThrow(/429/);
    await readers[0]!.close();
    await eventually("free stream", () =>
      openAt(1).then(
        (reader) => readers.push(reader),
        () => undefined,
      ),
    );
    for (const reader of readers) await reader.close();
  });

  test("sign-in attempts are counted by the address that the trusted proxy adds, not by the caller's header", async () => {
    const signInFrom = (forwardedFor: string, attempt: number) =>
      new Client(system.baseUrls[attempt % 2]!).attempt("login", { body: { email: anEmail(), password }, headers: { "X-Forwarded-For": forwardedFor } });
    const attempts = await Promise.all(Array.from({ length: 50 }, (_, attempt) => signInFrom("192.0.2.1", attempt)));
    expect(new Set(attempts.map(({ status }) => status))).toEqual(new Set([401]));
    expect((await signInFrom("192.0.2.1", 0)).status).toBe(429);
    expect((await signInFrom("198.51.100.7, 192.0.2.1", 1)).status).toBe(429);
    expect((await signInFrom("192.0.2.1, 192.0.2.2", 0)).status).toBe(401);
  });

  test("failed sign-ins are counted over all replicas", async () => {
    const [first, second] = system.baseUrls.map((url) => new Client(url));
    const failToSignIn = (client: Client) => client.attempt("login", { body: { email: office.email, password: "not the password" } });
    for (let round = 0; round < 3; round++) await Promise.all([failToSignIn(first!), failToSignIn(second!)]);
    for (const client of [first!, second!]) expect((await client.attempt("login", { body: { email: office.email, password } })).status).toBe(429);
    expect((await first!.attempt("login", { body: { email: anEmail(), password } })).status).toBe(401);
  });
});
