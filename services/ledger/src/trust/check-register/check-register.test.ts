import { describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { approvePayouts, anOwnedProperty, aPayee, draftPayouts } from "../../owners/owners.fixtures.ts";
import { pageTexts } from "../../pdf/page-texts.fixtures.ts";
import { aBillPayment, anExpense, aVendor } from "../../payables/payables.fixtures.ts";
import { aDraft, clearAmounts } from "../reconciliations/reconciliations.fixtures.ts";
import { aLetter, aReceivedDeposit, aRefund } from "../security-deposits/security-deposits.fixtures.ts";
import { aBankAccount } from "../trust.fixtures.ts";

const PERIOD = { from: "2026-01-01", to: "2026-03-31" };

/**
 * Checks of an account: 1001 pays a bill, 1002 and 1003 another vendor, of which 1003 is voided and 1002 cleared in January; 1006 is a payout to
 * an owner, 1008 the refund of a security deposit, 1009 the refund of a payment, and a transfer (ACH) is no check.
 */
async function anAccountWithChecks() {
  const office = await anOffice();
  const owner = await aPayee(office, "Olga Owner");
  const { propertyId, bankAccountId } = await anOwnedProperty(office, { rentCents: 100_000, shares: { [owner]: 10_000 } });
  const vendorId = await aVendor(office, "Elm Plumbing");
  const pay = async (amountCents: number, day: string, change: object) => {
    const { id } = await anExpense(office, propertyId, amountCents, { vendorId });
    const body = aBillPayment(bankAccountId, amountCents, [{ expenseId: id, amountCents }], { vendorId, paidAt: `2026-${day}T17:00:00.000Z`, ...change });
    return (await office.call("recordExpensePayment", { body })).expensePayment.id;
  };
  await pay(500, "01-20", { referenceNumber: "1001" });
  await pay(700, "01-21", { referenceNumber: "001002" });
  const voided = await pay(900, "01-22", { referenceNumber: "1003" });
  await office.call("voidExpensePayment", { params: { id: voided }, body: { reason: "Lost" } });
  await pay(300, "01-23", { referenceNumber: "1004", paymentMethod: "ach" });
  const reconciliation = await aDraft(office, bankAccountId, 99_300);
  await clearAmounts(office, reconciliation, 100_000, -700);
  await office.call("finalizeReconciliation", { params: { id: reconciliation }, body: {} });
  const payouts = await draftPayouts(office);
  await approvePayouts(office, payouts);
  await office.call("payOwnerPayable", { params: { id: payouts[0]!.id }, body: { paidAt: "2026-02-03T17:00:00.000Z", referenceNumber: "1006" } });
  const tenancy = await aTenancy(office);
  const depositId = await aReceivedDeposit(office, tenancy, bankAccountId);
  await office.call("updateSecurityDeposit", { params: { id: depositId }, body: { moveOutDate: "2026-02-20" } });
  await office.call("finalizeSecurityDeposit", { params: { id: depositId }, body: aLetter });
  const refund = { ...aRefund(150_000, bankAccountId), referenceNumber: "1008", payees: ["Tom Tenant", "Tina Tenant"] };
  await office.call("refundSecurityDeposit", { params: { id: depositId }, body: refund });
  const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 4_000) });
  await office.call("createDeposit", { body: { bankAccountId, depositedOn: "2026-02-10", paymentIds: [payment.id] } });
  const body = { amountCents: 4_000, method: "check" as const, bankAccountId, referenceNumber: "1009", refundedAt: "2026-03-06T17:00:00.000Z" };
  await office.call("refundPayment", { params: { id: payment.id }, body });
  return { office, bankAccountId, reconciliation, payoutCents: payouts[0]!.amountCents };
}

const registerOf = async (office: Office, id: string, query: Record<string, string> = PERIOD) =>
  (await office.call("getCheckRegister", { params: { id }, query })).checkRegister;

describe("getCheckRegister", () => {
  test("has the checks of all kinds by number, with payee, status and reconciliation, the numbers that are missing, and the sums", async () => {
    const { office, bankAccountId, reconciliation, payoutCents } = await anAccountWithChecks();
    const register = await registerOf(office, bankAccountId);
    expect(register.checks.map(({ number, date, payee, amountCents, status }) => [number, date, payee, amountCents, status])).toEqual([
      ["1001", "2026-01-20", "Elm Plumbing", 500, "issued"],
      ["001002", "2026-01-21", "Elm Plumbing", 700, "cleared"],
      ["1003", "2026-01-22", "Elm Plumbing", 900, "voided"],
      ["1006", "2026-02-03", "Olga Owner", payoutCents, "issued"],
      ["1008", "2026-03-05", "Tom Tenant, Tina Tenant", 150_000, "issued"],
      ["1009", "2026-03-06", expect.any(String), 4_000, "issued"],
    ]);
    expect(register.checks.map(({ entityType, reconciliationId, clearedOn }) => [entityType, reconciliationId, clearedOn])).toEqual([
      ["expense_payment", null, null],
      ["expense_payment", reconciliation, "2026-01-31"],
      ["expense_payment", null, null],
      ["owner_payable", null, null],
      ["security_deposit", null, null],
      ["payment", null, null],
    ]);
    expect(register.missingNumbers).toEqual([
      { firstNumber: 1_004, lastNumber: 1_005 },
      { firstNumber: 1_007, lastNumber: 1_007 },
    ]);
    const outstandingCents = 500 + payoutCents + 150_000 + 4_000;
    expect(register.totals).toEqual({ amountCents: outstandingCents + 700, clearedCents: 700, outstandingCents, voidedCents: 900 });
  });

  test("leaves out checks of other days and accounts, whose numbers are not missing", async () => {
    const { office, bankAccountId } = await anAccountWithChecks();
    const march = await registerOf(office, bankAccountId, { from: "2026-03-01", to: "2026-03-31" });
    expect([march.checks.map(({ number }) => number), march.missingNumbers]).toEqual([["1008", "1009"], []]);
    expect((await registerOf(office, await aBankAccount(office, "reserve"))).checks).toEqual([]);
    const { body } = await office.attempt("getCheckRegister", { params: { id: bankAccountId }, query: { from: "2026-03-02", to: "2026-03-01" } });
    expect(body.errors).toMatchObject([{ path: "to", code: "before_start" }]);
  });

  test("is a PDF with the checks, sums and missing numbers, or a row for each check as CSV", async () => {
    const { office, bankAccountId } = await anAccountWithChecks();
    const download = (format: string) =>
      office.raw("GET", `/api/trust/bank-accounts/${bankAccountId}/check-register?from=2026-01-01&to=2026-03-31&format=${format}`);
    const pdf = await download("pdf");
    expect(pdf.headers.get("content-type")).toBe("application/pdf");
    const text = pageTexts(Buffer.from(await pdf.arrayBuffer())).join(" ");
    for (const part of [
      "Check register",
      "001002",
      "cleared by 01/31/2026",
      "Tom Tenant, Tina Tenant",
      "Refund of a payment",
      "$1,500.00",
      "1004 to 1005",
      "1007",
    ])
      expect(text).toContain(part);
    const rows = (await (await download("csv")).text()).trim().split("\r\n");
    expect([rows.length, rows[1]!.startsWith("1001,2026-01-20,Elm Plumbing,500,issued,")]).toEqual([7, true]);
  });
});
