/** `npm run faults`: the long form. FAULTS, OPERATIONS and SEED in the environment change it; it ends with one line. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { longRun, planFaults } from "./plan.ts";
import { formatReport, startSuite } from "./suite.ts";

const say = (text: string) => process.stdout.write(`${text}\n`);
const asked = (name: string, otherwise: number) => Number(process.env[name] ?? otherwise);
const faults = asked("FAULTS", 200);
const operations = asked("OPERATIONS", 200_000);
const seed = asked("SEED", Date.now() % 1_000_000);

const dataDir = mkdtempSync(join(tmpdir(), "freehold-faults-"));
say(`${faults} faults, at least ${operations} acknowledged operations, seed ${seed}, in ${dataDir}`);
const suite = await startSuite({ dataDir, seed, graySeconds: 10, recoveryMs: 60_000 });
let isSound = false;
try {
  suite.begin();
  let count = 0;
  await suite.runFaults(planFaults(longRun(faults), seed), Math.ceil(operations / faults), ({ name }, recoveryMs, tookMs) =>
    say(`${++count}/${faults} ${name}: well after ${recoveryMs} ms, ${tookMs} ms in all, ${suite.acknowledged} acknowledged`),
  );
  say("Checking …");
  const account = await suite.conclude();
  const { lost, changed, doubled, uninvited, partial, broken, surprises, trialBalance } = account;
  const wrong = Object.entries({ lost, changed, doubled, uninvited, partial, broken, surprises }).filter(([, found]) => found.length > 0);
  for (const [what, found] of wrong) say(`${what}:\n  ${found.slice(0, 20).join("\n  ")}`);
  isSound = wrong.length === 0 && trialBalance === 0;
  say(formatReport(account));
} finally {
  await suite.stop();
}
if (isSound) rmSync(dataDir, { recursive: true, force: true });
else say(`The history and the logs are in ${dataDir}.`);
process.exit(isSound ? 0 : 1);
