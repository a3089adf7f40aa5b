/** `npm run bench`: each benchmark beside its limit, as a ratio in one run on this machine; the table goes to docs/benchmarks.md. */
import { fileURLToPath } from "node:url";
import { writeFileSync } from "node:fs";
import { arrival } from "./arrival/benchmarks.ts";
import { fanout } from "./fanout/benchmarks.ts";
import { growth } from "./growth/benchmarks.ts";
import { isMet, type Outcome } from "./measure.ts";
import { report } from "./report.ts";
import { requests } from "./requests.ts";

const groups = { requests, fanout, arrival, growth };
const wanted = process.env["BENCH_ONLY"]?.split(",") ?? Object.keys(groups);

const say = (text: string) => process.stdout.write(`${text}\n`);
const outcomes: Outcome[] = [];
function done(outcome: Outcome): void {
  const { name, ours, theirs, ratio, target, unit } = outcome;
  const bound = "atLeast" in target ? `at least ${target.atLeast}` : `at most ${target.atMost}`;
  outcomes.push(outcome);
  say(`${isMet(outcome) ? "ok  " : "MISS"} ${ratio.toFixed(2)} (${bound})  ${ours.toFixed(1)} ${unit} against ${theirs.toFixed(1)} ${unit}  ${name}`);
}

for (const [name, measure] of Object.entries(groups)) if (wanted.includes(name)) await measure(say, done);
if (Object.keys(groups).every((name) => wanted.includes(name)))
  writeFileSync(fileURLToPath(new URL("../../docs/benchmarks.md", import.meta.url)), report(outcomes));
process.exit(0);
