import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, closingBalances, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { recordEvents, withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";
import { closeMonth } from "../../periods/periods.fixtures.ts";

let office: Office;
let tenancy: Tenancy;
let bankAccountId: string;
beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
  bankAccountId = (await accountIdsByCode(office))["1000"]!;
});

const aRefund = (amountCents: number) => ({ amountCents, method: "check" as const, bankAccountId });
const aCredit = async (amountCents: number) => (await office.call("recordPayment", { body: aPayment(tenancy, amountCents) })).payment.id;
const attemptRefund = async (id: string, body: ReturnType<typeof aRefund> & { refundedAt?: string }) => {
  const { status, body: error } = await office.attempt("refundPayment", { params: { id }, body });
  return [status, error.errors?.[0]?.path ?? error.code, error.errors?.[0]?.code];
};

describe("refundPayment", () => {
  test("debits prepaid rent and credits the bank account on the day of the refund, on both bases", async () => {
    const newOffice = await anOffice();
    const payer = await aTenancy(newOffice);
    const bank = (await accountIdsByCode(newOffice))["1010"]!;
    const { payment } = await newOffice.call("recordPayment", { body: aPayment(payer, 900) });
    const { payment: refunded, refund } = await newOffice.call("refundPayment", {
      params: { id: payment.id },
      body: { amountCents: 300, method: "ach", bankAccountId: bank, memo: "Paid too much", refundedAt: "2026-02-10T15:00:00.000Z" },
    });
    expect(refund).toMatchObject({ paymentId: payment.id, amountCents: 300, method: "ach", memo: "Paid too much", refundedAt: "2026-02-10T15:00:00.000Z" });
    expect(refunded).toMatchObject({ status: "received", unallocatedCents: 600, refundedCents: 300, refunds: [refund] });
    const { journalEntry } = await newOffice.call("getJournalEntry", { params: { id: refund.journalEntryId } });
    const where = { propertyId: payer.propertyId, unitId: payer.unitId };
    expect([journalEntry.source, journalEntry.lines]).toMatchObject([
      "refund",
      [
        { ...where, debitCents: 300 },
        { ...where, accountId: bank, creditCents: 300 },
      ],
    ]);
    for (const basis of ["accrual", "cash"]) {
      const closingOn = async (asOf: string) =>
        (await newOffice.call("getTrialBalance", { query: { asOf, basis } })).trialBalance.rows
          .filter(({ closingCents }) => closingCents !== 0)
          .map(({ accountCode, closingCents }) => [accountCode, closingCents]);
      expect(await closingOn("2026-02-09")).toEqual([
        ["1050", 900],
        ["2150", -900],
      ]);
      expect(await closingOn("2026-02-10")).toEqual([
        ["1010", -300],
        ["1050", 900],
        ["2150", -600],
      ]);
    }
    expect(await withOwnerConnection(newOffice, findViolations)).toEqual([]);
  });

  test("of the whole amount sets the payment to refunded, after which it can be neither allocated nor refunded", async () => {
    const id = await aCredit(500);
    const events = await recordEvents(office);
    await office.call("refundPayment", { params: { id }, body: aRefund(200) });
    const { payment } = await office.call("refundPayment", { params: { id }, body: aRefund(300) });
    expect(payment).toMatchObject({ status: "refunded", unallocatedCents: 0, refundedCents: 500, refunds: [{ amountCents: 200 }, { amountCents: 300 }] });
    expect((await events.waitForEvent("payment.refunded", id)).data).toMatchObject({ status: "received", tenantId: tenancy.tenantId });
    await events.close();
    expect(await attemptRefund(id, aRefund(1))).toEqual([409, "invalid_transition", undefined]);
    expect((await office.attempt("autoAllocatePayment", { params: { id }, body: {} })).status).toBe(409);
    expect((await office.call("listPayments", { query: { status: "refunded" } })).payments.map((each) => each.id)).toEqual([id]);
  });

  test("refuses more than the credit, an account that is no bank account, and a time before the receipt", async () => {
    const id = await aCredit(500);
    const chargeId = await aCharge(office, tenancy.leaseId, 100);
    await office.call("allocatePayment", { params: { id }, body: { allocations: [{ chargeId, amountCents: 100 }] } });
    expect(await attemptRefund(id, aRefund(401))).toEqual([400, "amountCents", "sum_exceeded"]);
    const income = (await accountIdsByCode(office))["4000"]!;
    for (const account of [income, randomUUID()])
      expect(await attemptRefund(id, { ...aRefund(1), bankAccountId: account })).toEqual([400, "bankAccountId", "not_found"]);
    expect(await attemptRefund(id, { ...aRefund(1), refundedAt: "2026-01-05T14:59:59.999Z" })).toEqual([400, "refundedAt", "before_start"]);
    expect(await attemptRefund(randomUUID(), aRefund(1))).toEqual([404, "not_found", undefined]);
    expect(await attemptRefund(id, aRefund(400))).toEqual([200, undefined, undefined]);
  });

  test("of an amount whose allocation was removed is dated the day of the removal at the earliest", async () => {
    const chargeId = await aCharge(office, tenancy.leaseId, 100);
    const body = { ...aPayment(tenancy, 150), allocations: [{ chargeId, amountCents: 100 }] };
    const { payment } = await office.call("recordPayment", { body });
    await office.call("deletePaymentAllocation", { params: { id: payment.id, allocationId: payment.allocations[0]!.id } });
    expect(await attemptRefund(payment.id, { ...aRefund(51), refundedAt: body.receivedAt })).toEqual([400, "refundedAt", "before_start"]);
    await office.call("refundPayment", { params: { id: payment.id }, body: { ...aRefund(50), refundedAt: body.receivedAt } });
    expect(await attemptRefund(payment.id, { ...aRefund(1), refundedAt: body.receivedAt })).toEqual([400, "refundedAt", "before_start"]);
    await office.call("refundPayment", { params: { id: payment.id }, body: aRefund(100) });
    expect(await withOwnerConnection(office, findViolations)).toEqual([]);
  });

  test("in a closed period is dated the first open day, as is the charge for the refund when the payment is reversed", async () => {
    const newOffice = await anOffice();
    const payer = await aTenancy(newOffice);
    const bank = (await accountIdsByCode(newOffice))["1000"]!;
    const { payment } = await newOffice.call("recordPayment", { body: aPayment(payer, 300) });
    const { id } = await closeMonth(newOffice, "2026-01");
    const body = { amountCents: 300, method: "check" as const, bankAccountId: bank, refundedAt: "2026-01-10T15:00:00.000Z" };
    await newOffice.call("refundPayment", { params: { id: payment.id }, body });
    await newOffice.call("reopenAccountingPeriod", { params: { id }, body: { reason: "a late posting" } });
    const reversal = { reason: "nsf" as const, reversedAt: "2026-01-15T15:00:00.000Z" };
    const { charges } = await newOffice.call("reversePayment", { params: { id: payment.id }, body: reversal });
    expect(charges.find(({ amountCents }) => amountCents === 300)).toMatchObject({ dueDate: "2026-02-01" });
    expect(await withOwnerConnection(newOffice, findViolations)).toEqual([]);
  });

  test("with the same Idempotency-Key refunds once, and ten concurrent refunds never exceed the credit", async () => {
    const id = await aCredit(300);
    const request = { params: { id }, body: aRefund(100), headers: { "Idempotency-Key": randomUUID() } };
    const [first, repeated] = [await office.attempt("refundPayment", request), await office.attempt("refundPayment", request)];
    expect([first.status, repeated.text]).toEqual([200, first.text]);
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => office.attempt("refundPayment", { params: { id }, body: aRefund(100) })))).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(2);
    expect((await closingBalances(office))["1000"]).toBeLessThan(0);
    expect(await withOwnerConnection(office, findViolations)).toEqual([]);
  });
});
