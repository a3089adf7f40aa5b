/** Startup failures: a process prints one sentence that names the wrong setting, and exits with a code after which it is not restarted. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { migrate } from "@freehold/kit/db/database";
import pg from "pg";
import { definitions } from "../deploy/system/databases/database-definitions.ts";
import { readSecrets } from "../deploy/system/secrets.ts";
import type { SupervisedProcess } from "../deploy/system/supervise.ts";
import { startOpenNats } from "./support/events/bus.ts";
import { running } from "./support/running.ts";

const { adminUrl, dataDir, ledgerEnvironment } = running();
const root = fileURLToPath(new URL("..", import.meta.url));
const MISCONFIGURED = 78;
const DATABASE = "ledger_of_another_version";
const ledgerUrl = adminUrl.replace(/\/postgres$/, `/${DATABASE}`);

/** Runs a process until it exits and returns its exit code, which is null for a process that was killed since it did not exit within two minutes. */
async function runUntilExit(main: string, changes: Record<string, string>): Promise<{ code: number | null; stderr: string }> {
  const env = { ...ledgerEnvironment, HTTP_PORT: "0", GRPC_PORT: "0", ...changes };
  const options = { cwd: root, env, timeout: 120_000, killSignal: "SIGKILL" } as const;
  const child = spawn(process.execPath, ["-C", "source", join(root, main)], { ...options, stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, stderr };
}

const runLedger = (changes: Record<string, string>) => runUntilExit("services/ledger/src/main.ts", changes);

/** Settings that only the gateway requires. */
const gatewaySettings = Object.fromEntries([
  ["PORT", "0"],
  ...["IDENTITY", "PORTFOLIO", "LEDGER", "COMMUNICATIONS", "IMPORTS"].map((name) => [`${name}_URL`, "http://127.0.0.1:9"]),
]);
const mains = ["services/ledger/src/main.ts", "gateway/src/main.ts"];

/** Settings, wrong values, and the error message about each. */
const wrongSettings: [string, string, RegExp][] = [
  ["LEDGER_DATABASE_URL", "", /LEDGER_DATABASE_URL is not set: PostgreSQL URL of the ledger database/],
  ["NATS_URL", "nats://ledger:secret@127.0.0.1", /NATS_URL is wrong: it contains credentials; set NATS_USER and NATS_PASSWORD instead(?!.*secret)/],
  ["NATS_USER", "a user", /NATS_USER is wrong/],
  ["NATS_PASSWORD", "", /NATS_PASSWORD is not set/],
  ["HTTP_PORT", "eighty", /HTTP_PORT is wrong: .*\(port for requests from the gateway\)/],
  ["DRAIN_MS", "-1", /DRAIN_MS is wrong/],
  ["METRICS_PORT", "70000", /METRICS_PORT is wrong/],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "nowhere", /OTEL_EXPORTER_OTLP_ENDPOINT is wrong/],
  ["ASSERTION_PUBLIC_KEYS", "{", /ASSERTION_PUBLIC_KEYS is wrong/],
  ["ASSERTION_KEY", "no key", /ASSERTION_KEY is wrong/],
  ["PORTFOLIO_GRPC", "", /PORTFOLIO_GRPC is not set/],
  ["DATABASE_CONNECTIONS", "1", /DATABASE_CONNECTIONS is wrong/],
];

describe("a process with a wrong setting", () => {
  test("stops with one line that names each wrong setting and what it is for", async () => {
    const { code, stderr } = await runLedger(Object.fromEntries(wrongSettings.map(([name, value]) => [name, value])));
    expect(wrongSettings.filter(([, , sentence]) => !sentence.test(stderr))).toEqual([]);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(code).toBe(MISCONFIGURED);
  });

  test.each([
    ["/nowhere/ca.crt", /^.*NATS_CA is wrong: \/nowhere\/ca\.crt is not a readable PEM file with a certificate.*\n$/],
    ["", /^.*NATS_URL or NATS_CA is wrong: the certificate of the NATS server is not valid.*\n$/],
  ])("stops with a line about NATS_CA=%j", async (path, line) => {
    const { code, stderr } = await runLedger({ NATS_CA: path });
    expect([code, stderr]).toEqual([MISCONFIGURED, expect.stringMatching(line)]);
  });

  test("stops when the database rejects its password", async () => {
    const urlWithWrongPassword = new URL(ledgerEnvironment["LEDGER_DATABASE_URL"]!);
    urlWithWrongPassword.password = "wrong";
    const { code, stderr } = await runLedger({ LEDGER_DATABASE_URL: urlWithWrongPassword.href });
    expect([code, stderr]).toEqual([MISCONFIGURED, expect.stringMatching(/LEDGER_DATABASE_URL is wrong: password authentication failed/)]);
  });

  test.each(mains)("%s stops when NATS rejects its password, and does not print the password", async (main) => {
    const password = readSecrets(dataDir).natsPasswords.identity;
    const { code, stderr } = await runUntilExit(main, { ...gatewaySettings, NATS_PASSWORD: password });
    expect([code, stderr]).toEqual([
      MISCONFIGURED,
      expect.stringMatching(/NATS_USER or NATS_PASSWORD is wrong: the NATS server rejects the credentials of the user ledger/),
    ]);
    expect(stderr).not.toContain(password);
  });
});

describe("a service with a database of another version", () => {
  const admin = new pg.Client({ connectionString: adminUrl });
  const queryLedger = async (statement: string) => {
    const client = new pg.Client({ connectionString: ledgerUrl });
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  beforeAll(() => admin.connect());
  afterAll(() => admin.end());
  beforeEach(() => admin.query(`create database ${DATABASE}`));
  afterEach(() => admin.query(`drop database ${DATABASE} with (force)`));

  test("stops at an empty database and names the missing migrations", async () => {
    const { code, stderr } = await runLedger({ LEDGER_DATABASE_URL: ledgerUrl });
    expect([code, stderr]).toEqual([
      MISCONFIGURED,
      expect.stringMatching(/The ledger database is behind this code: 000-kit, .* not applied\. Migrate it first\./),
    ]);
  });

  test("stops at a database that is ahead, and at one without the last migration", async () => {
    await migrate(definitions.ledger, ledgerUrl, "ledger_service");
    await queryLedger("insert into migration (name, executed_at) values ('209901010000-tomorrow', now())");
    expect((await runLedger({ LEDGER_DATABASE_URL: ledgerUrl })).stderr).toMatch(
      /The ledger database is ahead of this code: it has the migrations 209901010000-tomorrow\. Deploy newer code\./,
    );
    await queryLedger("delete from migration where name = '209901010000-tomorrow'");
    await queryLedger("delete from migration where id = (select max(id) from migration)");
    expect((await runLedger({ LEDGER_DATABASE_URL: ledgerUrl })).stderr).toMatch(
      /The ledger database is behind this code: \S+ not applied\. Migrate it first\./,
    );
  });
});

describe("a NATS server without JetStream", () => {
  const dir = mkdtempSync(join(tmpdir(), "freehold-nats-"));
  let nats: { url: string; server: SupervisedProcess };
  beforeAll(async () => {
    const { options, server } = await startOpenNats(dir);
    nats = { url: options.url, server };
  });
  afterAll(async () => {
    await nats.server.stop();
    rmSync(dir, { recursive: true });
  });

  test.each(mains)("stops %s with a message about NATS_URL", async (main) => {
    const { code, stderr } = await runUntilExit(main, { ...gatewaySettings, NATS_URL: nats.url, NATS_CA: "" });
    expect([code, stderr]).toEqual([MISCONFIGURED, expect.stringMatching(/NATS_URL is wrong: the NATS server runs without JetStream\. Start it with -js\./)]);
  });
});
