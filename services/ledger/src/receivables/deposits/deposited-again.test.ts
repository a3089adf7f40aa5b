/** Money whose first deposit was voided while its month was closed, and that was deposited again. */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";
import { closeMonth } from "../../periods/periods.fixtures.ts";

/**
 * A check of 100.00 of January 5 is deposited on January 6; January is closed, the deposit voided (on February 1), January reopened, and
 * the check deposited again on February 3. So the money is in the bank from January 6 to 31 and from February 3 on.
 */
async function aPaymentDepositedAgain(isOfLease: boolean) {
  const office = await anOffice();
  const tenancy = await aTenancy(office);
  const bankAccountId = (await accountIdsByCode(office))["1000"]!;
  const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, 10_000), ...(isOfLease ? {} : { leaseId: undefined }) } });
  const paymentIds = [payment.id];
  const { deposit } = await office.call("createDeposit", { body: { bankAccountId, depositedOn: "2026-01-06", paymentIds } });
  const { id } = await closeMonth(office, "2026-01");
  await office.call("voidDeposit", { params: { id: deposit.id }, body: { reason: "miscounted" } });
  await office.call("reopenAccountingPeriod", { params: { id }, body: { reason: "a late correction" } });
  await office.call("createDeposit", { body: { bankAccountId, depositedOn: "2026-02-03", paymentIds } });
  const moneyOn = async (asOf: string) => {
    const { rows } = (await office.call("getTrialBalance", { query: { asOf } })).trialBalance;
    return ["1000", "1050"].map((code) => rows.find(({ accountCode }) => accountCode === code)!.closingCents);
  };
  return { office, tenancy, paymentId: payment.id, moneyOn };
}

// The reversal may be refused, be dated February 1 or later, or be posted against the bank: undeposited funds are never -100.00.
test("the reversal of a payment that was deposited again makes neither the bank nor undeposited funds negative on any day", async () => {
  const { office, paymentId, moneyOn } = await aPaymentDepositedAgain(true);
  await office.attempt("reversePayment", { params: { id: paymentId }, body: { reason: "nsf", reversedAt: "2026-01-10T15:00:00.000Z" } });
  for (const day of ["2026-01-09", "2026-01-10", "2026-01-31", "2026-02-01", "2026-02-03"]) {
    const [bank, undeposited] = await moneyOn(day);
    expect([day, bank! >= 0, undeposited! >= 0]).toEqual([day, true, true]);
  }
  expect(await withOwnerConnection(office, findViolations)).toEqual([]);
});

// 60.00 settle a charge of January 15 at a property: until January 31 all money is in the bank, so nothing leaves undeposited funds.
test("money that was deposited again is not moved between properties in undeposited funds while the first deposit was in effect", async () => {
  const { office, tenancy, paymentId } = await aPaymentDepositedAgain(false);
  const chargeId = await aCharge(office, tenancy.leaseId, 6_000, "2026-01-15");
  await office.attempt("allocatePayment", { params: { id: paymentId }, body: { allocations: [{ chargeId, amountCents: 6_000 }] } });
  expect(await withOwnerConnection(office, findViolations)).toEqual([]);
});
