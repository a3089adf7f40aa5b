/** Benchmarks of single requests and writes against nginx, a prepared statement and pgbench. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { once } from "node:events";
import { compile, sql } from "@freehold/kit/db/statement";
import { paymentColumns, paymentTables } from "@freehold/ledger/receivables/payments/payment.view";
import { freePorts } from "../../deploy/system/ports.ts";
import { createInProcessLedger, principalHeadersFor } from "./in-process-ledger.ts";
import { callsPerSecond, requestsPerSecond, runBenchmark, SECONDS, type Benchmark, type BenchmarkResult } from "./measure.ts";
import {
  analyze,
  createPayer,
  stopProcess,
  stopAllButPostgres,
  startNginx,
  paymentFactory,
  pgbench,
  requireBaselinePrograms,
  startBenchSystem,
  type BenchSystem,
} from "./bench-system.ts";

/** Day after the due date of the charges. Payments received before it are prepaid rent first, with a second journal entry that settles the charge. */
const WHEN_DUE = "2099-01-02T15:00:00.000Z";

async function startPaymentBaseline(bench: BenchSystem, organizationId: string) {
  const [port] = (await freePorts(1)) as [number];
  const textOf = (query: ReturnType<typeof sql>) => compile(query).text;
  const statements = {
    read: textOf(sql`select ${paymentColumns} from ${paymentTables} where p.organization_id = ${1} and p.id = ${1}`),
    rows: textOf(
      sql`select ${paymentColumns} from ${paymentTables} where p.organization_id = ${1} order by p.received_at desc, p.id desc limit ${20} offset ${0}`,
    ),
    count: textOf(sql`select count(*) as total from ${paymentTables} where p.organization_id = ${1}`),
  };
  const adminUrl = bench.system.adminUrl!.replace(/\/postgres$/, "/ledger");
  const child = spawn(process.execPath, ["-C", "source", fileURLToPath(new URL("processes/payment-baseline.ts", import.meta.url))], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: {
      ...process.env,
      BASELINE_PORT: String(port),
      BASELINE_DATABASE_URL: adminUrl,
      BASELINE_ORGANIZATION: organizationId,
      BASELINE_STATEMENTS: JSON.stringify(statements),
    },
  });
  await once(child, "message");
  return { url: `http://127.0.0.1:${port}`, end: () => stopProcess(child) };
}

async function benchmarks(bench: BenchSystem): Promise<{ all: Benchmark[]; end: () => Promise<void> }> {
  const payer = await createPayer(bench, 2_000);
  const nextPayment = paymentFactory(payer);
  for (let count = 0; count < 1_000; count++) await payer.office.call("recordPayment", { body: nextPayment() });
  const { payment } = await payer.office.call("recordPayment", { body: nextPayment() });
  const payers = await Promise.all(Array.from({ length: 50 }, () => createPayer(bench, 40)));
  const paymentSources = payers.map((source) => ({ office: source.office, nextPayment: paymentFactory(source) }));
  await analyze(bench);
  const nginx = await startNginx(bench);
  const baseline = await startPaymentBaseline(bench, payer.office.organizationId);
  const ledger = await createInProcessLedger(bench);
  const bearerHeaders = { authorization: `Bearer ${payer.office.token}` };
  const { baseUrl, ports } = bench.system;
  const path = `/api/payments/${payment.id}`;
  const read = async (origin: string, headers: Record<string, string>, target = path) =>
    requestsPerSecond({ url: `${origin}${target}`, connections: 32, headers });
  const headersFor = principalHeadersFor(bench);
  const serviceHeaders = () => headersFor(payer.office);
  const ledgerUrl = `http://127.0.0.1:${ports.ledger}`;
  const tpcb = pgbench(bench, SECONDS);
  let sourceIndex = 0;
  const recordAcrossOrganizations = (overrides: object = {}) => {
    const source = paymentSources[sourceIndex++ % paymentSources.length]!;
    return ledger.record(source.office, { ...source.nextPayment(), ...overrides });
  };
  return {
    all: [
      {
        name: "read one payment by id through the gateway, 32 connections",
        against: "nginx in front of the same service",
        target: { atLeast: 0.65 },
        unit: "/s",
        ours: () => read(baseUrl, bearerHeaders),
        theirs: async () => read(`http://127.0.0.1:${nginx.port}`, await serviceHeaders()),
      },
      {
        name: "read one payment by id, end to end",
        against: "the service called directly",
        target: { atLeast: 0.55 },
        unit: "/s",
        ours: () => read(baseUrl, bearerHeaders),
        theirs: async () => read(ledgerUrl, await serviceHeaders()),
      },
      {
        name: "read one payment by id at the service",
        against: "one prepared statement by pg behind the same Express",
        target: { atLeast: 0.6 },
        unit: "/s",
        ours: async () => read(ledgerUrl, await serviceHeaders()),
        theirs: () => read(baseline.url, {}, `/payments/${payment.id}`),
      },
      {
        name: "list of 20 with total at the service",
        against: "rows + count by pg, prepared",
        target: { atLeast: 0.6 },
        unit: "/s",
        ours: async () => read(ledgerUrl, await serviceHeaders(), "/api/payments"),
        theirs: () => read(baseline.url, {}, "/payments"),
      },
      {
        name: "record a payment with one allocation through the gateway, 32 connections",
        against: "pgbench TPC-B, 8 clients",
        target: { atLeast: 0.25 },
        unit: "/s",
        ours: () =>
          requestsPerSecond({ url: `${baseUrl}/api/payments`, connections: 32, headers: bearerHeaders, nextBody: () => JSON.stringify(nextPayment()) }),
        theirs: tpcb,
      },
      {
        name: "record a payment in the ledger process alone, 8 at once",
        against: "pgbench TPC-B, 8 clients",
        target: { atLeast: 0.5 },
        unit: "/s",
        prepare: () => stopAllButPostgres(bench),
        ours: () => callsPerSecond(8, () => recordAcrossOrganizations()),
        theirs: tpcb,
      },
      {
        name: "record a payment in the ledger process alone, 32 at once",
        against: "pgbench TPC-B, 8 clients",
        target: { atLeast: 0.75 },
        unit: "/s",
        ours: () => callsPerSecond(32, () => recordAcrossOrganizations()),
        theirs: tpcb,
      },
      {
        name: "record a payment received when the charge is due, in the ledger process alone, 32 at once",
        against: "pgbench TPC-B, 8 clients",
        target: "none",
        unit: "/s",
        ours: () => callsPerSecond(32, () => recordAcrossOrganizations({ receivedAt: WHEN_DUE })),
        theirs: tpcb,
      },
      {
        name: "record payments of one organization into one bank account, in the ledger process alone, 8 at once",
        against: "payments of 50 organizations",
        target: { atLeast: 0.4 },
        unit: "/s",
        ours: () => callsPerSecond(8, () => ledger.record(payer.office, nextPayment())),
        theirs: () => callsPerSecond(8, () => recordAcrossOrganizations()),
      },
    ],
    end: async () => {
      await Promise.all([nginx.end(), baseline.end(), ledger.close()]);
    },
  };
}

/** Runs the request benchmarks on their own system. */
export async function requests(log: (text: string) => void, onResult: (result: BenchmarkResult) => void): Promise<void> {
  requireBaselinePrograms();
  const bench = await startBenchSystem(log);
  try {
    const { all, end } = await benchmarks(bench);
    try {
      for (const benchmark of all) onResult(await runBenchmark(benchmark));
    } finally {
      await end();
    }
  } finally {
    await bench.end();
  }
}
