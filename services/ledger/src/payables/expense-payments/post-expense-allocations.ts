/** Journal entries and rows of allocations of payments to expenses, shared by the operations that allocate. */
import { newId } from "@freehold/kit/db/entity";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { startOfDay } from "@freehold/kit/time/clock";
import type { Chart } from "../../chart/categories.ts";
import { newSortedIds } from "../../ids.ts";
import { lockOpenDate, postEntries } from "../../journal/posting.ts";
import type { LedgerSettings } from "../../settings/ledger-settings.ts";
import type { LockedAccount } from "../../trust/bank-accounts/bank-account-references.ts";
import { beneficiaryAt } from "../../trust/bank-accounts/trust-funds.rules.ts";
import { requireTrustFunds } from "../../trust/bank-accounts/trust-funds.ts";
import { Expense } from "../expenses/expense.entity.ts";
import { ExpenseAllocation } from "./expense-payment.entity.ts";
import { expenseAllocationLines, type PaymentMoney, type Settlement } from "./expense-payment.rules.ts";

/** Locks the expenses of a request in the order of their ids, and returns those that exist by id. */
export async function lockExpenses(tx: OrgTx, allocations: readonly { expenseId: string }[]): Promise<Map<string, Expense>> {
  const expenses = await tx.findAllForUpdate(
    Expense,
    allocations.map(({ expenseId }) => expenseId),
  );
  return new Map(expenses.map((expense) => [expense.id, expense]));
}

/** Saves allocations that an entry has posted, and takes them off what is outstanding of their expenses. */
export function saveAllocations(tx: OrgTx, expensePaymentId: string, settlements: readonly Settlement[], settledOn: string, entryId: string): void {
  // Allocations are returned in the order of their ids, which is that of the request.
  const ids = newSortedIds(settlements.length);
  for (const [index, { expense, amountCents }] of settlements.entries()) {
    const row = { id: ids[index]!, expensePaymentId, expenseId: expense.id, amountCents: amountCents as Expense["amountCents"], settledOn, entryId };
    tx.create(ExpenseAllocation, { ...row, releasedAt: null, releaseEntryId: null });
    addPaid(tx, expense, amountCents);
  }
}

/** Changes what is paid of a locked expense by an amount, which is negative for a release. */
export function addPaid(tx: OrgTx, expense: Expense, cents: number): void {
  const paidCents = (expense.paidCents + cents) as Expense["paidCents"];
  tx.assign(expense, { paidCents, outstandingCents: (expense.amountCents - paidCents) as Expense["outstandingCents"] });
}

/** Posts and saves the allocation of unallocated money to expenses, on the day of the payment: money left the bank then, and leaves it once. */
export async function postExpenseAllocations(
  tx: OrgTx,
  { timezone }: LedgerSettings,
  chart: Chart,
  { id, paidOn, money }: { id: string; paidOn: string; money: PaymentMoney },
  settlements: readonly Settlement[],
): Promise<void> {
  const entryId = newId();
  const settledOn = await lockOpenDate(tx, paidOn);
  await postEntries(tx, timezone, [
    {
      id: entryId,
      memo: "Allocation to expenses",
      occurredAt: startOfDay(paidOn, timezone),
      entryDate: paidOn,
      source: "expense_allocation",
      document: { type: "expense_payment", id },
      lines: expenseAllocationLines(chart, money, settlements),
    },
  ]);
  saveAllocations(tx, id, settlements, settledOn, entryId);
}

/** Throws a 409 when a trust account lacks money of the properties that a payment has taken it from; null is money of no property. */
export async function requireFunds(
  tx: OrgTx,
  settings: LedgerSettings,
  chart: Chart,
  account: LockedAccount | null,
  propertyIds: readonly (string | null)[],
  date: string,
): Promise<void> {
  if (!account) return;
  const beneficiaries = [...new Set(propertyIds)].map(beneficiaryAt);
  await requireTrustFunds(tx, settings, chart, account, beneficiaries, date);
}
