/**
 * Random histories against the books kept with pencil and paper. Whatever is asked in whatever order, allowed or not, the
 * ledger answers as the model expects and its accounts agree. `SEED=… npm test services/ledger/test/invariants.test.ts`
 * repeats all of them; a history that fails is shrunk to the commands that matter.
 */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import { randomInt } from "node:crypto";
import pg from "pg";
import { anOffice } from "../../../test/office.ts";
import { sized } from "../../../test/proof.ts";
import { running } from "../../../test/running.ts";
import { aCharge, aPayment, aTenancy, closing, type Tenancy } from "../../../test/tenancy.ts";
import { brokenInvariants } from "./audit.model.ts";
import { namesOf, play, scripts, type Script, type World } from "./commands.model.ts";
import { openCents, sumOf, type Books } from "./invariants.model.ts";
import { anEntry, chartBy, writeEntry } from "../src/journal/journal.fixtures.ts";

const HISTORIES = sized(40, 300);
const COMMANDS = 60;
/** Some commands find nothing to be about, so a script has more than are played. */
const DRAWN = 90;
const WORLDS = sized(8, 12);
const ENTRIES = sized(200, 5_000);
/** How long a failing history is made smaller. */
const SHRINKING_MS = 60_000;
const seed = Number(process.env["SEED"] ?? randomInt(2 ** 31));

const worlds: World[] = [];
const told = { commands: 0, accepted: 0, refused: 0, reversed: 0, refusedToReverse: 0, violations: 0 };

/** An organization's things that its neighbour will ask for. */
async function aWorld(): Promise<World> {
  const office = await anOffice();
  const database = new pg.Client({ connectionString: running().databaseUrls.ledger.owner });
  const [tenancy, chart] = await Promise.all([aTenancy(office), chartBy(office), database.connect()]);
  await database.query("select set_config('app.organization_id', $1, false)", [office.organizationId]);
  const chargeId = await aCharge(office, tenancy.leaseId, 100);
  const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 50) });
  const { id: entryId } = await writeEntry(office, chart, [
    ["5010", 1],
    ["1000", -1],
  ]);
  return { office, chart, database, told: [], stranger: { tenancy, chargeId, paymentId: payment.id, entryId, accountId: chart["1000"]! } };
}

beforeAll(async () => {
  const made = await Promise.all(Array.from({ length: WORLDS }, aWorld));
  // Each sees the next one's things as a stranger's.
  worlds.push(...made.map((world, at) => ({ ...world, stranger: made[(at + 1) % WORLDS]!.stranger })));
});

afterAll(async () => {
  await Promise.all(worlds.map(({ database }) => database.end()));
  const { commands, accepted, refused, reversed, refusedToReverse, violations } = told;
  process.stdout.write(
    `sequences=${HISTORIES} commands=${commands} accepted=${accepted} refused=${refused} reversedTwice=${reversed}/${refusedToReverse} violations=${violations} seed=${seed}\n`,
  );
});

/** The charges and payments of a lease stand as in the books, and so does everything in the organization. */
async function agrees({ office, database, told: all }: World, { leaseId }: Tenancy, books: Books): Promise<void> {
  const query = { leaseId, pageSize: 100 };
  const [{ charges }, { payments }, accounts, { total }, broken] = await Promise.all([
    office.call("listCharges", { query }),
    office.call("listPayments", { query }),
    closing(office),
    office.call("listJournalEntries", { query: { page: 1, pageSize: 1 } }),
    brokenInvariants(database),
  ]);
  expect(broken).toEqual([]);
  expect(Object.fromEntries(charges.map(({ id, balanceCents, status }) => [id, [balanceCents, status === "voided"]]))).toEqual(
    Object.fromEntries([...books.charges.values()].map((each) => [each.id, [openCents(each), each.isVoided]])),
  );
  expect(Object.fromEntries(payments.map(({ id, unallocatedCents, status }) => [id, [unallocatedCents, status === "reversed"]]))).toEqual(
    Object.fromEntries([...books.payments.values()].map(({ id, restCents, isReversed }) => [id, [restCents, isReversed]])),
  );
  expect(accounts).toMatchObject(
    sumOf(
      all.map((each) => each.accounts()),
      ownAccounts,
    ),
  );
  expect(total).toBe(all.reduce((sum, each) => sum + each.written, OWN_ENTRIES));
}
/** What each world wrote for its neighbour to ask for: a charge of 100, a payment of 50, a cent of utilities. */
const ownAccounts = { "1050": 50, "1100": 100, "2150": -50, "5010": 1 };
const OWN_ENTRIES = 3;

async function tell(world: World, script: Script) {
  const tenancy = await aTenancy(world.office);
  const played = await play(world, tenancy, script, COMMANDS);
  await agrees(world, tenancy, played.books);
  return played;
}

/** The fewest commands that still fail in a world where nothing failed before: parts are left out, first large, then small. */
async function shrunk(script: Script): Promise<string> {
  let world: World | undefined;
  let why: Error | undefined;
  const fails = async (candidate: Script): Promise<boolean> => {
    world ??= { ...(await aWorld()), stranger: worlds[0]!.stranger };
    try {
      await tell(world, candidate);
      return false;
    } catch (error) {
      why = error as Error;
      await world.database.end();
      world = undefined;
      return true;
    }
  };
  const until = Date.now() + SHRINKING_MS;
  let least = script;
  let does = await fails(script);
  for (let part = Math.ceil(script.length / 2); does && Date.now() < until; part = Math.ceil(part / 2)) {
    for (let from = least.length - 1; from >= 0 && Date.now() < until; from -= part) {
      const candidate = least.filter((_, at) => at <= from - part || at > from);
      if (await fails(candidate)) least = candidate;
    }
    does = part > 1;
  }
  await world?.database.end();
  return why === undefined ? "It did not fail again alone." : `The least that fails is ${namesOf(least)}: ${why.message}`;
}

/** Works through all of them, so many at a time. */
async function together<T>(lanes: number, all: readonly T[], work: (one: T, lane: number, at: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (let at = next++; at < all.length; at = next++) await work(all[at]!, lane, at);
    }),
  );
}

test("the books agree with pencil and paper after any history", async () => {
  const failures: { at: number; script: Script; error: unknown }[] = [];
  await together(WORLDS, fc.sample(scripts(DRAWN), { seed, numRuns: HISTORIES }), async (script, lane, at) => {
    try {
      const { accepted, refused } = await tell(worlds[lane]!, script);
      told.accepted += accepted;
      told.refused += refused;
      told.commands += accepted + refused;
    } catch (error) {
      failures.push({ at, script, error });
      told.violations++;
      // What the books say of this world holds no longer.
      const { database, stranger } = worlds[lane]!;
      await database.end();
      worlds[lane] = { ...(await aWorld()), stranger };
    }
  });
  const [first] = failures;
  if (first) throw new Error(`History ${first.at} of SEED=${seed} failed. ${await shrunk(first.script)}`, { cause: first.error });
  expect(told.commands).toBe(HISTORIES * COMMANDS);
  expect(Math.min(told.accepted, told.refused)).toBeGreaterThan(told.commands / 10);
}, 400_000);

test("an entry that is reversed twice at once is reversed once", async () => {
  const office = await anOffice();
  const chart = await chartBy(office);
  const lines: [string, number][] = [
    ["5010", 1],
    ["1000", -1],
  ];
  const ids: string[] = [];
  await together(
    16,
    Array.from({ length: ENTRIES }),
    async () => void ids.push((await office.call("createJournalEntry", { body: anEntry(chart, lines) })).journalEntry.id),
  );
  await together(8, ids, async (id) => {
    const answers = await Promise.all([1, 2].map(() => office.attempt("reverseJournalEntry", { params: { id }, body: {} })));
    told.reversed += answers.filter(({ status }) => status === 200).length;
    told.refusedToReverse += answers.filter(({ status, body }) => status === 409 && body.code === "already_reversed").length;
  });
  expect([told.reversed, told.refusedToReverse]).toEqual([ENTRIES, ENTRIES]);
  expect((await office.call("listJournalEntries", { query: { page: 1, pageSize: 1 } })).total).toBe(2 * ENTRIES);
  expect(await closing(office)).toMatchObject({ "5010": 0, "1000": 0 });
}, 400_000);
