/** Management fees of payments that bounce. */
import { describe, expect, test } from "@jest/globals";
import type { Office } from "../../../../../../test/support/office.ts";
import { recordEvents } from "../../../../test/ledger.fixtures.ts";
import { aBankAccount, subLedgersOf } from "../../../trust/trust.fixtures.ts";
import { aBillPayment, balancesOn } from "../../payables.fixtures.ts";
import { aManagedProperty, aRun, expectNoViolations, february, january, paidRent } from "../management-fees.fixtures.ts";

const bounce = (office: Office, id: string, reversedAt?: string) =>
  office.call("reversePayment", { params: { id }, body: { reason: "nsf", ...(reversedAt && { reversedAt }) } });
const balancesOf = async (office: Office, propertyId: string) => {
  const { "1150": owed = 0, "2000": payable = 0, "5040": fees = 0 } = await balancesOn(office, "2199-12-31", { propertyId });
  return { owed, payable, fees };
};

/** A property that has paid two rents in January, of 1,000.00 and 300.00, at 10 %. The second was not deposited. */
async function aPropertyWithTwoRents(terms: object = {}) {
  const managed = await aManagedProperty(100_000, terms);
  const payment = await paidRent(managed.office, managed, "2026-01-20", 30_000);
  return { ...managed, payment };
}

/** A property with two rents whose fees were collected and have left the trust account when the second payment was returned: 30.00 are owed to it. */
async function aPropertyThatIsOwedAFee() {
  const { office, propertyId, bankAccountId, payment, ...tenancy } = await aPropertyWithTwoRents();
  const business = await aBankAccount(office, "business");
  const run = await aRun(office);
  await office.call("createTransfer", {
    body: { fromBankAccountId: bankAccountId, toBankAccountId: business, amountCents: 13_000, occurredAt: new Date().toISOString() },
  });
  await bounce(office, payment.id);
  return { office, propertyId, bankAccountId, run, tenancy };
}

describe("reversePayment", () => {
  test("lowers the unpaid expense by the fee of the payment, and voids one of which nothing is left", async () => {
    const { office, propertyId, payment } = await aPropertyWithTwoRents();
    const run = await aRun(office, { bankAccountId: null });
    expect(await balancesOf(office, propertyId)).toEqual({ owed: 0, payable: -13_000, fees: 13_000 });
    const events = await recordEvents(office);
    await bounce(office, payment.id);
    expect(await balancesOf(office, propertyId)).toEqual({ owed: 0, payable: -10_000, fees: 10_000 });
    expect((await events.waitForEvent("management_fee.fees_taken_back", run.id)).data).toEqual({ ...january, paymentId: payment.id });
    await events.close();
    const params = { id: run.expenseIds[0]! };
    expect((await office.call("getExpense", { params })).expense).toMatchObject({ amountCents: 10_000, outstandingCents: 10_000, status: "active" });
    const { managementFees } = await office.call("listManagementFees");
    expect(managementFees).toMatchObject([{ baseCents: 100_000, amountCents: 10_000, reversedCents: 3_000 }]);
    // The run shows what it has charged.
    expect((await office.call("getManagementFeeRun", { params: { id: run.id } })).run).toMatchObject({ totalCents: 13_000, lines: run.lines });
    const { payments } = await office.call("listPayments", { query: { status: "received" } });
    await bounce(office, payments[0]!.id);
    expect(await balancesOf(office, propertyId)).toEqual({ owed: 0, payable: 0, fees: 0 });
    expect((await office.call("getExpense", { params })).expense).toMatchObject({ status: "voided", outstandingCents: 0 });
    await expectNoViolations(office);
    await office.call("reverseManagementFeeRun", { params: { id: run.id }, body: { reason: "Nothing is left" } });
    expect(await balancesOf(office, propertyId)).toEqual({ owed: 0, payable: 0, fees: 0 });
    await expectNoViolations(office);
  });

  test("gives a collected fee back to the owners in the trust account, and the run can still be reversed", async () => {
    const { office, propertyId, bankAccountId, payment } = await aPropertyWithTwoRents();
    const run = await aRun(office);
    expect((await subLedgersOf(office, bankAccountId)).rows).toEqual([
      ["owner", propertyId, null, 87_000],
      ["manager", null, null, 13_000],
    ]);
    await bounce(office, payment.id);
    expect(await subLedgersOf(office, bankAccountId)).toEqual({
      rows: [
        ["owner", propertyId, null, 90_000],
        ["manager", null, null, 10_000],
      ],
      totals: [100_000, 100_000, 0],
    });
    expect(await balancesOf(office, propertyId)).toEqual({ owed: 0, payable: 0, fees: 10_000 });
    expect(await balancesOn(office, "2199-12-31", { basis: "cash" })).toMatchObject({ "5040": 10_000, "4060": -10_000 });
    await expectNoViolations(office);
    await office.call("reverseManagementFeeRun", { params: { id: run.id }, body: { reason: "Wrong" } });
    expect((await subLedgersOf(office, bankAccountId)).rows).toEqual([["owner", propertyId, null, 100_000]]);
    expect(await balancesOf(office, propertyId)).toEqual({ owed: 0, payable: 0, fees: 0 });
    await expectNoViolations(office);
  });

  test("records a fee that has left the trust account as owed to the property, and the next run offsets it", async () => {
    const { office, propertyId, bankAccountId, run, tenancy } = await aPropertyThatIsOwedAFee();
    expect(await balancesOf(office, propertyId)).toEqual({ owed: 3_000, payable: 0, fees: 10_000 });
    expect((await subLedgersOf(office, bankAccountId)).totals).toEqual([87_000, 87_000, 0]);
    await expectNoViolations(office);
    await paidRent(office, tenancy, "2026-02-05", 80_000);
    // 80.00 of the new fee, less 30.00 that are owed.
    const next = await aRun(office, february);
    expect(next).toMatchObject({ totalCents: 8_000, collectedCents: 5_000 });
    expect((await office.call("getExpense", { params: { id: next.expenseIds[0]! } })).expense.amountCents).toBe(5_000);
    expect(await balancesOf(office, propertyId)).toEqual({ owed: 0, payable: 0, fees: 18_000 });
    await expectNoViolations(office);
    const reverse = (id: string) => office.attempt("reverseManagementFeeRun", { params: { id }, body: { reason: "Wrong" } });
    expect(await reverse(run.id)).toMatchObject({ status: 409, body: { code: "already_allocated" } });
    expect((await reverse(next.id)).status).toBe(200);
    expect(await balancesOf(office, propertyId)).toEqual({ owed: 3_000, payable: 0, fees: 10_000 });
    await expectNoViolations(office);
  });

  test("offsets a fee that is owed also when the new fees are not larger, in parts until nothing is owed", async () => {
    const { office, propertyId, tenancy } = await aPropertyThatIsOwedAFee();
    const march = { periodStart: "2026-03-01", periodEnd: "2026-03-31" };
    const april = { periodStart: "2026-04-01", periodEnd: "2026-04-30" };
    // Fees of 20.00, 10.00 and 10.00, of which 30.00 are owed.
    await paidRent(office, tenancy, "2026-02-05", 20_000);
    const first = await aRun(office, february);
    expect(first).toMatchObject({ totalCents: 2_000, collectedCents: 0, expenseIds: [] });
    expect(await balancesOf(office, propertyId)).toEqual({ owed: 1_000, payable: 0, fees: 12_000 });
    await paidRent(office, tenancy, "2026-03-05", 10_000);
    const second = await aRun(office, march);
    expect(await balancesOf(office, propertyId)).toEqual({ owed: 0, payable: 0, fees: 13_000 });
    const ofApril = await paidRent(office, tenancy, "2026-04-05", 10_000);
    expect(await aRun(office, april)).toMatchObject({ totalCents: 1_000, collectedCents: 1_000 });
    await expectNoViolations(office);
    for (const { id } of [second, first]) await office.call("reverseManagementFeeRun", { params: { id } });
    expect(await balancesOf(office, propertyId)).toEqual({ owed: 3_000, payable: 0, fees: 11_000 });
    await expectNoViolations(office);
    await bounce(office, ofApril.id);
    expect(await balancesOf(office, propertyId)).toEqual({ owed: 3_000, payable: 0, fees: 10_000 });
    await expectNoViolations(office);
  });

  test("takes a fee that was offset back as owed again", async () => {
    const { office, propertyId, tenancy } = await aPropertyThatIsOwedAFee();
    const ofFebruary = await paidRent(office, tenancy, "2026-02-05", 30_000);
    await aRun(office, february);
    expect(await balancesOf(office, propertyId)).toEqual({ owed: 0, payable: 0, fees: 13_000 });
    await bounce(office, ofFebruary.id);
    expect(await balancesOf(office, propertyId)).toEqual({ owed: 3_000, payable: 0, fees: 10_000 });
    await expectNoViolations(office);
  });

  test("records a fee that was paid by check as owed to the property", async () => {
    const { office, propertyId, bankAccountId, payment } = await aPropertyWithTwoRents();
    const { expenseIds } = await aRun(office, { bankAccountId: null });
    await office.call("recordExpensePayment", { body: aBillPayment(bankAccountId, 13_000, [{ expenseId: expenseIds[0]!, amountCents: 13_000 }]) });
    await bounce(office, payment.id);
    expect(await balancesOf(office, propertyId)).toEqual({ owed: 3_000, payable: 0, fees: 10_000 });
    await expectNoViolations(office);
  });

  test("keeps the minimum of the month, and takes back only what exceeds it", async () => {
    const { office, propertyId, payment } = await aPropertyWithTwoRents({ minimumCents: 12_000 });
    await aRun(office, { bankAccountId: null });
    await bounce(office, payment.id);
    expect(await balancesOf(office, propertyId)).toEqual({ owed: 0, payable: -12_000, fees: 12_000 });
  });

  test("is charged a fee again when its charge is paid again, on the day of the new payment", async () => {
    const { office, payment, leaseId, tenantId } = await aPropertyWithTwoRents();
    await aRun(office);
    await bounce(office, payment.id, "2026-01-25T17:00:00.000Z");
    const { charges } = await office.call("listCharges", { query: { leaseId, chargeType: "rent" } });
    const open = charges.find(({ balanceCents }) => balanceCents > 0)!;
    await office.call("recordPayment", {
      body: {
        tenantId,
        leaseId,
        amountCents: 30_000,
        paymentMethod: "ach",
        receivedAt: "2026-02-10T17:00:00.000Z",
        idempotencyKey: `again-${payment.id}`,
        allocations: [{ chargeId: open.id, amountCents: 30_000 }],
      },
    });
    expect((await aRun(office, february)).lines).toMatchObject([{ baseCents: 30_000, amountCents: 3_000 }]);
    await expectNoViolations(office);
  });

  test("never leaves the fee of a payment that is reversed while a run charges it", async () => {
    const { office, propertyId, payment, ...tenancy } = await aPropertyWithTwoRents();
    const others = [];
    for (let day = 10; day < 16; day++) others.push(await paidRent(office, tenancy, `2026-01-${day}`, 1_000));
    await Promise.all([aRun(office), bounce(office, payment.id), ...others.map(({ id }) => bounce(office, id))]);
    const { fees } = await balancesOf(office, propertyId);
    expect(fees).toBe(10_000);
    await expectNoViolations(office);
  });
});
