/**
 * Random histories against an in-memory model. Each history is a random sequence of valid and invalid commands; afterwards
 * the API agrees with the model, and the database satisfies the invariants. `SEED=… npm test -- services/ledger/test/invariants.test.ts`
 * repeats a run. A failing history is shrunk to the commands that cause the failure. Leases with recurring rent have histories of
 * their own, without a model (`lease-histories.ts`).
 */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import { randomInt } from "node:crypto";
import pg from "pg";
import { waitForIdleJobs } from "../../../test/support/jobs.ts";
import { anOffice } from "../../../test/support/office.ts";
import { sized } from "../../../test/support/proof.ts";
import { running } from "../../../test/support/running.ts";
import { aCharge, aPayment, aTenancy, closingBalances } from "../../../test/support/tenancy.ts";
import { aHousehold, seededRandom, type Environment, type Household } from "./histories/command-context.ts";
import { arbitraryHistory, describeHistory, runHistory, type CommandHistory } from "./histories/commands.model.ts";
import { countEntries, findSettlements, findViolations } from "./invariants.queries.ts";
import { runLeaseHistory } from "./histories/lease-histories.ts";
import { copyBooks, findPlanted, plantedBugs, postOneOfEach } from "./histories/planted-bugs.ts";
import { openCents, refundedCents, statusOf, sumBalances, type LedgerModel } from "./histories/ledger.model.ts";
import { expectSameReports } from "./histories/version-commands.ts";
import { withOwnerConnection } from "./ledger.fixtures.ts";
import { accountIdsByCode, createEntry, entryBody } from "../src/journal/journal.fixtures.ts";

const HISTORY_COUNT = sized(40, 300);
const COMMANDS_PER_HISTORY = 60;
/** More than are run, because some commands do not apply. */
const GENERATED_COMMANDS_PER_HISTORY = 120;
/** Histories in whose books bugs are planted. */
const PLANTED_HISTORY_COUNT = 2;
const LEASE_HISTORY_COUNT = sized(12, 60);
const COMMANDS_PER_LEASE_HISTORY = 30;
const ENVIRONMENT_COUNT = sized(8, 12);
const REVERSED_ENTRY_COUNT = sized(200, 5_000);
const MAX_SHRINKING_MS = 60_000;
/** Seed of runs of the default size, so that a failure is caused by the tested change. Runs of the full size have a random seed. */
const DEFAULT_SEED = 20_261_123;
const seed = Number(process.env["SEED"] ?? sized(DEFAULT_SEED, randomInt(2 ** 31)));

const environments: Environment[] = [];
const statistics = { commands: 0, accepted: 0, refused: 0, leaseCommands: 0, reversed: 0, refusedReversals: 0, violations: 0 };

/**
 * Balances, in the accounts of the model, of the entries that `createEnvironment` posts: a charge of 100 cents, a payment of 50
 * cents and one cent of utilities.
 */
const INITIAL_BALANCES_CENTS = { "1000": -1, "1050": 50, "1100": 100, "2150": -50, "5010": 1 };
/** Number of the entries that `createEnvironment` posts. */
const INITIAL_ENTRY_COUNT = 3;

/**
 * Signs up an organization with one record of each kind. `foreign` initially holds these records; `beforeAll` replaces it by the
 * records of another environment's organization.
 */
async function createEnvironment(): Promise<Environment> {
  const office = await anOffice();
  const database = new pg.Client({ connectionString: running().databaseUrls.ledger.owner });
  const [tenancy, accountIds] = await Promise.all([aTenancy(office), accountIdsByCode(office), database.connect()]);
  await database.query("select set_config('app.organization_id', $1, false)", [office.organizationId]);
  const chargeId = await aCharge(office, tenancy.leaseId, 100);
  const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 50) });
  const { id: entryId } = await createEntry(office, accountIds, [
    ["5010", 1],
    ["1000", -1],
  ]);
  const foreign = { tenancy, chargeId, paymentId: payment.id, entryId, accountId: accountIds["1000"]! };
  return { office, accountIds, database, models: [], closedMonths: [], versionedReports: [], foreign };
}

beforeAll(async () => {
  const created = await Promise.all(Array.from({ length: ENVIRONMENT_COUNT }, createEnvironment));
  environments.push(...created.map((environment, index) => ({ ...environment, foreign: created[(index + 1) % ENVIRONMENT_COUNT]!.foreign })));
});

afterAll(async () => {
  await Promise.all(environments.map(({ database }) => database.end()));
  const { commands, accepted, refused, leaseCommands, reversed, refusedReversals, violations } = statistics;
  process.stdout.write(
    `histories=${HISTORY_COUNT} commands=${commands} accepted=${accepted} refused=${refused} leaseHistories=${LEASE_HISTORY_COUNT} acceptedOnLeases=${leaseCommands} reversals=${reversed} refusedReversals=${refusedReversals} violations=${violations} seed=${seed}\n`,
  );
});

/**
 * Expects the database to satisfy the invariants, the household's charges, payments and settlements to equal its model, and the
 * organization's balances and number of entries the sum of all models.
 */
async function expectAgreement({ office, database, models }: Environment, household: Household, model: LedgerModel): Promise<void> {
  const leaseIds = [household.leaseId, household.otherLeaseId];
  const charges = (await Promise.all(leaseIds.map((leaseId) => office.call("listCharges", { query: { leaseId, pageSize: 100 } })))).flatMap(
    (page) => page.charges,
  );
  const tenantIds = [household.tenantId, household.coTenantId];
  const payments = (await Promise.all(tenantIds.map((tenantId) => office.call("listPayments", { query: { tenantId, pageSize: 100 } })))).flatMap(
    (page) => page.payments,
  );
  const balances = await closingBalances(office);
  const violations = await findViolations(database);
  const settlements = await findSettlements(database, leaseIds);
  const entryCount = await countEntries(database);
  expect(violations).toEqual([]);
  expect(settlements).toEqual(model.settlements());
  expect(Object.fromEntries(charges.map(({ id, balanceCents, status }) => [id, [balanceCents, status === "voided"]]))).toEqual(
    Object.fromEntries([...model.charges.values()].map((charge) => [charge.id, [openCents(charge), charge.isVoided]])),
  );
  expect(Object.fromEntries(payments.map(({ id, unallocatedCents, refundedCents, status }) => [id, [unallocatedCents, refundedCents, status]]))).toEqual(
    Object.fromEntries([...model.payments.values()].map((payment) => [payment.id, [payment.unallocatedCents, refundedCents(payment), statusOf(payment)]])),
  );
  expect(balances).toMatchObject(sumBalances([INITIAL_BALANCES_CENTS, ...models.map((each) => each.balances())]));
  expect(entryCount).toBe(models.reduce((sum, each) => sum + each.entryCount, INITIAL_ENTRY_COUNT));
}

/** Runs a history on a new household and compares the outcome with the model. */
async function checkHistory(environment: Environment, history: CommandHistory) {
  const tenancy = await aHousehold(environment.office);
  const result = await runHistory(environment, tenancy, history, COMMANDS_PER_HISTORY);
  await expectAgreement(environment, tenancy, result.model);
  await expectSameReports(environment);
  return result;
}

/**
 * Shrinks a failing history: tries to remove ever smaller parts and keeps each removal after which the history still fails.
 * Returns a description of the smallest failing history, or states that the failure could not be repeated.
 */
async function shrink(history: CommandHistory): Promise<string> {
  let environment: Environment | undefined;
  let lastError: Error | undefined;
  const fails = async (candidate: CommandHistory): Promise<boolean> => {
    environment ??= { ...(await createEnvironment()), foreign: environments[0]!.foreign };
    try {
      await checkHistory(environment, candidate);
      return false;
    } catch (error) {
      lastError = error as Error;
      await environment.database.end();
      environment = undefined;
      return true;
    }
  };
  const deadline = Date.now() + MAX_SHRINKING_MS;
  let smallest = history;
  let canShrink = await fails(history);
  for (let partLength = Math.ceil(history.length / 2); canShrink && Date.now() < deadline; partLength = Math.ceil(partLength / 2)) {
    for (let end = smallest.length - 1; end >= 0 && Date.now() < deadline; end -= partLength) {
      const candidate = smallest.filter((_, index) => index <= end - partLength || index > end);
      if (await fails(candidate)) smallest = candidate;
    }
    canShrink = partLength > 1;
  }
  await environment?.database.end();
  return lastError === undefined
    ? "It did not fail when it was repeated in another organization."
    : `The smallest failing history is ${describeHistory(smallest)}: ${lastError.message}`;
}

/** Runs the work for every item, at most `workers` at once. Passes the number of the worker, from 0, and the index of the item. */
async function forEachConcurrently<T>(workers: number, items: readonly T[], work: (item: T, worker: number, index: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      for (let index = next++; index < items.length; index = next++) await work(items[index]!, worker, index);
    }),
  );
}

test("the ledger agrees with the model after random histories", async () => {
  const failures: { index: number; history: CommandHistory; error: unknown }[] = [];
  const histories = fc.sample(arbitraryHistory(GENERATED_COMMANDS_PER_HISTORY), { seed, numRuns: HISTORY_COUNT });
  await forEachConcurrently(ENVIRONMENT_COUNT, histories, async (history, worker, index) => {
    try {
      const { accepted, refused } = await checkHistory(environments[worker]!, history);
      statistics.accepted += accepted;
      statistics.refused += refused;
      statistics.commands += accepted + refused;
    } catch (error) {
      failures.push({ index, history, error });
      statistics.violations++;
      // The models of this environment no longer describe it.
      const { database, foreign } = environments[worker]!;
      await database.end();
      environments[worker] = { ...(await createEnvironment()), foreign };
    }
  });
  const [failure] = failures;
  if (failure) throw new Error(`History ${failure.index} of SEED=${seed} failed. ${await shrink(failure.history)}`, { cause: failure.error });
  expect(statistics.commands).toBe(HISTORY_COUNT * COMMANDS_PER_HISTORY);
  expect(Math.min(statistics.accepted, statistics.refused)).toBeGreaterThan(statistics.commands / 10);
}, 900_000);

test("each of the planted bugs is found in the books of a random history", async () => {
  const environment = { ...(await createEnvironment()), foreign: environments[0]!.foreign };
  const histories = fc.sample(arbitraryHistory(GENERATED_COMMANDS_PER_HISTORY), { seed: DEFAULT_SEED, numRuns: PLANTED_HISTORY_COUNT });
  for (const history of histories) await checkHistory(environment, history);
  await environment.database.end();
  await postOneOfEach(environment.office, environment.accountIds["1000"]!);
  const missed = await withOwnerConnection(environment.office, async (owner) => {
    await copyBooks(owner);
    const found: unknown[] = (await findPlanted(owner, { plant: [], violates: "" })).violations;
    for (const [name, bug] of Object.entries(plantedBugs)) {
      const { changed, violations } = await findPlanted(owner, bug);
      if (changed.includes(0) || !violations.some((violation) => violation.includes(bug.violates))) found.push({ name, changed, violations });
    }
    await owner.query("rollback");
    return found;
  });
  expect(missed).toEqual([]);
  expect(Object.keys(plantedBugs).length).toBeGreaterThanOrEqual(10);
}, 300_000);

test("leases with recurring rent are charged each day once, and keep the invariants", async () => {
  const { integer } = seededRandom(seed);
  const seeds = Array.from({ length: LEASE_HISTORY_COUNT }, () => integer(2 ** 31));
  const failures: { seed: number; error: unknown }[] = [];
  await forEachConcurrently(ENVIRONMENT_COUNT, seeds, async (historySeed, worker) => {
    const environment = environments[worker]!;
    try {
      const accepted = await runLeaseHistory(environment, historySeed, COMMANDS_PER_LEASE_HISTORY);
      statistics.leaseCommands += accepted;
      await waitForIdleJobs("ledger", environment.office);
      expect(await findViolations(environment.database)).toEqual([]);
    } catch (error) {
      failures.push({ seed: historySeed, error });
      await environment.database.end();
      environments[worker] = { ...(await createEnvironment()), foreign: environment.foreign };
    }
  });
  statistics.violations += failures.length;
  const [failure] = failures;
  if (failure)
    throw new Error(`The lease history with seed ${failure.seed} of SEED=${seed} failed: ${(failure.error as Error).message}`, {
      cause: failure.error,
    });
  expect(statistics.leaseCommands).toBeGreaterThan((LEASE_HISTORY_COUNT * COMMANDS_PER_LEASE_HISTORY) / 3);
}, 900_000);

test("two concurrent requests reverse an entry once", async () => {
  const office = await anOffice();
  const accountIds = await accountIdsByCode(office);
  const lines: [string, number][] = [
    ["5010", 1],
    ["1000", -1],
  ];
  const ids: string[] = [];
  await forEachConcurrently(
    16,
    Array.from({ length: REVERSED_ENTRY_COUNT }),
    async () => void ids.push((await office.call("createJournalEntry", { body: entryBody(accountIds, lines) })).journalEntry.id),
  );
  await forEachConcurrently(8, ids, async (id) => {
    const responses = await Promise.all([1, 2].map(() => office.attempt("reverseJournalEntry", { params: { id }, body: {} })));
    statistics.reversed += responses.filter(({ status }) => status === 200).length;
    statistics.refusedReversals += responses.filter(({ status, body }) => status === 409 && body.code === "already_reversed").length;
  });
  expect([statistics.reversed, statistics.refusedReversals]).toEqual([REVERSED_ENTRY_COUNT, REVERSED_ENTRY_COUNT]);
  expect((await office.call("listJournalEntries", { query: { page: 1, pageSize: 1 } })).total).toBe(2 * REVERSED_ENTRY_COUNT);
  expect(await closingBalances(office)).toMatchObject({ "5010": 0, "1000": 0 });
}, 900_000);
