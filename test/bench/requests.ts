/** Benchmarks of requests and writes against nginx, a prepared statement and pgbench. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { once } from "node:events";
import { compile, sql } from "@freehold/kit/db/statement";
import { paymentColumns, paymentTables } from "@freehold/ledger/receivables/payments/payment.view";
import { freePorts } from "../../deploy/system/ports.ts";
import { ledgerHere, sealedFor } from "./ledger-here.ts";
import { callsPerSecond, requestsPerSecond, run, SECONDS, type Benchmark, type Outcome } from "./measure.ts";
import { analyze, aPayer, ended, leaveOnlyPostgres, nginxFor, paymentsOf, pgbench, setStage, type Stage } from "./stage.ts";

async function baseline(stage: Stage, organizationId: string) {
  const [port] = (await freePorts(1)) as [number];
  const statement = (query: ReturnType<typeof sql>) => compile(query).text;
  const statements = {
    read: statement(sql`select ${paymentColumns} from ${paymentTables} where p.organization_id = ${1} and p.id = ${1}`),
    rows: statement(
      sql`select ${paymentColumns} from ${paymentTables} where p.organization_id = ${1} order by p.received_at desc, p.id desc limit ${20} offset ${0}`,
    ),
    count: statement(sql`select count(*) as total from ${paymentTables} where p.organization_id = ${1}`),
  };
  const adminUrl = stage.system.adminUrl!.replace(/\/postgres$/, "/ledger");
  const child = spawn(process.execPath, ["-C", "source", fileURLToPath(new URL("processes/baseline.ts", import.meta.url))], {
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
  return { url: `http://127.0.0.1:${port}`, end: () => ended(child) };
}

async function benchmarks(stage: Stage): Promise<{ all: Benchmark[]; end: () => Promise<void> }> {
  const payer = await aPayer(stage, 2_000);
  const next = paymentsOf(payer);
  for (let recorded = 0; recorded < 1_000; recorded++) await payer.office.call("recordPayment", { body: next() });
  const { payment } = await payer.office.call("recordPayment", { body: next() });
  const many = await Promise.all(Array.from({ length: 50 }, () => aPayer(stage, 40)));
  const nextOfMany = many.map((each) => ({ payer: each, next: paymentsOf(each) }));
  await analyze(stage);
  const nginx = await nginxFor(stage);
  const bare = await baseline(stage, payer.office.organizationId);
  const here = await ledgerHere(stage);
  const bearer = { authorization: `Bearer ${payer.office.token}` };
  const { baseUrl, ports } = stage.system;
  const path = `/api/payments/${payment.id}`;
  const read = async (origin: string, headers: Record<string, string>, what = path) => requestsPerSecond({ url: `${origin}${what}`, connections: 32, headers });
  const sealFor = sealedFor(stage);
  const sealed = () => sealFor(payer.office);
  const direct = `http://127.0.0.1:${ports.ledger}`;
  const tpcb = pgbench(stage, SECONDS);
  let turn = 0;
  const spread = () => {
    const { payer: each, next: body } = nextOfMany[turn++ % nextOfMany.length]!;
    return here.record(each.office, body());
  };
  return {
    all: [
      {
        name: "read one payment by id through the gateway, 32 connections",
        against: "nginx in front of the same service",
        target: { atLeast: 0.65 },
        unit: "/s",
        ours: () => read(baseUrl, bearer),
        theirs: async () => read(`http://127.0.0.1:${nginx.port}`, await sealed()),
      },
      {
        name: "the same, end to end",
        against: "the service called directly",
        target: { atLeast: 0.55 },
        unit: "/s",
        ours: () => read(baseUrl, bearer),
        theirs: async () => read(direct, await sealed()),
      },
      {
        name: "the same at the service",
        against: "one prepared statement by pg behind the same Express",
        target: { atLeast: 0.6 },
        unit: "/s",
        ours: async () => read(direct, await sealed()),
        theirs: () => read(bare.url, {}, `/payments/${payment.id}`),
      },
      {
        name: "list of 20 with total at the service",
        against: "rows + count by pg, prepared",
        target: { atLeast: 0.6 },
        unit: "/s",
        ours: async () => read(direct, await sealed(), "/api/payments"),
        theirs: () => read(bare.url, {}, "/payments"),
      },
      {
        name: "record a payment with one allocation through the gateway, 32 connections",
        against: "pgbench TPC-B, 8 clients",
        target: { atLeast: 0.25 },
        unit: "/s",
        ours: () => requestsPerSecond({ url: `${baseUrl}/api/payments`, connections: 32, headers: bearer, nextBody: () => JSON.stringify(next()) }),
        theirs: tpcb,
      },
      {
        name: "the same in the ledger process alone, 8 at once",
        against: "the same pgbench",
        target: { atLeast: 0.5 },
        unit: "/s",
        prepare: () => leaveOnlyPostgres(stage),
        ours: () => callsPerSecond(8, spread),
        theirs: tpcb,
      },
      {
        name: "the same, every payment of one organization into one bank account",
        against: "spread over 50 organizations",
        target: { atLeast: 0.4 },
        unit: "/s",
        ours: () => callsPerSecond(8, () => here.record(payer.office, next())),
        theirs: () => callsPerSecond(8, spread),
      },
    ],
    end: async () => {
      await Promise.all([nginx.end(), bare.end(), here.close()]);
    },
  };
}

/** The benchmarks of requests, on a stage of their own. */
export async function requests(say: (text: string) => void, done: (outcome: Outcome) => void): Promise<void> {
  const stage = await setStage(say);
  try {
    const { all, end } = await benchmarks(stage);
    for (const benchmark of all) done(await run(benchmark));
    await end();
  } finally {
    await stage.end();
  }
}
