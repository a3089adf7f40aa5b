/** Collection of fees in a trust account: money of the owners becomes money of the management company. */
import { newId } from "@freehold/kit/db/entity";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { invalid, unknownReference } from "@freehold/kit/errors";
import { now, today } from "@freehold/kit/time/clock";
import type { Chart } from "../../../chart/categories.ts";
import { lockOpenDate, postEntries } from "../../../journal/posting.ts";
import type { LedgerSettings } from "../../../settings/ledger-settings.ts";
import { lockBankAccounts, requireActive, type LockedAccount } from "../../../trust/bank-accounts/bank-account-references.ts";
import { beneficiaryAt } from "../../../trust/bank-accounts/trust-funds.rules.ts";
import { readLowestBalances } from "../../../trust/bank-accounts/trust-funds.ts";
import { ExpensePayment } from "../../expense-payments/expense-payment.entity.ts";
import { settlementLines } from "../../expense-payments/expense-payment.rules.ts";
import { saveAllocations } from "../../expense-payments/post-expense-allocations.ts";
import type { Expense } from "../../expenses/expense.entity.ts";
import type { Period } from "../calculation/segments.rules.ts";
import { earnedLines } from "./fee-posting.rules.ts";

const publish = eventPublisher("ledger");

/**
 * Returns the trust account that a request names or, without one, the id of the only active operating account; null for none. Throws a
 * 400 for an unknown and for a business account.
 */
export async function resolveTrustAccountId(db: OrgDb, requested: string | null | undefined): Promise<string | null> {
  if (requested === null) return null;
  if (requested !== undefined) return requireTrustAccount(db, requested);
  const rows = await db.all(sql<{ id: string }>`select id from bank_account
    where organization_id = ${db.organizationId} and account_type = 'operating' and is_active limit 2`);
  return rows.length === 1 ? rows[0]!.id : null;
}

async function requireTrustAccount(db: OrgDb, id: string): Promise<string> {
  const account = await db.first(sql<Pick<LockedAccount, "name" | "accountType">>`select name, account_type from bank_account
    where organization_id = ${db.organizationId} and id = ${id}`);
  if (!account) throw unknownReference("bankAccountId", "bank account");
  if (account.accountType !== "business") return id;
  const message = `${account.name} is a business account and holds no money of owners. Name a trust account, or null.`;
  throw invalid([{ path: "bankAccountId", code: "not_allowed", message }]);
}

/** Locks the trust account of a run. Throws a 409 for an archived one. */
export async function lockTrustAccount(tx: OrgTx, id: string): Promise<LockedAccount> {
  const account = (await lockBankAccounts(tx, [id])).get(id)!;
  requireActive(account);
  return account;
}

export interface Collection {
  expensePaymentId: string | null;
  collectedCents: number;
}

/**
 * Pays the expenses whose properties have the money in a locked trust account, today and on all later days. The money stays in the account
 * and belongs to the management company. The other expenses stay unpaid.
 */
export async function collectFees(
  tx: OrgTx,
  { timezone }: LedgerSettings,
  chart: Chart,
  account: LockedAccount,
  expenses: readonly Expense[],
  { periodStart, periodEnd }: Period,
): Promise<Collection> {
  const paidOn = await lockOpenDate(tx, today(timezone));
  const funded = await selectFunded(tx, chart, account, expenses, paidOn);
  const collectedCents = funded.reduce((sum, { amountCents }) => sum + amountCents, 0);
  if (collectedCents === 0) return { expensePaymentId: null, collectedCents };
  const [id, entryId, paidAt] = [newId(), newId(), now()];
  const bank = { accountId: account.categoryId, bankAccountId: account.id };
  const settlements = funded.map((expense) => ({ expense, amountCents: expense.amountCents }));
  const memo = `Management fees ${periodStart} to ${periodEnd}`;
  await postEntries(tx, timezone, [
    {
      id: entryId,
      memo,
      occurredAt: paidAt,
      entryDate: paidOn,
      source: "expense_payment",
      document: { type: "expense_payment", id },
      lines: [...settlementLines(chart, { ...bank, vendorId: null }, settlements), ...earnedLines(chart, bank, collectedCents)],
    },
  ]);
  const terms = { id, vendorId: null, amountCents: collectedCents as Expense["amountCents"], paymentMethod: "other" as const, status: "issued" as const };
  const rest = { unallocatedCents: 0 as Expense["amountCents"], referenceNumber: null, endedAt: null, voidReason: null };
  tx.create(ExpensePayment, { ...terms, ...bank, ...rest, paidAt, paidOn, memo, entryId });
  await tx.flush();
  saveAllocations(tx, id, settlements, paidOn, entryId);
  await publish(tx, "expense_payment.recorded", { entityId: id, data: { vendorId: null, status: "issued" } });
  return { expensePaymentId: id, collectedCents };
}

/** Returns the expenses that the owners of their properties can pay from the account, in their order. */
async function selectFunded(tx: OrgTx, chart: Chart, account: LockedAccount, expenses: readonly Expense[], date: string): Promise<Expense[]> {
  if (expenses.length === 0) return [];
  const beneficiaries = [...new Set(expenses.map(({ propertyId }) => propertyId))].map(beneficiaryAt);
  const balances = await readLowestBalances(tx, chart, account, beneficiaries, date);
  const available = new Map(balances.map(({ propertyId, balanceCents }) => [propertyId, balanceCents]));
  return expenses.filter(({ propertyId, amountCents }) => {
    const cents = available.get(propertyId)!;
    if (cents < amountCents) return false;
    available.set(propertyId, cents - amountCents);
    return true;
  });
}
