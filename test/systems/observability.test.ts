/** Observability: metrics of every process, distributed traces, request ids, and a runbook section for each alert. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { connectBus, subjectOf } from "@freehold/kit/events/nats";
import { parse } from "yaml";
import { freePorts } from "../../deploy/system/ports.ts";
import { startSystem, type System } from "../../deploy/system/system.ts";
import { startCollector, type Collector, type Span } from "./observability/collector.ts";
import { anOffice, type Office } from "../support/office.ts";
import { testSettings } from "../support/settings.ts";
import { EventReader } from "../support/stream.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../support/tenancy.ts";
import { eventually } from "../support/world.ts";

const dataDir = mkdtempSync(join(tmpdir(), "freehold-observed-"));
const ports = new Map<string, number>();
let system: System;
let collector: Collector;
let office: Office;
let tenancy: Tenancy;

beforeAll(async () => {
  collector = await startCollector();
  const free = await freePorts(6);
  system = await startSystem({
    dataDir,
    host: "127.0.0.1",
    port: 0,
    fsync: "off",
    environment: { ...testSettings, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint },
    adapt: ({ key }, environment) => {
      ports.set(key, free.pop()!);
      return { ...environment, METRICS_PORT: String(ports.get(key)) };
    },
  });
  office = await anOffice(system.baseUrl);
  tenancy = await aTenancy(office);
});
afterAll(async () => {
  await system?.stop();
  await collector?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const metricsOf = async (key: string): Promise<string> => (await fetch(`http://127.0.0.1:${ports.get(key)}/metrics`)).text();

/** Returns the values of a metric with the given labels. */
async function figures(key: string, metric: string, labels: Record<string, string> = {}): Promise<number[]> {
  return (await metricsOf(key)).split("\n").flatMap((line) => {
    const [, name, given, figure] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    const isWanted = name === metric && Object.entries(labels).every(([label, value]) => given!.includes(`${label}="${value}"`));
    return isWanted ? [Number(figure)] : [];
  });
}
const logOf = (key: string): string => readFileSync(join(dataDir, "logs", `${key}.log`), "utf8");

describe("metrics", () => {
  test("count requests and their time by operation and status, at the gateway and at the service", async () => {
    const counted = async (status: string) =>
      Promise.all(["gateway", "ledger"].map((key) => figures(key, "freehold_request_seconds_count", { operation: "getCharge", status })));
    const id = await aCharge(office, tenancy.leaseId, 1_000);
    await office.call("getCharge", { params: { id } });
    await office.attempt("getCharge", { params: { id: randomUUID() } });
    expect(await counted("200")).toEqual([[1], [1]]);
    expect(await counted("404")).toEqual([[1], [1]]);
    const [seconds] = await figures("gateway", "freehold_request_seconds_sum", { operation: "getCharge", status: "200" });
    expect(seconds).toBeGreaterThan(0);
  });

  test("count gRPC calls between services by outcome", async () => {
    expect((await figures("portfolio", "freehold_rpc_seconds_count", { outcome: "ok" })).length).toBeGreaterThan(0);
  });

  test("show the lag of events and jobs, and the NATS connection", async () => {
    for (const key of ["identity", "portfolio", "ledger", "communications"]) {
      const isQuiet = async () => (await figures(key, "freehold_outbox_waiting"))[0] === 0 && (await figures(key, "freehold_consumer_lag"))[0] === 0;
      await eventually(`quiet ${key}`, async () => await isQuiet());
      expect([key, await figures(key, "freehold_nats_up")]).toEqual([key, [1]]);
      expect([key, await figures(key, "freehold_outbox_oldest_seconds")]).toEqual([key, [0]]);
    }
    expect((await figures("ledger", "freehold_scheduled_work_late_seconds"))[0]).toBeLessThan(60);
    expect(await figures("ledger", "freehold_integrity_check_failed")).toEqual([0]);
  });

  test("count waits for the database and its connections", async () => {
    expect((await figures("ledger", "freehold_pool_wait_seconds_count"))[0]).toBeGreaterThan(0);
    expect(await figures("ledger", "freehold_pool_waiting")).toEqual([0]);
    expect((await figures("ledger", "freehold_pool_connections")).length).toBe(2);
  });

  test("count open streams", async () => {
    const before = (await figures("gateway", "freehold_open_streams"))[0]!;
    const reader = await EventReader.open(system.baseUrl, office.token!);
    expect(await figures("gateway", "freehold_open_streams")).toEqual([before + 1]);
    await reader.close();
    await eventually("closed stream", async () => (await figures("gateway", "freehold_open_streams"))[0] === before);
  });

  test("show an event that cannot be consumed", async () => {
    const bus = await connectBus(system.natsUrl, "observability-test");
    const event = { id: randomUUID(), type: "payment.received", organizationId: office.organizationId, entityId: "no uuid", occurredAt: "never", data: {} };
    await bus.js.publish(subjectOf({ ...event, entityId: randomUUID() }), JSON.stringify({ ...event, entityId: randomUUID(), audience: null }));
    await bus.connection.close();
    await eventually("queued event", async () => ((await figures("communications", "freehold_retry_queue_events", { state: "waiting" }))[0] ?? 0) > 0);
    expect(await figures("communications", "freehold_retry_queue_events", { state: "dead" })).toEqual([0]);
  });

  test("are served on their own port only", async () => {
    expect((await fetch(`${system.baseUrl}/metrics`)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${system.ports.ledger}/metrics`)).status).toBe(404);
  });
});

describe("traces", () => {
  const named = (name: string, service: string) => (span: Span) => span.name === name && span.service === `freehold-${service}`;
  const find = (isIt: (span: Span) => boolean) => eventually("span", () => Promise.resolve(collector.spans.find(isIt)));

  test("follow a request from the gateway to its service, through gRPC calls, and to the consumers of its event", async () => {
    const parent = { traceId: randomUUID().replaceAll("-", ""), spanId: "00f067aa0ba902b7" };
    await office.call("recordPayment", { body: aPayment(tenancy, 5_000), headers: { traceparent: `00-${parent.traceId}-${parent.spanId}-01` } });
    const ours = (isIt: (span: Span) => boolean) => find((span) => span.traceId === parent.traceId && isIt(span));
    const gateway = await ours(named("recordPayment", "gateway"));
    const ledger = await ours(named("recordPayment", "ledger"));
    const consumed = await ours(named("consume payment.received", "communications"));
    expect(gateway).toMatchObject({ kind: 2, parentSpanId: parent.spanId });
    expect(ledger).toMatchObject({ kind: 2, parentSpanId: gateway.spanId });
    expect(consumed).toMatchObject({ kind: 5, parentSpanId: ledger.spanId });
    const asked = await ours(({ kind, service }) => kind === 3 && service === "freehold-communications");
    const answered = await ours(({ kind, parentSpanId }) => kind === 2 && parentSpanId === asked.spanId);
    expect(asked.parentSpanId).toBe(consumed.spanId);
    expect(answered.name).toBe(asked.name);
  });

  test("start at the gateway without a parent, and contain no secrets", async () => {
    await office.call("listCategories");
    const span = await find(named("listCategories", "gateway"));
    expect(span.parentSpanId ?? "").toBe("");
    expect(JSON.stringify(collector.spans)).not.toContain(office.token!);
  });
});

describe("the request id", () => {
  test("is in the response, in the log of every process, and in the event", async () => {
    const requestId = randomUUID();
    const reader = await EventReader.open(system.baseUrl, office.token!, { types: ["payment.received"] });
    await reader.waitForFrame("stream.ready", ({ event }) => event === "stream.ready");
    const { headers, body } = await office.attempt("recordPayment", { body: aPayment(tenancy, 7_000), headers: { "X-Request-Id": requestId } });
    expect(headers.get("x-request-id")).toBe(requestId);
    const { data } = await reader.waitForFrame("payment.received", (frame) => frame.data.entityId === body.payment.id);
    expect(data.requestId).toBe(requestId);
    await reader.close();
    for (const key of ["gateway", "ledger"]) {
      await eventually(`log line of ${key}`, () => logOf(key).includes(`"requestId":"${requestId}"`));
    }
  });

  test("is generated when missing or invalid", async () => {
    const { headers } = await office.attempt("listCategories", { headers: { "X-Request-Id": "<script>" } });
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("alerts", () => {
  interface Rule {
    alert: string;
    expr: string;
    annotations: { summary: string; runbook: string };
  }
  const { groups } = parse(readFileSync(new URL("../../deploy/alerts.yaml", import.meta.url), "utf8")) as { groups: { rules: Rule[] }[] };
  const rules = groups.flatMap((group) => group.rules);
  const pages = [...readFileSync(new URL("../../docs/runbook.md", import.meta.url), "utf8").matchAll(/^## (\w+)$/gm)].map((match) => match[1]!);

  test("each has a section in the runbook, and each section an alert", () => {
    expect(pages).toEqual(rules.map(({ alert }) => alert));
    expect(rules.map(({ annotations }) => annotations.runbook)).toEqual(rules.map(({ alert }) => `docs/runbook.md#${alert.toLowerCase()}`));
  });

  test("use only metrics that a process exports", async () => {
    const measured = (await Promise.all([...ports.keys()].map(metricsOf))).join("\n");
    for (const { alert, expr } of rules) {
      for (const [metric] of expr.matchAll(/\bfreehold_\w+/g)) expect([alert, metric, measured.includes(`\n${metric}{`)]).toEqual([alert, metric, true]);
    }
  });
});

test("no access token is in any log", () => {
  const logs = readdirSync(join(dataDir, "logs")).map((file) => readFileSync(join(dataDir, "logs", file), "utf8"));
  expect(logs.some((log) => log.includes(office.token!))).toBe(false);
});
