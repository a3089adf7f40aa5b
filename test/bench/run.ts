/** `npm run bench`: runs the benchmark groups, logs each ratio with its target and updates docs/benchmarks.md. */
import { fileURLToPath } from "node:url";
import { readFileSync, writeFileSync } from "node:fs";
import { arrival } from "./arrival/benchmarks.ts";
import { blasts } from "./blasts/benchmarks.ts";
import { documents } from "./documents/benchmarks.ts";
import { fanout } from "./fanout/benchmarks.ts";
import { growth } from "./growth/benchmarks.ts";
import { imports } from "./imports/benchmarks.ts";
import { lists } from "./lists/benchmarks.ts";
import { formatTarget, meetsTarget, type BenchmarkResult } from "./measure.ts";
import { memory } from "./memory-at-rest.ts";
import { renderReport, type Group } from "./report.ts";
import { postings } from "./postings/benchmarks.ts";
import { requests } from "./requests.ts";
import { trust } from "./trust/benchmarks.ts";

const groups = { requests, postings, trust, lists, documents, imports, blasts, fanout, arrival, growth, memory };
const selectedGroups = process.env["BENCH_ONLY"]?.split(",") ?? Object.keys(groups);

const log = (text: string) => process.stdout.write(`${text}\n`);
const results: BenchmarkResult[] = [];
function onResult(result: BenchmarkResult): void {
  const { name, ours, theirs, ratio, unit } = result;
  results.push(result);
  log(
    `${meetsTarget(result) ? "ok  " : "MISS"} ${ratio.toFixed(2)} (${formatTarget(result)})  ${ours.toFixed(1)} ${unit} against ${theirs.toFixed(1)} ${unit}  ${name}`,
  );
}

const document = fileURLToPath(new URL("../../docs/benchmarks.md", import.meta.url));
for (const [name, measure] of Object.entries(groups)) {
  if (!selectedGroups.includes(name)) continue;
  try {
    await measure(log, onResult);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
  writeFileSync(document, renderReport(name as Group, results.splice(0), readFileSync(document, "utf8")));
}
process.exit(0);
