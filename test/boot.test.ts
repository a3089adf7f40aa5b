/** What a process says when it cannot start: one sentence that names what must be set right, and an end that no supervisor repeats. */
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
import { supervise, type Supervised } from "../deploy/system/supervise.ts";
import { running } from "./support/running.ts";

const { adminUrl, ledgerEnvironment } = running();
const root = fileURLToPath(new URL("..", import.meta.url));
const MISCONFIGURED = 78;
const DATABASE = "ledger_of_another_age";
const url = adminUrl.replace(/\/postgres$/, `/${DATABASE}`);

/** Runs a process until it ends by itself, or for as long as one that works would have taken to be ready. */
async function run(main: string, changes: Record<string, string>): Promise<{ code: number | null; said: string }> {
  const env = { ...ledgerEnvironment, HTTP_PORT: "0", GRPC_PORT: "0", ...changes };
  const child = spawn(process.execPath, ["-C", "source", join(root, main)], { cwd: root, env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const patience = setTimeout(() => child.kill("SIGKILL"), 15_000);
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  clearTimeout(patience);
  return { code, said };
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
    const { code, said } = await ledger({ [name]: value });
    expect(said).toMatch(sentence);
    expect(said.trim().split("\n")).toHaveLength(1);
    expect(code).toBe(MISCONFIGURED);
  });

  test("stops when the database refuses it", async () => {
    const refused = new URL(ledgerEnvironment["LEDGER_DATABASE_URL"]!);
    refused.password = "wrong";
    const { code, said } = await ledger({ LEDGER_DATABASE_URL: refused.href });
    expect([code, said]).toEqual([MISCONFIGURED, expect.stringMatching(/LEDGER_DATABASE_URL is wrong: password authentication failed/)]);
  });

  test("names everything that is missing at once", async () => {
    const { said } = await run("gateway/src/main.ts", { IDENTITY_URL: "", LEDGER_URL: "", RATE_LIMIT_BURST: "many" });
    expect(said).toMatch(/IDENTITY_URL is not set.*LEDGER_URL is not set.*RATE_LIMIT_BURST is wrong/);
  });
});

describe("a service whose database is not of its age", () => {
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

  test("stops at an empty one, naming what is not applied", async () => {
    const { code, said } = await ledger({ LEDGER_DATABASE_URL: url });
    expect([code, said]).toEqual([
      MISCONFIGURED,
      expect.stringMatching(/The ledger database is behind this code: 000-kit, .* not applied\. Migrate it first\./),
    ]);
  });

  test("stops at one that newer code migrated, and at one that lacks the last step", async () => {
    await migrate(definitions.ledger, url, "ledger_service");
    await inDatabase("insert into migration (name, executed_at) values ('209901010000-tomorrow', now())");
    expect((await ledger({ LEDGER_DATABASE_URL: url })).said).toMatch(
      /The ledger database is ahead of this code: it knows 209901010000-tomorrow\. Deploy newer code\./,
    );
    await inDatabase("delete from migration where id >= (select max(id) - 1 from migration)");
    expect((await ledger({ LEDGER_DATABASE_URL: url })).said).toMatch(/The ledger database is behind this code: \S+ not applied\. Migrate it first\./);
  });
});

describe("a NATS server without JetStream", () => {
  const dir = mkdtempSync(join(tmpdir(), "freehold-nats-"));
  let plain: { url: string; child: Supervised };
  beforeAll(async () => {
    const { url, children, ready } = prepareNats({ dir, ports: await freePorts(2), say: () => undefined });
    const [child] = children;
    plain = { url, child: supervise({ ...child!, args: child!.args.filter((arg) => arg !== "-js") }, join(dir, "log"), () => undefined) };
    await ready();
  });
  afterAll(async () => {
    await plain.child.stop();
    rmSync(dir, { recursive: true });
  });

  test.each(["services/ledger/src/main.ts", "gateway/src/main.ts"])("stops %s with a sentence", async (main) => {
    const { code, said } = await run(main, { ...elsewhere, NATS_URL: plain.url });
    expect([code, said]).toEqual([MISCONFIGURED, expect.stringMatching(/NATS_URL is wrong: the NATS server runs without JetStream\. Start it with -js\./)]);
  });
  const elsewhere = Object.fromEntries([
    ["PORT", "0"],
    ...["IDENTITY", "PORTFOLIO", "LEDGER", "COMMUNICATIONS", "IMPORTS"].map((name) => [`${name}_URL`, "http://127.0.0.1:9"]),
  ]);
});
