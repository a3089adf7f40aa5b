/** Observability: metrics of every process, distributed traces, request ids, and a runbook section for each alert. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { freePorts } from "../../deploy/system/ports.ts";
import { startSystem, type System } from "../../deploy/system/system.ts";
import { asSuperuser } from "./faults/invariants.ts";
import { startCollector, type Collector, type Span } from "./observability/collector.ts";
import { createEventPublisher } from "../support/events/messages.ts";
import { anOffice, type Office } from "../support/office.ts";
import { testSettings } from "../support/settings.ts";
import { EventReader } from "../support/events/stream.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../support/tenancy.ts";
import { eventually } from "../support/eventually.ts";

const dataDir = mkdtempSync(join(tmpdir(), "freehold-observed-"));
const ports = new Map<string, number>();
let system: System;
let collector: Collector;
let office: Office;
let tenancy: Tenancy;

beforeAll(async () => {
  collector = await startCollector();
  const unusedPorts = await freePorts(6);
  system = await startSystem({
    dataDir,
    host: "127.0.0.1",
    port: 0,
    fsync: "off",
    environment: { ...testSettings, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint },
    adaptEnvironment: ({ key }, environment) => {
      ports.set(key, unusedPorts.pop()!);
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

const UNBALANCED = "The ledger of an organization is out of balance. The log of the ledger names it.";

const metricsOf = async (key: string): Promise<string> => (await fetch(`http://127.0.0.1:${ports.get(key)}/metrics`)).text();

/** Returns the values of a metric's series that have the given labels. */
async function metricValues(key: string, metric: string, labels: Record<string, string> = {}): Promise<number[]> {
  return (await metricsOf(key)).split("\n").flatMap((line) => {
    const [, name, labelText, value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    const matches = name === metric && Object.entries(labels).every(([label, labelValue]) => labelText!.includes(`${label}="${labelValue}"`));
    return matches ? [Number(value)] : [];
  });
}
const logOf = (key: string): string => readFileSync(join(dataDir, "logs", `${key}.log`), "utf8");

describe("metrics", () => {
  test("count requests and their time by operation and status, at the gateway and at the service", async () => {
    const requestCounts = async (status: string) =>
      Promise.all(["gateway", "ledger"].map((key) => metricValues(key, "freehold_request_seconds_count", { operation: "getCharge", status })));
    const id = await aCharge(office, tenancy.leaseId, 1_000);
    await office.call("getCharge", { params: { id } });
    await office.attempt("getCharge", { params: { id: randomUUID() } });
    expect(await requestCounts("200")).toEqual([[1], [1]]);
    expect(await requestCounts("404")).toEqual([[1], [1]]);
    const [seconds] = await metricValues("gateway", "freehold_request_seconds_sum", { operation: "getCharge", status: "200" });
    expect(seconds).toBeGreaterThan(0);
  });

  test("count gRPC calls between services by outcome", async () => {
    expect((await metricValues("portfolio", "freehold_rpc_seconds_count", { outcome: "ok" })).length).toBeGreaterThan(0);
  });

  test("show the lag of events and jobs, and the NATS connection", async () => {
    for (const key of ["identity", "portfolio", "ledger", "communications"]) {
      const isQuiet = async () => (await metricValues(key, "freehold_outbox_waiting"))[0] === 0 && (await metricValues(key, "freehold_consumer_lag"))[0] === 0;
      await eventually(`quiet ${key}`, isQuiet);
      expect([key, await metricValues(key, "freehold_nats_up")]).toEqual([key, [1]]);
      expect([key, await metricValues(key, "freehold_outbox_oldest_seconds")]).toEqual([key, [0]]);
    }
    expect((await metricValues("ledger", "freehold_scheduled_work_late_seconds"))[0]).toBeLessThan(60);
    expect((await metricValues("ledger", "freehold_job_longest_run_seconds"))[0]).toBeLessThan(60);
    expect(await metricValues("ledger", "freehold_integrity_check_failed")).toEqual([0]);
  });

  test("count the waits for a database connection, and the connections by state", async () => {
    expect((await metricValues("ledger", "freehold_pool_wait_seconds_count"))[0]).toBeGreaterThan(0);
    expect(await metricValues("ledger", "freehold_pool_waiting")).toEqual([0]);
    expect((await metricValues("ledger", "freehold_pool_connections")).length).toBe(2);
  });

  test("count e-mails and text messages by channel and outcome, from zero", async () => {
    const counts = (channel: string, outcome: string) => metricValues("communications", "freehold_messages_total", { channel, outcome });
    // The e-mail that confirms the address of the office.
    await eventually("counted e-mail", async () => (await counts("email", "sent"))[0]! > 0);
    for (const outcome of ["sent", "delayed", "failed", "skipped"]) expect([outcome, await counts("sms", outcome)]).toEqual([outcome, [0]]);
  });

  test("show for how long the consumer of a service has been stalled", async () => {
    const stalledSeconds = async () => (await metricValues("communications", "freehold_consumer_stalled_seconds"))[0]!;
    const change = (statement: string) => asSuperuser(system, "communications", (client) => client.query(statement));
    // A colleague is notified of the payment.
    await office.colleague("staff");
    await eventually("idle consumer", async () => (await stalledSeconds()) === 0);
    await change("revoke insert on inbox, parked_event from communications_service");
    await office.call("recordPayment", { body: aPayment(tenancy, 100) });
    await eventually("stalled consumer", async () => (await stalledSeconds()) > 0);
    await change("grant insert on inbox, parked_event to communications_service");
    await eventually("advancing consumer", async () => (await stalledSeconds()) === 0);
  });

  test("count open streams", async () => {
    const initialCount = (await metricValues("gateway", "freehold_open_streams"))[0]!;
    const reader = await EventReader.open(system.baseUrl, office.token!);
    expect(await metricValues("gateway", "freehold_open_streams")).toEqual([initialCount + 1]);
    await reader.close();
    await eventually("closed stream", async () => (await metricValues("gateway", "freehold_open_streams"))[0] === initialCount);
  });

  test("count an event that cannot be consumed as waiting in the retry queue", async () => {
    const publisher = createEventPublisher({ nats: system.nats, dataDir });
    const event = {
      id: randomUUID(),
      type: "payment.received",
      organizationId: office.organizationId,
      entityId: randomUUID(),
      occurredAt: "invalid",
      data: {},
    };
    await publisher.publish({ ...event, audience: null });
    await publisher.close();
    await eventually("queued event", async () => ((await metricValues("communications", "freehold_retry_queue_events", { state: "waiting" }))[0] ?? 0) > 0);
    expect(await metricValues("communications", "freehold_retry_queue_events", { state: "dead" })).toEqual([0]);
  });

  test("are served on their own port only", async () => {
    expect((await fetch(`${system.baseUrl}/metrics`)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${system.ports.ledger}/metrics`)).status).toBe(404);
  });
});

describe("traces", () => {
  const hasName = (name: string, service: string) => (span: Span) => span.name === name && span.service === `freehold-${service}`;
  const findSpan = (predicate: (span: Span) => boolean) => eventually("span", () => collector.spans.find(predicate));

  test("follow a request from the gateway to its service, to the consumer of its event, and through the consumer's gRPC call", async () => {
    const parent = { traceId: randomUUID().replaceAll("-", ""), spanId: "00f067aa0ba902b7" };
    await office.call("recordPayment", { body: aPayment(tenancy, 5_000), headers: { traceparent: `00-${parent.traceId}-${parent.spanId}-01` } });
    const findInTrace = (predicate: (span: Span) => boolean) => findSpan((span) => span.traceId === parent.traceId && predicate(span));
    const gateway = await findInTrace(hasName("recordPayment", "gateway"));
    const ledger = await findInTrace(hasName("recordPayment", "ledger"));
    const consumed = await findInTrace(hasName("consume payment.received", "communications"));
    expect(gateway).toMatchObject({ kind: 2, parentSpanId: parent.spanId });
    expect(ledger).toMatchObject({ kind: 2, parentSpanId: gateway.spanId });
    expect(consumed).toMatchObject({ kind: 5, parentSpanId: ledger.spanId });
    const clientSpan = await findInTrace(({ kind, service }) => kind === 3 && service === "freehold-communications");
    const serverSpan = await findInTrace(({ kind, parentSpanId }) => kind === 2 && parentSpanId === clientSpan.spanId);
    expect(clientSpan.parentSpanId).toBe(consumed.spanId);
    expect(serverSpan.name).toBe(clientSpan.name);
  });

  test("start at the gateway without a parent, and contain no secrets", async () => {
    await office.call("listCategories");
    const span = await findSpan(hasName("listCategories", "gateway"));
    expect(span.parentSpanId ?? "").toBe("");
    expect(JSON.stringify(collector.spans)).not.toContain(office.token!);
  });
});

describe("the request id", () => {
  test("is in the response, in the logs of the gateway and the service, and in the event", async () => {
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
  const runbookSections = [...readFileSync(new URL("../../docs/runbook.md", import.meta.url), "utf8").matchAll(/^## (\w+)$/gm)].map((match) => match[1]!);

  /** Sections of the runbook that lead into a running system. They precede those of the alerts. */
  const generalSections = ["Logs", "Databases", "Files"];

  test("each has a section in the runbook, and each further section an alert", () => {
    expect(runbookSections).toEqual([...generalSections, ...rules.map(({ alert }) => alert)]);
    expect(rules.map(({ annotations }) => annotations.runbook)).toEqual(rules.map(({ alert }) => `docs/runbook.md#${alert.toLowerCase()}`));
  });

  test("use only metrics that a process exports", async () => {
    const exported = (await Promise.all([...ports.keys()].map(metricsOf))).join("\n");
    for (const { alert, expr } of rules) {
      for (const [metric] of expr.matchAll(/\bfreehold_\w+/g)) expect([alert, metric, exported.includes(`\n${metric}{`)]).toEqual([alert, metric, true]);
    }
  });
});

describe("the health check", () => {
  type Check = { name: string; status: string; detail?: string };
  const checkHealth = async () => (await (await fetch(`${system.baseUrl}/api/health`)).json()) as { status: string; checks: Check[] };

  test("is degraded, and no service is down, while NATS hangs", async () => {
    await eventually("healthy system", async () => (await checkHealth()).status === "ok");
    const { pid } = system.children.get("nats")!;
    process.kill(pid!, "SIGSTOP");
    try {
      const { status, checks } = await eventually("check without NATS", async () => {
        const health = await checkHealth();
        // A service that responds late on a busy machine is down for one check only.
        return health.checks.some(({ name, status: each }) => name === "ledger.nats" && each !== "ok") && health.status !== "down" && health;
      });
      expect([status, checks.filter((check) => check.status === "down")]).toEqual(["degraded", []]);
      expect(await metricValues("ledger", "freehold_nats_up")).toEqual([0]);
    } finally {
      process.kill(pid!, "SIGCONT");
    }
    await eventually("healthy system", async () => (await checkHealth()).status === "ok");
  });

  test("is degraded while events are not published although NATS responds", async () => {
    const change = (statement: string) => asSuperuser(system, "ledger", (client) => client.query(statement));
    await change("update relay_state set holder = gen_random_uuid(), until = now() + interval '1 day'");
    await office.call("recordPayment", { body: aPayment(tenancy, 100) });
    await change("update outbox set created_at = created_at - interval '2 minutes' where position in (select position from unpublished_event)");
    const { status, checks } = await eventually("late events", async () => {
      const health = await checkHealth();
      const isOk = (check: string) => health.checks.some(({ name, status: each }) => name === check && each === "ok");
      return health.status === "degraded" && !isOk("ledger") && isOk("ledger.nats") && health;
    });
    const ledger = checks.find(({ name }) => name === "ledger")!;
    expect([status, ledger]).toEqual([
      "degraded",
      expect.objectContaining({ status: "degraded", detail: expect.stringMatching(/^events have waited .* \d+ s$/) }),
    ]);
    expect(checks.find(({ name }) => name === "ledger.nats")).toMatchObject({ status: "ok" });
    await change("update relay_state set until = null");
    await eventually("healthy system", async () => (await checkHealth()).status === "ok");
  });
});

test("no log contains the access token", () => {
  const logs = readdirSync(join(dataDir, "logs")).map((file) => readFileSync(join(dataDir, "logs", file), "utf8"));
  expect(logs.some((log) => log.includes(office.token!))).toBe(false);
});

test("a deep health check finds an unbalanced ledger, and only the log names its organization", async () => {
  const { organizationId } = office;
  const other = await anOffice(system.baseUrl);
  await aCharge(office, tenancy.leaseId, 1_000);
  const checkDeeply = async () => {
    const response = await other.raw("GET", "/api/health?deep=true");
    const health = (await response.json()) as { status: string; checks: { name: string; status: string; detail?: string }[] };
    return { ...health, code: response.status, balance: health.checks.find(({ name }) => name === "ledger.balance")?.status };
  };
  expect(await checkDeeply()).toMatchObject({ code: 200, balance: "ok" });
  await asSuperuser(system, "ledger", async (client) => {
    // Without the triggers that refuse it, as after an incomplete restore.
    await client.query("set session_replication_role = replica");
    await client.query("update account_month set debit_cents = debit_cents + 4711 where organization_id = $1 and debit_cents > 0", [organizationId]);
  });
  const { code, status, checks, balance } = await eventually("the result of a later check", async () => {
    const health = await checkDeeply();
    return health.balance === "down" ? health : undefined;
  });
  expect([code, status, balance, checks.find(({ name }) => name === "ledger")!.detail]).toEqual([503, "down", "down", UNBALANCED]);
  expect(JSON.stringify(checks)).not.toContain(organizationId);
  const line = await eventually("line of the ledger", () =>
    logOf("ledger")
      .split("\n")
      .find((text) => text.includes(organizationId) && text.includes("is out of balance")),
  );
  expect(JSON.parse(line)).toMatchObject({ level: 50, organizationId });
});
