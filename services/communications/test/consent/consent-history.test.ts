/**
 * No message is sent without consent, whatever happens before it and while it is queued. `SEED=… npm test --
 * services/communications/test/consent/consent-history.test.ts` repeats a run.
 */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openDatabase } from "@freehold/kit/db/database";
import { randomInt } from "node:crypto";
import { sized } from "../../../../test/support/proof.ts";
import { running } from "../../../../test/support/running.ts";
import { database as definition } from "../../src/database.ts";
import { playConsentHistory } from "./consent-history.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase(definition, running().databaseUrls.communications.service, 4);
});
afterAll(() => database.close());

/** Seed of runs of the default size, so that a failure is caused by the tested change. Runs of the full size have a random seed. */
const DEFAULT_SEED = 20_261_128;
const seed = Number(process.env["SEED"] ?? sized(DEFAULT_SEED, randomInt(2 ** 31)));
const LENGTH = sized(400, 5_000);
const kinds = [
  "email blast",
  "email conversation-message",
  "email notification",
  "sms blast",
  "sms conversation-message",
  "sms invite",
  "sms notification",
] as const;

describe("a random history of consent", () => {
  test("has no text message without consent, and no announcement after its withdrawal, in any attempt", async () => {
    const { attempts, violations } = await playConsentHistory(database, { seed, length: LENGTH, isChecked: true });
    process.stdout.write(
      `violations=${violations.length} events=${LENGTH} attempts=${[...attempts.values()].reduce((sum, count) => sum + count, 0)} kinds=${attempts.size} seed=${seed}\n`,
    );
    expect([seed, violations]).toEqual([seed, []]);
    // Otherwise the history would prove little.
    expect([...attempts.keys()]).toEqual(expect.arrayContaining([...kinds]));
  });

  test("control: has many without the check before each attempt", async () => {
    const { violations } = await playConsentHistory(database, { seed, length: sized(200, 2_000), isChecked: false });
    process.stdout.write(`controlViolations=${violations.length} seed=${seed}\n`);
    expect(violations.length).toBeGreaterThan(sized(0, 20));
  });
});
