/** Management fees of a property that was sold. */
import { describe, expect, test } from "@jest/globals";
import { aPayee, aPayingOffice, ownerLedgerOf, payBill, payoutsOf } from "../../../owners/owners.fixtures.ts";
import { anExpense } from "../../payables.fixtures.ts";
import { anAgreement, aRun, expectNoViolations, february, paidRent } from "../management-fees.fixtures.ts";

/** A property of Ann that Cat bought on January 21, with rent of 1,000.00 paid before the sale, and an agreement on 10 %. */
async function aSoldProperty(terms: object = {}) {
  const { office, ann, propertyId, bankAccountId, ...tenancy } = await aPayingOffice({ annBps: 10_000 });
  const cat = await aPayee(office, "Cat");
  const shares = [{ ownerId: cat, shareBps: 10_000 }];
  await office.call("replaceOwnership", { params: { id: propertyId }, body: { effectiveDate: "2026-01-21", shares } });
  await anAgreement(office, propertyId, terms);
  /** Charges rent after the sale, and deposits its payment on the same day. */
  const deposited = async (amountCents: number) => {
    const payment = await paidRent(office, tenancy, "2026-01-25", amountCents);
    await office.call("createDeposit", { body: { bankAccountId, depositedOn: "2026-01-25", paymentIds: [payment.id] } });
    return payment;
  };
  const closings = async () => ({ ann: (await ownerLedgerOf(office, ann)).closing, cat: (await ownerLedgerOf(office, cat)).closing });
  return { office, ann, cat, propertyId, bankAccountId, ...tenancy, deposited, closings };
}

describe("createManagementFeeRun, after a sale within its period,", () => {
  test("charges each owner for the rent that this owner has earned", async () => {
    const { office, deposited, closings } = await aSoldProperty();
    await deposited(20_000);
    const run = await aRun(office);
    expect([run.totalCents, run.collectedCents, run.expenseIds.length]).toEqual([12_000, 12_000, 2]);
    expect(await closings()).toEqual({ ann: 90_000, cat: 18_000 });
    await expectNoViolations(office);
  });

  test("charges the seller for rent in arrears that is paid after the sale", async () => {
    const { office, leaseId, tenantId, closings } = await aSoldProperty();
    await aRun(office, { bankAccountId: null });
    const { charge } = await office.call("createCharge", { body: { leaseId, amountCents: 30_000, dueDate: "2026-01-10", chargeType: "rent" } });
    const allocations = [{ chargeId: charge.id, amountCents: 30_000 }];
    const payer = { leaseId, tenantId, amountCents: 30_000, paymentMethod: "ach" as const, idempotencyKey: charge.id };
    await office.call("recordPayment", { body: { ...payer, receivedAt: "2026-02-05T17:00:00.000Z", allocations } });
    const run = await aRun(office, { ...february, bankAccountId: null });
    const { expense } = await office.call("getExpense", { params: { id: run.expenseIds[0]! } });
    expect([run.totalCents, expense.incurredOn, expense.ownedOn]).toEqual([3_000, "2026-02-28", "2026-01-20"]);
    expect((await closings()).cat).toBe(0);
  });

  test("charges the minimum of the month once", async () => {
    const { office, deposited, closings } = await aSoldProperty({ minimumCents: 15_000 });
    await deposited(20_000);
    expect((await aRun(office)).totalCents).toBe(15_000);
    expect(await closings()).toEqual({ ann: 90_000, cat: 15_000 });
  });

  test("and its reversal leaves the owners as they were", async () => {
    const { office, deposited, closings } = await aSoldProperty();
    await deposited(20_000);
    const run = await aRun(office);
    await office.call("reverseManagementFeeRun", { params: { id: run.id }, body: { reason: "Wrong" } });
    expect(await closings()).toEqual({ ann: 100_000, cat: 20_000 });
    await expectNoViolations(office);
  });

  test("takes the fee of a bounced payment back from the owner who bore it", async () => {
    const { office, deposited, closings } = await aSoldProperty();
    const payment = await deposited(20_000);
    await aRun(office);
    await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf", reversedAt: "2026-02-03T17:00:00.000Z" } });
    expect(await closings()).toEqual({ ann: 90_000, cat: 0 });
    await expectNoViolations(office);
  });

  test("does not collect the fee of one owner from the money of the other", async () => {
    const { office, ann, propertyId, bankAccountId, deposited, closings } = await aSoldProperty();
    await deposited(200_000);
    const bill = await anExpense(office, propertyId, 95_000, { ownerId: ann });
    expect((await payBill(office, bankAccountId, bill.id, 95_000, "2026-01-26T17:00:00.000Z")).status).toBe(200);
    const run = await aRun(office);
    expect([run.totalCents, run.collectedCents]).toEqual([30_000, 20_000]);
    expect(await closings()).toEqual({ ann: 5_000, cat: 180_000 });
  });

  test("leaves the fee that no run has charged out of the payout of the owner who bears it", async () => {
    const { office, ann, cat, deposited } = await aSoldProperty();
    await deposited(20_000);
    expect(await payoutsOf(office)).toEqual({ [ann]: 90_000, [cat]: 18_000 });
  });
});
