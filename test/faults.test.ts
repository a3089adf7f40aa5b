/**
 * What is promised while processes die: an acknowledged payment is there once, whatever was killed meanwhile.
 * Runs a system of its own, on a database that syncs, and ends nothing but that system's processes, each by its id.
 */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { services, type ServiceName } from "../deploy/secrets.ts";
import { startSystem, type System } from "../deploy/system.ts";
import type { OperationId } from "@freehold/contract";
import { anOffice, type Office } from "./office.ts";
import { testSettings } from "./settings.ts";
import { FaithfulReader, sequenceOf } from "./stream.ts";
import { aCharge, aPayment, aTenancy, closing, type Tenancy } from "./tenancy.ts";
import { eventually } from "./world.ts";

const WRITERS = 16;
const CHARGE_CENTS = 100_000_000;
const dataDir = mkdtempSync(join(tmpdir(), "freehold-faults-"));
let system: System;
let office: Office;
let tenancy: Tenancy;

beforeAll(async () => {
  system = await startSystem({ dataDir, host: "127.0.0.1", port: 0, fsync: "on", environment: testSettings });
  office = await anOffice(system.baseUrl);
  tenancy = await aTenancy(office);
}, 90_000);
afterAll(async () => {
  await system?.stop();
  rmSync(dataDir, { recursive: true, force: true });
}, 60_000);

/** Kills one process of this system and answers when there is another in its place: within two seconds. */
async function kill(name: string): Promise<void> {
  const { pid } = system.children.get(name)!;
  process.kill(pid!, "SIGKILL");
  await eventually(`new ${name}`, () => Promise.resolve(system.children.get(name)!.pid !== pid || undefined), 2_000);
}

const isHealthy = async (): Promise<true | undefined> => {
  const health = await fetch(`${system.baseUrl}/api/health`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
  return (health?.status === 200 && ((await health.json()) as { status: string }).status === "ok") || undefined;
};

/** Milliseconds until the whole system says that it is well. */
async function recovery(): Promise<number> {
  const started = performance.now();
  await eventually("recovery", isHealthy, 20_000);
  return Math.round(performance.now() - started);
}

describe("a process that dies", () => {
  const ofService: Record<ServiceName, OperationId> = {
    identity: "getOrganization",
    portfolio: "listVendors",
    ledger: "listCategories",
    communications: "listNotifications",
    imports: "getImportTemplate",
  };
  const ask = (name: ServiceName) => office.attempt(ofService[name], { params: { provider: "generic" } as never });

  test.each(services)("%s takes only its own operations with it, and is back within seconds", async (name) => {
    process.kill(system.children.get(name)!.pid!, "SIGKILL");
    const down = await eventually("answer without the service", async () => {
      const answer = await ask(name);
      return answer.status === 200 ? undefined : answer;
    });
    expect([down.status, down.body.code, Number(down.headers.get("retry-after"))]).toEqual([503, "service_unavailable", 1]);
    const others = await Promise.all(services.filter((other) => other !== name).map(async (other) => [other, (await ask(other)).status]));
    expect(others).toEqual(services.filter((other) => other !== name).map((other) => [other, 200]));
    expect(await recovery()).toBeLessThan(10_000);
    expect((await ask(name)).status).toBe(200);
  });
});

const sorted = (ids: string[]): string[] => ids.toSorted();

interface Payment {
  key: string;
  chargeId: string;
  amountCents: number;
  text?: string;
  id?: string;
  isAmbiguous: boolean;
}

/** Records payments one after the other until told to stop, each with its key until it is acknowledged. */
async function write(charges: readonly string[], all: Payment[], refused: string[], isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const payment: Payment = {
      key: randomUUID(),
      chargeId: charges[all.length % charges.length]!,
      amountCents: 100 + (all.length % 900),
      isAmbiguous: false,
    };
    all.push(payment);
    while (payment.text === undefined) {
      const answer = await record(payment).catch(() => undefined);
      if (answer?.status === 200) {
        payment.text = answer.text;
        payment.id = (JSON.parse(answer.text) as { payment: { id: string } }).payment.id;
      } else if (answer && answer.status < 500) {
        refused.push(`${answer.status} ${answer.text}`);
        return;
      } else {
        payment.isAmbiguous = true;
        await sleep(50);
      }
    }
  }
}

async function record({ key, chargeId, amountCents }: Payment): Promise<{ status: number; text: string }> {
  const response = await fetch(`${system.baseUrl}/api/payments`, {
    method: "POST",
    headers: { Authorization: `Bearer ${office.token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ ...aPayment(tenancy, amountCents), idempotencyKey: key, allocations: [{ chargeId, amountCents }] }),
    signal: AbortSignal.timeout(15_000),
  });
  return { status: response.status, text: await response.text() };
}

/** The books of the organization as the database has them, seen past every wall. */
async function inDatabase<R extends pg.QueryResultRow>(statement: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: system.adminUrl!.replace(/\/postgres$/, "/ledger") });
  await client.connect();
  try {
    return (await client.query<R>(statement, [office.organizationId])).rows;
  } finally {
    await client.end();
  }
}

describe("a payment that was acknowledged", () => {
  test("is there once, whole, with what was answered, whatever died meanwhile", async () => {
    const charges = await Promise.all(Array.from({ length: 2 * WRITERS }, () => aCharge(office, tenancy.leaseId, CHARGE_CENTS)));
    const reader = new FaithfulReader(system.baseUrl, () => office.token!, { types: ["payment.received"] });
    await reader.ready();
    const all: Payment[] = [];
    const refused: string[] = [];
    let isOver = false;
    const writers = Array.from({ length: WRITERS }, () => write(charges, all, refused, () => isOver));
    const faults = ["gateway", ...services, "nats", "postgres", "ledger", "gateway"];
    for (const name of faults) {
      await sleep(700);
      await kill(name);
      await recovery();
    }
    await sleep(500);
    isOver = true;
    await Promise.all(writers);

    // Every key again answers the bytes that were acknowledged.
    const changed: string[] = [];
    const left = [...all];
    await Promise.all(
      Array.from({ length: 2 * WRITERS }, async () => {
        for (let payment = left.pop(); payment; payment = left.pop()) if ((await record(payment)).text !== payment.text) changed.push(payment.key);
      }),
    );

    const rows = await inDatabase<{
      id: string;
      idempotency_key: string;
      amount: string;
      allocated: string | null;
      entry: string | null;
      lines: string | null;
    }>(
      `select p.id, p.idempotency_key, p.amount_cents as amount,
        (select sum(a.amount_cents) from payment_allocation a where a.organization_id = p.organization_id and a.payment_id = p.id) as allocated,
        (select sum(l.debit_cents) from journal_line l where l.organization_id = p.organization_id and l.entry_id = p.entry_id) as entry,
        (select sum(l.debit_cents - l.credit_cents) from journal_line l where l.organization_id = p.organization_id and l.entry_id = p.entry_id) as lines
       from payment p where p.organization_id = $1`,
    );
    const byKey = Map.groupBy(rows, (row) => row.idempotency_key);
    const acknowledged = all.filter(({ text }) => text !== undefined);
    const lost = acknowledged.filter(({ key, id }) => byKey.get(key)?.[0]?.id !== id);
    const doubled = [...byKey.values()].filter((same) => same.length > 1);
    const partial = rows.filter(
      ({ amount, allocated, entry, lines }) => Number(allocated) !== Number(amount) || Number(entry) !== Number(amount) || Number(lines) !== 0,
    );
    const balances = await closing(office);
    const trialBalance = Object.values(balances).reduce((sum, cents) => sum + cents, 0);
    const ambiguous = all.filter(({ isAmbiguous }) => isAmbiguous);
    process.stdout.write(
      `faults=${faults.length} operations=${all.length} acknowledged=${acknowledged.length} ambiguous=${ambiguous.length} lost=${lost.length} doubled=${doubled.length} partial=${partial.length} trialBalance=${trialBalance}\n`,
    );

    expect({ refused, changed, lost, doubled, partial, trialBalance }).toEqual({
      refused: [],
      changed: [],
      lost: [],
      doubled: [],
      partial: [],
      trialBalance: 0,
    });
    expect(rows).toHaveLength(all.length);
    expect(all.length).toBeGreaterThan(faults.length * 10);

    const paidOf = new Map(charges.map((id) => [id, 0]));
    for (const { chargeId, amountCents } of all) paidOf.set(chargeId, paidOf.get(chargeId)! + amountCents);
    const listed = await office.call("listCharges", { query: { pageSize: 100 } });
    expect(Object.fromEntries(listed.charges.map(({ id, balanceCents }) => [id, balanceCents]))).toEqual(
      Object.fromEntries([...paidOf].map(([id, paid]) => [id, CHARGE_CENTS - paid])),
    );
    expect(balances["1100"]).toBe(listed.totals.balanceCents);

    await eventually("complete stream", () => Promise.resolve(reader.all.length >= all.length || undefined)).catch(() => undefined);
    await sleep(300);
    await reader.close();
    const told = reader.frames.map(({ data }) => data.entityId);
    expect(sorted(told)).toEqual(sorted(all.map(({ id }) => id!)));
    expect(reader.frames.map(sequenceOf)).toEqual(reader.frames.map(sequenceOf).toSorted((one, other) => one - other));
    expect(reader.resets).toBe(0);
  }, 120_000);
});
