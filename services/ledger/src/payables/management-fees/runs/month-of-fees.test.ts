/** A month of management fees, with figures by hand. */
import { describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice } from "../../../../../../test/support/office.ts";
import { aPayment } from "../../../../../../test/support/tenancy.ts";
import { aBankAccount } from "../../../trust/trust.fixtures.ts";
import { aFundedProperty, balancesOn } from "../../payables.fixtures.ts";
import { anAgreement, aRun, expectNoViolations, january, stateOf } from "../management-fees.fixtures.ts";

/**
 * Two properties in one operating account. The first has collected rent of 1,200.00 and a late fee of 50.00, the second rent of 900.05. Both
 * pay 8 %, at least 75.00; the manager keeps late fees.
 */
async function anOfficeInJanuary() {
  const office = await anOffice();
  const [business, first] = [await aBankAccount(office, "business"), await aFundedProperty(office, 120_000)];
  const { bankAccountId } = first;
  const second = await aFundedProperty(office, 90_005, bankAccountId);
  const { charge } = await office.call("createCharge", { body: { leaseId: first.leaseId, amountCents: 5_000, dueDate: "2026-01-10", chargeType: "late_fee" } });
  const { payment } = await office.call("recordPayment", {
    body: { ...aPayment(first, 5_000), receivedAt: "2026-01-12T17:00:00.000Z", allocations: [{ chargeId: charge.id, amountCents: 5_000 }] },
  });
  await office.call("createDeposit", { body: { bankAccountId, depositedOn: "2026-01-13", paymentIds: [payment.id] } });
  const terms = { percentBps: 800, minimumCents: 7_500, managerKeepsChargeTypes: ["late_fee"] };
  for (const { propertyId } of [first, second]) await anAgreement(office, propertyId, terms);
  return { office, business, first, second, bankAccountId, lateFee: { paymentId: payment.id, chargeId: charge.id } };
}

describe("a month of management fees", () => {
  test("is charged to the properties, becomes money of the manager, and can be transferred to a business account, no cent more", async () => {
    const { office, business, first, second, bankAccountId, lateFee } = await anOfficeInJanuary();
    const before = await stateOf(office, bankAccountId);
    const { preview } = await office.call("previewManagementFees", { body: january });
    expect(await stateOf(office, bankAccountId)).toEqual(before);
    const run = await aRun(office);
    expect(run.lines).toEqual(preview.lines);
    // 8 % of 1,200.00 is 96.00. 8 % of 900.05 is 72.00, raised to 75.00.
    const line = { month: "2026-01-01", isWaived: false, maximumApplied: false, leaseId: null };
    expect(run).toMatchObject({ ...january, status: "completed", totalCents: 22_100, collectedCents: 22_100, bankAccountId });
    expect(run.lines).toMatchObject([
      { ...line, propertyId: first.propertyId, kind: "management", baseCents: 120_000, computedCents: 9_600, minimumApplied: false, amountCents: 9_600 },
      { ...line, propertyId: first.propertyId, kind: "kept", baseCents: 5_000, amountCents: 5_000, base: [{ ...lateFee, amountCents: 5_000 }] },
      { ...line, propertyId: second.propertyId, kind: "management", baseCents: 90_005, computedCents: 7_200, minimumApplied: true, amountCents: 7_500 },
    ]);
    const expenses = await Promise.all(run.expenseIds.map(async (id) => (await office.call("getExpense", { params: { id } })).expense));
    expect(expenses).toMatchObject([
      { propertyId: first.propertyId, category: "management", amountCents: 14_600, paidCents: 14_600, incurredOn: "2026-01-31" },
      { propertyId: second.propertyId, amountCents: 7_500, outstandingCents: 0 },
    ]);
    const { accrual, cash, subLedgers } = await stateOf(office, bankAccountId);
    expect(accrual).toEqual({ ...before.accrual, "4060": -22_100, "5040": 22_100 });
    expect(cash).toEqual({ ...before.cash, "4060": -22_100, "5040": 22_100 });
    expect(subLedgers.totals).toEqual(before.subLedgers.totals);
    expect(new Map(subLedgers.rows.map(([kind, propertyId, , cents]) => [propertyId ?? kind, cents]))).toEqual(
      new Map([
        [first.propertyId, 110_400],
        [second.propertyId, 82_505],
        ["manager", 22_100],
      ]),
    );
    for (const [propertyId, cents] of [
      [first.propertyId, 14_600],
      [second.propertyId, 7_500],
    ] as const)
      expect(await balancesOn(office, "2026-01-31", { propertyId })).toMatchObject({ "5040": cents, "2000": -cents });
    const transfer = (amountCents: number) =>
      office.attempt("createTransfer", {
        body: { fromBankAccountId: bankAccountId, toBankAccountId: business, amountCents, occurredAt: new Date().toISOString() },
      });
    expect(await transfer(22_101)).toMatchObject({ status: 409, body: { code: "would_overdraw_ledger" } });
    expect((await transfer(22_100)).status).toBe(200);
    await expectNoViolations(office);
  });

  test("is taken back as a whole, but not while the money is in the business account", async () => {
    const { office, business, bankAccountId } = await anOfficeInJanuary();
    const before = await stateOf(office, bankAccountId);
    const run = await aRun(office);
    const reverse = () => office.attempt("reverseManagementFeeRun", { params: { id: run.id }, body: { reason: "Wrong rate" } });
    const { transfer } = await office.call("createTransfer", {
      body: { fromBankAccountId: bankAccountId, toBankAccountId: business, amountCents: 1, occurredAt: new Date().toISOString() },
    });
    expect(await reverse()).toMatchObject({ status: 409, body: { code: "would_overdraw_ledger" } });
    await office.call("voidTransfer", { params: { id: transfer.id }, body: { reason: "Too early" } });
    expect((await reverse()).body.run).toMatchObject({ status: "reversed", reverseReason: "Wrong rate", lines: run.lines });
    expect(await stateOf(office, bankAccountId)).toEqual(before);
    expect(await reverse()).toMatchObject({ status: 409, body: { code: "already_reversed" } });
    expect((await office.call("listManagementFees", { query: { status: "completed" } })).total).toBe(0);
    expect((await aRun(office)).lines).toEqual(run.lines);
    await expectNoViolations(office);
  });

  test("is charged once by twenty requests with one key, and by twenty without one", async () => {
    const { office } = await anOfficeInJanuary();
    const [idempotencyKey, body] = [randomUUID(), { ...january, bankAccountId: null }];
    const same = await Promise.all(
      Array.from({ length: 20 }, () => office.attempt("createManagementFeeRun", { body, headers: { "Idempotency-Key": idempotencyKey } })),
    );
    const answered = same.filter(({ status }) => status === 200);
    expect(new Set(answered.map((response) => response.body.run.id)).size).toBe(1);
    expect(same.every(({ status, body: answer }) => status === 200 || answer.code === "idempotency_in_progress")).toBe(true);
    const others = await Promise.all(Array.from({ length: 20 }, () => office.attempt("createManagementFeeRun", { body })));
    expect(others.map(({ status, body: answer }) => [status, answer.code])).toEqual(Array(20).fill([409, "duplicate"]));
    expect(await office.call("listManagementFeeRuns")).toMatchObject({ total: 1, runs: [{ totalCents: 22_100, collectedCents: 0 }] });
    await expectNoViolations(office);
  });
});
