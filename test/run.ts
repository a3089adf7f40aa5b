/**
 * `npm test`: the static checks, then every test against one running system with its own databases and ports, then, one
 * after the other, those that run systems of their own and break them. With file names it runs only those. The last
 * line is the count.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSystem, type System } from "../deploy/system/system.ts";
import { check } from "./check.ts";
import { publish } from "./running.ts";
import { testSettings } from "./settings.ts";

interface Count {
  passed: number;
  failed: number;
}

/** Tests in here need no system from us, and nothing beside them that takes the processor from theirs. */
const OWN_SYSTEMS = "test/systems/";
const TROUBLES = 12;
const files = process.argv.slice(2);
const say = (text: string) => process.stdout.write(`${text}\n`);
const dataDir = mkdtempSync(join(tmpdir(), "freehold-test-"));
let system: System | undefined;
let jest: ChildProcess | undefined;

async function runJest(name: string, args: readonly string[], environment: Record<string, string> = {}): Promise<Count> {
  const report = join(dataDir, `${name}.json`);
  const node = ["--experimental-vm-modules", "--disable-warning=ExperimentalWarning", "node_modules/jest/bin/jest.js"];
  jest = spawn(process.execPath, [...node, "--json", `--outputFile=${report}`, ...args], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...environment },
  });
  const code = await new Promise<number | null>((resolve) => jest!.once("exit", resolve));
  const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(readFileSync(report, "utf8")) as Record<string, number>;
  // A suite that could not even be loaded has no test that failed.
  return { passed: numPassedTests!, failed: code === 0 ? 0 : Math.max(numFailedTests!, numFailedTestSuites!, 1) };
}

/** The tests that share a system of ours. */
async function runTogether(): Promise<Count> {
  const wanted = files.filter((file) => !file.includes(OWN_SYSTEMS));
  if (files.length > 0 && wanted.length === 0) return { passed: 0, failed: 0 };
  const started = performance.now();
  system = await startSystem({ dataDir, host: "127.0.0.1", port: 0, fsync: "off", environment: testSettings, onTrouble: say });
  say(`The system under test is up after ${((performance.now() - started) / 1000).toFixed(1)} s.`);
  const { baseUrl, ports, databaseUrls, natsUrl, adminUrl } = system;
  const running = { baseUrl, dataDir, ports, databaseUrls, adminUrl: adminUrl!, natsUrl, ledgerEnvironment: system.environmentOf("ledger") };
  try {
    return await runJest("together", [...wanted, "--testPathIgnorePatterns", "/node_modules/", `/${OWN_SYSTEMS}`], publish(running));
  } finally {
    await system.stop();
  }
}

/** The tests that run systems of their own. */
async function runAlone(): Promise<Count> {
  const wanted = files.filter((file) => file.includes(OWN_SYSTEMS));
  if (files.length > 0 && wanted.length === 0) return { passed: 0, failed: 0 };
  return runJest("alone", ["--runInBand", "--forceExit", ...(wanted.length > 0 ? wanted : [OWN_SYSTEMS])]);
}

/** The last lines of each log that speak of errors, of what could not be answered, and of waiting for locks. */
function troubles(logs: string): string {
  const isTrouble = /^\{"level":[456]0| still waiting for | holding the lock|(?:STATEMENT|CONTEXT): /;
  const files = existsSync(logs) ? readdirSync(logs) : [];
  const linesOf = (file: string) =>
    readFileSync(join(logs, file), "utf8")
      .split("\n")
      .filter((line) => isTrouble.test(line));
  return files
    .flatMap((file) =>
      linesOf(file)
        .slice(-TROUBLES)
        .map((line) => `${file}: ${line.slice(0, 600)}`),
    )
    .join("\n");
}

/** Nothing that was started outlives the run, whoever ends it. */
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    jest?.kill("SIGTERM");
    void (system?.stop() ?? Promise.resolve()).finally(() => process.exit(1));
  });
}

const counts: Count[] = files.length > 0 ? [] : [await check(say)];
for (const run of [runTogether, runAlone]) {
  const failed = { passed: 0, failed: 1 };
  counts.push(
    await run().catch((error: unknown) => {
      say(String(error));
      return failed;
    }),
  );
}
const passed = counts.reduce((sum, count) => sum + count.passed, 0);
const failed = counts.reduce((sum, count) => sum + count.failed, 0);
if (failed === 0) rmSync(dataDir, { recursive: true, force: true });
else say(`Logs are in ${join(dataDir, "logs")}.\n${troubles(join(dataDir, "logs"))}`);
say(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
