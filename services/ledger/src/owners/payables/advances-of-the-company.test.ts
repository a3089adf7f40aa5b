import { expect, test } from "@jest/globals";
import { aCharge, aPayment } from "../../../../../test/support/tenancy.ts";
import { anExpense } from "../../payables/payables.fixtures.ts";
import { aBankAccount } from "../../trust/trust.fixtures.ts";
import { aPayingOffice, approvePayouts, draftPayouts, ownMoneyIn, payBill, payPayout } from "../owners.fixtures.ts";

test("payouts leave what the company has advanced in the account while other money of the owners is undeposited", async () => {
  const { office, ann, ben, propertyId, bankAccountId, tenantId, leaseId } = await aPayingOffice({ annBps: 6_000 });
  const business = await aBankAccount(office, "business", { openingBalanceCents: 50_000 });
  const bill = await anExpense(office, propertyId, 30_000);
  expect((await payBill(office, business, bill.id, 30_000)).status).toBe(200);
  const allocations = [{ chargeId: await aCharge(office, leaseId, 100_000, "2026-01-10"), amountCents: 100_000 }];
  await office.call("recordPayment", { body: { ...aPayment({ tenantId, leaseId }, 100_000), allocations } });
  const parts = { [ann]: 42_000, [ben]: 28_000 };
  expect(await ownMoneyIn(office, bankAccountId)).toEqual({ ...parts, null: 30_000 });
  const payouts = await draftPayouts(office);
  expect(Object.fromEntries(payouts.map(({ ownerId, amountCents }) => [ownerId, amountCents]))).toEqual(parts);
  await approvePayouts(office, payouts);
  for (const payout of payouts) expect((await payPayout(office, payout)).status).toBe(200);
  expect(await ownMoneyIn(office, bankAccountId)).toEqual({ null: 30_000 });
});
