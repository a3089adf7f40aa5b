/** `npm run bench`: each benchmark beside its limit, as a ratio in one run on this machine; the table goes to docs/benchmarks.md. */
import { spawn } from "node:child_process";
import { cpus, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { writeFileSync } from "node:fs";
import { once } from "node:events";
import { OrgDb } from "@freehold/kit/db";
import { openDatabase } from "@freehold/kit/database";
import { seals, type Scope } from "@freehold/kit/scope";
import { compile, sql } from "@freehold/kit/statement";
import { clients } from "@freehold/ledger/clients";
import { database } from "@freehold/ledger/database";
import { paymentColumns, paymentTables } from "@freehold/ledger/payments/payment.view";
import { recordPayment } from "@freehold/ledger/payments/record-payment";
import { freePorts } from "../../deploy/ports.ts";
import { callsPerSecond, requestsPerSecond, run, SECONDS, type Benchmark, type Outcome } from "./measure.ts";
import { analyze, aPayer, ended, leaveOnlyPostgres, nginxFor, paymentsOf, pgbench, setStage, type Payer, type Stage } from "./stage.ts";

const say = (text: string) => process.stdout.write(`${text}\n`);
const only = process.argv[2];

/** The ledger's own code in this process, over the database of the stage. */
async function ledgerHere(stage: Stage) {
  const environment = stage.system.environmentOf("ledger");
  const opened = await openDatabase(database, environment["LEDGER_DATABASE_URL"]!, 8);
  const keys = seals("ledger", environment["ASSERTION_KEY"]!, JSON.parse(environment["ASSERTION_PUBLIC_KEYS"]!) as Record<string, string>);
  const asked = clients({ identity: environment["IDENTITY_GRPC"]!, portfolio: environment["PORTFOLIO_GRPC"]! }, keys);
  return {
    record: ({ office }: Payer, body: ReturnType<ReturnType<typeof paymentsOf>>) => recordPayment(new OrgDb(opened, scopeOf(office)), asked, body as never),
    close: () => opened.close(),
  };
}

const scopeOf = ({ organizationId, userId }: Payer["office"]): Scope => ({
  organizationId,
  userId,
  role: "admin",
  subjectId: null,
  timezone: "America/New_York",
});

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
  const child = spawn(process.execPath, ["-C", "source", fileURLToPath(new URL("baseline.ts", import.meta.url))], {
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
  const gatewayEnvironment = stage.system.environmentOf("gateway");
  const gatewaySeals = seals("gateway", gatewayEnvironment["ASSERTION_KEY"]!, {});
  const bearer = { authorization: `Bearer ${payer.office.token}` };
  const { baseUrl, ports } = stage.system;
  const path = `/api/payments/${payment.id}`;
  const read = async (origin: string, headers: Record<string, string>, what = path) => requestsPerSecond({ url: `${origin}${what}`, connections: 32, headers });
  const sealed = async () => ({ "x-freehold-scope": await gatewaySeals.seal(scopeOf(payer.office)) });
  const direct = `http://127.0.0.1:${ports.ledger}`;
  const tpcb = pgbench(stage, SECONDS);
  let turn = 0;
  const spread = () => {
    const { payer: each, next: body } = nextOfMany[turn++ % nextOfMany.length]!;
    return here.record(each, body());
  };
  return {
    all: [
      {
        name: "read one payment by id through the gateway, 32 connections",
        against: "nginx in front of the same service",
        atLeast: 0.65,
        ours: () => read(baseUrl, bearer),
        theirs: async () => read(`http://127.0.0.1:${nginx.port}`, await sealed()),
      },
      {
        name: "the same, end to end",
        against: "the service called directly",
        atLeast: 0.55,
        ours: () => read(baseUrl, bearer),
        theirs: async () => read(direct, await sealed()),
      },
      {
        name: "the same at the service",
        against: "one prepared statement by pg behind the same Express",
        atLeast: 0.6,
        ours: async () => read(direct, await sealed()),
        theirs: () => read(bare.url, {}, `/payments/${payment.id}`),
      },
      {
        name: "list of 20 with total at the service",
        against: "rows + count by pg, prepared",
        atLeast: 0.6,
        ours: async () => read(direct, await sealed(), "/api/payments"),
        theirs: () => read(bare.url, {}, "/payments"),
      },
      {
        name: "record a payment with one allocation through the gateway, 32 connections",
        against: "pgbench TPC-B, 8 clients",
        atLeast: 0.25,
        ours: () => requestsPerSecond({ url: `${baseUrl}/api/payments`, connections: 32, headers: bearer, nextBody: () => JSON.stringify(next()) }),
        theirs: tpcb,
      },
      {
        name: "the same in the ledger process alone, 8 at once",
        against: "the same pgbench",
        atLeast: 0.5,
        prepare: () => leaveOnlyPostgres(stage),
        ours: () => callsPerSecond(8, spread),
        theirs: tpcb,
      },
      {
        name: "the same, every payment of one organization into one bank account",
        against: "spread over 50 organizations",
        atLeast: 0.4,
        ours: () => callsPerSecond(8, () => here.record(payer, next())),
        theirs: () => callsPerSecond(8, spread),
      },
    ],
    end: async () => {
      await Promise.all([nginx.end(), bare.end(), here.close()]);
    },
  };
}

function report(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(
    ({ name, against, ours, theirs, ratio, atLeast }) =>
      `| ${name} | ${against} | ${ours.toFixed(0)}/s | ${theirs.toFixed(0)}/s | **${ratio.toFixed(2)}** | ${atLeast.toFixed(2)} |`,
  );
  return `# Benchmarks

Printed by \`npm run bench\`. Each row compares two rates of one run on one machine, measured in turn for ${SECONDS} s, three times each; the ratio is the median of the three. PostgreSQL runs with \`fsync\` on, limits are off, everything shares the machine: ${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}. The ratios mean something; the rates only here.

| Benchmark | Against (same run) | Ours | Theirs | Ratio | At least |
|---|---|---|---|---|---|
${rows.join("\n")}

## What bounds the recording of payments

Both cores are busy. A payment costs the ledger process about 0.3 ms, nearly half of it in the two \`writev\` calls that reach PostgreSQL, and PostgreSQL about 1.1 ms: one statement adds 20 index entries over five tables, checks seven composite foreign keys, and runs the trigger that balances the entry and keeps the balances. Without the foreign keys of the journal and the trigger the same code was 1.4 times as fast; they stay, since they are the promise. TPC-B updates three rows in place and inserts one without an index. Through the gateway the same cores also carry the gateway, the relay, NATS and four services that read each event.
`;
}

const stage = await setStage(say);
try {
  const { all, end } = await benchmarks(stage);
  const outcomes: Outcome[] = [];
  for (const benchmark of all.filter(({ name }) => !only || name.includes(only))) {
    await benchmark.prepare?.();
    const outcome = await run(benchmark);
    outcomes.push(outcome);
    say(
      `${outcome.ratio >= outcome.atLeast ? "ok  " : "LOW "} ${outcome.ratio.toFixed(2)} (at least ${outcome.atLeast})  ${outcome.ours.toFixed(0)}/s against ${outcome.theirs.toFixed(0)}/s  ${outcome.name}`,
    );
  }
  await end();
  if (!only) writeFileSync(fileURLToPath(new URL("../../docs/benchmarks.md", import.meta.url)), report(outcomes));
} finally {
  await stage.end();
}
process.exit(0);
