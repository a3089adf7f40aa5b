/** Allocations in a reopened month, of payments whose bank deposit was posted later because the month was closed. */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";
import { closeMonth } from "../../periods/periods.fixtures.ts";

// 100.00 are received on January 5 without a lease, so of no property. January is closed. The deposit of January 10 is recorded: its
// entry is posted on February 1, the first open day. January is reopened, and 60.00 settle a charge of January 15 at a property.
test("money that reaches the bank on February 1 is not moved between properties at the bank in January", async () => {
  const office = await anOffice();
  const { tenantId, leaseId, propertyId } = await aTenancy(office);
  const bankAccountId = (await accountIdsByCode(office))["1000"]!;
  const { payment } = await office.call("recordPayment", { body: { ...aPayment({ tenantId, leaseId }, 10_000), leaseId: undefined } });
  const { id } = await closeMonth(office, "2026-01");
  await office.call("createDeposit", { body: { bankAccountId, depositedOn: "2026-01-10", paymentIds: [payment.id] } });
  await office.call("reopenAccountingPeriod", { params: { id }, body: { reason: "a late charge" } });
  const chargeId = await aCharge(office, leaseId, 6_000, "2026-01-15");
  await office.call("allocatePayment", { params: { id: payment.id }, body: { allocations: [{ chargeId, amountCents: 6_000 }] } });
  /** Returns the bank and undeposited funds of the property and of no property at the end of a day. */
  const moneyOn = async (asOf: string) => {
    const { balances } = await office.call("listAccountBalances", { query: { asOf, groupBy: "property" } });
    const cents = (code: string, property: string | null) =>
      balances.find((balance) => balance.accountCode === code && balance.propertyId === property)?.balanceCents ?? 0;
    return { bank: [cents("1000", propertyId), cents("1000", null)], undeposited: [cents("1050", propertyId), cents("1050", null)] };
  };
  // Nothing is in the bank in January: of the 100.00, from January 15 on 60.00 are the property's, all undeposited.
  expect(await moneyOn("2026-01-31")).toEqual({ bank: [0, 0], undeposited: [6_000, 4_000] });
  expect(await moneyOn("2026-02-01")).toEqual({ bank: [6_000, 4_000], undeposited: [0, 0] });
});
