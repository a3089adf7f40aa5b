/**
 * `npm test`: the static checks, then every test against one running system with its own databases and ports. With file
 * names it runs only those. The last line is the count.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSystem } from "../deploy/system.ts";
import { check } from "./check.ts";
import { publish } from "./running.ts";
import { testSettings } from "./settings.ts";

const files = process.argv.slice(2);
const say = (text: string) => process.stdout.write(`${text}\n`);

async function runJest(dataDir: string, environment: Record<string, string>): Promise<{ passed: number; failed: number }> {
  const report = join(dataDir, "jest.json");
  const args = [
    "--experimental-vm-modules",
    "--disable-warning=ExperimentalWarning",
    "node_modules/jest/bin/jest.js",
    "--json",
    `--outputFile=${report}`,
    ...files,
  ];
  const jest = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"], env: { ...process.env, ...environment } });
  const code = await new Promise<number | null>((resolve) => jest.once("exit", resolve));
  const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(readFileSync(report, "utf8")) as Record<string, number>;
  // A suite that could not even be loaded has no test that failed.
  return { passed: numPassedTests!, failed: code === 0 ? 0 : Math.max(numFailedTests!, numFailedTestSuites!, 1) };
}

const checks = files.length > 0 ? { passed: 0, failed: 0 } : await check(say);
const dataDir = mkdtempSync(join(tmpdir(), "freehold-test-"));
const started = performance.now();
const system = await startSystem({ dataDir, host: "127.0.0.1", port: 0, fsync: "off", environment: testSettings, onTrouble: say });
say(`The system under test is up after ${((performance.now() - started) / 1000).toFixed(1)} s.`);
const { baseUrl, ports, databaseUrls, natsUrl } = system;
const adminUrl = system.adminUrl!;
let tests = { passed: 0, failed: 1 };
try {
  tests = await runJest(dataDir, publish({ baseUrl, dataDir, ports, databaseUrls, adminUrl, natsUrl, ledgerEnvironment: system.environmentOf("ledger") }));
} finally {
  await system.stop();
}
const passed = checks.passed + tests.passed;
const failed = checks.failed + tests.failed;
if (failed === 0) rmSync(dataDir, { recursive: true, force: true });
else say(`Logs are in ${join(dataDir, "logs")}.`);
say(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
