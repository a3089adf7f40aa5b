/** Commands of the runbook on a running system: database URLs and the search of the logs. */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { shellQuote } from "../deploy/command.ts";
import { services } from "../deploy/system/secrets.ts";
import { findProgram } from "../deploy/system/programs.ts";
import { anOffice, type Office } from "./support/office.ts";
import { eventually } from "./support/eventually.ts";
import { running } from "./support/running.ts";
import { aPayment, aTenancy, type Tenancy } from "./support/tenancy.ts";

const { baseUrl, dataDir, adminUrl } = running();
const root = fileURLToPath(new URL("..", import.meta.url));
const runbook = readFileSync(join(root, "docs/runbook.md"), "utf8");
const environment = { ...process.env, DATA_DIR: dataDir };
let office: Office;
let tenancy: Tenancy;
beforeAll(async () => {
  office = await anOffice(baseUrl);
  tenancy = await aTenancy(office);
});

/** Returns the first block of shell commands of the runbook below a heading. */
function commandsBelow(heading: string): string {
  const block = new RegExp(`^## ${heading}\n[^]*?\`\`\`sh\n([^]+?)\`\`\``, "m").exec(runbook)?.[1];
  if (block === undefined) throw new Error(`The runbook has no commands below "${heading}".`);
  return block;
}

const databaseUrl = (args: string[], env: NodeJS.ProcessEnv = environment) =>
  promisify(execFile)(process.execPath, ["-C", "source", "deploy/database-url.ts", ...args], { cwd: root, env }).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, output: stderr }),
  );

describe("npm run database-url", () => {
  const psql = async (url: string, ...commands: string[]) =>
    promisify(execFile)(findProgram("postgresql-client", { names: ["psql"] }), [
      "-XAtq",
      "-v",
      "ON_ERROR_STOP=1",
      url,
      ...commands.flatMap((each) => ["-c", each]),
    ]);

  test("prints a URL with which psql reads the rows of all organizations, as pg_dump does, but changes none by accident", async () => {
    const { code, output } = await databaseUrl(["ledger"]);
    expect([code, output]).toEqual([0, expect.stringMatching(/^postgres:\/\/postgres:\S+@127\.0\.0\.1:\d+\/ledger\?\S+\n$/)]);
    const url = output.trim();
    const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 7_000) });
    // pg_dump turns row-level security off, which is an error for a role that it applies to.
    const { stdout } = await psql(url, "set row_security = off", "copy (select id, amount_cents from payment) to stdout (delimiter ',')");
    expect(stdout.split("\n")).toContain(`${payment.id},7000`);
    await expect(psql(url, "delete from payment")).rejects.toThrow("cannot execute DELETE in a read-only transaction");
    await psql(url, "set default_transaction_read_only = off", `update payment set tenant_id = tenant_id where id = '${payment.id}'`);
  });

  test.each([[[]], [["gateway"]]])("with %j names the services", async (args) => {
    expect(await databaseUrl(args)).toEqual({ code: 1, output: expect.stringMatching(/^Specify a service: identity, .*imports\. For example: .*\n$/) });
  });

  test("says what to do when the system is stopped, or when there is none", async () => {
    const stoppedDir = mkdtempSync(join(tmpdir(), "freehold-stopped-"));
    const urls = Object.fromEntries(services.map((name) => [name, { owner: `postgres://a:b@127.0.0.1:1/${name}` }]));
    writeFileSync(join(stoppedDir, "system.json"), JSON.stringify({ baseUrl, databaseUrls: urls, adminUrl: "postgres://a:b@127.0.0.1:1/postgres" }));
    const stopped = await databaseUrl(["ledger"], { ...environment, DATA_DIR: stoppedDir });
    expect(stopped).toEqual({ code: 1, output: expect.stringMatching(/^The database of ledger accepts no connection .*Start the system with npm start\.\n$/) });
    rmSync(stoppedDir, { recursive: true });
    const missing = await databaseUrl(["ledger"], { ...environment, DATA_DIR: stoppedDir });
    expect(missing).toEqual({ code: 1, output: expect.stringMatching(/^No system has run with .*Set DATA_DIR/) });
  });

  test("leaves the password out of the logs", () => {
    const { password } = new URL(adminUrl);
    const logs = readdirSync(join(dataDir, "logs")).map((name) => readFileSync(join(dataDir, "logs", name), "utf8"));
    expect(logs.length).toBeGreaterThan(services.length);
    expect(logs.filter((log) => log.includes(password))).toEqual([]);
  });
});

describe("the runbook's search of the logs", () => {
  test("prints the lines of one request from all processes, in the order of their times", async () => {
    const requestId = randomUUID();
    await office.attempt("recordPayment", { body: aPayment(tenancy, 7_000), headers: { "X-Request-Id": requestId } });
    const command = commandsBelow("Logs")
      .replace("<request id>", requestId)
      .replaceAll(".data/", `${shellQuote(dataDir)}/`);
    const lines = await eventually("lines of the gateway and the ledger", async () => {
      const { stdout } = await promisify(execFile)("sh", ["-c", command]).catch(() => ({ stdout: "" }));
      const found = stdout
        .split("\n")
        .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Record<"service" | "time" | "requestId" | "operation", string>]));
      return ["gateway", "ledger"].every((name) => found.some(({ service }) => service === name)) && found;
    });
    for (const line of lines) expect(line).toMatchObject({ requestId, operation: "recordPayment" });
    expect(lines.map(({ time }) => time)).toEqual(lines.map(({ time }) => time).toSorted());
  });
});

test("the runbook names everything in the data directory", () => {
  const documented = new Set([...runbook.matchAll(/`\.data\/([\w.]+)`/g)].map((match) => match[1]!));
  const entries = readdirSync(dataDir);
  expect(entries.length).toBeGreaterThan(5);
  expect(entries.filter((name) => !documented.has(name))).toEqual([]);
});
