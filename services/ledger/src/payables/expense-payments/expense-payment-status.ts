/** Issue, failure and void of payments of expenses. */
import type { ExpensePayment as View } from "@freehold/contract/payables/expense-payments";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { now } from "@freehold/kit/time/clock";
import { truncate } from "@freehold/kit/truncate";
import { reverseEntries } from "../../journal/posting.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import type { Clients } from "../../clients.ts";
import { lockAccountsOfEntries } from "../../trust/bank-accounts/trust-funds.ts";
import { requireNoFeeCollection } from "../management-fees/require-no-run.ts";
import { publishPaymentEvent } from "./expense-payment-events.ts";
import { ExpenseAllocation, ExpensePayment } from "./expense-payment.entity.ts";
import { expensePaymentStateMachine } from "./expense-payment.rules.ts";
import { getExpensePayment } from "./expense-payments.ts";
import { checkPaidVendors } from "./vendor-insurance.ts";
import { requireInsuredVendors } from "./vendor-insurance.rules.ts";
import { addPaid, lockExpenses } from "./post-expense-allocations.ts";

/** Marks a pending payment as issued. Throws a 409 for any other, and for a vendor whose insurance has expired with the policy `vendorInsurance` `block`. */
export async function issueExpensePayment(db: OrgDb, clients: Clients, id: string): Promise<{ expensePayment: View; warnings: string[] }> {
  const { allocations, vendorId } = await getExpensePayment(db, id);
  const insurance = await checkPaidVendors(db, clients, { vendorId, allocations, paidAt: now() });
  return transaction(db, async (tx) => {
    const payment = await tx.getForUpdate(ExpensePayment, id, "Expense payment");
    tx.assign(payment, { status: expensePaymentStateMachine.transition(payment.status, "issued") });
    const warnings = requireInsuredVendors(insurance);
    await publishPaymentEvent(tx, "expense_payment.issued", payment);
    return { expensePayment: await getExpensePayment(tx, id), warnings };
  });
}

/** Marks a pending payment as failed and undoes it. Throws a 409 for any other. */
export const failExpensePayment = (db: OrgDb, id: string): Promise<{ expensePayment: View }> => end(db, id, "failed", null);

/** Voids an issued or pending payment and undoes it. Throws a 409 for any other. */
export const voidExpensePayment = (db: OrgDb, id: string, reason: string): Promise<{ expensePayment: View }> => end(db, id, "voided", reason);

/**
 * Ends a payment: its entries are reversed, each on the later of today and its own day, and its expenses are owed again. Throws a 409
 * while its bank account is archived.
 */
const end = (db: OrgDb, id: string, status: "failed" | "voided", reason: string | null): Promise<{ expensePayment: View }> =>
  transaction(db, async (tx) => {
    const { timezone } = await getLedgerSettings(tx);
    const payment = await tx.getForUpdate(ExpensePayment, id, "Expense payment");
    await requireNoFeeCollection(tx, id);
    const wasIssued = payment.status === "issued";
    const next = expensePaymentStateMachine.transition(payment.status, status);
    await releaseAllocations(tx, id);
    const entryIds = await findEntryIds(tx, id);
    await lockAccountsOfEntries(tx, entryIds);
    const memo = truncate(status === "failed" ? "Payment of expenses failed" : `Payment of expenses voided: ${reason}`, 500);
    await reverseEntries(tx, timezone, entryIds, { occurredAt: now(), memo });
    tx.assign(payment, { status: next, unallocatedCents: payment.amountCents, endedAt: now(), voidReason: reason });
    await publishPaymentEvent(tx, `expense_payment.${status}`, payment, wasIssued);
    return { expensePayment: await getExpensePayment(tx, id) };
  });

async function releaseAllocations(tx: OrgTx, expensePaymentId: string): Promise<void> {
  const allocations = await tx.find(ExpenseAllocation, { expensePaymentId, releasedAt: null });
  const expenses = await lockExpenses(tx, allocations);
  for (const allocation of allocations) {
    addPaid(tx, expenses.get(allocation.expenseId)!, 0 - allocation.amountCents);
    tx.assign(allocation, { releasedAt: now() });
  }
}

/** Returns the ids of the entries of a payment: of the payment, of later allocations, and of their removal. */
async function findEntryIds(tx: OrgTx, id: string): Promise<string[]> {
  const rows = await tx.all(sql<{ id: string }>`select id from journal_entry where organization_id = ${tx.organizationId}
    and source_type = 'expense_payment' and source_id = ${id} and source in ('expense_payment', 'expense_allocation') order by entry_date, id`);
  return rows.map((row) => row.id);
}
