/** Helpers of the tests of expenses and their payments. */
import type { Office } from "../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../../../../test/support/tenancy.ts";
import { aBankAccount } from "../trust/trust.fixtures.ts";

/** Creates a vendor and returns its id. */
export const aVendor = async (office: Office, name = "Vera Vendor"): Promise<string> => (await office.call("createVendor", { body: { name } })).vendor.id;

/** Records an expense of January 10 and returns it. */
export const anExpense = async (office: Office, propertyId: string, amountCents: number, change: object = {}) =>
  (await office.call("createExpense", { body: { amountCents, incurredOn: "2026-01-10", category: "maintenance", propertyId, ...change } })).expense;

/** Returns the body of a payment of January 20 that settles expenses. */
export const aBillPayment = (
  bankAccountId: string,
  amountCents: number,
  allocations: { expenseId: string; amountCents: number }[] = [],
  change: object = {},
) => ({
  amountCents,
  paymentMethod: "check" as const,
  paidAt: "2026-01-20T17:00:00.000Z",
  bankAccountId,
  allocations,
  ...change,
});

/** Creates a tenancy whose rent was paid and deposited to a new operating account on January 6, so that its owners have that money there. */
export async function aFundedProperty(office: Office, rentCents: number, bankAccountId?: string): Promise<Tenancy & { bankAccountId: string }> {
  const [tenancy, account] = [await aTenancy(office), bankAccountId ?? (await aBankAccount(office))];
  const charge = await aCharge(office, tenancy.leaseId, rentCents);
  const { payment } = await office.call("recordPayment", {
    body: { ...aPayment(tenancy, rentCents), allocations: [{ chargeId: charge, amountCents: rentCents }] },
  });
  await office.call("createDeposit", { body: { bankAccountId: account, depositedOn: "2026-01-06", paymentIds: [payment.id] } });
  return { ...tenancy, bankAccountId: account };
}

/** Returns the balances other than zero at the end of a day, by account code. */
export async function balancesOn(
  office: Office,
  asOf: string,
  query: { propertyId?: string; basis?: "accrual" | "cash" } = {},
): Promise<Record<string, number>> {
  const { trialBalance } = await office.call("getTrialBalance", { query: { asOf, ...query } });
  return Object.fromEntries(trialBalance.rows.filter(({ closingCents }) => closingCents !== 0).map((row) => [row.accountCode, row.closingCents]));
}
