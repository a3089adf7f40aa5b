/** Reversal of a run: all its fees are taken back, and its period can be charged again. */
import type { ManagementFeeRun as View } from "@freehold/contract/payables/management-fees";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict } from "@freehold/kit/errors";
import { now, today } from "@freehold/kit/time/clock";
import { truncate } from "@freehold/kit/truncate";
import { getChart, type Chart } from "../../../chart/categories.ts";
import { reverseEntries } from "../../../journal/posting.ts";
import { getLedgerSettings } from "../../../settings/ledger-settings.ts";
import { lockBankAccounts, requireActive, type LockedAccount } from "../../../trust/bank-accounts/bank-account-references.ts";
import { ExpenseAllocation, ExpensePayment } from "../../expense-payments/expense-payment.entity.ts";
import { addPaid, lockExpenses } from "../../expense-payments/post-expense-allocations.ts";
import type { Expense } from "../../expenses/expense.entity.ts";
import { lockFeesOfProperties } from "../lock-fees.ts";
import { readManagerCents } from "../manager-money.ts";
import { ManagementFeeRun } from "./run.entity.ts";
import { getRun } from "./runs.ts";

const publish = eventPublisher("ledger");

/**
 * Reverses a run. Throws 404 for an unknown one, and a 409 for one that is reversed, whose expenses other payments settle, whose collected
 * money has left the trust account, or whose fees that were taken back a later run has offset.
 */
export async function reverseRun(db: OrgDb, id: string, reason: string | undefined): Promise<{ run: View }> {
  const propertyIds = (
    await db.all(sql<{ propertyId: string }>`select distinct property_id from management_fee
    where organization_id = ${db.organizationId} and run_id = ${id}`)
  ).map((row) => row.propertyId);
  return transaction(db, async (tx) => {
    const [settings, chart] = [await getLedgerSettings(tx), await getChart(tx)];
    await lockFeesOfProperties(tx, propertyIds);
    const run = await tx.getForUpdate(ManagementFeeRun, id, "Management fee run");
    if (run.status === "reversed") throw conflict("The run has already been reversed. Charge the period again instead.", "already_reversed");
    await requireNotOffset(tx, id);
    const payment = run.expensePaymentId ? await tx.getForUpdate(ExpensePayment, run.expensePaymentId, "Expense payment") : null;
    const expenses = await lockExpensesOfRun(tx, id);
    const account = run.bankAccountId ? (await lockBankAccounts(tx, [run.bankAccountId])).get(run.bankAccountId)! : null;
    if (account) requireActive(account);
    const memo = truncate(reason ? `Management fees reversed: ${reason}` : "Management fees reversed", 500);
    const entryIds = await findEntryIds(tx, id, run.expensePaymentId ?? null);
    if (payment) await voidCollection(tx, payment, expenses, memo);
    requireUnpaid([...expenses.values()]);
    await reverseEntries(tx, settings.timezone, entryIds, { occurredAt: now(), memo });
    voidExpenses(tx, expenses, memo);
    await tx.all(sql`update management_fee_return set offset_by_run_id = null, version = version + 1, updated_at = now()
      where organization_id = ${tx.organizationId} and offset_by_run_id = ${id}`);
    if (account) await requireManagerMoney(tx, chart, account, settings.timezone);
    tx.assign(run, { status: "reversed", reversedAt: now(), reverseReason: reason ?? null });
    await publish(tx, "management_fee.run_reversed", { entityId: id, data: { periodStart: run.periodStart, periodEnd: run.periodEnd } });
    return { run: await getRun(tx, id) };
  });
}

/** Throws a 409 when a later run has offset a fee of this one that was taken back. */
async function requireNotOffset(tx: OrgTx, runId: string): Promise<void> {
  const row = await tx.first(sql<{ offsetByRunId: string }>`select offset_by_run_id from management_fee_return
    where organization_id = ${tx.organizationId} and run_id = ${runId} and offset_by_run_id is not null limit 1`);
  if (row) throw conflict(`The run ${row.offsetByRunId} has offset a fee of this run that was taken back. Reverse that run first.`, "already_allocated");
}

async function lockExpensesOfRun(tx: OrgTx, runId: string): Promise<Map<string, Expense>> {
  const rows = await tx.all(sql<{ expenseId: string }>`select distinct expense_id from management_fee
    where organization_id = ${tx.organizationId} and run_id = ${runId} and expense_id is not null`);
  return lockExpenses(tx, rows);
}

/** Returns the ids of the entries of a run that are in effect: of its expenses and their collection, and of fees that were offset or taken back. */
async function findEntryIds(tx: OrgTx, runId: string, expensePaymentId: string | null): Promise<string[]> {
  const rows = await tx.all(sql<{
    id: string;
  }>`select e.id from journal_entry e where e.organization_id = ${tx.organizationId} and e.status = 'posted' and e.reverses_id is null
    and ((e.source_type = 'management_fee_run' and e.source_id = ${runId}) or (e.source_type = 'expense_payment' and e.source_id = ${expensePaymentId}::uuid)
      or (e.source_type = 'expense' and e.source_id in (select f.expense_id from management_fee f where f.organization_id = ${tx.organizationId} and f.run_id = ${runId})))
    order by e.entry_date, e.id`);
  return rows.map((row) => row.id);
}

/** Releases the allocations of the payment that collected the fees, and voids it. Its entries are reversed with those of the run. */
async function voidCollection(tx: OrgTx, payment: ExpensePayment, expenses: ReadonlyMap<string, Expense>, memo: string): Promise<void> {
  for (const allocation of await tx.find(ExpenseAllocation, { expensePaymentId: payment.id, releasedAt: null })) {
    addPaid(tx, expenses.get(allocation.expenseId)!, 0 - allocation.amountCents);
    tx.assign(allocation, { releasedAt: now() });
  }
  tx.assign(payment, { status: "voided", unallocatedCents: payment.amountCents, endedAt: now(), voidReason: memo });
  await publish(tx, "expense_payment.voided", { entityId: payment.id, data: { vendorId: null, status: "voided" } });
}

/** Throws a 409 when payments other than the collection settle an expense of the run. */
function requireUnpaid(expenses: readonly Expense[]): void {
  const paid = expenses.find(({ paidCents }) => paidCents > 0);
  if (paid) throw conflict(`A payment settles the expense ${paid.id} of the run. Void it or remove its allocation first.`, "already_allocated");
}

function voidExpenses(tx: OrgTx, expenses: ReadonlyMap<string, Expense>, memo: string): void {
  for (const expense of expenses.values())
    if (expense.status === "active")
      tx.assign(expense, { status: "voided", outstandingCents: 0 as Expense["outstandingCents"], voidedAt: now(), voidReason: memo });
}

/** Throws a 409 when the management company has less than nothing in the locked account after the reversal. */
async function requireManagerMoney(tx: OrgTx, chart: Chart, account: LockedAccount, timezone: string): Promise<void> {
  const cents = await readManagerCents(tx, chart, account, today(timezone));
  if (cents >= 0) return;
  const message = `The collected fees have been transferred out of ${account.name}: ${-cents} cents are missing. Void the transfer, or transfer the money back first.`;
  throw conflict(message, "would_overdraw_ledger");
}
