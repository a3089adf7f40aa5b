/** Startup failures: a process prints one sentence that names the wrong setting, and exits with a code that is not restarted. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { migrate } from "@freehold/kit/db/database";
import pg from "pg";
import { definitions } from "../deploy/system/databases.ts";
import { prepareNats } from "../deploy/system/nats.ts";
import { freePorts } from "../deploy/system/ports.ts";
import { supervise, type SupervisedProcess } from "../deploy/system/supervise.ts";
import { running } from "./support/running.ts";

const { adminUrl, ledgerEnvironment } = running();
const root = fileURLToPath(new URL("..", import.meta.url));
const MISCONFIGURED = 78;
const DATABASE = "ledger_of_another_version";
const url = adminUrl.replace(/\/postgres$/, `/${DATABASE}`);

/** Runs a process until it exits, or kills it after the time that a working process needs to become ready. */
async function run(main: string, changes: Record<string, string>): Promise<{ code: number | null; stderr: string }> {
  const env = { ...ledgerEnvironment, HTTP_PORT: "0", GRPC_PORT: "0", ...changes };
  const child = spawn(process.execPath, ["-C", "source", join(root, main)], { cwd: root, env, stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const timeout = setTimeout(() => child.kill("SIGKILL"), 15_000);
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  clearTimeout(timeout);
  return { code, stderr: output };
}

const ledger = (changes: Record<string, string>) => run("services/ledger/src/main.ts", changes);

describe("a process with a wrong setting", () => {
  test.each([
    ["LEDGER_DATABASE_URL", "", /LEDGER_DATABASE_URL is not set: where the ledger service keeps its data/],
    ["HTTP_PORT", "eighty", /HTTP_PORT is wrong: .*\(port for requests from the gateway\)/],
    ["DRAIN_MS", "-1", /DRAIN_MS is wrong/],
    ["METRICS_PORT", "70000", /METRICS_PORT is wrong/],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "nowhere", /OTEL_EXPORTER_OTLP_ENDPOINT is wrong/],
    ["ASSERTION_PUBLIC_KEYS", "{", /ASSERTION_PUBLIC_KEYS is wrong/],
    ["ASSERTION_KEY", "no key", /ASSERTION_KEY is wrong/],
    ["PORTFOLIO_GRPC", "", /PORTFOLIO_GRPC is not set/],
    ["DATABASE_CONNECTIONS", "1", /DATABASE_CONNECTIONS is wrong/],
  ])("stops with a sentence about %s=%j", async (name, value, sentence) => {
    const { code, stderr } = await ledger({ [name]: value });
    expect(stderr).toMatch(sentence);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(code).toBe(MISCONFIGURED);
  });

  test("stops when the database refuses it", async () => {
    const refused = new URL(ledgerEnvironment["LEDGER_DATABASE_URL"]!);
    refused.password = "wrong";
    const { code, stderr } = await ledger({ LEDGER_DATABASE_URL: refused.href });
    expect([code, stderr]).toEqual([MISCONFIGURED, expect.stringMatching(/LEDGER_DATABASE_URL is wrong: password authentication failed/)]);
  });

  test("names all wrong settings at once", async () => {
    const { stderr } = await run("gateway/src/main.ts", { IDENTITY_URL: "", LEDGER_URL: "", RATE_LIMIT_BURST: "many" });
    expect(stderr).toMatch(/IDENTITY_URL is not set.*LEDGER_URL is not set.*RATE_LIMIT_BURST is wrong/);
  });
});

describe("a service with a database of another version", () => {
  const admin = new pg.Client({ connectionString: adminUrl });
  const inDatabase = async (statement: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  beforeAll(async () => {
    await admin.connect();
    await admin.query(`create database ${DATABASE}`);
  });
  afterAll(async () => {
    await admin.query(`drop database ${DATABASE} with (force)`);
    await admin.end();
  });

  test("stops at an empty database and names the missing migrations", async () => {
    const { code, stderr } = await ledger({ LEDGER_DATABASE_URL: url });
    expect([code, stderr]).toEqual([
      MISCONFIGURED,
      expect.stringMatching(/The ledger database is behind this code: 000-kit, .* not applied\. Migrate it first\./),
    ]);
  });

  test("stops at a database that is ahead, and at one without the last migration", async () => {
    await migrate(definitions.ledger, url, "ledger_service");
    await inDatabase("insert into migration (name, executed_at) values ('209901010000-tomorrow', now())");
    expect((await ledger({ LEDGER_DATABASE_URL: url })).stderr).toMatch(
      /The ledger database is ahead of this code: it knows 209901010000-tomorrow\. Deploy newer code\./,
    );
    await inDatabase("delete from migration where id >= (select max(id) - 1 from migration)");
    expect((await ledger({ LEDGER_DATABASE_URL: url })).stderr).toMatch(/The ledger database is behind this code: \S+ not applied\. Migrate it first\./);
  });
});

describe("a NATS server without JetStream", () => {
  const dir = mkdtempSync(join(tmpdir(), "freehold-nats-"));
  let withoutJetStream: { url: string; child: SupervisedProcess };
  beforeAll(async () => {
    const { url, children, ready } = prepareNats({ dir, ports: await freePorts(2), say: () => undefined });
    const [child] = children;
    withoutJetStream = { url, child: supervise({ ...child!, args: child!.args.filter((arg) => arg !== "-js") }, join(dir, "log"), () => undefined) };
    await ready();
  });
  afterAll(async () => {
    await withoutJetStream.child.stop();
    rmSync(dir, { recursive: true });
  });

  test.each(["services/ledger/src/main.ts", "gateway/src/main.ts"])("stops %s with a sentence", async (main) => {
    const { code, stderr } = await run(main, { ...otherSettings, NATS_URL: withoutJetStream.url });
    expect([code, stderr]).toEqual([MISCONFIGURED, expect.stringMatching(/NATS_URL is wrong: the NATS server runs without JetStream\. Start it with -js\./)]);
  });
  const otherSettings = Object.fromEntries([
    ["PORT", "0"],
    ...["IDENTITY", "PORTFOLIO", "LEDGER", "COMMUNICATIONS", "IMPORTS"].map((name) => [`${name}_URL`, "http://127.0.0.1:9"]),
  ]);
});
