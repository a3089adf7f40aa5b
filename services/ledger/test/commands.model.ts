/** What a random history is made of: commands that say what they expect of the ledger, by the books kept beside it. */
import { expect } from "@jest/globals";
import { randomUUID } from "node:crypto";
import type { Client } from "pg";
import fc from "fast-check";
import type { Attempt } from "../../../test/client.ts";
import type { Office } from "../../../test/office.ts";
import { aPayment, type Tenancy } from "../../../test/tenancy.ts";
import { standing } from "./audit.model.ts";
import { Books, openCents } from "./invariants.model.ts";
import { anEntry } from "../src/journal/journal.fixtures.ts";

/** An organization, and things of another one that it must never reach. */
export interface World {
  office: Office;
  chart: Record<string, string>;
  database: Client;
  stranger: { tenancy: Tenancy; chargeId: string; paymentId: string; entryId: string; accountId: string };
  /** The books of each history that was told here, one a lease. */
  told: Books[];
}

/** One history: a lease of its own in a world. */
interface History extends World {
  tenancy: Tenancy;
  books: Books;
  roll: ReturnType<typeof dice>;
}
type Outcome = "accepted" | "refused";
/** Undefined when there is nothing yet that it could be about. */
type Command = (history: History) => Promise<Outcome | undefined>;

/** Mulberry32: the same seed, the same choices. */
function dice(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const upTo = (most: number): number => 1 + Math.floor(next() * most);
  const oneOf = <T>(all: Iterable<T>): T | undefined => {
    const listed = [...all];
    return listed[Math.floor(next() * listed.length)];
  };
  return { upTo, oneOf, chance: (share: number) => next() < share };
}

const someday = ({ upTo }: History["roll"]): string => `2026-0${upTo(9)}-${String(upTo(28)).padStart(2, "0")}`;
const outcomeOf = (status: number): Outcome | number => (status === 200 ? "accepted" : [400, 404, 409].includes(status) ? "refused" : status);

/** How many refusals are watched for what they leave behind. */
const WATCHED = 0.1;

/** Asks, holds the outcome against the books, and now and then looks whether a refusal left anything. */
async function tried<A extends Pick<Attempt<"getCharge">, "status" | "text">>(
  { database, roll }: History,
  isAllowed: boolean,
  ask: () => Promise<A>,
): Promise<A> {
  const before = !isAllowed && roll.chance(WATCHED) ? await standing(database) : undefined;
  const answer = await ask();
  expect([outcomeOf(answer.status), answer.text]).toEqual([isAllowed ? "accepted" : "refused", answer.text]);
  if (before) expect(await standing(database)).toEqual(before);
  return answer;
}
const told = (isAllowed: boolean): Outcome => (isAllowed ? "accepted" : "refused");

const charge: Command = async (history) => {
  const { office, tenancy, stranger, books, roll } = history;
  const isForeign = roll.chance(0.04);
  const { leaseId } = isForeign ? stranger.tenancy : tenancy;
  const chargeType = roll.oneOf(["rent", "rent", "fee", "deposit"] as const)!;
  const amountCents = roll.upTo(500);
  const body = { leaseId, amountCents, dueDate: someday(roll), chargeType };
  const headers: Record<string, string> = roll.chance(0.15) ? { "Idempotency-Key": randomUUID() } : {};
  const first = await tried(history, !isForeign, () => office.attempt("createCharge", { body, headers }));
  if (isForeign) return "refused";
  books.charge({ id: first.body.charge.id, leaseId, isDeposit: chargeType === "deposit", amountCents });
  if (headers["Idempotency-Key"]) {
    const [again, other] = [
      await office.attempt("createCharge", { body, headers }),
      await office.attempt("createCharge", { body: { ...body, amountCents: amountCents + 1 }, headers }),
    ];
    expect([again.status, again.text, other.status, other.body.code]).toEqual([200, first.text, 409, "idempotency_key_reused"]);
  }
  return "accepted";
};

/** One to three charges, each for what is open of it, less, or more; now and then one of another lease or organization. */
function someAllocations({ books, told: others, roll, stranger }: History): { chargeId: string; amountCents: number }[] {
  const picked = new Set(Array.from({ length: roll.upTo(3) }, () => roll.oneOf(books.charges.values())).filter((each) => each !== undefined));
  const allocations = [...picked].map((each) => {
    const open = openCents(each);
    return { chargeId: each.id, amountCents: Math.max(1, roll.oneOf([open, Math.ceil(open / 2), open, open + 1, open])!) };
  });
  const elsewhere = roll.chance(0.03)
    ? stranger.chargeId
    : roll.chance(0.03)
      ? roll.oneOf(others.find((each) => each !== books)?.charges.keys() ?? [])
      : undefined;
  return elsewhere ? [...allocations, { chargeId: elsewhere, amountCents: 1 }] : allocations;
}

const pay: Command = async (history) => {
  const { office, tenancy, stranger, books, roll } = history;
  const isForeign = roll.chance(0.03);
  const allocations = isForeign ? [] : someAllocations(history);
  const needed = allocations.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const amountCents = Math.max(1, roll.oneOf([needed, needed + roll.upTo(100), needed, needed - 1])!);
  const isAllowed = !isForeign && books.allows(tenancy.leaseId, amountCents, allocations);
  const body = { ...aPayment(isForeign ? stranger.tenancy : tenancy, amountCents), allocations };
  const first = await tried(history, isAllowed, () => office.attempt("recordPayment", { body }));
  if (isAllowed) books.pay({ id: first.body.payment.id, leaseId: tenancy.leaseId, amountCents }, allocations);
  // The same key again: the same answer and nothing else; with another body: refused. What was refused has used up no key.
  if (roll.chance(0.2)) {
    const again = await office.attempt("recordPayment", { body });
    expect([again.status, isAllowed ? again.text : ""]).toEqual([first.status, isAllowed ? first.text : ""]);
    const other = await office.attempt("recordPayment", {
      body: { ...body, amountCents: amountCents + 1, ...(!isAllowed && { allocations: [{ chargeId: randomUUID(), amountCents: 1 }] }) },
    });
    expect([other.status, isAllowed ? other.body.code : ""]).toEqual(isAllowed ? [409, "idempotency_key_reused"] : [400, ""]);
  }
  return told(isAllowed);
};

const payOldestFirst: Command = async ({ office, tenancy, books, roll }) => {
  const amountCents = roll.upTo(800);
  const open = [...books.charges.values()].reduce((sum, each) => sum + openCents(each), 0);
  const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, amountCents), autoAllocate: true } });
  const allocations = payment.allocations.map(({ chargeId, amountCents: cents }) => ({ chargeId, amountCents: cents }));
  expect([books.allows(tenancy.leaseId, amountCents, allocations), payment.unallocatedCents]).toEqual([true, Math.max(0, amountCents - open)]);
  books.pay({ id: payment.id, leaseId: tenancy.leaseId, amountCents }, allocations);
  return "accepted";
};

const allocate: Command = async (history) => {
  const { office, books, roll } = history;
  const payment = roll.oneOf(books.payments.values());
  const [allocation] = payment ? someAllocations(history).toReversed() : [];
  if (!payment || !allocation) return undefined;
  const { chargeId } = allocation;
  const amountCents = roll.chance(0.7) ? Math.max(1, Math.min(allocation.amountCents, payment.restCents)) : allocation.amountCents;
  const isAllowed = !payment.isReversed && books.allows(payment.leaseId, payment.restCents, [{ chargeId, amountCents }]);
  await tried(history, isAllowed, () => office.attempt("allocatePayment", { params: { id: payment.id }, body: { allocations: [{ chargeId, amountCents }] } }));
  if (isAllowed) books.allocate(payment.id, chargeId, amountCents);
  return told(isAllowed);
};

const reverse: Command = async (history) => {
  const { office, books, roll } = history;
  const payment = roll.oneOf(books.payments.values());
  if (!payment) return undefined;
  const isAllowed = !payment.isReversed;
  await tried(history, isAllowed, () => office.attempt("reversePayment", { params: { id: payment.id }, body: { reason: "other" } }));
  if (isAllowed) books.reverse(payment.id);
  return told(isAllowed);
};

const voidSome: Command = async (history) => {
  const { office, books, roll } = history;
  const found = roll.oneOf(books.charges.values());
  if (!found) return undefined;
  const isAllowed = !found.isVoided && found.allocatedCents === 0;
  await tried(history, isAllowed, () => office.attempt("voidCharge", { params: { id: found.id }, body: { reason: "a mistake" } }));
  if (isAllowed) books.void(found.id);
  return told(isAllowed);
};

/** A cent of utilities paid from the bank, or something that does not balance, or is on another organization's account. */
const write: Command = async (history) => {
  const { office, chart, stranger, books, roll } = history;
  const isForeign = roll.chance(0.05);
  const isBalanced = roll.chance(0.8);
  const status = roll.oneOf(["draft", "posted"] as const)!;
  const isAllowed = !isForeign && (isBalanced || status === "draft");
  const sides = [["5010", 1] as const, ["1000", isBalanced ? -1 : -2] as const].map(([code, cents]): [string, number] => [code, cents]);
  const body = anEntry(isForeign ? { ...chart, "1000": stranger.accountId } : chart, sides, { status });
  const answer = await tried(history, isAllowed, () => office.attempt("createJournalEntry", { body }));
  if (!isAllowed) return "refused";
  const { id } = answer.body.journalEntry;
  books.entries.set(id, { id, isBalanced, status });
  books.written++;
  return "accepted";
};

const postDraft: Command = async (history) => {
  const { office, books, roll } = history;
  const entry = roll.oneOf(books.entries.values());
  if (!entry) return undefined;
  const isAllowed = entry.status === "draft" && entry.isBalanced;
  await tried(history, isAllowed, () => office.attempt("postJournalEntry", { params: { id: entry.id }, body: {} }));
  if (isAllowed) entry.status = "posted";
  return told(isAllowed);
};

const reverseEntry: Command = async (history) => {
  const { office, books, roll } = history;
  const entry = roll.oneOf(books.entries.values());
  if (!entry) return undefined;
  const isAllowed = entry.status === "posted";
  await tried(history, isAllowed, () => office.attempt("reverseJournalEntry", { params: { id: entry.id }, body: {} }));
  if (!isAllowed) return "refused";
  entry.status = "reversed";
  books.written++;
  return "accepted";
};

/** What a charge or a payment posted is not reversed by hand. */
const reverseNotByHand: Command = async (history) => {
  const { office, books, roll } = history;
  const source = roll.oneOf(["charge", "payment"] as const)!;
  if ((source === "charge" ? books.charges : books.payments).size === 0) return undefined;
  const { journalEntries } = await office.call("listJournalEntries", { query: { source, status: "posted", page: 1, pageSize: 5 } });
  const entry = roll.oneOf(journalEntries);
  if (!entry) return undefined;
  const { body } = await tried(history, false, () => office.attempt("reverseJournalEntry", { params: { id: entry.id }, body: {} }));
  expect(["resource_in_use", "already_reversed"]).toContain(body.code);
  return "refused";
};

/** Another organization's things, and nobody's, are not there, whatever is asked of them. */
const unknownThings: Command = async (history) => {
  const { office, stranger, books, roll } = history;
  const or = (foreign: string) => roll.oneOf([randomUUID(), foreign])!;
  const body = { allocations: [{ chargeId: roll.oneOf(books.charges.keys()) ?? randomUUID(), amountCents: 1 }] };
  const ask = roll.oneOf([
    () => office.attempt("getCharge", { params: { id: or(stranger.chargeId) } }),
    () => office.attempt("voidCharge", { params: { id: or(stranger.chargeId) }, body: { reason: "not mine" } }),
    () => office.attempt("getPayment", { params: { id: or(stranger.paymentId) } }),
    () => office.attempt("allocatePayment", { params: { id: or(stranger.paymentId) }, body }),
    () => office.attempt("reversePayment", { params: { id: or(stranger.paymentId) }, body: { reason: "other" } }),
    () => office.attempt("getJournalEntry", { params: { id: or(stranger.entryId) } }),
    () => office.attempt("postJournalEntry", { params: { id: or(stranger.entryId) }, body: {} }),
    () => office.attempt("reverseJournalEntry", { params: { id: or(stranger.entryId) }, body: {} }),
  ])!;
  const { status } = await tried<Pick<Attempt<"getCharge">, "status" | "text">>(history, false, ask);
  expect(status).toBe(404);
  return "refused";
};

const weighted: [number, Command][] = [
  [24, charge],
  [22, pay],
  [5, payOldestFirst],
  [15, allocate],
  [8, reverse],
  [7, voidSome],
  [8, write],
  [4, postDraft],
  [4, reverseEntry],
  [2, reverseNotByHand],
  [3, unknownThings],
];
const commands = weighted.flatMap(([weight, command]) => Array.from({ length: weight }, () => command));

/** Commands of one history as they are drawn: which, and the choices it makes. */
export type Script = { kind: number; roll: number }[];
export const scripts = (length: number): fc.Arbitrary<Script> =>
  fc.noBias(fc.array(fc.record({ kind: fc.nat(commands.length - 1), roll: fc.nat(2 ** 31 - 1) }), { minLength: length, maxLength: length }));

/** What a script does, for people. */
export const namesOf = (script: Script): string => script.map(({ kind, roll }) => `${commands[kind]!.name} ${roll}`).join(", ");

export interface Played {
  books: Books;
  accepted: number;
  refused: number;
}

/** Plays as many commands of a script as are asked for, on a lease of their own. */
export async function play(world: World, tenancy: Tenancy, script: Script, most: number): Promise<Played> {
  const books = new Books();
  world.told.push(books);
  const played: Played = { books, accepted: 0, refused: 0 };
  for (const { kind, roll } of script) {
    if (played.accepted + played.refused === most) break;
    const outcome = await commands[kind]!({ ...world, tenancy, books, roll: dice(roll) });
    if (outcome) played[outcome]++;
  }
  return played;
}
