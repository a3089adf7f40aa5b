/** Commands of random histories. Each calls the API and expects the outcome that the model predicts. */
import { expect } from "@jest/globals";
import { randomUUID } from "node:crypto";
import type { Client } from "pg";
import fc from "fast-check";
import type { Attempt } from "../../../test/support/client.ts";
import type { Office } from "../../../test/support/office.ts";
import { aPayment, type Tenancy } from "../../../test/support/tenancy.ts";
import { takeSnapshot } from "./invariants.queries.ts";
import { LedgerModel, openCents } from "./ledger.model.ts";
import { todayInOffice } from "./ledger.fixtures.ts";
import { entryBody } from "../src/journal/journal.fixtures.ts";

/** Records of another organization, which must be unreachable. */
export interface ForeignRecords {
  tenancy: Tenancy;
  chargeId: string;
  paymentId: string;
  entryId: string;
  accountId: string;
}

/** Organization in which histories run. */
export interface Environment {
  office: Office;
  accountIds: Record<string, string>;
  database: Client;
  foreign: ForeignRecords;
  /** Model of each history run in the organization; each history has a lease of its own. */
  models: LedgerModel[];
}

/** Context of a command: the lease, the model and the random choices of its history. */
interface CommandContext extends Environment {
  tenancy: Tenancy;
  model: LedgerModel;
  random: ReturnType<typeof seededRandom>;
}
type Outcome = "accepted" | "refused";
/** Returns the outcome, or undefined when there is no record yet to which the command applies. */
type Command = (context: CommandContext) => Promise<Outcome | undefined>;

/** Creates a Mulberry32 generator: equal seeds give equal choices. */
function seededRandom(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (max: number): number => 1 + Math.floor(next() * max);
  const pick = <T>(items: Iterable<T>): T | undefined => {
    const list = [...items];
    return list[Math.floor(next() * list.length)];
  };
  return { integer, pick, chance: (probability: number) => next() < probability };
}

/** Day after all random dates. */
const LAST_DATE = "2026-10-01";
const randomDate = ({ integer }: CommandContext["random"]): string => `2026-0${integer(9)}-${String(integer(28)).padStart(2, "0")}`;
const outcomeOfStatus = (status: number): Outcome | number => (status === 200 ? "accepted" : [400, 404, 409].includes(status) ? "refused" : status);
const expectedOutcome = (isAllowed: boolean): Outcome => (isAllowed ? "accepted" : "refused");

/** Share of the refused commands that are checked for effects. */
const SNAPSHOT_PROBABILITY = 0.1;

/** Calls the API and expects the request to be accepted or refused; some refusals are also expected to have no effect. */
async function attemptExpecting<A extends Pick<Attempt<"getCharge">, "status" | "text">>(
  { database, random }: CommandContext,
  isAllowed: boolean,
  call: () => Promise<A>,
): Promise<A> {
  const before = !isAllowed && random.chance(SNAPSHOT_PROBABILITY) ? await takeSnapshot(database) : undefined;
  const response = await call();
  expect([outcomeOfStatus(response.status), response.text]).toEqual([expectedOutcome(isAllowed), response.text]);
  if (before) expect(await takeSnapshot(database)).toEqual(before);
  return response;
}

const createCharge: Command = async (context) => {
  const { office, tenancy, foreign, model, random } = context;
  const isForeign = random.chance(0.04);
  const { leaseId } = isForeign ? foreign.tenancy : tenancy;
  const chargeType = random.pick(["rent", "rent", "fee", "deposit"] as const)!;
  const amountCents = random.integer(500);
  const dueDate = randomDate(random);
  const body = { leaseId, amountCents, dueDate, chargeType };
  const headers: Record<string, string> = random.chance(0.15) ? { "Idempotency-Key": randomUUID() } : {};
  const first = await attemptExpecting(context, !isForeign, () => office.attempt("createCharge", { body, headers }));
  if (isForeign) return "refused";
  model.charge({ id: first.body.charge.id, leaseId, isDeposit: chargeType === "deposit", dueDate, amountCents });
  if (headers["Idempotency-Key"]) {
    const [repeated, changed] = [
      await office.attempt("createCharge", { body, headers }),
      await office.attempt("createCharge", { body: { ...body, amountCents: amountCents + 1 }, headers }),
    ];
    expect([repeated.status, repeated.text, changed.status, changed.body.code]).toEqual([200, first.text, 409, "idempotency_key_reused"]);
  }
  return "accepted";
};

/** Returns allocations to one to three charges, of their balance, less or more; a few are to a charge of another lease or organization. */
function randomAllocations({ model, models, random, foreign }: CommandContext): { chargeId: string; amountCents: number }[] {
  const charges = new Set(Array.from({ length: random.integer(3) }, () => random.pick(model.charges.values())).filter((charge) => charge !== undefined));
  const allocations = [...charges].map((charge) => {
    const open = openCents(charge);
    return { chargeId: charge.id, amountCents: Math.max(1, random.pick([open, Math.ceil(open / 2), open, open + 1, open])!) };
  });
  const invalidChargeId = random.chance(0.03)
    ? foreign.chargeId
    : random.chance(0.03)
      ? random.pick(models.find((other) => other !== model)?.charges.keys() ?? [])
      : undefined;
  return invalidChargeId ? [...allocations, { chargeId: invalidChargeId, amountCents: 1 }] : allocations;
}

/** Returns the body of a payment and the day of its receipt. A quarter of the payments name no lease. */
function aRandomPayment({ random }: Pick<CommandContext, "random">, tenancy: Tenancy, amountCents: number) {
  const receivedOn = randomDate(random);
  const payment = { ...aPayment(tenancy, amountCents), receivedAt: `${receivedOn}T15:00:00.000Z` };
  return { receivedOn, payment: random.chance(0.25) ? { ...payment, leaseId: undefined } : payment };
}

const recordPayment: Command = async (context) => {
  const { office, tenancy, foreign, model, random } = context;
  const isForeign = random.chance(0.03);
  const allocations = isForeign ? [] : randomAllocations(context);
  const allocatedCents = allocations.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const amountCents = Math.max(1, random.pick([allocatedCents, allocatedCents + random.integer(100), allocatedCents, allocatedCents - 1])!);
  const isAllowed = !isForeign && model.canAllocate(tenancy.leaseId, amountCents, allocations);
  const { receivedOn, payment } = aRandomPayment(context, isForeign ? foreign.tenancy : tenancy, amountCents);
  const body = { ...payment, allocations };
  const first = await attemptExpecting(context, isAllowed, () => office.attempt("recordPayment", { body }));
  if (isAllowed)
    model.pay({ id: first.body.payment.id, leaseId: tenancy.leaseId, namesLease: payment.leaseId !== undefined, amountCents, receivedOn }, allocations);
  // A repeated request replays the response, and another body with the same key is refused. A refused request does not use its key.
  if (random.chance(0.2)) {
    const repeated = await office.attempt("recordPayment", { body });
    expect([repeated.status, isAllowed ? repeated.text : ""]).toEqual([first.status, isAllowed ? first.text : ""]);
    const changed = await office.attempt("recordPayment", {
      body: { ...body, amountCents: amountCents + 1, ...(!isAllowed && { allocations: [{ chargeId: randomUUID(), amountCents: 1 }] }) },
    });
    expect([changed.status, isAllowed ? changed.body.code : ""]).toEqual(isAllowed ? [409, "idempotency_key_reused"] : [400, ""]);
  }
  return expectedOutcome(isAllowed);
};

const recordPaymentWithAutoAllocate: Command = async ({ office, tenancy, model, random }) => {
  const amountCents = random.integer(800);
  const open = [...model.charges.values()].reduce((sum, charge) => sum + openCents(charge), 0);
  const { receivedOn, payment: body } = aRandomPayment({ random }, tenancy, amountCents);
  const { payment } = await office.call("recordPayment", { body: { ...body, autoAllocate: true } });
  const allocations = payment.allocations.map(({ chargeId, amountCents: cents }) => ({ chargeId, amountCents: cents }));
  expect([model.canAllocate(tenancy.leaseId, amountCents, allocations), payment.unallocatedCents]).toEqual([true, Math.max(0, amountCents - open)]);
  model.pay({ id: payment.id, leaseId: tenancy.leaseId, namesLease: payment.leaseId !== null, amountCents, receivedOn }, allocations);
  return "accepted";
};

const allocatePayment: Command = async (context) => {
  const { office, model, random } = context;
  const payment = random.pick(model.payments.values());
  const [allocation] = payment ? randomAllocations(context).toReversed() : [];
  if (!payment || !allocation) return undefined;
  const { chargeId } = allocation;
  const amountCents = random.chance(0.7) ? Math.max(1, Math.min(allocation.amountCents, payment.unallocatedCents)) : allocation.amountCents;
  const isAllowed = !payment.isReversed && model.canAllocate(payment.leaseId, payment.unallocatedCents, [{ chargeId, amountCents }]);
  await attemptExpecting(context, isAllowed, () =>
    office.attempt("allocatePayment", { params: { id: payment.id }, body: { allocations: [{ chargeId, amountCents }] } }),
  );
  if (isAllowed) model.allocate(payment.id, [{ chargeId, amountCents }]);
  return expectedOutcome(isAllowed);
};

const autoAllocatePayment: Command = async (context) => {
  const { office, tenancy, model, random } = context;
  const payment = random.pick(model.payments.values());
  if (!payment) return undefined;
  const before = payment.unallocatedCents;
  const request = { params: { id: payment.id }, body: { dryRun: random.chance(0.3) } };
  const { body } = await attemptExpecting(context, !payment.isReversed, () => office.attempt("autoAllocatePayment", request));
  if (payment.isReversed) return "refused";
  const allocatedCents = body.allocations.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const open = [...model.charges.values()].reduce((sum, charge) => sum + openCents(charge), 0);
  expect([model.canAllocate(tenancy.leaseId, before, body.allocations), allocatedCents]).toEqual([true, Math.min(before, open)]);
  if (!request.body.dryRun) model.allocate(payment.id, body.allocations);
  return "accepted";
};

/** Removes an allocation, or attempts to remove one of a reversed payment. */
const deletePaymentAllocation: Command = async (context) => {
  const { office, model, random } = context;
  const payment = random.pick([...model.payments.values()].filter(({ allocations }) => allocations.length > 0));
  const allocation = payment && random.pick(payment.allocations);
  if (!allocation) return undefined;
  const ofCharge = <A extends { chargeId: string }>(allocations: readonly A[]) => allocations.filter(({ chargeId }) => chargeId === allocation.chargeId);
  const { allocations } = (await office.call("getPayment", { params: { id: payment.id } })).payment;
  // Both lists are in the order in which the charge was paid.
  const { id } = ofCharge(allocations)[ofCharge(payment.allocations).indexOf(allocation)]!;
  const isKnown = random.chance(0.9);
  const params = { id: payment.id, allocationId: isKnown ? id : randomUUID() };
  await attemptExpecting(context, isKnown, () => office.attempt("deletePaymentAllocation", { params }));
  if (isKnown) model.removeAllocation(payment.id, allocation, todayInOffice());
  return expectedOutcome(isKnown);
};

const reversePayment: Command = async (context) => {
  const { office, model, random } = context;
  const payment = random.pick(model.payments.values());
  if (!payment) return undefined;
  const isAllowed = !payment.isReversed;
  const reversedOn = random.pick([payment.receivedOn, LAST_DATE])!;
  const body = { reason: "other" as const, reversedAt: `${reversedOn}T16:00:00.000Z` };
  await attemptExpecting(context, isAllowed, () => office.attempt("reversePayment", { params: { id: payment.id }, body }));
  if (isAllowed) model.reverse(payment.id, reversedOn);
  return expectedOutcome(isAllowed);
};

const voidCharge: Command = async (context) => {
  const { office, model, random } = context;
  const charge = random.pick(model.charges.values());
  if (!charge) return undefined;
  const isAllowed = !charge.isVoided && charge.allocatedCents === 0;
  await attemptExpecting(context, isAllowed, () => office.attempt("voidCharge", { params: { id: charge.id }, body: { reason: "a mistake" } }));
  if (isAllowed) model.void(charge.id);
  return expectedOutcome(isAllowed);
};

/** Creates an entry of one cent of utilities paid from the bank; some are unbalanced or name an account of another organization. */
const createJournalEntry: Command = async (context) => {
  const { office, accountIds, foreign, model, random } = context;
  const isForeign = random.chance(0.05);
  const isBalanced = random.chance(0.8);
  const status = random.pick(["draft", "posted"] as const)!;
  const isAllowed = !isForeign && (isBalanced || status === "draft");
  const lines: [string, number][] = [
    ["5010", 1],
    ["1000", isBalanced ? -1 : -2],
  ];
  const body = entryBody(isForeign ? { ...accountIds, "1000": foreign.accountId } : accountIds, lines, { status });
  const response = await attemptExpecting(context, isAllowed, () => office.attempt("createJournalEntry", { body }));
  if (!isAllowed) return "refused";
  const { id } = response.body.journalEntry;
  model.entries.set(id, { id, isBalanced, status });
  model.entryCount++;
  return "accepted";
};

const postJournalEntry: Command = async (context) => {
  const { office, model, random } = context;
  const entry = random.pick(model.entries.values());
  if (!entry) return undefined;
  const isAllowed = entry.status === "draft" && entry.isBalanced;
  await attemptExpecting(context, isAllowed, () => office.attempt("postJournalEntry", { params: { id: entry.id }, body: {} }));
  if (isAllowed) entry.status = "posted";
  return expectedOutcome(isAllowed);
};

const reverseJournalEntry: Command = async (context) => {
  const { office, model, random } = context;
  const entry = random.pick(model.entries.values());
  if (!entry) return undefined;
  const isAllowed = entry.status === "posted";
  await attemptExpecting(context, isAllowed, () => office.attempt("reverseJournalEntry", { params: { id: entry.id }, body: {} }));
  if (!isAllowed) return "refused";
  entry.status = "reversed";
  model.entryCount++;
  return "accepted";
};

/** Attempts to reverse the entry of a charge or payment, which is always refused. */
const reverseOperationEntry: Command = async (context) => {
  const { office, model, random } = context;
  const source = random.pick(["charge", "payment"] as const)!;
  if ((source === "charge" ? model.charges : model.payments).size === 0) return undefined;
  const { journalEntries } = await office.call("listJournalEntries", { query: { source, status: "posted", page: 1, pageSize: 5 } });
  const entry = random.pick(journalEntries);
  if (!entry) return undefined;
  const { body } = await attemptExpecting(context, false, () => office.attempt("reverseJournalEntry", { params: { id: entry.id }, body: {} }));
  expect(["resource_in_use", "already_reversed"]).toContain(body.code);
  return "refused";
};

/** Calls an operation with an unknown id or an id of another organization, which is always 404. */
const accessUnknownRecord: Command = async (context) => {
  const { office, foreign, model, random } = context;
  const unknownOr = (foreignId: string) => random.pick([randomUUID(), foreignId])!;
  const body = { allocations: [{ chargeId: random.pick(model.charges.keys()) ?? randomUUID(), amountCents: 1 }] };
  const call = random.pick([
    () => office.attempt("getCharge", { params: { id: unknownOr(foreign.chargeId) } }),
    () => office.attempt("voidCharge", { params: { id: unknownOr(foreign.chargeId) }, body: { reason: "not mine" } }),
    () => office.attempt("getPayment", { params: { id: unknownOr(foreign.paymentId) } }),
    () => office.attempt("allocatePayment", { params: { id: unknownOr(foreign.paymentId) }, body }),
    () => office.attempt("reversePayment", { params: { id: unknownOr(foreign.paymentId) }, body: { reason: "other" } }),
    () => office.attempt("getJournalEntry", { params: { id: unknownOr(foreign.entryId) } }),
    () => office.attempt("postJournalEntry", { params: { id: unknownOr(foreign.entryId) }, body: {} }),
    () => office.attempt("reverseJournalEntry", { params: { id: unknownOr(foreign.entryId) }, body: {} }),
  ])!;
  const { status } = await attemptExpecting<Pick<Attempt<"getCharge">, "status" | "text">>(context, false, call);
  expect(status).toBe(404);
  return "refused";
};

const weightedCommands: [weight: number, Command][] = [
  [24, createCharge],
  [22, recordPayment],
  [5, recordPaymentWithAutoAllocate],
  [15, allocatePayment],
  [5, autoAllocatePayment],
  [8, deletePaymentAllocation],
  [8, reversePayment],
  [7, voidCharge],
  [8, createJournalEntry],
  [4, postJournalEntry],
  [4, reverseJournalEntry],
  [2, reverseOperationEntry],
  [3, accessUnknownRecord],
];
const commands = weightedCommands.flatMap(([weight, command]) => Array.from({ length: weight }, () => command));

/** Generated history: the index of each command and the seed of its random choices. */
export type CommandHistory = { command: number; seed: number }[];

/** Returns an arbitrary of histories with the given number of commands. */
export const arbitraryHistory = (length: number): fc.Arbitrary<CommandHistory> =>
  fc.noBias(fc.array(fc.record({ command: fc.nat(commands.length - 1), seed: fc.nat(2 ** 31 - 1) }), { minLength: length, maxLength: length }));

/** Returns the commands of a history with their seeds, for a failure message. */
export const describeHistory = (history: CommandHistory): string => history.map(({ command, seed }) => `${commands[command]!.name} ${seed}`).join(", ");

export interface HistoryResult {
  model: LedgerModel;
  accepted: number;
  refused: number;
}

/** Runs up to `maxCommands` applicable commands of a history on a lease, and adds their model to the environment. */
export async function runHistory(environment: Environment, tenancy: Tenancy, history: CommandHistory, maxCommands: number): Promise<HistoryResult> {
  const model = new LedgerModel();
  environment.models.push(model);
  const result: HistoryResult = { model, accepted: 0, refused: 0 };
  for (const { command, seed } of history) {
    if (result.accepted + result.refused === maxCommands) break;
    const outcome = await commands[command]!({ ...environment, tenancy, model, random: seededRandom(seed) });
    if (outcome) result[outcome]++;
  }
  return result;
}
