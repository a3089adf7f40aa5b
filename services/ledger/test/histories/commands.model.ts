/** Random histories of commands. Each command calls the API and expects the outcome that the model predicts. */
import { expect } from "@jest/globals";
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import type { Attempt } from "../../../../test/support/client.ts";
import { createDeposit, voidDeposit } from "./bank-deposit-commands.ts";
import { createCharge, creditCharge, reverseCredit, updateCharge, voidCharge } from "./charge-commands.ts";
import { attemptExpecting, firstOpenDay, seededRandom, type Command, type Environment, type Household } from "./command-context.ts";
import { createJournalEntry, postJournalEntry, reverseJournalEntry, reverseOperationEntry } from "./entry-commands.ts";
import { closePeriod, reopenAll, reopenPeriod } from "./period-commands.ts";
import { LedgerModel } from "./ledger.model.ts";
import { readReports } from "./version-commands.ts";
import {
  allocatePayment,
  autoAllocatePayment,
  deletePaymentAllocation,
  recordPayment,
  recordPaymentWithAutoAllocate,
  refundPayment,
  reversePayment,
  voidRefund,
} from "./payment-commands.ts";

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
  [9, refundPayment],
  [5, voidRefund],
  [9, createDeposit],
  [4, readReports],
  [4, voidDeposit],
  [7, voidCharge],
  [6, updateCharge],
  [9, creditCharge],
  [4, reverseCredit],
  [8, createJournalEntry],
  [4, postJournalEntry],
  [4, reverseJournalEntry],
  [2, reverseOperationEntry],
  [3, accessUnknownRecord],
  [5, closePeriod],
  [3, reopenPeriod],
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

/** Runs up to `maxCommands` applicable commands of a history on the leases of a household, and adds their model to the environment. */
export async function runHistory(environment: Environment, tenancy: Household, history: CommandHistory, maxCommands: number): Promise<HistoryResult> {
  const model = new LedgerModel(() => firstOpenDay(environment.closedMonths));
  environment.models.push(model);
  const result: HistoryResult = { model, accepted: 0, refused: 0 };
  for (const { command, seed } of history) {
    if (result.accepted + result.refused === maxCommands) break;
    const outcome = await commands[command]!({ ...environment, tenancy, model, random: seededRandom(seed) });
    if (outcome) result[outcome]++;
  }
  await reopenAll(environment);
  return result;
}
