/** Collection of fees in a trust account: money of the owners becomes money of the management company. */
import { newId } from "@freehold/kit/db/entity";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { invalid, unknownReference } from "@freehold/kit/errors";
import { now, today } from "@freehold/kit/time/clock";
import type { OwnedProperty } from "@freehold/proto/portfolio/v1/portfolio";
import type { Chart } from "../../../chart/categories.ts";
import { readLowestOwnMoney } from "../../../owners/owners-funds.ts";
import { unpaidByOwner, withSeveralOwners } from "../../../owners/ownership.rules.ts";
import { newSortedIds } from "../../../ids.ts";
import { lockOpenDate, postEntries } from "../../../journal/posting.ts";
import type { LedgerSettings } from "../../../settings/ledger-settings.ts";
import { lockBankAccounts, requireActive, type LockedAccount } from "../../../trust/bank-accounts/bank-account-references.ts";
import { beneficiaryAt } from "../../../trust/bank-accounts/trust-funds.rules.ts";
import { readLowestBalances } from "../../../trust/bank-accounts/trust-funds.ts";
import { ExpensePayment } from "../../expense-payments/expense-payment.entity.ts";
import { settlementLines } from "../../expense-payments/expense-payment.rules.ts";
import type { Period } from "../calculation/segments.rules.ts";
import { earnedLines } from "./fee-posting.rules.ts";
import type { FeeExpense } from "./post-fees.ts";

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

/** Expenses of a run, and the ownerships of their properties. */
interface Charged {
  expenses: readonly FeeExpense[];
  owned: readonly OwnedProperty[];
}

/**
 * Pays the expenses whose properties have the money in a locked trust account, today and on all later days, and whose owners
 * have it there. The money stays in the account and belongs to the management company. The other expenses stay unpaid.
 */
export async function collectFees(
  tx: OrgTx,
  { timezone }: LedgerSettings,
  chart: Chart,
  account: LockedAccount,
  { expenses, owned }: Charged,
  { periodStart, periodEnd }: Period,
): Promise<Collection> {
  const paidOn = await lockOpenDate(tx, today(timezone));
  const borne = await selectBorne(tx, chart, account, owned, expenses, paidOn);
  const funded = await selectFunded(tx, chart, account, borne, paidOn);
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
  const terms = {
    id,
    vendorId: null,
    amountCents: collectedCents as ExpensePayment["amountCents"],
    paymentMethod: "other" as const,
    status: "issued" as const,
  };
  const rest = { unallocatedCents: 0 as ExpensePayment["amountCents"], referenceNumber: null, endedAt: null, voidReason: null };
  tx.create(ExpensePayment, { ...terms, ...bank, ...rest, paidAt, paidOn, memo, entryId });
  await tx.flush();
  await saveSettlements(tx, id, funded, paidOn, entryId);
  await publish(tx, "expense_payment.recorded", { entityId: id, data: { vendorId: null, status: "issued" } });
  return { expensePaymentId: id, collectedCents };
}

/** Saves the allocations of a collection, and that their expenses are paid. A run of a large portfolio has one per property, so they are written together. */
async function saveSettlements(tx: OrgTx, expensePaymentId: string, expenses: readonly FeeExpense[], settledOn: string, entryId: string): Promise<void> {
  const expenseIds = expenses.map(({ id }) => id);
  await tx.all(sql`insert into expense_allocation (organization_id, id, created_at, updated_at, expense_payment_id, expense_id, amount_cents, settled_on, entry_id)
    select ${tx.organizationId}, id, ${now()}, ${now()}, ${expensePaymentId}, expense_id, amount_cents, ${settledOn}::date, ${entryId}
    from unnest(${newSortedIds(expenses.length)}::uuid[], ${expenseIds}::uuid[], ${expenses.map(({ amountCents }) => amountCents)}::bigint[])
      as item (id, expense_id, amount_cents)`);
  await tx.all(sql`update expense set paid_cents = amount_cents, outstanding_cents = 0, version = version + 1, updated_at = ${now()}
    where organization_id = ${tx.organizationId} and id = any(${expenseIds}::uuid[])`);
}

/** Returns the expenses that no owner of a property would pay with money of the others, in their order. */
async function selectBorne(
  tx: OrgTx,
  chart: Chart,
  account: LockedAccount,
  owned: readonly OwnedProperty[],
  expenses: readonly FeeExpense[],
  date: string,
): Promise<FeeExpense[]> {
  const shared = new Map(withSeveralOwners(owned).map((property) => [property.propertyId, property]));
  // An account of one owner holds no money of others.
  if (shared.size === 0 || account.ownerId) return [...expenses];
  const lowest = await readLowestOwnMoney(tx, chart, account, [...shared.values()], date);
  return expenses.filter(({ propertyId, ownedOn, incurredOn, amountCents: cents }) => {
    const property = shared.get(propertyId);
    if (!property) return true;
    const parts = [...unpaidByOwner(property, [{ ownerId: null, ownedOn: ownedOn ?? incurredOn, cents }])];
    const leftOf = (ownerId: string, part: number) => (lowest.get(`${propertyId} ${ownerId}`) ?? 0) - part;
    if (parts.some(([ownerId, part]) => leftOf(ownerId, part) < 0)) return false;
    for (const [ownerId, part] of parts) lowest.set(`${propertyId} ${ownerId}`, leftOf(ownerId, part));
    return true;
  });
}

/** Returns the expenses that the owners of their properties can pay from the account, in their order. */
async function selectFunded(tx: OrgTx, chart: Chart, account: LockedAccount, expenses: readonly FeeExpense[], date: string): Promise<FeeExpense[]> {
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
