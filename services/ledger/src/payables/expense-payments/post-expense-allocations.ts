/** Journal entries and rows of allocations of payments to expenses, shared by the operations that allocate. */
import { newId } from "@freehold/kit/db/entity";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { startOfDay } from "@freehold/kit/time/clock";
import type { OwnedProperty } from "@freehold/proto/portfolio/v1/portfolio";
import type { Chart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { newSortedIds } from "../../ids.ts";
import { lockOpenDate, postEntries } from "../../journal/posting.ts";
import { findOwnershipOf } from "../../owners/owned-properties.ts";
import { requireOwnersFunds } from "../../owners/owners-funds.ts";
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

/** Posts and saves the allocation of unallocated money to expenses, on the day of the payment: money left the bank then, and leaves it once. Returns the id of the entry. */
export async function postExpenseAllocations(
  tx: OrgTx,
  { timezone }: LedgerSettings,
  chart: Chart,
  { id, paidOn, money }: { id: string; paidOn: string; money: PaymentMoney },
  settlements: readonly Settlement[],
): Promise<string> {
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
  return entryId;
}

/** Returns the properties of expenses with their ownerships, read before a transaction begins. */
export async function findBearingProperties(db: OrgDb, clients: Clients, allocations: readonly { expenseId: string }[]): Promise<OwnedProperty[]> {
  const ids = allocations.map(({ expenseId }) => expenseId);
  const rows = await db.all(
    sql<{ propertyId: string }>`select distinct property_id from expense where organization_id = ${db.organizationId} and id = any(${ids}::uuid[])`,
  );
  return findOwnershipOf(
    db,
    clients,
    rows.map(({ propertyId }) => propertyId),
  );
}

/** Throws a 409 or adds a warning when a trust account lacks money of the properties that a payment has taken it from, null being money of no property, or when money of one owner paid for another. */
export async function requireFunds(
  tx: OrgTx,
  settings: LedgerSettings,
  chart: Chart,
  account: LockedAccount | null,
  propertyIds: readonly (string | null)[],
  { properties, entryIds }: { properties: readonly OwnedProperty[]; entryIds: readonly string[] },
  date: string,
): Promise<void> {
  if (!account || account.accountType === "business") return;
  const beneficiaries = [...new Set(propertyIds)].map(beneficiaryAt);
  await requireTrustFunds(tx, settings, chart, account, beneficiaries, date);
  await requireOwnersFunds(tx, settings, chart, account, properties, entryIds, date);
}
