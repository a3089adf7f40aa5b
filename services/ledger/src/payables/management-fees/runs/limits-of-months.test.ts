/** Minimum, maximum and waiver of the fees of a month, across agreements and runs. */
import { describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../../test/support/tenancy.ts";
import { aManagedProperty, anAgreement, aRun, expectNoViolations, february, paidRent } from "../management-fees.fixtures.ts";

const march = { periodStart: "2026-03-01", periodEnd: "2026-03-31" };
const bounce = (office: Office, id: string, reversedAt: string) => office.call("reversePayment", { params: { id }, body: { reason: "nsf", reversedAt } });
const chargedIn = async (office: Office): Promise<number> =>
  (await office.call("listManagementFees", {})).managementFees.reduce((sum, { amountCents }) => sum + amountCents, 0);

/** A property with rent of 1,000.00 on January 5, whose agreement is followed by another on January 16. */
async function aChangedAgreement(terms: object, change: object = {}) {
  const managed = await aManagedProperty(100_000, terms);
  await managed.office.call("updateManagementFeeAgreement", { params: { id: managed.agreement.id }, body: { effectiveTo: "2026-01-15" } });
  await anAgreement(managed.office, managed.propertyId, { effectiveFrom: "2026-01-16", ...terms, ...change });
  return managed;
}

describe("a month in which an agreement follows another", () => {
  test("has the minimum once", async () => {
    const { office } = await aChangedAgreement({ minimumCents: 5_000 }, { percentBps: 1_200 });
    expect((await aRun(office)).lines).toMatchObject([{ amountCents: 10_000 }, { amountCents: 0, minimumApplied: false }]);
  });

  test("has the maximum once, and is charged less only by what bounces below it", async () => {
    const { office, ...managed } = await aChangedAgreement({ maximumCents: 8_000 });
    const second = await paidRent(office, managed, "2026-01-20", 50_000);
    const run = await aRun(office);
    expect(run.lines).toMatchObject([{ amountCents: 4_924 }, { computedCents: 5_000, amountCents: 3_076, maximumApplied: true }]);
    const { payments } = await office.call("listPayments", { query: { status: "received" } });
    await bounce(office, payments.find(({ id }) => id !== second.id)!.id, "2026-01-25T17:00:00.000Z");
    expect(await chargedIn(office)).toBe(5_000);
    await bounce(office, second.id, "2026-01-25T17:00:00.000Z");
    expect(await chargedIn(office)).toBe(0);
    await expectNoViolations(office);
  });
});

describe("a month that several runs charge", () => {
  test("has its maximum, also when its rent bounces and is paid again", async () => {
    const { office, agreement: _agreement, ...managed } = await aManagedProperty(1, { maximumCents: 8_000 });
    const payment = await paidRent(office, managed, "2026-01-10", 100_000);
    expect((await aRun(office)).totalCents).toBe(8_000);
    await bounce(office, payment.id, "2026-01-20T17:00:00.000Z");
    const { charges } = await office.call("listCharges", { query: { leaseId: managed.leaseId } });
    const open = charges.find(({ balanceCents }) => balanceCents === 100_000)!;
    const body = { ...aPayment(managed, 100_000), receivedAt: "2026-01-28T17:00:00.000Z", allocations: [{ chargeId: open.id, amountCents: 100_000 }] };
    await office.call("recordPayment", { body });
    await paidRent(office, managed, "2026-02-05", 100_000);
    expect((await aRun(office, february)).lines).toMatchObject([
      { month: "2026-01-01", amountCents: 8_000 },
      { month: "2026-02-01", amountCents: 8_000 },
    ]);
    expect(await chargedIn(office)).toBe(16_000);
    await expectNoViolations(office);
  });

  test("has its minimum and its maximum once, whatever its runs count", async () => {
    const { office, ...managed } = await aManagedProperty(1, { minimumCents: 3_100, maximumCents: 8_000 });
    const chargedFor = async (periodStart: string, periodEnd: string) => (await aRun(office, { periodStart, periodEnd })).totalCents;
    expect(await chargedFor("2026-01-01", "2026-01-10")).toBe(1_000);
    await paidRent(office, managed, "2026-01-15", 50_000);
    expect(await chargedFor("2026-01-11", "2026-01-20")).toBe(4_000);
    const late = await paidRent(office, managed, "2026-01-25", 90_000);
    expect(await chargedFor("2026-01-21", "2026-01-31")).toBe(3_000);
    // 10 % of 500.01 are left.
    await bounce(office, late.id, "2026-01-31T17:00:00.000Z");
    expect(await chargedIn(office)).toBe(5_000);
    await expectNoViolations(office);
  });
});

describe("a month that is waived for vacancy", () => {
  test("leaves the correction of an earlier month to a later run", async () => {
    const office = await anOffice();
    const tenancy = await aTenancy(office);
    const agreement = await anAgreement(office, tenancy.propertyId, { waiveWhenVacant: true });
    const payment = await paidRent(office, tenancy, "2026-01-10", 100_000);
    expect((await aRun(office)).totalCents).toBe(10_000);
    await office.call("terminateLease", { params: { id: tenancy.leaseId }, body: { terminationDate: "2026-01-31", finalRent: "none" } });
    await office.call("deletePaymentAllocation", { params: { id: payment.id, allocationId: payment.allocations[0]!.id } });
    expect((await aRun(office, february)).lines).toMatchObject([{ isWaived: true, amountCents: 0, base: [] }]);
    await office.call("updateManagementFeeAgreement", { params: { id: agreement.id }, body: { waiveWhenVacant: false } });
    await paidRent(office, tenancy, "2026-03-10", 150_000);
    expect((await aRun(office, march)).lines).toMatchObject([
      { month: "2026-01-01", amountCents: -10_000 },
      { month: "2026-03-01", amountCents: 15_000 },
    ]);
    expect(await chargedIn(office)).toBe(15_000);
  });

  test("is left like another one: the correction counts once the fees exceed it", async () => {
    const office = await anOffice();
    const tenancy = await aTenancy(office);
    await anAgreement(office, tenancy.propertyId);
    const payment = await paidRent(office, tenancy, "2026-01-10", 100_000);
    await aRun(office);
    await office.call("deletePaymentAllocation", { params: { id: payment.id, allocationId: payment.allocations[0]!.id } });
    await aRun(office, february);
    const { preview } = await office.call("previewManagementFees", { body: march });
    await paidRent(office, tenancy, "2026-03-10", 150_000);
    expect([preview.totalCents, (await office.call("previewManagementFees", { body: march })).preview.totalCents]).toEqual([0, 5_000]);
  });
});
