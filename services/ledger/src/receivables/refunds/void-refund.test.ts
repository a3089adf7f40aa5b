import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { recordEvents, withOwnerConnection, type EventRecorder } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";
import { closeMonth } from "../../periods/periods.fixtures.ts";

let office: Office;
let tenancy: Tenancy;
let bankAccountId: string;
let events: EventRecorder;
beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
  bankAccountId = (await accountIdsByCode(office))["1000"]!;
  events = await recordEvents(office);
});
afterAll(() => events.close());

const noonOn = (date: string) => `${date}T17:00:00.000Z`;
const voidOn = (date: string) => ({ reason: "never cashed", voidedAt: noonOn(date) });

/** Records a payment of 900 on 2026-01-05 and refunds the amount on 2026-02-10. */
async function aRefund(amountCents = 300, of: Office = office, payer: Tenancy = tenancy, bank = bankAccountId) {
  const { payment } = await of.call("recordPayment", { body: aPayment(payer, 900) });
  const body = { amountCents, method: "check" as const, bankAccountId: bank, refundedAt: noonOn("2026-02-10") };
  const { refund } = await of.call("refundPayment", { params: { id: payment.id }, body });
  return { id: payment.id, refundId: refund.id };
}
const refusal = async (params: { id: string; refundId: string }, body: object) => {
  const { status, body: error } = await office.attempt("voidRefund", { params, body: body as never });
  return [status, error.errors?.[0]?.path ?? error.code, error.errors?.[0]?.code];
};

describe("voidRefund", () => {
  test("returns the amount to the credit of the payment and to the bank account, from the day of the void, on both bases", async () => {
    const own = await anOffice();
    const params = await aRefund(300, own, await aTenancy(own), (await accountIdsByCode(own))["1000"]!);
    const { payment, refund } = await own.call("voidRefund", { params, body: voidOn("2026-03-01") });
    expect(refund).toMatchObject({ id: params.refundId, voidedAt: noonOn("2026-03-01"), voidReason: "never cashed" });
    expect(payment).toMatchObject({ status: "received", unallocatedCents: 900, refundedCents: 0, refunds: [refund] });
    const { journalEntry } = await own.call("getJournalEntry", { params: { id: refund.journalEntryId } });
    const { journalEntry: reversal } = await own.call("getJournalEntry", { params: { id: journalEntry.reversedById! } });
    expect([journalEntry.status, reversal.source, reversal.sourceId, reversal.memo]).toEqual([
      "reversed",
      "reversal",
      params.id,
      "Refund voided: never cashed",
    ]);
    for (const basis of ["accrual", "cash"]) {
      const closingOn = async (asOf: string) =>
        (await own.call("getTrialBalance", { query: { asOf, basis } })).trialBalance.rows
          .filter(({ closingCents }) => closingCents !== 0)
          .map(({ accountCode, closingCents }) => `${accountCode} ${closingCents}`);
      expect(await closingOn("2026-02-28")).toEqual(["1000 -300", "1050 900", "2150 -600"]);
      expect(await closingOn("2026-03-01")).toEqual(["1050 900", "2150 -900"]);
    }
    expect(await withOwnerConnection(own, findViolations)).toEqual([]);
  });

  test("sets a refunded payment to received, so that its credit can settle charges and be refunded again", async () => {
    const params = await aRefund(900);
    const { payment } = await office.call("voidRefund", { params, body: { reason: "the wrong account" } });
    expect(payment.status).toBe("received");
    expect((await events.waitForEvent("payment.refund_voided", params.id)).data).toEqual({ tenantId: tenancy.tenantId, leaseId: tenancy.leaseId });
    const chargeId = await aCharge(office, tenancy.leaseId, 400);
    await office.call("allocatePayment", { params: { id: params.id }, body: { allocations: [{ chargeId, amountCents: 400 }] } });
    const again = { amountCents: 500, method: "ach" as const, bankAccountId };
    const { payment: refunded } = await office.call("refundPayment", { params: { id: params.id }, body: again });
    expect(refunded).toMatchObject({ unallocatedCents: 0, refundedCents: 500 });
    expect(refunded.refunds.map(({ voidedAt, amountCents }) => [voidedAt === null, amountCents])).toEqual([
      [false, 900],
      [true, 500],
    ]);
    expect(await withOwnerConnection(office, findViolations)).toEqual([]);
  });

  test("shows in the ledger of the lease", async () => {
    const payer = await aTenancy(office);
    await office.call("voidRefund", { params: await aRefund(300, office, payer), body: voidOn("2026-03-01") });
    const { entries } = await office.call("listLeaseLedger", { params: { id: payer.leaseId }, query: {} });
    expect(entries.map(({ date, kind, debitCents, creditCents, balanceCents }) => [date, kind, debitCents - creditCents, balanceCents])).toEqual([
      ["2026-01-05", "payment", -900, -900],
      ["2026-02-10", "refund", 300, -600],
      ["2026-03-01", "reversal", -300, -900],
    ]);
  });

  test("in a closed period is dated the first open day", async () => {
    const own = await anOffice();
    const params = await aRefund(300, own, await aTenancy(own), (await accountIdsByCode(own))["1000"]!);
    await closeMonth(own, "2026-01");
    await closeMonth(own, "2026-02");
    const { refund } = await own.call("voidRefund", { params, body: voidOn("2026-02-10") });
    const { journalEntry } = await own.call("getJournalEntry", { params: { id: refund.journalEntryId } });
    const { journalEntry: reversal } = await own.call("getJournalEntry", { params: { id: journalEntry.reversedById! } });
    expect(reversal.occurredAt.slice(0, 10)).toBe("2026-03-01");
    expect(await withOwnerConnection(own, findViolations)).toEqual([]);
  });

  test("refuses a time before the refund, a second void, and unknown refunds", async () => {
    const [params, other] = [await aRefund(), await aRefund()];
    expect(await refusal(params, voidOn("2026-02-09"))).toEqual([400, "voidedAt", "before_start"]);
    expect(await refusal(params, { reason: " " })).toEqual([400, "reason", expect.anything()]);
    expect(await refusal({ id: params.id, refundId: other.refundId }, voidOn("2026-03-01"))).toEqual([404, "not_found", undefined]);
    expect(await refusal({ id: params.id, refundId: randomUUID() }, voidOn("2026-03-01"))).toEqual([404, "not_found", undefined]);
    expect((await refusal(params, voidOn("2026-02-10")))[0]).toBe(200);
    expect(await refusal(params, voidOn("2026-03-01"))).toEqual([409, "invalid_transition", undefined]);
  });

  test("is refused for a reversed payment, and a reversal of the payment is refused on a day before the void", async () => {
    const [reversed, voided] = [await aRefund(), await aRefund()];
    await office.call("reversePayment", { params: { id: reversed.id }, body: { reason: "nsf", reversedAt: noonOn("2026-02-20") } });
    expect(await refusal(reversed, voidOn("2026-03-01"))).toEqual([409, "resource_in_use", undefined]);
    await office.call("voidRefund", { params: voided, body: voidOn("2026-03-01") });
    const attemptReversal = (date: string) =>
      office.attempt("reversePayment", { params: { id: voided.id }, body: { reason: "nsf", reversedAt: noonOn(date) } });
    expect((await attemptReversal("2026-02-28")).body.errors).toMatchObject([{ path: "reversedAt", code: "before_start" }]);
    const { body } = await attemptReversal("2026-03-01");
    expect(body.charges).toEqual([]);
    expect(await withOwnerConnection(office, findViolations)).toEqual([]);
  });

  test("accepts one of ten concurrent requests, and a concurrent reversal leaves no credit", async () => {
    const params = await aRefund();
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => office.attempt("voidRefund", { params, body: voidOn("2026-03-01") })))).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    const raced = await aRefund();
    const [voided, reversed] = await Promise.all([
      office.attempt("voidRefund", { params: raced, body: voidOn("2026-03-01") }),
      office.attempt("reversePayment", { params: { id: raced.id }, body: { reason: "nsf", reversedAt: noonOn("2026-03-02") } }),
    ]);
    expect(["200 200", "409 200"]).toContain(`${voided.status} ${reversed.status}`);
    expect((await office.call("getPayment", { params: { id: raced.id } })).payment).toMatchObject({ status: "reversed", unallocatedCents: 0 });
    expect(await withOwnerConnection(office, findViolations)).toEqual([]);
  });
});
