/**
 * Random lives of a building against a model. Each history moves tenants in and out of three units, renews, terminates, cancels and deletes
 * leases, releases occupants, invites tenants, and shares notes and documents. The API answers like the model on the days around every date
 * of the history: residents, vacancy, and what each tenant reads in the portal. The clock stays: the dates of a history lie before and
 * after today. `SEED=… npm test -- services/portfolio/test/life-of-a-building.test.ts` repeats a run; a failing history is shrunk.
 */
import { afterAll, expect, test } from "@jest/globals";
import { randomInt } from "node:crypto";
import { sized } from "../../../test/support/proof.ts";
import { openTokenMint } from "../../../test/support/tokens.ts";
import { createHistory, isNoticed, runHistory, shrinkHistory, type RecordedHistory } from "./building/building-histories.ts";
import { plantedBugs } from "./building/planted-bugs.ts";

const HISTORY_COUNT = sized(6, 200);
const STEPS_PER_HISTORY = sized(80, 200);
/** Histories that run at once. */
const WORKER_COUNT = 3;
/** Seed of runs of the default size, so that a failure is caused by the tested change. Runs of the full size have a random seed. */
const DEFAULT_SEED = 20_261_127;
const seed = Number(process.env["SEED"] ?? sized(DEFAULT_SEED, randomInt(2 ** 31)));
const recorded: RecordedHistory[] = [];

afterAll(() => {
  const changes = recorded.reduce((sum, history) => sum + history.changes.length, 0);
  const observations = recorded.reduce((sum, { recordings }) => sum + recordings.reduce((count, recording) => count + recording.observations.length, 0), 0);
  process.stdout.write(`histories=${recorded.length} steps=${HISTORY_COUNT * STEPS_PER_HISTORY} accepted=${changes} answers=${observations} seed=${seed}\n`);
});

test("a building answers like its model after every step of random histories", async () => {
  const mint = await openTokenMint();
  const failures: { index: number; message: string }[] = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index < HISTORY_COUNT && failures.length === 0; index = next++) {
      const history = createHistory(seed + index, STEPS_PER_HISTORY);
      await runHistory(mint, history).then(
        (result) => recorded.push(result),
        (error: unknown) => failures.push({ index, message: (error as Error).message }),
      );
    }
  };
  await Promise.all(Array.from({ length: WORKER_COUNT }, work));
  const [failure] = failures;
  if (!failure) return;
  const message = await shrinkHistory(mint, createHistory(seed + failure.index, STEPS_PER_HISTORY), failure.message);
  throw new Error(`History ${failure.index} of SEED=${seed} failed. The shortest failing history:\n${message}`);
}, 7_200_000);

test.each(Object.entries(plantedBugs))("a history notices %s", (_, plant) => {
  expect(recorded.some((history) => isNoticed(history, plant))).toBe(true);
});
