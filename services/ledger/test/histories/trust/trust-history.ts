/**
 * Random histories of trust. After every command the register of each bank account equals its sub-ledgers, as the API answers and as the
 * journal lines sum up, no command but an act of the bank takes money that a beneficiary does not have, a refused command changes nothing, and an
 * undo restores the balances before the undone command on both bases.
 */
import { expect } from "@jest/globals";
import pg from "pg";
import { running } from "../../../../../test/support/running.ts";
import { findViolations } from "../../invariants.queries.ts";
import { seededRandom } from "../command-context.ts";
import * as deposits from "./deposit-commands.ts";
import * as money from "./money-commands.ts";
import * as payables from "./payable-commands.ts";
import * as reconciliations from "./reconciliation-commands.ts";
import { balancesOf, beneficiariesOn, changeOf, compareRows, daysOf, opposite, shortagesOf } from "./trust-books.ts";
import type { Effect, TrustCommand } from "./trust-command.ts";
import { AFTER_ALL, aTrustOffice, FIRST_DAY, noonOn, noRecords, randomDay, type TrustContext } from "./trust-office.ts";
import { fingerprint, findTrustViolations, readLines, type Line } from "./trust.queries.ts";

/** Commands with their weights. Most take a record to which they apply, so that a heavy weight is for what others need. */
const weightedCommands: [weight: number, TrustCommand][] = [
  [6, money.createCharge],
  [11, money.recordPayment],
  [2, money.deletePaymentAllocation],
  [2, money.autoAllocatePayment],
  [4, money.refundPayment],
  [9, money.createDeposit],
  [2, money.voidDeposit],
  [4, money.returnPayment],
  [6, money.createTransfer],
  [3, money.createAdjustment],
  [4, money.createContribution],
  [5, payables.createExpense],
  [2, payables.splitExpense],
  [6, payables.recordExpensePayment],
  [3, payables.changeExpensePayment],
  [2, payables.deleteExpenseAllocation],
  [5, payables.createFeeRun],
  [2, payables.reverseFeeRun],
  [6, payables.runPayouts],
  [9, payables.payPayout],
  [2, payables.voidDraft],
  [5, deposits.receiveDeposit],
  [4, deposits.moveOut],
  [4, deposits.addDeduction],
  [6, deposits.finalizeDeposit],
  [2, deposits.reopenDeposit],
  [8, deposits.refundDeposit],
  [5, deposits.applyDeposit],
  [4, deposits.transferDeposit],
  [3, deposits.voidDepositTransaction],
  [5, reconciliations.createReconciliation],
  [7, reconciliations.clearTransactions],
  [3, reconciliations.finalizeReconciliation],
  [2, reconciliations.voidReconciliation],
];
const commands = weightedCommands.flatMap(([weight, command]) => Array.from({ length: weight }, () => command));
/** Share of the commands that are chosen among those that the history has accepted least often, whatever their weights. */
const RARE_PROBABILITY = 0.4;
/** Share of the accepted commands that are undone at once, and chance that a record of earlier is undone instead of the next command. */
const UNDO_PROBABILITY = 0.3;
const LATE_UNDO_PROBABILITY = 0.1;

type Balances = ReturnType<typeof balancesOf>;
/** Accepted command that can be undone later, with its effect on the balances of each day. */
interface Undoable {
  name: string;
  effect: Required<Pick<Effect, "undo">> & Effect;
  change: Balances;
}

/** State of the books between two commands. */
interface Books {
  lines: Line[];
  records: Record<string, string>;
}

/** Number of times that a command was tried and accepted, and that an accepted one was undone. */
interface Tally {
  tried: number;
  accepted: number;
  undone: number;
}

export interface TrustStatistics {
  accepted: number;
  refused: number;
  undone: number;
  refusedUndos: number;
  /** Counts of each command, by its name. */
  commands: Record<string, Tally>;
}

export const noStatistics = (): TrustStatistics => ({
  accepted: 0,
  refused: 0,
  undone: 0,
  refusedUndos: 0,
  commands: Object.fromEntries(weightedCommands.map(([, { name }]) => [name, { tried: 0, accepted: 0, undone: 0 }])),
});

/** Adds the counts of a history to those of a run. */
export function addStatistics(sum: TrustStatistics, one: TrustStatistics): void {
  for (const key of ["accepted", "refused", "undone", "refusedUndos"] as const) sum[key] += one[key];
  for (const [name, tally] of Object.entries(one.commands)) for (const key of ["tried", "accepted", "undone"] as const) sum.commands[name]![key] += tally[key];
}

/** Returns the counts of each command as a table of text. */
export const printTallies = ({ commands: tallies }: TrustStatistics): string =>
  [["command", "tried", "accepted", "undone"], ...Object.entries(tallies).map(([name, { tried, accepted, undone }]) => [name, tried, accepted, undone])]
    .map(([name, ...counts]) => `${String(name).padEnd(24)}${counts.map((count) => String(count).padStart(9)).join("")}\n`)
    .join("");

/** Returns a random command, by the weights or among those that the history has accepted least often. */
function pickCommand({ random }: TrustContext, { commands: tallies }: TrustStatistics): TrustCommand {
  if (!random.chance(RARE_PROBABILITY)) return random.pick(commands)!;
  const fewest = Math.min(...Object.values(tallies).map(({ accepted }) => accepted));
  return random.pick(weightedCommands.map(([, command]) => command).filter(({ name }) => tallies[name]!.accepted === fewest))!;
}

const readBooks = async ({ database }: TrustContext): Promise<Books> => ({ lines: await readLines(database), records: await fingerprint(database) });

/** Returns the tables whose rows differ. */
const changedTables = (before: Books, after: Books): string[] => Object.keys(after.records).filter((table) => after.records[table] !== before.records[table]);

/** Expects the register, the book balance and the sub-ledgers of each bank account to agree, as the API answers and by the lines. */
async function expectThreeWay(context: TrustContext, { lines }: Books): Promise<void> {
  const asOf = context.random.chance(0.5) ? AFTER_ALL : randomDay(context);
  await Promise.all(
    Object.values(context.accounts).map(async (id) => {
      const [ledgers, register] = await Promise.all([
        context.office.call("listSubLedgers", { params: { id }, query: { asOf } }),
        context.office.call("listBankTransactions", { params: { id }, query: { to: asOf, pageSize: "1" } }),
      ]);
      const byLines = [...beneficiariesOn(lines, id, asOf)].toSorted(compareRows);
      // The rows of the owners of a property add up to its money.
      const sums = Map.groupBy(ledgers.subLedgers, ({ kind, propertyId, tenantId }) => `${kind} ${propertyId} ${tenantId}`);
      const answered = [...sums].map(([key, rows]): [string, number] => [key, rows.reduce((sum, { balanceCents }) => sum + balanceCents, 0)]);
      expect({ asOf, rows: answered.filter(([, cents]) => cents !== 0).toSorted(compareRows) }).toEqual({ asOf, rows: byLines });
      const totalCents = byLines.reduce((sum, [, cents]) => sum + cents, 0);
      expect([ledgers.totalCents, ledgers.bookCents, ledgers.differenceCents, register.closingBalanceCents]).toEqual([totalCents, totalCents, 0, totalCents]);
    }),
  );
}

/** Expects an accepted command of the office to take from no beneficiary of a trust account, on no day, what the beneficiary does not have. */
function expectNoOverdraw({ accounts }: TrustContext, before: Books, after: Books): void {
  const days = daysOf(after.lines);
  const banks = [accounts.pooled, accounts.separate, accounts.escrow];
  const earlier = shortagesOf(before.lines, banks, days);
  const grown = [...shortagesOf(after.lines, banks, days)].filter(([key, cents]) => cents > (earlier.get(key) ?? 0));
  expect(grown).toEqual([]);
}

/** Undoes a command and expects exactly its effect to be taken back; on every day if the undo has the day of the command. Returns the books after it. */
async function undo(context: TrustContext, { name, effect, change }: Undoable, before: Books, statistics: TrustStatistics): Promise<Books> {
  const response = await effect.undo();
  const after = await readBooks(context);
  expect([name, [200, 400, 404, 409].includes(response.status), response.text]).toEqual([name, true, response.text]);
  if (response.status !== 200) {
    statistics.refusedUndos++;
    expect([name, response.text, changedTables(before, after)]).toEqual([name, response.text, []]);
    return after;
  }
  statistics.undone++;
  statistics.commands[name]!.undone++;
  const taken = changeOf(balancesOf(before.lines, effect.isOnOwnDay === true), balancesOf(after.lines, effect.isOnOwnDay === true));
  expect([name, taken]).toEqual([name, opposite(change)]);
  if (!effect.isBankAct) expectNoOverdraw(context, before, after);
  return after;
}

async function checkBooks(context: TrustContext, books: Books): Promise<void> {
  await expectThreeWay(context, books);
  expect(await findTrustViolations(context.database)).toEqual([]);
}

/** Runs a command and checks what it has done. Returns the accepted command if it can be undone. */
async function run(context: TrustContext, command: TrustCommand, before: Books, statistics: TrustStatistics): Promise<{ books: Books; undoable?: Undoable }> {
  const effect = await command(context);
  if (!effect) return { books: before };
  statistics.commands[command.name]!.tried++;
  expect([command.name, [200, 400, 404, 409].includes(effect.status), effect.text]).toEqual([command.name, true, effect.text]);
  const books = await readBooks(context);
  if (effect.status !== 200) {
    statistics.refused++;
    expect([effect.text, changedTables(before, books)]).toEqual([effect.text, []]);
    return { books };
  }
  statistics.accepted++;
  statistics.commands[command.name]!.accepted++;
  if (!effect.isBankAct) expectNoOverdraw(context, before, books);
  const byDay = effect.isOnOwnDay === true;
  const change = changeOf(balancesOf(before.lines, byDay), balancesOf(books.lines, byDay));
  return effect.undo ? { books, undoable: { name: command.name, effect: { ...effect, undo: effect.undo }, change } } : { books };
}

/**
 * Gives each property rent that is paid and deposited, prepaid rent, a deposit in escrow, and its owners an approved payout of January. Two properties
 * have expenses, a part of which is paid. The first tenants have moved out, and the letter about the deposit of the first one is sent. The
 * reconciliation of the escrow account is a draft.
 */
async function startMoney(context: TrustContext): Promise<void> {
  for (const property of context.properties) {
    await money.chargeRent(context, property, 100_000, FIRST_DAY);
    await money.receive(context, property, 120_000, FIRST_DAY);
  }
  const paymentIds = context.records.payments.map(({ id }) => id);
  await context.office.call("createDeposit", { body: { bankAccountId: context.accounts.pooled, depositedOn: FIRST_DAY, paymentIds } });
  for (const { depositId: id } of context.properties) await deposits.receive(context, id, 30_000, FIRST_DAY, context.accounts.escrow);
  // Money of the company, which pays for what is allocated to no expense.
  const interest = { kind: "interest" as const, amountCents: 9_000, occurredOn: FIRST_DAY };
  await context.office.call("createBankAdjustment", { params: { id: context.accounts.pooled }, body: interest });
  await payables.startExpenses(context);
  await reconciliations.start(context);
  const [{ depositId: id }, other] = [context.properties[0]!, context.properties[1]!];
  for (const params of [{ id }, { id: other.depositId }]) await context.office.call("updateSecurityDeposit", { params, body: { moveOutDate: FIRST_DAY } });
  const letter = { sentAt: noonOn(FIRST_DAY), method: "mail" as const, forwardingAddress: "9 Oak Street, Troy, NY 12180" };
  await context.office.call("finalizeSecurityDeposit", { params: { id }, body: letter });
  const { ownerPayables } = await context.office.call("runOwnerPayables", { body: { periodEnd: "2025-01-31", bankAccountId: context.accounts.pooled } });
  expect(ownerPayables).not.toEqual([]);
  for (const payable of ownerPayables) await context.office.call("approveOwnerPayable", { params: { id: payable.id } });
  context.records.payables.push(...ownerPayables.map((payable) => payable.id));
}

/** Runs a history on a new office. An error names the commands up to the one that failed. */
export async function runTrustHistory(seed: number, length: number): Promise<TrustStatistics> {
  const database = new pg.Client({ connectionString: running().databaseUrls.ledger.owner });
  const context: TrustContext = { ...(await aTrustOffice()), database, random: seededRandom(seed), records: noRecords() };
  const statistics = noStatistics();
  const trace: string[] = [];
  await database.connect();
  try {
    await database.query("select set_config('app.organization_id', $1, false)", [context.office.organizationId]);
    await startMoney(context);
    let books = await readBooks(context);
    const undoables: Undoable[] = [];
    while (statistics.accepted + statistics.refused < length) {
      const late = context.random.chance(LATE_UNDO_PROBABILITY) ? undoables.splice(context.random.integer(undoables.length) - 1, 1)[0] : undefined;
      const command = pickCommand(context, statistics);
      trace.push(late ? `undo of ${late.name}` : command.name);
      const result: { books: Books; undoable?: Undoable } = late
        ? { books: await undo(context, late, books, statistics) }
        : await run(context, command, books, statistics);
      // The command had no record to which it applies.
      if (result.books === books) continue;
      books = result.books;
      await checkBooks(context, books);
      if (!result.undoable) continue;
      if (context.random.chance(UNDO_PROBABILITY)) {
        trace.push("its undo");
        books = await undo(context, result.undoable, books, statistics);
        await checkBooks(context, books);
      } else if (result.undoable.effect.isIndependent) undoables.push(result.undoable);
    }
    expect(await findViolations(database)).toEqual([]);
    return statistics;
  } catch (error) {
    throw new Error(`After ${trace.join(", ")}: ${(error as Error).message}`, { cause: error });
  } finally {
    await database.end();
  }
}
