/**
 * `npm run fuzz`: sends valid and invalid requests, generated from the OpenAPI document, to a new system.
 * `FUZZ_REQUESTS=` sets their number (default 20 000), `FUZZ_SEED=` repeats a run. Prints the result as a line of `name=value` pairs.
 */
import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSystem } from "../../deploy/system/system.ts";
import { testSettings } from "../support/settings.ts";
import { createOrganizations } from "./organizations.ts";
import { fetchDocument } from "./document/document.ts";
import { fuzz } from "./fuzz.ts";

const ORGANIZATIONS = 10;
const print = (text: string) => process.stdout.write(`${text}\n`);
const seed = Number(process.env["FUZZ_SEED"] ?? randomInt(2 ** 31));
const requests = Number(process.env["FUZZ_REQUESTS"] ?? 20_000);

const dataDir = mkdtempSync(join(tmpdir(), "freehold-fuzz-"));
const system = await startSystem({ dataDir, host: "127.0.0.1", port: 0, fsync: "off", environment: testSettings, onWarning: print });
let hasPassed = false;
try {
  const { baseUrl } = system;
  print(`Fuzzing ${baseUrl} with FUZZ_SEED=${seed} …`);
  const [document, callers] = await Promise.all([fetchDocument(baseUrl), createOrganizations(baseUrl, ORGANIZATIONS)]);
  const started = performance.now();
  const { line, violations, neverAccepted } = await fuzz({ baseUrl, document, callers, requests, seed });
  for (const violation of violations) print(violation);
  print(`neverAccepted=${neverAccepted.join("; ") || "none"} (${((performance.now() - started) / 1000).toFixed(0)} s)`);
  print(line);
  hasPassed = violations.length === 0;
} finally {
  await system.stop();
}
if (hasPassed) rmSync(dataDir, { recursive: true, force: true });
else print(`Logs are in ${join(dataDir, "logs")}.`);
process.exit(hasPassed ? 0 : 1);
