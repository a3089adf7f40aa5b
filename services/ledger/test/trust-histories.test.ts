/**
 * Random histories of the money that is held for others. `SEED=… npm test -- services/ledger/test/trust-histories.test.ts` repeats a run,
 * `SEED=… HISTORY=…` one history of it. `TRUST_HISTORIES` and `TRUST_COMMANDS` set the number of histories and of their commands.
 */
import { expect, test } from "@jest/globals";
import { randomInt } from "node:crypto";
import { sized } from "../../../test/support/proof.ts";
import { seededRandom } from "./histories/command-context.ts";
import { copyBooks, findPlanted } from "./histories/planted-bugs.ts";
import { addStatistics, noStatistics, printTallies, runTrustHistory } from "./histories/trust/trust-history.ts";
import { aTrustOffice, noRecords } from "./histories/trust/trust-office.ts";
import { postOneOfEachOfTrust, trustPlantedBugs } from "./histories/trust/trust-planted-bugs.ts";
import { findTrustViolations, TRUST_TABLES } from "./histories/trust/trust.queries.ts";
import { withOwnerConnection } from "./ledger.fixtures.ts";

const HISTORY_COUNT = Number(process.env["TRUST_HISTORIES"] ?? sized(8, 300));
const COMMANDS_PER_HISTORY = Number(process.env["TRUST_COMMANDS"] ?? sized(32, 60));
const CONCURRENT_HISTORIES = 2;
/** Seed of runs of the default size, so that a failure is caused by the tested change. Runs of the full size have a random seed. */
const DEFAULT_SEED = 20_261_128;
const seed = Number(process.env["SEED"] ?? sized(DEFAULT_SEED, randomInt(2 ** 31)));

test("every bank account equals the money of its beneficiaries after every command, and each undo restores the books", async () => {
  const { integer } = seededRandom(seed);
  const seeds = Array.from({ length: HISTORY_COUNT }, () => integer(2 ** 31));
  const single = process.env["HISTORY"];
  const queue = [...seeds.entries()].filter(([index]) => single === undefined || index === Number(single));
  const statistics = noStatistics();
  const failures: string[] = [];
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [index, historySeed] = next;
      try {
        addStatistics(statistics, await runTrustHistory(historySeed, COMMANDS_PER_HISTORY));
      } catch (error) {
        failures.push(`SEED=${seed} HISTORY=${index} failed. ${(error as Error).message}`);
        process.stdout.write(`${failures.at(-1)}\n`);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_HISTORIES }, work));
  const { commands, accepted, refused, undone, refusedUndos } = statistics;
  process.stdout.write(
    `${printTallies(statistics)}trustHistories=${HISTORY_COUNT} seed=${seed} ${JSON.stringify({ accepted, refused, undone, refusedUndos })}\n`,
  );
  expect(failures).toEqual([]);
  const neverAccepted = Object.keys(commands).filter((name) => commands[name]!.accepted === 0);
  if (single === undefined) expect(neverAccepted).toEqual([]);
}, 3_600_000);

test("each of the planted bugs is found in the books of trust", async () => {
  const trust = await aTrustOffice();
  const missed = await withOwnerConnection(trust.office, async (database) => {
    await postOneOfEachOfTrust({ ...trust, database, random: seededRandom(seed), records: noRecords() });
    await copyBooks(database, [...TRUST_TABLES, "account_month", "account_day"]);
    const found: unknown[] = (await findPlanted(database, { plant: [], violates: "" }, findTrustViolations)).violations;
    for (const [name, bug] of Object.entries(trustPlantedBugs)) {
      const { changed, violations } = await findPlanted(database, bug, findTrustViolations);
      if (changed.includes(0) || !violations.some((violation) => violation.includes(bug.violates))) found.push({ name, changed, violations });
    }
    await database.query("rollback");
    return found;
  });
  expect(missed).toEqual([]);
  expect(Object.keys(trustPlantedBugs).length).toBeGreaterThanOrEqual(5);
}, 300_000);
