/** Helpers of the tests of reconciliations. */
import type { Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { aBillPayment, aFundedProperty, anExpense } from "../../payables/payables.fixtures.ts";
import { aBankAccount } from "../trust.fixtures.ts";

/** Records a payment of rent on January 30 and deposits it on the given day. Returns the id of the payment. */
export async function depositRent(office: Office, tenancy: Tenancy, bankAccountId: string, amountCents: number, depositedOn: string): Promise<string> {
  const charge = await aCharge(office, tenancy.leaseId, amountCents);
  const { payment } = await office.call("recordPayment", {
    body: { ...aPayment(tenancy, amountCents), receivedAt: "2026-01-30T15:00:00.000Z", allocations: [{ chargeId: charge, amountCents }] },
  });
  await office.call("createDeposit", { body: { bankAccountId, depositedOn, paymentIds: [payment.id] } });
  return payment.id;
}

/** Pays an expense of a property by check on a day of January. Returns the id of the payment. */
export async function payByCheck(
  office: Office,
  { propertyId, bankAccountId }: { propertyId: string; bankAccountId: string },
  amountCents: number,
  { day, number }: { day: number; number: string },
): Promise<string> {
  const { id: expenseId } = await anExpense(office, propertyId, amountCents);
  const paidAt = `2026-01-${String(day).padStart(2, "0")}T17:00:00.000Z`;
  const body = aBillPayment(bankAccountId, amountCents, [{ expenseId, amountCents }], { paidAt, referenceNumber: number });
  return (await office.call("recordExpensePayment", { body })).expensePayment.id;
}

/** Records a fee or interest of the bank on a day, of the management company. Returns its id. */
export const adjust = async (office: Office, bankAccountId: string, kind: "bank_fee" | "interest", amountCents: number, occurredOn: string): Promise<string> =>
  (await office.call("createBankAdjustment", { params: { id: bankAccountId }, body: { kind, amountCents, occurredOn } })).adjustment.id;

/** Creates a draft and returns its id. */
export const aDraft = async (office: Office, bankAccountId: string, statementEndingBalanceCents: number, statementEndDate = "2026-01-31"): Promise<string> =>
  (await office.call("createReconciliation", { body: { bankAccountId, statementEndDate, statementEndingBalanceCents } })).reconciliation.id;

/** Returns the items of a reconciliation as `[date, kind, cents, isCleared]`. */
export async function itemsOf(office: Office, id: string) {
  const { items } = await office.call("listReconciliationItems", { params: { id }, query: { pageSize: "100" } });
  return items.map(({ date, kind, amountCents, isCleared }) => [date, kind, amountCents, isCleared]);
}

/** Clears the items of a reconciliation with the given amounts. */
export async function clearAmounts(office: Office, id: string, ...amounts: number[]) {
  const { items } = await office.call("listReconciliationItems", { params: { id }, query: { pageSize: "100" } });
  const transactionIds = items.filter(({ amountCents }) => amounts.includes(amountCents)).map(({ transactionId }) => transactionId);
  return (await office.call("clearTransactions", { params: { id }, body: { transactionIds } })).reconciliation;
}

/**
 * January of an operating account, in cents: opening balance 100,000; rent 150,000 deposited on the 6th; checks of 30,000 on the 10th
 * and of 12,000 on the 20th; rent of 90,000 deposited, a fee of 500 and interest of 50 on the 31st. The bank has not seen the second
 * check and the second deposit: 100,000 + 150,000 - 30,000 - 500 + 50 = 219,550. The books have 219,550 + 90,000 - 12,000 = 297,550.
 */
export async function aJanuary(office: Office) {
  const bankAccountId = await aBankAccount(office, "operating", { openingBalanceCents: 100_000 });
  const tenancy = await aFundedProperty(office, 150_000, bankAccountId);
  const clearedCheck = await payByCheck(office, tenancy, 30_000, { day: 10, number: "1001" });
  const outstandingCheck = await payByCheck(office, tenancy, 12_000, { day: 20, number: "1002" });
  const paymentInTransit = await depositRent(office, tenancy, bankAccountId, 90_000, "2026-01-31");
  const fee = await adjust(office, bankAccountId, "bank_fee", 500, "2026-01-31");
  await adjust(office, bankAccountId, "interest", 50, "2026-01-31");
  return { bankAccountId, tenancy, clearedCheck, outstandingCheck, paymentInTransit, fee };
}

/** Balance of the bank at the end of `aJanuary`, and the amounts that the bank has seen. */
export const JANUARY = { endingCents: 219_550, cleared: [150_000, -30_000, -500, 50] } as const;

/** Finalizes January of `aJanuary` and returns the id of the reconciliation. */
export async function reconcileJanuary(office: Office, bankAccountId: string): Promise<string> {
  const id = await aDraft(office, bankAccountId, JANUARY.endingCents);
  await clearAmounts(office, id, ...JANUARY.cleared);
  await office.call("finalizeReconciliation", { params: { id }, body: {} });
  return id;
}
