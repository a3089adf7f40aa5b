/**
 * Random histories against the books kept with pencil and paper. Whatever is asked in whatever order, allowed or not, the
 * ledger answers as the model expects and its accounts agree. `SEED=… npm test services/ledger/src/invariants.test.ts`
 * repeats a history.
 */
import { expect, test } from "@jest/globals";
import { randomInt, randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../test/office.ts";
import { aCharge, aPayment, aTenancy, closing, type Tenancy } from "../../../test/tenancy.ts";
import { Books, openCents } from "./invariants.model.ts";
import { anEntry, chartBy } from "./journal-entries/journal.fixtures.ts";

const COMMANDS = 300;
const CHECK_EVERY = 25;

/** Mulberry32: the same seed, the same history. */
function dice(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const upTo = (most: number): number => 1 + Math.floor(next() * most);
  return { upTo, oneOf: <T>(all: Iterable<T>): T | undefined => [...all][Math.floor(next() * [...all].length)], chance: (share: number) => next() < share };
}

interface World {
  office: Office;
  chart: Record<string, string>;
  tenancies: Tenancy[];
  /** A charge of another organization. */
  foreignCharge: string;
  books: Books;
  roll: ReturnType<typeof dice>;
}
type Command = (world: World) => Promise<void>;

const outcome = (status: number): string => (status === 200 ? "done" : [400, 404, 409].includes(status) ? "refused" : String(status));
const expected = (isAllowed: boolean): string => (isAllowed ? "done" : "refused");
const someday = ({ upTo }: World["roll"]): string => `2026-0${upTo(9)}-${String(upTo(28)).padStart(2, "0")}`;

const charge: Command = async ({ office, tenancies, books, roll }) => {
  const { leaseId } = roll.oneOf(tenancies)!;
  const chargeType = roll.oneOf(["rent", "rent", "fee", "deposit"] as const)!;
  const amountCents = roll.upTo(500);
  const { charge: made } = await office.call("createCharge", { body: { leaseId, amountCents, dueDate: someday(roll), chargeType } });
  books.charge({ id: made.id, leaseId, isDeposit: chargeType === "deposit", amountCents });
};

/** One to three charges, now and then of another lease or organization, each for what is open of it, less, or more. */
function someAllocations({ books, roll, foreignCharge }: World, leaseId: string): { chargeId: string; amountCents: number }[] {
  const ofLease = [...books.charges.values()].filter((each) => each.leaseId === leaseId || roll.chance(0.03));
  const picked = new Set(Array.from({ length: roll.upTo(3) }, () => roll.oneOf(ofLease)).filter((each) => each !== undefined));
  const allocations = [...picked].map((each) => {
    const open = openCents(each);
    return { chargeId: each.id, amountCents: Math.max(1, roll.oneOf([open, Math.ceil(open / 2), open + 1, open])!) };
  });
  return roll.chance(0.03) ? [...allocations, { chargeId: foreignCharge, amountCents: 1 }] : allocations;
}

const pay: Command = async (world) => {
  const { office, tenancies, books, roll } = world;
  const tenancy = roll.oneOf(tenancies)!;
  const allocations = someAllocations(world, tenancy.leaseId);
  const needed = allocations.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const amountCents = Math.max(1, roll.oneOf([needed, needed + roll.upTo(100), needed - 1])!);
  const isAllowed = books.allows(tenancy.leaseId, amountCents, allocations);
  const request = { body: { ...aPayment(tenancy, amountCents), allocations } };
  const { status, body, text } = await office.attempt("recordPayment", request);
  expect(outcome(status)).toBe(expected(isAllowed));
  if (isAllowed) books.pay({ id: body.payment.id, leaseId: tenancy.leaseId, amountCents }, allocations);
  // The same key again: the same answer, and nothing else.
  if (roll.chance(0.3)) {
    const again = await office.attempt("recordPayment", request);
    expect([again.status, isAllowed ? again.text : ""]).toEqual([status, isAllowed ? text : ""]);
  }
};

const payOldestFirst: Command = async ({ office, tenancies, books, roll }) => {
  const tenancy = roll.oneOf(tenancies)!;
  const amountCents = roll.upTo(800);
  const open = [...books.charges.values()].filter(({ leaseId }) => leaseId === tenancy.leaseId).reduce((sum, each) => sum + openCents(each), 0);
  const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, amountCents), autoAllocate: true } });
  expect(books.allows(tenancy.leaseId, amountCents, payment.allocations)).toBe(true);
  expect(payment.unallocatedCents).toBe(Math.max(0, amountCents - open));
  books.pay(
    { id: payment.id, leaseId: tenancy.leaseId, amountCents },
    payment.allocations.map(({ chargeId, amountCents: cents }) => ({ chargeId, amountCents: cents })),
  );
};

const allocate: Command = async (world) => {
  const { office, books, roll } = world;
  const payment = roll.oneOf(books.payments.values());
  const [allocation] = payment ? someAllocations(world, payment.leaseId) : [];
  if (!payment || !allocation) return;
  const amountCents = roll.chance(0.7) ? Math.max(1, Math.min(allocation.amountCents, payment.restCents)) : allocation.amountCents;
  const { chargeId } = allocation;
  const isAllowed = !payment.isReversed && books.allows(payment.leaseId, payment.restCents, [{ chargeId, amountCents }]);
  const { status } = await office.attempt("allocatePayment", { params: { id: payment.id }, body: { allocations: [{ chargeId, amountCents }] } });
  expect(outcome(status)).toBe(expected(isAllowed));
  if (isAllowed) books.allocate(payment.id, chargeId, amountCents);
};

const reverse: Command = async ({ office, books, roll }) => {
  const payment = roll.oneOf(books.payments.values());
  if (!payment) return;
  const { status } = await office.attempt("reversePayment", { params: { id: payment.id }, body: { reason: "other" } });
  expect(outcome(status)).toBe(expected(!payment.isReversed));
  if (!payment.isReversed) books.reverse(payment.id);
};

const voidSome: Command = async ({ office, books, roll, foreignCharge }) => {
  const found = roll.oneOf(books.charges.values());
  const isAllowed = found !== undefined && !found.isVoided && found.allocatedCents === 0;
  const { status } = await office.attempt("voidCharge", { params: { id: found?.id ?? foreignCharge }, body: { reason: "a mistake" } });
  expect(outcome(status)).toBe(expected(isAllowed));
  if (isAllowed) books.void(found.id);
};

/** A cent of utilities paid from the bank, or something that does not balance. */
const write: Command = async ({ office, chart, books, roll }) => {
  const isBalanced = roll.chance(0.7);
  const status = roll.oneOf(["draft", "posted"] as const)!;
  const isAllowed = isBalanced || status === "draft";
  const entry = anEntry(
    chart,
    [
      ["5010", 1],
      ["1000", isBalanced ? -1 : -2],
    ],
    { status },
  );
  const answer = await office.attempt("createJournalEntry", { body: entry });
  expect(outcome(answer.status)).toBe(expected(isAllowed));
  if (!isAllowed) return;
  const { id } = answer.body.journalEntry;
  books.entries.set(id, { id, isBalanced, status });
  books.written++;
};

const postDraft: Command = async ({ office, books, roll }) => {
  const entry = roll.oneOf(books.entries.values());
  if (!entry) return;
  const isAllowed = entry.status === "draft" && entry.isBalanced;
  const { status } = await office.attempt("postJournalEntry", { params: { id: entry.id }, body: {} });
  expect(outcome(status)).toBe(expected(isAllowed));
  if (isAllowed) entry.status = "posted";
};

const reverseEntry: Command = async ({ office, books, roll }) => {
  const entry = roll.oneOf(books.entries.values());
  if (!entry) return;
  const isAllowed = entry.status === "posted";
  const { status } = await office.attempt("reverseJournalEntry", { params: { id: entry.id }, body: {} });
  expect(outcome(status)).toBe(expected(isAllowed));
  if (!isAllowed) return;
  entry.status = "reversed";
  books.written++;
};

const unknownThings: Command = async ({ office, foreignCharge, roll }) => {
  const id = roll.oneOf([randomUUID(), foreignCharge])!;
  const answers = await Promise.all([
    office.attempt("getCharge", { params: { id } }),
    office.attempt("voidCharge", { params: { id }, body: { reason: "not mine" } }),
    office.attempt("reversePayment", { params: { id }, body: { reason: "other" } }),
    office.attempt("reverseJournalEntry", { params: { id }, body: {} }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
};

const weighted: [number, Command][] = [
  [25, charge],
  [20, pay],
  [5, payOldestFirst],
  [15, allocate],
  [8, reverse],
  [8, voidSome],
  [8, write],
  [4, postDraft],
  [5, reverseEntry],
  [2, unknownThings],
];
const commands = weighted.flatMap(([weight, command]) => Array.from({ length: weight }, () => command));

/** Every charge and payment stands as in the model, the accounts follow, and what was refused has left no trace. */
async function check({ office, books }: World): Promise<void> {
  expect(await closing(office)).toMatchObject(books.accounts());
  const pages = <T>(total: number, read: (page: number) => Promise<T[]>) =>
    Promise.all(Array.from({ length: Math.ceil(total / 100) }, (_, at) => read(at + 1))).then((all) => all.flat());
  const paged = (page: number) => ({ query: { page, pageSize: 100 } });
  const charges = await pages(books.charges.size, async (page) => (await office.call("listCharges", paged(page))).charges);
  const payments = await pages(books.payments.size, async (page) => (await office.call("listPayments", paged(page))).payments);
  expect(new Map(charges.map(({ id, balanceCents, status }) => [id, [balanceCents, status === "voided"]]))).toEqual(
    new Map([...books.charges.values()].map((each) => [each.id, [openCents(each), each.isVoided]])),
  );
  expect(new Map(payments.map(({ id, unallocatedCents, status }) => [id, [unallocatedCents, status === "reversed"]]))).toEqual(
    new Map([...books.payments.values()].map(({ id, restCents, isReversed }) => [id, [restCents, isReversed]])),
  );
  expect((await office.call("listJournalEntries", { query: { page: 1 } })).total).toBe(books.written);
}

test("the books agree with pencil and paper after any history", async () => {
  const seed = Number(process.env["SEED"] ?? randomInt(2 ** 31));
  const [office, other] = [await anOffice(), await anOffice()];
  const tenancies = [await aTenancy(office), await aTenancy(office), await aTenancy(office)];
  const foreignCharge = await aCharge(other, (await aTenancy(other)).leaseId, 100);
  const world: World = { office, chart: await chartBy(office), tenancies, foreignCharge, books: new Books(), roll: dice(seed) };
  for (let count = 1; count <= COMMANDS; count++) {
    const command = world.roll.oneOf(commands)!;
    try {
      await command(world);
      if (count % CHECK_EVERY === 0) await check(world);
    } catch (error) {
      throw new Error(`Command ${count} of the history with SEED=${seed} (${command.name}): ${String(error)}`, { cause: error });
    }
  }
  expect((await other.call("getCharge", { params: { id: foreignCharge } })).charge).toMatchObject({ status: "pending", balanceCents: 100 });
}, 60_000);
