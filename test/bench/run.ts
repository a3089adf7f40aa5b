/** `npm run bench`: each benchmark beside its limit, as a ratio in one run on this machine; each group's table goes to docs/benchmarks.md. */
import { fileURLToPath } from "node:url";
import { readFileSync, writeFileSync } from "node:fs";
import { arrival } from "./arrival/benchmarks.ts";
import { documents } from "./documents/benchmarks.ts";
import { fanout } from "./fanout/benchmarks.ts";
import { growth } from "./growth/benchmarks.ts";
import { imports } from "./imports/benchmarks.ts";
import { lists } from "./lists/benchmarks.ts";
import { boundOf, isMet, type Outcome } from "./measure.ts";
import { report, type Group } from "./report.ts";
import { requests } from "./requests.ts";

const groups = { requests, lists, documents, imports, fanout, arrival, growth };
const wanted = process.env["BENCH_ONLY"]?.split(",") ?? Object.keys(groups);

const say = (text: string) => process.stdout.write(`${text}\n`);
const outcomes: Outcome[] = [];
function done(outcome: Outcome): void {
  const { name, ours, theirs, ratio, unit } = outcome;
  outcomes.push(outcome);
  say(
    `${isMet(outcome) ? "ok  " : "MISS"} ${ratio.toFixed(2)} (${boundOf(outcome)})  ${ours.toFixed(1)} ${unit} against ${theirs.toFixed(1)} ${unit}  ${name}`,
  );
}

const document = fileURLToPath(new URL("../../docs/benchmarks.md", import.meta.url));
for (const [name, measure] of Object.entries(groups)) {
  if (!wanted.includes(name)) continue;
  await measure(say, done);
  writeFileSync(document, report(name as Group, outcomes.splice(0), readFileSync(document, "utf8")));
}
process.exit(0);
