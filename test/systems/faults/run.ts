/** `npm run faults`: the long fault run, configured by FAULTS, OPERATIONS and SEED in the environment. Prints a one-line report. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { longRun, planFaults } from "./plan.ts";
import { formatReport, startSuite } from "./suite.ts";

const print = (text: string) => process.stdout.write(`${text}\n`);
const numberFrom = (name: string, fallback: number) => Number(process.env[name] ?? fallback);
const faults = numberFrom("FAULTS", 200);
const operations = numberFrom("OPERATIONS", 200_000);
const seed = numberFrom("SEED", Date.now() % 1_000_000);

const dataDir = mkdtempSync(join(tmpdir(), "freehold-faults-"));
print(`${faults} faults, at least ${operations} acknowledged operations, seed ${seed}, in ${dataDir}`);
const suite = await startSuite({ dataDir, seed, graySeconds: 10, recoveryMs: 60_000 });
let isSound = false;
try {
  suite.begin();
  let count = 0;
  await suite.runFaults(planFaults(longRun(faults), seed), Math.ceil(operations / faults), ({ name }, recoveryMs, totalMs) =>
    print(`${++count}/${faults} ${name}: healthy after ${recoveryMs} ms, ${totalMs} ms in all, ${suite.acknowledged} acknowledged`),
  );
  print("Checking …");
  const report = await suite.conclude();
  const { lost, changed, doubled, unexpected, partial, broken, surprises, trialBalance } = report;
  const wrong = Object.entries({ lost, changed, doubled, unexpected, partial, broken, surprises }).filter(([, items]) => items.length > 0);
  for (const [name, items] of wrong) print(`${name}:\n  ${items.slice(0, 20).join("\n  ")}`);
  isSound = wrong.length === 0 && trialBalance === 0;
  print(formatReport(report));
} finally {
  await suite.stop();
}
if (isSound) rmSync(dataDir, { recursive: true, force: true });
else print(`The history and the logs are in ${dataDir}.`);
process.exit(isSound ? 0 : 1);
