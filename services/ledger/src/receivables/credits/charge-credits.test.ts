import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { addDays } from "@freehold/kit/time/plain-date";
import { randomUUID } from "node:crypto";
import pg from "pg";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { aCharge, aPayment, aTenancy, closingBalances, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { closeMonth } from "../../periods/periods.fixtures.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { recordEvents, todayInOffice, withOwnerConnection, type EventRecorder } from "../../../test/ledger.fixtures.ts";

let office: Office;
let tenancy: Tenancy;
let events: EventRecorder;

beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
  events = await recordEvents(office);
});
afterAll(() => events.close());

const creditBody = (amountCents: number, changes: object = {}) => ({ amountCents, reason: "concession" as const, ...changes });
const attemptCredit = (id: string, amountCents: number, changes: object = {}, headers: Record<string, string> = {}) =>
  office.attempt("creditCharge", { params: { id }, body: creditBody(amountCents, changes), headers });
const credit = (id: string, amountCents: number, changes: object = {}) =>
  office.call("creditCharge", { params: { id }, body: creditBody(amountCents, changes) });
const attemptReverse = (id: string, creditId: string) => office.attempt("reverseCredit", { params: { id, creditId } });
const aDeposit = async (amountCents: number) =>
  (await office.call("createCharge", { body: { leaseId: tenancy.leaseId, amountCents, dueDate: "2026-01-01", chargeType: "deposit" } })).charge.id;
const violations = () => withOwnerConnection(office, findViolations);

/** Returns the closing balance of each account on a basis, by account code. */
const balancesOf = async (basis: "accrual" | "cash") => {
  const { trialBalance } = await office.call("getTrialBalance", { query: { asOf: "2199-12-31", basis } });
  return Object.fromEntries(trialBalance.rows.map(({ accountCode, closingCents }) => [accountCode, closingCents]));
};
/** Returns the changes of the balances that differ, by account code. */
const balanceChanges = (before: Record<string, number>, after: Record<string, number>) =>
  Object.fromEntries(Object.keys(after).flatMap((code) => (after[code] === (before[code] ?? 0) ? [] : [[code, after[code]! - (before[code] ?? 0)]])));

describe("creditCharge", () => {
  test("reduces income and receivable, with the dimensions of the charge, and changes nothing on the cash basis", async () => {
    const id = await aCharge(office, tenancy.leaseId, 100);
    const [accrual, cash] = [await balancesOf("accrual"), await balancesOf("cash")];
    const { charge, credit: given } = await credit(id, 30, { memo: "noise", creditedOn: "2026-01-15" });
    expect(charge).toMatchObject({ id, creditedCents: 30, allocatedCents: 0, balanceCents: 70, status: "partially_paid" });
    expect(given).toMatchObject({ chargeId: id, amountCents: 30, reason: "concession", memo: "noise", creditedOn: "2026-01-15", reversedAt: null });
    expect(balanceChanges(accrual, await balancesOf("accrual"))).toEqual({ "1100": -30, "4000": 30 });
    expect(balanceChanges(cash, await balancesOf("cash"))).toEqual({});
    const { journalEntries } = await office.call("listJournalEntries", { query: { unitId: tenancy.unitId, source: "credit" } });
    const { leaseId, tenantId, propertyId, unitId } = tenancy;
    const dimensions = { leaseId, tenantId, propertyId, unitId, chargeId: id };
    expect(journalEntries[0]).toMatchObject({
      memo: "Credit: Rent",
      lines: [
        { accountCode: "4000", debitCents: 30, ...dimensions },
        { accountCode: "1100", creditCents: 30, ...dimensions },
      ],
    });
    expect((await office.call("getCharge", { params: { id } })).credits).toEqual([given]);
    expect(await events.waitForEvent("charge.credited", id)).toMatchObject({ data: { leaseId }, audience: { tenantIds: [tenantId] } });
    const { entries } = await office.call("listLeaseLedger", { params: { id: leaseId } });
    expect(entries.find(({ kind }) => kind === "credit")).toMatchObject({ creditCents: 30, chargeId: id, date: "2026-01-15" });
  });

  test("of the whole balance settles the charge", async () => {
    const id = await aCharge(office, tenancy.leaseId, 100);
    await office.call("recordPayment", { body: { ...aPayment(tenancy, 40), allocations: [{ chargeId: id, amountCents: 40 }] } });
    expect((await credit(id, 60)).charge).toMatchObject({ balanceCents: 0, status: "paid", isOverdue: false });
    expect((await attemptCredit(id, 1)).body.errors).toMatchObject([{ path: "amountCents", code: "sum_exceeded" }]);
    expect(await violations()).toEqual([]);
  });

  test("of a deposit reduces the deposits due", async () => {
    const id = await aDeposit(500);
    const before = await balancesOf("accrual");
    await credit(id, 200);
    expect(balanceChanges(before, await balancesOf("accrual"))).toEqual({ "1100": -200, "2110": 200 });
    await office.call("recordPayment", { body: { ...aPayment(tenancy, 300), allocations: [{ chargeId: id, amountCents: 300 }] } });
    expect((await office.call("getCharge", { params: { id } })).charge.status).toBe("paid");
    expect(await violations()).toEqual([]);
  });

  test("is dated today, or the due date of a charge that is due later", async () => {
    const due = await aCharge(office, tenancy.leaseId, 100);
    const future = await aCharge(office, tenancy.leaseId, 100, addDays(todayInOffice(), 5));
    expect((await credit(due, 1)).credit.creditedOn).toBe(todayInOffice());
    expect((await credit(future, 1)).credit.creditedOn).toBe(addDays(todayInOffice(), 5));
    expect((await attemptCredit(future, 1, { creditedOn: todayInOffice() })).body.errors).toMatchObject([{ path: "creditedOn", code: "before_start" }]);
    expect(await violations()).toEqual([]);
  });

  test("of an amount that a reversed payment had settled is dated the day of the reversal", async () => {
    const id = await aCharge(office, tenancy.leaseId, 100);
    const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, 80), allocations: [{ chargeId: id, amountCents: 80 }] } });
    await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "entry_error", reversedAt: "2026-02-01T15:00:00.000Z" } });
    expect((await credit(id, 20, { creditedOn: "2026-01-10" })).credit.creditedOn).toBe("2026-01-10");
    expect((await credit(id, 20, { creditedOn: "2026-01-10" })).credit.creditedOn).toBe("2026-02-01");
    expect(await violations()).toEqual([]);
  });

  test("in a closed period is dated the first open day", async () => {
    const closedOffice = await anOffice();
    const { leaseId } = await aTenancy(closedOffice);
    const id = await aCharge(closedOffice, leaseId, 100, "2026-01-10");
    await closeMonth(closedOffice, "2026-01");
    const { credit: given } = await closedOffice.call("creditCharge", { params: { id }, body: creditBody(40, { creditedOn: "2026-01-15" }) });
    expect(given.creditedOn).toBe("2026-02-01");
    await closedOffice.call("reverseCredit", { params: { id, creditId: given.id } });
    expect(await withOwnerConnection(closedOffice, findViolations)).toEqual([]);
  });

  test("refuses a voided charge, and a credited charge cannot be voided or changed", async () => {
    const id = await aCharge(office, tenancy.leaseId, 100);
    const { credit: given } = await credit(id, 10);
    const attemptVoid = () => office.attempt("voidCharge", { params: { id }, body: { reason: "a mistake" } });
    expect(await attemptVoid()).toMatchObject({ status: 409, body: { code: "resource_in_use" } });
    expect(await office.attempt("updateCharge", { params: { id }, body: { name: "Other" } })).toMatchObject({
      status: 409,
      body: { code: "already_allocated" },
    });
    await attemptReverse(id, given.id);
    expect((await attemptVoid()).status).toBe(200);
    expect(await attemptCredit(id, 1)).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
    expect(await violations()).toEqual([]);
  });

  test("is refused for a charge that balances the refund of a returned payment, as is a change of its due date", async () => {
    const { categories } = await office.call("listCategories");
    const bankAccountId = categories.find(({ code }) => code === "1000")!.id;
    const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 300) });
    await office.call("refundPayment", { params: { id: payment.id }, body: { amountCents: 300, method: "check", bankAccountId } });
    const { charges } = await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf" } });
    const id = charges.find(({ amountCents }) => amountCents === 300)!.id;
    expect(await attemptCredit(id, 1)).toMatchObject({ status: 409, body: { code: "resource_in_use" } });
    expect(await office.attempt("updateCharge", { params: { id }, body: { dueDate: "2199-01-01" } })).toMatchObject({
      status: 409,
      body: { code: "resource_in_use" },
    });
    expect(await violations()).toEqual([]);
  });

  test.each([
    ["amountCents", 0],
    ["amountCents", 101],
    ["reason", "gift"],
    ["memo", "m".repeat(1_001)],
    ["creditedOn", "2025-12-31"],
    ["creditedOn", "2026-02-29"],
    ["dueDate", "2026-02-01"],
  ])("refuses %s = %p", async (field, value) => {
    const id = await aCharge(office, tenancy.leaseId, 100);
    const { status, body } = await attemptCredit(id, 1, { [field]: value });
    expect([status, body.errors?.[0]?.path]).toEqual([400, field]);
  });

  test("with the same Idempotency-Key credits once for five concurrent requests", async () => {
    const id = await aCharge(office, tenancy.leaseId, 100);
    const headers = { "Idempotency-Key": randomUUID() };
    const responses = await Promise.all(Array.from({ length: 5 }, () => attemptCredit(id, 10, {}, headers)));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect((await office.call("getCharge", { params: { id } })).charge.creditedCents).toBe(10);
  });
});

describe("reverseCredit", () => {
  test("opens the charge again and restores the balances", async () => {
    const before = await closingBalances(office);
    const id = await aCharge(office, tenancy.leaseId, 100);
    const { credit: given } = await credit(id, 100);
    const { body } = await attemptReverse(id, given.id);
    expect(body.charge).toMatchObject({ creditedCents: 0, balanceCents: 100, status: "pending", isOverdue: true, dueDate: "2026-01-01" });
    expect(body.credit).toMatchObject({ id: given.id, amountCents: 100 });
    expect(body.credit.reversedAt).not.toBeNull();
    expect(balanceChanges(before, await closingBalances(office))).toEqual({ "1100": 100, "4000": -100 });
    expect(await events.waitForEvent("charge.credit_reversed", id)).toMatchObject({ data: { leaseId: tenancy.leaseId } });
    expect(await attemptReverse(id, given.id)).toMatchObject({ status: 409, body: { code: "already_reversed" } });
    expect((await office.call("getCharge", { params: { id } })).credits).toEqual([body.credit]);
  });

  test("leaves no day on which a charge that is paid afterwards is settled beyond its amount", async () => {
    const id = await aCharge(office, tenancy.leaseId, 100);
    const { credit: given } = await credit(id, 70, { creditedOn: "2026-01-02" });
    await attemptReverse(id, given.id);
    await office.call("recordPayment", { body: { ...aPayment(tenancy, 100), allocations: [{ chargeId: id, amountCents: 100 }] } });
    expect(await violations()).toEqual([]);
  });

  test("accepts one of ten concurrent requests", async () => {
    const id = await aCharge(office, tenancy.leaseId, 100);
    const { credit: given } = await credit(id, 50);
    const responses = await Promise.all(Array.from({ length: 10 }, () => attemptReverse(id, given.id)));
    expect(responses.map(({ status, body }) => (status === 200 ? "reversed" : String(body.code))).sort()).toEqual([
      ...Array.from({ length: 9 }, () => "already_reversed"),
      "reversed",
    ]);
    expect((await office.call("getCharge", { params: { id } })).charge.balanceCents).toBe(100);
  });

  test("finds a credit only by its own charge and organization", async () => {
    const [id, otherId] = [await aCharge(office, tenancy.leaseId, 100), await aCharge(office, tenancy.leaseId, 100)];
    const { credit: given } = await credit(id, 50);
    expect((await attemptReverse(otherId, given.id)).status).toBe(404);
    expect((await attemptReverse(id, randomUUID())).status).toBe(404);
    const other = await anOffice();
    expect((await other.attempt("reverseCredit", { params: { id, creditId: given.id } })).status).toBe(404);
  });
});

/** Runs two concurrent writers that each read a balance of 100 and settle it without a lock. Returns the settled sum. */
async function settleWithoutLocks(): Promise<number> {
  const schema = `unlocked_${randomUUID().replaceAll("-", "")}`;
  return withOwnerConnection(office, async (owner) => {
    await owner.query(`create schema ${schema}; create table ${schema}.charge (balance int, settled int); insert into ${schema}.charge values (100, 0)`);
    const clients = [1, 2].map(() => new pg.Client({ connectionString: running().databaseUrls.ledger.owner }));
    try {
      await Promise.all(clients.map((client) => client.connect()));
      const balances = await Promise.all(clients.map((client) => client.query<{ balance: number }>(`select balance from ${schema}.charge`)));
      for (const [index, { rows }] of balances.entries())
        await clients[index]!.query(`update ${schema}.charge set balance = $1 - 100, settled = settled + 100`, [rows[0]!.balance]);
      return (await owner.query<{ settled: number }>(`select settled from ${schema}.charge`)).rows[0]!.settled;
    } finally {
      await Promise.all(clients.map((client) => client.end()));
      await owner.query(`drop schema ${schema} cascade`);
    }
  });
}

test("a concurrent credit and payment settle a charge once, unlike code without locks", async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => aCharge(office, tenancy.leaseId, 100)));
  await Promise.all(
    ids.map(async (id) => {
      const body = { ...aPayment(tenancy, 100), allocations: [{ chargeId: id, amountCents: 100 }] };
      const [credited, paid] = await Promise.all([attemptCredit(id, 100), office.attempt("recordPayment", { body })]);
      expect([200, 400]).toEqual(expect.arrayContaining([credited.status, paid.status]));
      expect(credited.status).not.toBe(paid.status);
      expect((await office.call("getCharge", { params: { id } })).charge).toMatchObject({ balanceCents: 0, status: "paid" });
    }),
  );
  expect(await violations()).toEqual([]);
  expect(await settleWithoutLocks()).toBe(200);
});

test("a credit is never changed in the database except by its reversal", async () => {
  const id = await aCharge(office, tenancy.leaseId, 100);
  const { credit: given } = await credit(id, 50);
  await withOwnerConnection(office, async (owner) => {
    await expect(owner.query("update charge_credit set amount_cents = 60 where id = $1", [given.id])).rejects.toThrow("changes only by its reversal");
  });
});
