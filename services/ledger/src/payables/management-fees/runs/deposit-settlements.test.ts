/** Management fees on rent that a security deposit has settled. */
import { describe, expect, test } from "@jest/globals";
import { aCharge } from "../../../../../../test/support/tenancy.ts";
import { aDepositOffice, aLetter, type DepositOffice } from "../../../trust/security-deposits/security-deposits.fixtures.ts";
import { anAgreement, aRun, expectNoViolations, february } from "../management-fees.fixtures.ts";

const march = { periodStart: "2026-03-01", periodEnd: "2026-03-31" };
const feeTypes = ["percent_of_billed", "percent_of_collected"] as const;

/** An office with a received security deposit and rent of 1,000.00 that is due on a day. */
async function anOfficeWithRent(dueDate: string, terms: object = {}) {
  const deposit = await aDepositOffice();
  await anAgreement(deposit.office, deposit.tenancy.propertyId, terms);
  return { ...deposit, rent: await aCharge(deposit.office, deposit.tenancy.leaseId, 100_000, dueDate) };
}

/** Settles rent from the security deposit on February 10, and returns the id of the transaction. */
async function applyDeposit({ office, id }: DepositOffice, chargeId: string): Promise<string> {
  const body = { allocations: [{ chargeId, amountCents: 100_000 }], occurredOn: "2026-02-10" };
  return (await office.call("applySecurityDeposit", { params: { id }, body })).securityDeposit.transactions[0]!.id;
}

describe("rent that a security deposit settles", () => {
  test.each(feeTypes)("counts in %s", async (feeType) => {
    const office = await anOfficeWithRent("2026-02-01", { feeType });
    await applyDeposit(office, office.rent);
    const run = await aRun(office.office, february);
    expect(run.lines).toMatchObject([{ amountCents: 10_000, base: [{ chargeId: office.rent, paymentId: null, amountCents: 100_000 }] }]);
    expect((await aRun(office.office, march)).totalCents).toBe(0);
    await expectNoViolations(office.office);
  });

  test.each(feeTypes)("counts in %s when a finalized deduction settles it", async (feeType) => {
    const { office, id, rent } = await anOfficeWithRent("2026-02-01", { feeType });
    await office.call("updateSecurityDeposit", { params: { id }, body: { moveOutDate: "2026-02-28" } });
    const deduction = { category: "rent" as const, description: "Rent of February", amountCents: 100_000, chargeId: rent };
    await office.call("createSecurityDepositDeduction", { params: { id }, body: deduction });
    await office.call("finalizeSecurityDeposit", { params: { id }, body: aLetter });
    const charged = [(await aRun(office, february)).totalCents, (await aRun(office, march)).totalCents];
    // The deduction is dated the letter of March 3.
    expect(charged).toEqual(feeType === "percent_of_billed" ? [10_000, 0] : [0, 10_000]);
  });

  test("stays billed when the deposit settles it after the run", async () => {
    const office = await anOfficeWithRent("2026-01-01", { feeType: "percent_of_billed" });
    await aCharge(office.office, office.tenancy.leaseId, 100_000, "2026-02-01");
    expect((await aRun(office.office)).totalCents).toBe(10_000);
    await applyDeposit(office, office.rent);
    expect((await aRun(office.office, february)).totalCents).toBe(10_000);
  });

  test("no longer counts as collected once the application of the deposit is voided", async () => {
    const office = await anOfficeWithRent("2026-02-01", { managerKeepsChargeTypes: ["late_fee"] });
    const transactionId = await applyDeposit(office, office.rent);
    await aRun(office.office, february);
    await office.office.call("voidSecurityDepositTransaction", { params: { id: office.id, transactionId }, body: { reason: "Wrong charge" } });
    const paid = await aCharge(office.office, office.tenancy.leaseId, 150_000, "2026-03-01");
    const { tenantId, leaseId } = office.tenancy;
    const body = { tenantId, leaseId, amountCents: 150_000, paymentMethod: "ach" as const, receivedAt: "2026-03-05T17:00:00.000Z", idempotencyKey: paid };
    await office.office.call("recordPayment", { body: { ...body, allocations: [{ chargeId: paid, amountCents: 150_000 }] } });
    expect((await aRun(office.office, march)).lines).toMatchObject([
      { month: "2026-02-01", amountCents: -10_000 },
      { month: "2026-03-01", amountCents: 15_000 },
    ]);
  });
});
