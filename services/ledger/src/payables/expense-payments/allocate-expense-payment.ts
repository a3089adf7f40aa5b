/** Allocation of a recorded payment to expenses, and removal of an allocation. */
import type { ExpensePayment as View, expensePayments } from "@freehold/contract/payables/expense-payments";
import type { BodyOf } from "@freehold/contract/operation";
import { newId } from "@freehold/kit/db/entity";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { transaction } from "@freehold/kit/db/transaction";
import { notFound } from "@freehold/kit/errors";
import { now, startOfDay, today } from "@freehold/kit/time/clock";
import { maxDate } from "@freehold/kit/time/plain-date";
import { getChart } from "../../chart/categories.ts";
import { reverseLines } from "../../journal/journal.rules.ts";
import { postEntries } from "../../journal/posting.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { lockBankAccounts, requireActive, type LockedAccount } from "../../trust/bank-accounts/bank-account-references.ts";
import { requireNoFeeCollection } from "../management-fees/require-no-run.ts";
import { publishPaymentEvent } from "./expense-payment-events.ts";
import { ExpenseAllocation, ExpensePayment } from "./expense-payment.entity.ts";
import { expenseAllocationLines, requireLive, resolveSettlements, restOf, type PaymentMoney } from "./expense-payment.rules.ts";
import type { Clients } from "../../clients.ts";
import { getExpensePayment } from "./expense-payments.ts";
import { checkPaidVendors } from "./vendor-insurance.ts";
import { requireInsuredVendors } from "./vendor-insurance.rules.ts";
import { addPaid, findBearingProperties, lockExpenses, postExpenseAllocations, requireFunds } from "./post-expense-allocations.ts";

type Allocations = BodyOf<typeof expensePayments.operations.allocateExpensePayment>["allocations"];

const moneyOf = ({ accountId, bankAccountId = null, vendorId = null }: ExpensePayment): PaymentMoney => ({ accountId, bankAccountId, vendorId });
/** Locks the bank account of a payment, if it names one. Throws a 409 for an archived one. */
async function lockAccountOf(tx: OrgTx, { bankAccountId }: ExpensePayment): Promise<LockedAccount | null> {
  if (!bankAccountId) return null;
  const account = (await lockBankAccounts(tx, [bankAccountId])).get(bankAccountId)!;
  requireActive(account);
  return account;
}

/**
 * Settles expenses with what is unallocated of a payment. Throws a 400 for more than that, and a 409 for a payment that has failed or
 * was voided, for an expense that cannot be paid, and for more money than its property has in a trust account.
 */
export async function allocateExpensePayment(
  db: OrgDb,
  clients: Clients,
  id: string,
  allocations: Allocations,
): Promise<{ expensePayment: View; warnings: string[] }> {
  const { paidAt, vendorId: payeeId } = await getExpensePayment(db, id);
  // The vendor of the payment was checked when it was recorded, and its expenses are of no other.
  const insurance = payeeId !== null ? { warnings: [] } : await checkPaidVendors(db, clients, { vendorId: null, allocations, paidAt: new Date(paidAt) });
  const properties = await findBearingProperties(db, clients, allocations);
  return transaction(db, async (tx) => {
    const [settings, chart] = [await getLedgerSettings(tx), await getChart(tx)];
    const payment = await tx.getForUpdate(ExpensePayment, id, "Expense payment");
    requireLive(payment);
    tx.warnings.push(...requireInsuredVendors(insurance));
    const restCents = restOf(payment.unallocatedCents, allocations);
    const settlements = resolveSettlements(allocations, await lockExpenses(tx, allocations), payment.vendorId ?? null);
    const account = await lockAccountOf(tx, payment);
    const entryId = await postExpenseAllocations(tx, settings, chart, { id, paidOn: payment.paidOn, money: moneyOf(payment) }, settlements);
    tx.assign(payment, { unallocatedCents: restCents as View["unallocatedCents"] });
    const propertyIds = settlements.map(({ expense }) => expense.propertyId);
    await requireFunds(tx, settings, chart, account, propertyIds, { properties, entryIds: [entryId] }, payment.paidOn);
    await publishPaymentEvent(tx, "expense_payment.allocated", payment);
    return { expensePayment: await getExpensePayment(tx, id), warnings: tx.warnings };
  });
}

/** Takes an allocation back, today or on its own day when that is later. Throws 404 for an unknown one and for one that was released. */
export const deleteExpensePaymentAllocation = (db: OrgDb, id: string, allocationId: string): Promise<{ expensePayment: View; warnings: string[] }> =>
  transaction(db, async (tx) => {
    const [settings, chart] = [await getLedgerSettings(tx), await getChart(tx)];
    const payment = await tx.getForUpdate(ExpensePayment, id, "Expense payment");
    const allocation = await tx.findOne(ExpenseAllocation, { id: allocationId, expensePaymentId: id, releasedAt: null });
    if (!allocation) throw notFound("Allocation");
    await requireNoFeeCollection(tx, id);
    const expense = (await lockExpenses(tx, [allocation])).get(allocation.expenseId)!;
    const account = await lockAccountOf(tx, payment);
    const date = maxDate(today(settings.timezone), allocation.settledOn);
    const entryId = newId();
    await postEntries(tx, settings.timezone, [
      {
        id: entryId,
        memo: "Allocation to an expense removed",
        occurredAt: startOfDay(date, settings.timezone),
        entryDate: date,
        source: "expense_allocation",
        document: { type: "expense_payment", id },
        lines: reverseLines(expenseAllocationLines(chart, moneyOf(payment), [{ expense, amountCents: allocation.amountCents }])),
      },
    ]);
    tx.assign(allocation, { releasedAt: now(), releaseEntryId: entryId });
    addPaid(tx, expense, 0 - allocation.amountCents);
    tx.assign(payment, { unallocatedCents: (payment.unallocatedCents + allocation.amountCents) as View["unallocatedCents"] });
    await requireFunds(tx, settings, chart, account, [null], { properties: [], entryIds: [] }, date);
    await publishPaymentEvent(tx, "expense_payment.allocation_released", payment);
    return { expensePayment: await getExpensePayment(tx, id), warnings: tx.warnings };
  });
