import type { ExpensePayment as View, expensePayments } from "@freehold/contract/payables/expense-payments";
import type { BodyOf } from "@freehold/contract/operation";
import { newId } from "@freehold/kit/db/entity";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import { unknownReference } from "@freehold/kit/errors";
import { localDateOf } from "@freehold/kit/time/clock";
import { getChart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { lockOpenDate, postEntries } from "../../journal/posting.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { lockMoneyAccount } from "../../trust/bank-accounts/bank-account-references.ts";
import { publishPaymentEvent } from "./expense-payment-events.ts";
import { ExpensePayment } from "./expense-payment.entity.ts";
import { resolveSettlements, restOf, settlementLines, unallocatedLines } from "./expense-payment.rules.ts";
import { getExpensePayment } from "./expense-payments.ts";
import { saveVendors } from "../../projections/projections.ts";
import { checkPaidVendors } from "./vendor-insurance.ts";
import { requireInsuredVendors } from "./vendor-insurance.rules.ts";
import { findBearingProperties, lockExpenses, requireFunds, saveAllocations } from "./post-expense-allocations.ts";

type Body = BodyOf<typeof expensePayments.operations.recordExpensePayment>;

/**
 * Records a payment of expenses: debits accounts payable and credits the bank account, by the properties of the settled expenses.
 * Throws a 400 for a reference or an amount that does not fit, and a 409 for an expense or a vendor that cannot be paid and for more money than its beneficiaries have in a trust account.
 */
export async function recordExpensePayment(db: OrgDb, clients: Clients, body: Body): Promise<{ expensePayment: View; warnings: string[] }> {
  const { vendorId = null, amountCents, paymentMethod, status, referenceNumber = null, memo = null, allocations } = body;
  const unallocatedCents = restOf(amountCents, allocations);
  if (vendorId) await requireVendor(db, clients, vendorId);
  const insurance = await checkPaidVendors(db, clients, { vendorId, allocations, paidAt: new Date(body.paidAt) });
  const properties = await findBearingProperties(db, clients, allocations);
  return transaction(db, async (tx) => {
    const [settings, chart] = [await getLedgerSettings(tx), await getChart(tx)];
    tx.warnings.push(...requireInsuredVendors(insurance));
    const settlements = resolveSettlements(allocations, await lockExpenses(tx, allocations), vendorId);
    const { account, ...bank } = await lockMoneyAccount(tx, chart, body.bankAccountId, "bankAccountId");
    const money = { ...bank, vendorId };
    const paidAt = new Date(body.paidAt);
    const requestedOn = localDateOf(paidAt, settings.timezone);
    const paidOn = await lockOpenDate(tx, requestedOn);
    const [id, entryId] = [newId(), newId()];
    await postEntries(tx, settings.timezone, [
      {
        id: entryId,
        memo: memo ?? "Payment of expenses",
        occurredAt: paidAt,
        entryDate: requestedOn,
        source: "expense_payment",
        document: { type: "expense_payment", id },
        lines: [...settlementLines(chart, money, settlements), ...unallocatedLines(chart, money, unallocatedCents)],
      },
    ]);
    const terms = { id, vendorId, amountCents, paymentMethod, status, ...bank, paidAt, paidOn, referenceNumber, memo, entryId };
    tx.create(ExpensePayment, { ...terms, unallocatedCents: unallocatedCents as View["unallocatedCents"], endedAt: null, voidReason: null });
    await tx.flush();
    saveAllocations(tx, id, settlements, paidOn, entryId);
    await requireFunds(
      tx,
      settings,
      chart,
      account,
      [...settlements.map(({ expense }) => expense.propertyId), ...(unallocatedCents > 0 ? [null] : [])],
      { properties, entryIds: [entryId] },
      paidOn,
    );
    await publishPaymentEvent(tx, "expense_payment.recorded", { id, vendorId, status });
    return { expensePayment: await getExpensePayment(tx, id), warnings: tx.warnings };
  });
}

async function requireVendor(db: OrgDb, { portfolio }: Clients, vendorId: string): Promise<void> {
  const { vendors } = await portfolio.getVendors(db, { ids: [vendorId] });
  if (!vendors[0] || vendors[0].isDeleted) throw unknownReference("vendorId", "vendor");
  await saveVendors(db, vendors);
}
