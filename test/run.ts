/**
 * `npm test`: the static checks, then the tests that share one running system, then, one after the other, those that start
 * systems of their own and break them. Arguments select the tests whose paths contain one of them, without the static checks.
 * Prints the slowest files and, as its last line, the counts.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { startSystem, type System } from "../deploy/system/system.ts";
import { check } from "./check.ts";
import { environmentOf, type RunningSystem } from "./support/running.ts";
import { testSettings } from "./support/settings.ts";

interface Result {
  passed: number;
  failed: number;
  files: { name: string; seconds: number }[];
}

interface JestReport {
  numPassedTests: number;
  numFailedTests: number;
  numFailedTestSuites: number;
  testResults: { name: string; startTime: number; endTime: number }[];
}

/** Tests in this folder start their own systems and run alone, so that no other test takes processor time from them. */
const OWN_SYSTEMS = "test/systems/";
/** Tests that depend on the times of files. The kernel sets these, so the tests fail under a shifted clock (see `dates.ts`). */
const FILE_TIME_TESTS = ["/file-store\\.test", "/sweep-documents\\.test", "/systems/bucket\\.test"];
const ignored = ["/node_modules/", ...(process.env["CLOCK_SHIFT_SECONDS"] === undefined ? [] : FILE_TIME_TESTS)];
const MAX_SLOWEST_FILES = 20;
const MAX_LOG_LINES = 12;
const MAX_LOG_LINE_CHARACTERS = 600;
const selected = process.argv.slice(2);
const testFiles = globSync("{packages,gateway,services,test,deploy}/**/*.test.ts", { exclude: (path) => path.includes("node_modules") });
const selectedFiles = testFiles.filter((file) => selected.some((part) => file.includes(part)));
const print = (text: string) => process.stdout.write(`${text}\n`);
const secondsSince = (started: number) => (performance.now() - started) / 1000;
const dataDir = mkdtempSync(join(tmpdir(), "freehold-test-"));
let starting: Promise<System> | undefined;
let jest: ChildProcess | undefined;

async function runJest(name: string, args: readonly string[], environment: Record<string, string> = {}): Promise<Result> {
  const reportFile = join(dataDir, `${name}.json`);
  const nodeArguments = ["--conditions=source", "node_modules/jest/bin/jest.js"];
  jest = spawn(process.execPath, [...nodeArguments, "--json", `--outputFile=${reportFile}`, ...args], {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...environment },
  });
  const code = await new Promise<number | null>((resolve) => jest!.once("exit", resolve));
  const { numPassedTests, numFailedTests, numFailedTestSuites, testResults } = JSON.parse(readFileSync(reportFile, "utf8")) as JestReport;
  const files = testResults.map((file) => ({ name: relative(process.cwd(), file.name), seconds: (file.endTime - file.startTime) / 1000 }));
  // A suite that cannot be loaded counts as a failed suite, without a failed test.
  return { passed: numPassedTests, failed: code === 0 ? 0 : Math.max(numFailedTests, numFailedTestSuites, 1), files };
}

/** Returns the gRPC address of each service that other services call. */
function grpcAddressesOf(system: System): RunningSystem["grpcAddresses"] {
  const { IDENTITY_GRPC, LEDGER_GRPC, COMMUNICATIONS_GRPC } = system.environmentOf("portfolio");
  const { PORTFOLIO_GRPC } = system.environmentOf("imports");
  return { identity: IDENTITY_GRPC!, portfolio: PORTFOLIO_GRPC!, ledger: LEDGER_GRPC!, communications: COMMUNICATIONS_GRPC! };
}

const noResult: Result = { passed: 0, failed: 0, files: [] };

async function runSharedSystemTests(): Promise<Result> {
  const files = selectedFiles.filter((file) => !file.startsWith(OWN_SYSTEMS));
  if (selected.length > 0 && files.length === 0) return noResult;
  const started = performance.now();
  starting = startSystem({ dataDir, host: "127.0.0.1", port: 0, fsync: "off", environment: testSettings, onWarning: print });
  const system = await starting;
  print(`The system under test started in ${secondsSince(started).toFixed(1)} s.`);
  const { baseUrl, ports, databaseUrls, nats, adminUrl } = system;
  const running = {
    baseUrl,
    dataDir,
    ports,
    databaseUrls,
    adminUrl: adminUrl!,
    nats,
    ledgerEnvironment: system.environmentOf("ledger"),
    grpcAddresses: grpcAddressesOf(system),
    portfolioAssertionKey: system.environmentOf("portfolio")["ASSERTION_KEY"]!,
  };
  try {
    return await runJest("shared", [...files, "--testPathIgnorePatterns", ...ignored, `/${OWN_SYSTEMS}`], environmentOf(running));
  } finally {
    await system.stop();
  }
}

async function runOwnSystemTests(): Promise<Result> {
  const files = selectedFiles.filter((file) => file.startsWith(OWN_SYSTEMS));
  if (selected.length > 0 && files.length === 0) return noResult;
  return runJest("own", ["--runInBand", "--forceExit", ...(files.length > 0 ? files : [OWN_SYSTEMS]), "--testPathIgnorePatterns", ...ignored]);
}

/** Returns the last lines of each log about errors, unavailability and lock waits. */
function loggedProblems(logs: string): string {
  const isProblem = /^\{"level":[456]0| still waiting for | holding the lock|(?:STATEMENT|CONTEXT): /;
  const files = existsSync(logs) ? readdirSync(logs) : [];
  const linesOf = (file: string) =>
    readFileSync(join(logs, file), "utf8")
      .split("\n")
      .filter((line) => isProblem.test(line));
  return files
    .flatMap((file) =>
      linesOf(file)
        .slice(-MAX_LOG_LINES)
        .map((line) => `${file}: ${line.slice(0, MAX_LOG_LINE_CHARACTERS)}`),
    )
    .join("\n");
}

// On a signal, the run first stops the processes that it started, also those of a system that is still starting.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    jest?.kill("SIGTERM");
    void Promise.resolve(starting?.then((system) => system.stop()))
      .catch(() => undefined)
      .finally(() => process.exit(1));
  });
}

if (selected.length > 0 && selectedFiles.length === 0) {
  print(`No test file has ${selected.join(" or ")} in its path.`);
  process.exit(1);
}
const started = performance.now();
const results: Result[] = selected.length > 0 ? [] : [{ ...(await check(print)), files: [] }];
for (const run of [runSharedSystemTests, runOwnSystemTests]) {
  results.push(
    await run().catch((error: unknown) => {
      print(String(error));
      return { ...noResult, failed: 1 };
    }),
  );
}
const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
const [passed, failed] = [sum(results.map((result) => result.passed)), sum(results.map((result) => result.failed))];
if (failed === 0) rmSync(dataDir, { recursive: true, force: true });
else print(`Logs are in ${join(dataDir, "logs")}.\n${loggedProblems(join(dataDir, "logs"))}`);
const slowest = results.flatMap(({ files }) => files).toSorted((one, other) => other.seconds - one.seconds);
print(`Slowest of ${slowest.length} files:`);
for (const { name, seconds } of slowest.slice(0, MAX_SLOWEST_FILES)) print(`${seconds.toFixed(1).padStart(7)} s  ${name}`);
print(`${secondsSince(started).toFixed(1).padStart(7)} s  in all`);
print(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
