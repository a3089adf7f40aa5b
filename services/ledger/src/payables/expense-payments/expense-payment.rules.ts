/** Rules of payments of expenses: their states, what they may settle, and the lines of their entries. */
import type { ExpensePayment as View } from "@freehold/contract/payables/expense-payments";
import { conflict, invalid, unknownReference } from "@freehold/kit/errors";
import { stateMachine } from "@freehold/kit/state-machine";
import type { Chart } from "../../chart/categories.ts";
import { ACCOUNTS_PAYABLE } from "../../chart/chart.ts";
import { credit, debit, reverseLines, type Dimensions, type EntryLine } from "../../journal/journal.rules.ts";
import type { MoneyAccount } from "../../trust/bank-accounts/bank-account-references.ts";
import type { Expense } from "../expenses/expense.entity.ts";
import { expenseDimensions } from "../expenses/expense.rules.ts";

export const expensePaymentStateMachine = stateMachine("expense payment", {
  pending: ["issued", "failed", "voided"],
  issued: ["voided"],
  failed: [],
  voided: [],
});

/** Throws a 409 for a payment that has failed or was voided. */
export function requireLive({ status }: { status: View["status"] }): void {
  if (status === "issued" || status === "pending") return;
  throw conflict(`The payment is ${status} and settles no expenses. Record a new payment instead.`, "invalid_transition");
}

interface RequestedAllocation {
  expenseId: string;
  amountCents: number;
}

/** Part of a payment that settles a locked expense. */
export interface Settlement {
  expense: Expense;
  amountCents: number;
}

/** Part of a payment that settles an expense, with the members of the expense that its lines name. */
interface SettledPart {
  expense: Pick<Expense, "id" | "propertyId" | "categoryId" | "vendorId"> & Partial<Pick<Expense, "unitId" | "ownerId">>;
  amountCents: number;
}

/**
 * Returns the settlements of a request. Throws a 400 that names an allocation to an unknown expense, to one of another vendor, or of
 * more than is outstanding, and a 409 for an expense that is voided or not approved.
 */
export function resolveSettlements(requested: readonly RequestedAllocation[], expenses: ReadonlyMap<string, Expense>, vendorId: string | null): Settlement[] {
  return requested.map(({ expenseId, amountCents }, index) => {
    const path = `allocations.${index}`;
    const expense = expenses.get(expenseId);
    if (!expense) throw unknownReference(`${path}.expenseId`, "expense");
    if (vendorId !== null && expense.vendorId && expense.vendorId !== vendorId)
      throw invalid([{ path: `${path}.expenseId`, code: "mismatch", message: "The expense is of another vendor. Leave it out." }]);
    if (expense.status === "voided") throw conflict(`The expense ${expenseId} is voided. Leave it out.`, "invalid_transition");
    if (expense.approvalStatus === "pending" || expense.approvalStatus === "rejected")
      throw conflict(`The approval of the expense ${expenseId} is ${expense.approvalStatus}. Approve it first, or leave it out.`, "invalid_transition");
    if (amountCents > expense.outstandingCents) {
      const message = `Only ${expense.outstandingCents} cents of the expense are outstanding. Lower amountCents.`;
      throw invalid([{ path: `${path}.amountCents`, code: "sum_exceeded", message }]);
    }
    return { expense, amountCents };
  });
}

/** Returns what a payment keeps unallocated after settlements. Throws a 400 when they exceed what is available of it. */
export function restOf(availableCents: number, requested: readonly RequestedAllocation[]): number {
  const restCents = availableCents - requested.reduce((sum, { amountCents }) => sum + amountCents, 0);
  if (restCents >= 0) return restCents;
  throw invalid([
    { path: "allocations", code: "sum_exceeded", message: `The allocations exceed the available ${availableCents} cents by ${-restCents}. Lower them.` },
  ]);
}

/** Place and receiver of the money of a payment. */
export type PaymentMoney = MoneyAccount & { vendorId: string | null };

/**
 * Returns the lines that settle expenses with money of their properties. On the cash basis the payment is the expense. The bank's
 * lines are by property, so that the entry balances in each.
 */
export const settlementLines = (chart: Chart, money: PaymentMoney, settlements: readonly SettledPart[]): EntryLine[] => [
  ...settlements.map(({ expense, amountCents }) =>
    debit(chart.accountId(ACCOUNTS_PAYABLE), amountCents, { ...expenseDimensions(expense), vendorId: expense.vendorId ?? money.vendorId }, expense.categoryId),
  ),
  ...[...Map.groupBy(settlements, ({ expense }) => expense.propertyId)].map(([propertyId, group]) =>
    credit(
      money.accountId,
      group.reduce((sum, { amountCents }) => sum + amountCents, 0),
      bankDimensions(money, propertyId),
    ),
  ),
];

const bankDimensions = ({ bankAccountId, vendorId }: PaymentMoney, propertyId: string | null): Dimensions => ({ bankAccountId, vendorId, propertyId });

/** Returns the lines of money that settles no expense yet: it belongs to no property. */
export const unallocatedLines = (chart: Chart, money: PaymentMoney, amountCents: number): EntryLine[] =>
  amountCents === 0
    ? []
    : [debit(chart.accountId(ACCOUNTS_PAYABLE), amountCents, { vendorId: money.vendorId }), credit(money.accountId, amountCents, bankDimensions(money, null))];

/** Returns the lines that allocate unallocated money to expenses: it becomes money of their properties. */
export const expenseAllocationLines = (chart: Chart, money: PaymentMoney, settlements: readonly Settlement[]): EntryLine[] => [
  ...settlementLines(chart, money, settlements),
  ...reverseLines(
    unallocatedLines(
      chart,
      money,
      settlements.reduce((sum, { amountCents }) => sum + amountCents, 0),
    ),
  ),
];
