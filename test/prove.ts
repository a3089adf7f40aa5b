/**
 * `npm run prove [-- <file> …]`: the proofs of reliability at full size, one by one in random order. Each prints its result
 * as a line of `name=value` pairs, which is written to docs/reliability.md when all of them passed. `PROOF_SEED` repeats an order.
 */
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createRandom } from "./systems/faults/random.ts";

const proofs = [
  ...globSync("test/systems/*.test.ts"),
  "services/ledger/test/invariants.test.ts",
  "services/ledger/test/trust-histories.test.ts",
  "services/portfolio/test/life-of-a-building.test.ts",
  "services/ledger/test/mixed-operations.test.ts",
  "services/ledger/src/receivables/payments/allocate-payment-race.test.ts",
  "services/ledger/src/receivables/payments/payment-batch.test.ts",
  "services/imports/src/writing/portfolio-migration.test.ts",
  "services/communications/src/webhooks/verification/signatures.test.ts",
  "services/communications/src/webhooks/forged-webhooks.test.ts",
  "services/communications/test/consent/consent-history.test.ts",
  "test/fuzz.test.ts",
];
const document = fileURLToPath(new URL("../docs/reliability.md", import.meta.url));
const seed = Number(process.env["PROOF_SEED"] ?? randomInt(2 ** 31));
const selected = process.argv.length > 2 ? process.argv.slice(2) : createRandom(seed).shuffle(proofs.toSorted());
const print = (text: string) => process.stdout.write(`${text}\n`);

interface Proof {
  file: string;
  lines: string[];
  isPassed: boolean;
}

async function prove(file: string): Promise<Proof> {
  const run = spawn(process.execPath, ["-C", "source", "test/run.ts", file], {
    env: { ...process.env, PROOF: "full" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  run.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
    process.stdout.write(chunk);
  });
  const code = await new Promise<number | null>((resolve) => run.once("close", resolve));
  return { file, lines: output.split("\n").filter((line) => /^\w+=\S+ (\w+=|of )/.test(line)), isPassed: code === 0 };
}

/** Replaces the measured lines of the proofs that ran; those of the others stay. */
function record(results: readonly Proof[]): void {
  const text = readFileSync(document, "utf8");
  const [, before, block, after] = /^([\s\S]*?<!-- proofs -->\n```\n)([\s\S]*?)(```\n<!-- \/proofs -->[\s\S]*)$/.exec(text)!;
  const sections = new Map(block!.split(/\n(?=# )/).flatMap((section) => (section.trim() ? [[/^# (\S+)/.exec(section)![1]!, section.trim()]] : [])));
  for (const { file, lines } of results) if (lines.length > 0) sections.set(file, [`# ${file}`, ...lines].join("\n"));
  const sorted = [...sections].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, section]) => section);
  writeFileSync(document, `${before}${sorted.join("\n")}\n${after}`);
}

print(`PROOF_SEED=${seed}`);
const results: Proof[] = [];
for (const file of selected) {
  print(`\n=== ${file}`);
  results.push(await prove(file));
}
const failed = results.filter(({ isPassed }) => !isPassed);
if (failed.length === 0) record(results);
for (const { file, lines, isPassed } of results) print(`${isPassed ? "proven" : "FAILED"} ${file}${lines.map((line) => `\n  ${line}`).join("")}`);
print(`${results.length - failed.length} proven, ${failed.length} failed`);
process.exit(failed.length === 0 ? 0 : 1);
