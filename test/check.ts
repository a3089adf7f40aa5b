/** Static checks: format, types, lint, dead code, the OpenAPI document and the source structure. Each prints a line and counts as one test. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { checkStructure } from "./structure.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (name: string) => `${root}node_modules/.bin/${name}`;

/** Linter of OpenAPI documents, executed by the same Node as this process and without telemetry. */
const redocly = fileURLToPath(import.meta.resolve("@redocly/cli/bin/cli.js"));
const environment = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

const spectral = fileURLToPath(import.meta.resolve("@stoplight/spectral-cli/dist/index.js"));

/**
 * Least score of the OpenAPI document for how well AI agents can use it. The number of operations alone costs 4.6 points, and the contract's
 * depth of responses, shared schemas and number of filters cost 9 more, whatever the document describes.
 */
const MINIMUM_API_SCORE = 81.5;

const checks: [string, string, string[]][] = [
  ["format", bin("oxfmt"), ["--check"]],
  ["types", bin("tsc"), ["-p", "."]],
  ["lint", bin("oxlint"), ["--type-aware", "--deny-warnings"]],
  ["dead code", bin("knip"), ["--no-progress"]],
  ["API by Redocly", process.execPath, [redocly, "lint", "docs/openapi.json", "--extends=recommended-strict"]],
  ["API by Spectral", process.execPath, [spectral, "lint", "docs/openapi.json", "--fail-severity=hint"]],
];

export async function check(print: (text: string) => void): Promise<{ passed: number; failed: number }> {
  let failed = 0;
  for (const [name, program, args] of checks) {
    const started = performance.now();
    const result = spawnSync(program, args, { cwd: root, encoding: "utf8", env: environment });
    const hasPassed = result.status === 0;
    if (!hasPassed) failed++;
    print(
      `${hasPassed ? "ok  " : "FAIL"} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)${hasPassed ? "" : `\n${result.stdout}${result.stderr}`}`,
    );
  }
  const violations = checkStructure(root);
  if (violations.length > 0) failed++;
  print(violations.length === 0 ? "ok   structure" : ["FAIL structure", ...violations].join("\n"));
  const score = apiScore();
  const isScoreSufficient = score >= MINIMUM_API_SCORE;
  if (!isScoreSufficient) failed++;
  print(`${isScoreSufficient ? "ok  " : "FAIL"} API score ${score} of 100, at least ${MINIMUM_API_SCORE}`);
  return { passed: checks.length + 2 - failed, failed };
}

/** Returns Redocly's score of the OpenAPI document, or NaN if it printed none. */
function apiScore(): number {
  const { stdout } = spawnSync(process.execPath, [redocly, "score", "docs/openapi.json"], { cwd: root, encoding: "utf8", env: environment });
  return Number(/Agent Readiness:\s*([\d.]+)\/100/.exec(stdout)?.[1] ?? NaN);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { failed } = await check((text) => process.stdout.write(`${text}\n`));
  process.exit(failed === 0 ? 0 : 1);
}
