import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { recordEvents, withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

let office: Office;
let tenancy: Tenancy;
let bankAccountId: string;
beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
  bankAccountId = (await accountIdsByCode(office))["1000"]!;
});

const pay = async (amountCents: number, change: object = {}) =>
  (await office.call("recordPayment", { body: { ...aPayment(tenancy, amountCents), ...change } })).payment.id;
const deposit = (depositedOn: string, ...paymentIds: string[]) => office.attempt("createDeposit", { body: { bankAccountId, depositedOn, paymentIds } });
const depositId = async (depositedOn: string, ...paymentIds: string[]) => (await deposit(depositedOn, ...paymentIds)).body.deposit.id;
/** Returns the balances other than zero at the end of a day, by account code. */
async function balancesOn(asOf: string, query: { propertyId?: string; basis?: "accrual" | "cash" } = {}): Promise<Record<string, number>> {
  const { trialBalance } = await office.call("getTrialBalance", { query: { asOf, ...query } });
  return Object.fromEntries(trialBalance.rows.filter(({ closingCents }) => closingCents !== 0).map((row) => [row.accountCode, row.closingCents]));
}
const expectNoViolations = async () => expect(await withOwnerConnection(office, findViolations)).toEqual([]);

describe("createDeposit", () => {
  test("moves the payments' money to the bank on the day of the deposit, in one entry, on both bases", async () => {
    const [first, second] = [await pay(300, { checkNumber: "17" }), await pay(200, { receivedAt: "2026-01-06T15:00:00.000Z" })];
    const before = await balancesOn("2026-01-06");
    const events = await recordEvents(office);
    const { body } = await deposit("2026-01-07", second, first);
    const payments = [
      { paymentId: first, tenantName: "Tess Tenant", amountCents: 300, paymentMethod: "ach", checkNumber: "17", receivedAt: "2026-01-05T15:00:00.000Z" },
      { paymentId: second, amountCents: 200, checkNumber: null },
    ];
    expect(body.deposit).toMatchObject({ bankAccountId, depositedOn: "2026-01-07", amountCents: 500, status: "posted", payments, voidedAt: null });
    expect((await events.waitForEvent("deposit.created", body.deposit.id)).data).toEqual({ bankAccountId, depositedOn: "2026-01-07" });
    await events.close();
    const { journalEntry } = await office.call("getJournalEntry", { params: { id: body.deposit.journalEntryId } });
    expect([journalEntry.source, journalEntry.sourceType, journalEntry.sourceId, journalEntry.debitTotalCents]).toEqual([
      "deposit",
      "deposit",
      body.deposit.id,
      500,
    ]);
    expect(journalEntry.lines.map((line) => [line.accountCode, line.debitCents, line.creditCents, line.paymentId, line.leaseId]).slice(0, 2)).toEqual(
      expect.arrayContaining([["1000", expect.any(Number), 0, expect.any(String), tenancy.leaseId]]),
    );
    expect(await balancesOn("2026-01-06")).toEqual(before);
    for (const basis of ["accrual", "cash"] as const) expect(await balancesOn("2026-01-07", { basis })).toMatchObject({ "1000": 500, "2150": before["2150"] });
    expect((await office.call("getPayment", { params: { id: first } })).payment.depositId).toBe(body.deposit.id);
    await expectNoViolations();
  });

  test("splits a payment without a lease by the properties of the charges that it settles, also when it is allocated afterwards", async () => {
    const other = await aTenancy(office);
    const { payment } = await office.call("recordPayment", { body: { ...aPayment(other, 500), leaseId: undefined } });
    const later = await aCharge(office, other.leaseId, 100, "2026-03-01");
    await office.call("allocatePayment", { params: { id: payment.id }, body: { allocations: [{ chargeId: later, amountCents: 100 }] } });
    await depositId("2026-02-01", payment.id);
    const { propertyId } = other;
    expect(await balancesOn("2026-02-28", { propertyId })).toEqual({});
    expect(await balancesOn("2026-03-01", { propertyId })).toEqual({ "1000": 100, "4000": -100 });
    const earlier = await aCharge(office, other.leaseId, 300, "2026-01-10");
    await office.call("allocatePayment", { params: { id: payment.id }, body: { allocations: [{ chargeId: earlier, amountCents: 300 }] } });
    expect(await balancesOn("2026-01-31", { propertyId })).toEqual({ "1050": 300, "4000": -300 });
    expect(await balancesOn("2026-03-01", { propertyId })).toEqual({ "1000": 400, "4000": -400 });
    const { allocations } = (await office.call("getPayment", { params: { id: payment.id } })).payment;
    await office.call("deletePaymentAllocation", { params: { id: payment.id, allocationId: allocations[0]!.id } });
    expect(await balancesOn("2199-12-31", { propertyId })).toEqual({ "1000": 300, "1100": 100, "4000": -400 });
    await expectNoViolations();
    await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf", reversedAt: "2026-02-10T15:00:00.000Z" } });
    expect(await balancesOn("2199-12-31", { propertyId })).toEqual({ "1100": 400, "4000": -400 });
    await expectNoViolations();
  });

  test("refuses a payment received after the deposit, unknown payments, and an account that is no bank account", async () => {
    const id = await pay(100, { receivedAt: "2026-02-10T15:00:00.000Z" });
    const errorOf = async (attempt: ReturnType<typeof deposit>) => {
      const { status, body } = await attempt;
      return [status, body.errors?.[0]?.path, body.errors?.[0]?.code];
    };
    expect(await errorOf(deposit("2026-02-09", id))).toEqual([400, "depositedOn", "before_start"]);
    expect(await errorOf(deposit("2026-02-10", id, randomUUID()))).toEqual([400, "paymentIds.1", "not_found"]);
    expect(await errorOf(deposit("2026-02-10", id, id))).toEqual([400, "paymentIds", "unique"]);
    const income = (await accountIdsByCode(office))["4000"]!;
    const body = { bankAccountId: income, depositedOn: "2026-02-10", paymentIds: [id] };
    expect(await errorOf(office.attempt("createDeposit", { body }) as never)).toEqual([400, "bankAccountId", "not_found"]);
    expect((await deposit("2026-02-10", id)).status).toBe(200);
  });

  test("refuses a payment that is in another deposit, naming it, and a reversed payment", async () => {
    const [id, reversed] = [await pay(100), await pay(100)];
    const inDeposit = await depositId("2026-01-07", id);
    const second = await deposit("2026-01-07", id);
    expect([second.status, second.body.code, second.body.message.includes(inDeposit)]).toEqual([409, "resource_in_use", true]);
    await office.call("reversePayment", { params: { id: reversed }, body: { reason: "other" } });
    expect(await deposit("2026-01-07", reversed)).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
  });

  test("with the same Idempotency-Key deposits once", async () => {
    const request = { body: { bankAccountId, depositedOn: "2026-01-07", paymentIds: [await pay(100)] }, headers: { "Idempotency-Key": randomUUID() } };
    const [first, repeated] = [await office.attempt("createDeposit", request), await office.attempt("createDeposit", request)];
    expect([first.status, repeated.text]).toEqual([200, first.text]);
  });

  test("accepts a payment that was refunded before", async () => {
    const id = await pay(100);
    await office.call("refundPayment", { params: { id }, body: { amountCents: 100, method: "check", bankAccountId } });
    expect((await deposit("2026-01-07", id)).status).toBe(200);
    await expectNoViolations();
  });
});

describe("voidDeposit", () => {
  test("reverses the deposit on its own day, so that its payments can be deposited again", async () => {
    const id = await pay(700);
    const wrong = await depositId("2026-05-07", id);
    const before = await balancesOn("2026-05-06");
    const { deposit: voided } = await office.call("voidDeposit", { params: { id: wrong }, body: { reason: "wrong day" } });
    expect(voided).toMatchObject({ status: "voided", voidReason: "wrong day", payments: [{ paymentId: id }] });
    expect(await balancesOn("2026-05-07")).toEqual(before);
    expect((await office.call("getPayment", { params: { id } })).payment.depositId).toBeNull();
    const { body } = await deposit("2026-04-07", id);
    const withoutReason = await office.call("voidDeposit", { params: { id: body.deposit.id } });
    expect(withoutReason.deposit).toMatchObject({ status: "voided", voidReason: null });
    const again = await office.attempt("voidDeposit", { params: { id: wrong }, body: { reason: "twice" } });
    expect([again.status, again.body.code]).toEqual([409, "invalid_transition"]);
    await expectNoViolations();
  });

  test("is refused when one of its payments was reversed since", async () => {
    const [returned, good] = [await pay(100), await pay(100)];
    const id = await depositId("2026-01-07", returned, good);
    await office.call("reversePayment", { params: { id: returned }, body: { reason: "nsf" } });
    const { status, body } = await office.attempt("voidDeposit", { params: { id }, body: { reason: "returned" } });
    expect([status, body.code, body.message.includes(returned)]).toEqual([409, "resource_in_use", true]);
    await expectNoViolations();
  });
});

describe("reversePayment of a deposited payment", () => {
  test("credits the bank account on the day of the reversal", async () => {
    const id = await pay(900);
    await depositId("2026-06-07", id);
    const before = await balancesOn("2026-06-19");
    await office.call("reversePayment", { params: { id }, body: { reason: "nsf", reversedAt: "2026-06-20T15:00:00.000Z" } });
    expect(await balancesOn("2026-06-19")).toEqual(before);
    expect(await balancesOn("2026-06-20")).toEqual({ ...before, "1000": before["1000"]! - 900, "2150": before["2150"]! + 900 });
    await expectNoViolations();
  });
});

describe("listDeposits", () => {
  test("filters and sorts, and payments can be listed by their deposit", async () => {
    const own = await anOffice();
    const ownTenancy = await aTenancy(own);
    const accounts = await accountIdsByCode(own);
    const record = async (depositedOn: string, code: string, amountCents: number) => {
      const { payment } = await own.call("recordPayment", { body: aPayment(ownTenancy, amountCents) });
      const body = { bankAccountId: accounts[code]!, depositedOn, paymentIds: [payment.id] };
      return { paymentId: payment.id, id: (await own.call("createDeposit", { body })).deposit.id };
    };
    const [a, b] = [await record("2026-01-07", "1000", 200), await record("2026-02-07", "1010", 100)];
    const undeposited = (await own.call("recordPayment", { body: aPayment(ownTenancy, 1) })).payment.id;
    const list = async (query: Record<string, string>) => (await own.call("listDeposits", { query })).deposits.map(({ id }) => id);
    expect(await list({})).toEqual([b.id, a.id]);
    expect(await list({ sortBy: "amountCents", sortDirection: "asc" })).toEqual([b.id, a.id]);
    expect(await list({ bankAccountId: accounts["1010"]! })).toEqual([b.id]);
    expect(await list({ depositedAfter: "2026-01-07", depositedBefore: "2026-01-07", status: "posted" })).toEqual([a.id]);
    expect(await list({ paymentId: a.paymentId })).toEqual([a.id]);
    const payments = async (query: Record<string, string>) => (await own.call("listPayments", { query })).payments.map(({ id }) => id);
    expect(await payments({ depositId: a.id })).toEqual([a.paymentId]);
    expect(await payments({ undepositedOnly: "true" })).toEqual([undeposited]);
  });
});
