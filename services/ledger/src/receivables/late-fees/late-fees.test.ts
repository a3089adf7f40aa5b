import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { addDays } from "@freehold/kit/time/plain-date";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { recordEvents, todayInOffice, waitForDailyJobs, withOwnerConnection, type EventRecorder } from "../../../test/ledger.fixtures.ts";

let office: Office;
let events: EventRecorder;

beforeAll(async () => {
  office = await anOffice();
  events = await recordEvents(office);
  await waitForDailyJobs(office);
});
afterAll(() => events.close());

const flat = { lateFeeType: "flat" as const, lateFeeAmountCents: 5_000, lateFeeGraceDays: 3 };
const percent = { lateFeeType: "percent" as const, lateFeePercentBps: 333, lateFeeGraceDays: 3 };
const daily = { lateFeeType: "daily" as const, lateFeeAmountCents: 1_000, lateFeeGraceDays: 3 };

/** Creates a tenancy whose lease has late-fee terms. */
async function aTenancyWithLateFee(terms: object): Promise<Tenancy> {
  const tenancy = await aTenancy(office);
  await setTerms(tenancy, terms);
  return tenancy;
}
const setTerms = ({ leaseId }: Tenancy, terms: object) => office.call("updateLease", { params: { id: leaseId }, body: terms });
const assess = async (body: object = {}) => (await office.call("assessLateFees", { body })).assessment;
const lateFeesOf = async ({ leaseId }: Tenancy) =>
  (await office.call("listCharges", { query: { leaseId, chargeType: "late_fee", sortDirection: "asc" } })).charges;
const feeSummaries = async (tenancy: Tenancy) => (await lateFeesOf(tenancy)).map(({ dueDate, amountCents, status }) => `${dueDate} ${amountCents} ${status}`);
const pay = (tenancy: Tenancy, chargeId: string, amountCents: number, receivedOn: string) =>
  office.call("recordPayment", {
    body: { ...aPayment(tenancy, amountCents), receivedAt: `${receivedOn}T15:00:00.000Z`, allocations: [{ chargeId, amountCents }] },
  });
const balancesOf = async (basis: "accrual" | "cash") => {
  const { trialBalance } = await office.call("getTrialBalance", { query: { asOf: "2199-12-31", basis } });
  return Object.fromEntries(trialBalance.rows.map(({ accountCode, closingCents }) => [accountCode, closingCents]));
};
const violations = () => withOwnerConnection(office, findViolations);

describe("assessLateFees", () => {
  test("charges a flat fee on the day after the grace period, once", async () => {
    const tenancy = await aTenancyWithLateFee(flat);
    const rentId = await aCharge(office, tenancy.leaseId, 100_000);
    expect((await assess({ asOf: "2026-01-04" })).lines.filter(({ chargeId }) => chargeId === rentId)).toEqual([]);
    const [accrual, cash] = [await balancesOf("accrual"), await balancesOf("cash")];
    const assessment = await assess({ asOf: "2026-01-05" });
    const [fee] = await lateFeesOf(tenancy);
    expect(assessment.lines.find(({ chargeId }) => chargeId === rentId)).toEqual({
      chargeId: rentId,
      leaseId: tenancy.leaseId,
      kind: "flat",
      dayIndex: 0,
      date: "2026-01-05",
      amountCents: 5_000,
      lateFeeChargeId: fee!.id,
      reason: null,
    });
    expect(fee).toMatchObject({ ...tenancy, amountCents: 5_000, dueDate: "2026-01-05", lateFeeForChargeId: rentId, name: "Late fee: Rent, due 2026-01-01" });
    expect(await balancesOf("accrual")).toEqual({ ...accrual, "1100": accrual["1100"]! + 5_000, "4030": accrual["4030"]! - 5_000 });
    expect(await balancesOf("cash")).toEqual(cash);
    expect((await assess()).lines.filter(({ leaseId }) => leaseId === tenancy.leaseId)).toEqual([]);
    expect(await lateFeesOf(tenancy)).toHaveLength(1);
    const { leaseId, tenantId, propertyId, unitId } = tenancy;
    expect(await events.waitForEvent("charge.late_fee_assessed", fee!.id)).toMatchObject({
      data: { leaseId, tenantId, propertyId, unitId, dueDate: "2026-01-05", lateFeeForChargeId: rentId },
      audience: { tenantIds: [tenantId] },
    });
    expect(await violations()).toEqual([]);
  });

  test("charges a percentage of the amount open on that day; a payment counts from its receipt", async () => {
    const tenancy = await aTenancyWithLateFee(percent);
    const rentId = await aCharge(office, tenancy.leaseId, 100_000);
    await pay(tenancy, rentId, 40_000, "2026-01-04");
    await pay(tenancy, rentId, 50_000, "2026-01-05");
    await assess();
    expect(await feeSummaries(tenancy)).toEqual(["2026-01-05 1998 pending"]);
  });

  test("charges a daily fee for each day until the payment", async () => {
    const tenancy = await aTenancyWithLateFee(daily);
    const rentId = await aCharge(office, tenancy.leaseId, 100_000);
    await assess({ asOf: "2026-01-06" });
    await assess({ asOf: "2026-01-06" });
    expect(await feeSummaries(tenancy)).toEqual(["2026-01-05 1000 pending", "2026-01-06 1000 pending"]);
    await pay(tenancy, rentId, 100_000, "2026-01-08");
    await assess();
    expect(await feeSummaries(tenancy)).toEqual([5, 6, 7, 8].map((day) => `2026-01-0${day} 1000 pending`));
    expect((await assess()).lines.filter(({ leaseId }) => leaseId === tenancy.leaseId)).toEqual([]);
  });

  test("charges nothing for rent that was paid in time, until the payment is reversed", async () => {
    const tenancy = await aTenancyWithLateFee(flat);
    const rentId = await aCharge(office, tenancy.leaseId, 100);
    const { payment } = await pay(tenancy, rentId, 100, "2026-01-04");
    const { lines } = await assess();
    expect(lines.find(({ chargeId }) => chargeId === rentId)).toMatchObject({ amountCents: 0, lateFeeChargeId: null, reason: "paid_in_time" });
    await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf" } });
    await assess();
    expect(await feeSummaries(tenancy)).toEqual(["2026-01-05 5000 pending"]);
  });

  test("is only for rent: not for late fees, deposits, NSF fees and others", async () => {
    const tenancy = await aTenancyWithLateFee(flat);
    for (const chargeType of ["late_fee", "deposit", "nsf_fee", "parking", "fee"] as const)
      await office.call("createCharge", { body: { leaseId: tenancy.leaseId, amountCents: 100, dueDate: "2026-01-01", chargeType } });
    await aCharge(office, tenancy.leaseId, 100);
    await assess();
    await assess();
    expect((await lateFeesOf(tenancy)).filter(({ lateFeeForChargeId }) => lateFeeForChargeId)).toHaveLength(1);
  });

  test("uses the terms in force when the rent was posted", async () => {
    const tenancy = await aTenancyWithLateFee(flat);
    await aCharge(office, tenancy.leaseId, 100, "2026-01-01");
    await setTerms(tenancy, { lateFeeType: "none" });
    await aCharge(office, tenancy.leaseId, 100, "2026-02-01");
    await setTerms(tenancy, { lateFeeType: "flat", lateFeeAmountCents: 700, lateFeeGraceDays: 0 });
    await aCharge(office, tenancy.leaseId, 100, "2026-03-01");
    await assess();
    expect(await feeSummaries(tenancy)).toEqual(["2026-01-05 5000 pending", "2026-03-02 700 pending"]);
  });

  test("does not charge a fee again that the office voided", async () => {
    const tenancy = await aTenancyWithLateFee(flat);
    const rentId = await aCharge(office, tenancy.leaseId, 100);
    await assess();
    const [fee] = await lateFeesOf(tenancy);
    await office.call("voidCharge", { params: { id: fee!.id }, body: { reason: "goodwill" } });
    const { payment } = await pay(tenancy, rentId, 100, "2026-01-20");
    await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf" } });
    expect((await assess()).lines.find(({ chargeId }) => chargeId === rentId)).toMatchObject({ reason: "already_assessed" });
    expect(await feeSummaries(tenancy)).toEqual(["2026-01-05 5000 voided"]);
  });

  test("with dryRun reports the fees and charges none", async () => {
    const tenancy = await aTenancyWithLateFee(flat);
    const rentId = await aCharge(office, tenancy.leaseId, 100);
    const { created, lines } = await assess({ dryRun: true });
    expect([created, lines.find(({ chargeId }) => chargeId === rentId)]).toMatchObject([0, { amountCents: 5_000, lateFeeChargeId: null, reason: null }]);
    expect(await lateFeesOf(tenancy)).toEqual([]);
    await assess();
    expect(await lateFeesOf(tenancy)).toHaveLength(1);
  });

  test("concurrent with itself charges each fee once", async () => {
    const tenancies = await Promise.all([aTenancyWithLateFee(flat), aTenancyWithLateFee(daily)]);
    const rentIds = await Promise.all(tenancies.map(({ leaseId }) => aCharge(office, leaseId, 100_000)));
    const results = await Promise.all(Array.from({ length: 6 }, () => assess({ asOf: "2026-01-09" })));
    const created = results.flatMap(({ lines }) => lines.filter(({ chargeId, lateFeeChargeId }) => rentIds.includes(chargeId) && lateFeeChargeId));
    expect(created).toHaveLength(6);
    expect((await Promise.all(tenancies.map(lateFeesOf))).map(({ length }) => length)).toEqual([1, 5]);
  });

  test("with the same Idempotency-Key replays the response", async () => {
    const tenancy = await aTenancyWithLateFee(flat);
    const rentId = await aCharge(office, tenancy.leaseId, 100);
    const request = { body: {}, headers: { "Idempotency-Key": randomUUID() } };
    const [first, replay] = [await office.attempt("assessLateFees", request), await office.attempt("assessLateFees", request)];
    expect([first.status, replay.text === first.text, replay.headers.get("Idempotent-Replayed")]).toEqual([200, true, "true"]);
    expect(first.body.assessment.lines.filter(({ chargeId }) => chargeId === rentId)).toHaveLength(1);
    expect(await lateFeesOf(tenancy)).toHaveLength(1);
  });

  test.each([
    ["asOf", () => addDays(todayInOffice(), 1)],
    ["asOf", () => "2026-02-29"],
    ["dryRun", () => "yes"],
  ])("refuses a wrong %s", async (field, value) => {
    const { status, body } = await office.attempt("assessLateFees", { body: { [field]: value() } as never });
    expect([status, body.errors?.[0]?.path]).toEqual([400, field]);
  });
});

describe("an unpaid late fee", () => {
  test("is voided when a payment is recorded that was received in the grace period", async () => {
    const tenancy = await aTenancyWithLateFee(flat);
    const rentId = await aCharge(office, tenancy.leaseId, 100);
    await assess();
    const [fee] = await lateFeesOf(tenancy);
    await pay(tenancy, rentId, 100, "2026-01-04");
    await eventually("voided late fee", async () => (await lateFeesOf(tenancy))[0]!.status === "voided");
    expect(await events.waitForEvent("charge.late_fee_voided", fee!.id)).toMatchObject({
      actorUserId: null,
      data: { leaseId: tenancy.leaseId, lateFeeForChargeId: rentId },
      audience: { tenantIds: [tenancy.tenantId] },
    });
    expect(await violations()).toEqual([]);
  });

  test("is voided for the days after a back-dated credit settled the charge of a daily fee", async () => {
    const tenancy = await aTenancyWithLateFee(daily);
    const rentId = await aCharge(office, tenancy.leaseId, 100);
    await assess({ asOf: "2026-01-07" });
    await office.call("creditCharge", { params: { id: rentId }, body: { amountCents: 100, reason: "waive", creditedOn: "2026-01-05" } });
    await eventually("voided late fees", async () => (await lateFeesOf(tenancy)).filter(({ status }) => status === "voided").length === 2);
    expect(await feeSummaries(tenancy)).toEqual(["2026-01-05 1000 pending", "2026-01-06 1000 voided", "2026-01-07 1000 voided"]);
  });

  test("is voided with its charge", async () => {
    const tenancy = await aTenancyWithLateFee(flat);
    const rentId = await aCharge(office, tenancy.leaseId, 100);
    await assess();
    await office.call("voidCharge", { params: { id: rentId }, body: { reason: "a mistake" } });
    await eventually("voided late fee", async () => (await lateFeesOf(tenancy))[0]!.status === "voided");
    expect((await assess()).lines.filter(({ chargeId }) => chargeId === rentId)).toEqual([]);
  });

  test("stays when the payment was received later or settles a part only, and when the fee is paid", async () => {
    const [late, partial, paid, voided] = [
      await aTenancyWithLateFee(flat),
      await aTenancyWithLateFee(flat),
      await aTenancyWithLateFee(flat),
      await aTenancyWithLateFee(flat),
    ];
    const ids = await Promise.all([late, partial, paid, voided].map(({ leaseId }) => aCharge(office, leaseId, 100)));
    await assess();
    await pay(paid, (await lateFeesOf(paid))[0]!.id, 5_000, "2026-01-10");
    await pay(late, ids[0]!, 100, "2026-01-05");
    await pay(partial, ids[1]!, 99, "2026-01-02");
    await pay(paid, ids[2]!, 100, "2026-01-02");
    await pay(voided, ids[3]!, 100, "2026-01-02");
    await eventually("review", async () => (await lateFeesOf(voided))[0]!.status === "voided");
    expect([await feeSummaries(late), await feeSummaries(partial), await feeSummaries(paid)]).toEqual([
      ["2026-01-05 5000 pending"],
      ["2026-01-05 5000 pending"],
      ["2026-01-05 5000 paid"],
    ]);
  });
});

describe("a late fee that the review voided", () => {
  const pending = async (tenancy: Tenancy) => (await feeSummaries(tenancy)).filter((fee) => fee.endsWith("pending"));

  test("is charged again when the back-dated payment that voided it is returned", async () => {
    const tenancy = await aTenancyWithLateFee(flat);
    const rentId = await aCharge(office, tenancy.leaseId, 100_000);
    await assess({ asOf: "2026-01-31" });
    const { payment } = await pay(tenancy, rentId, 100_000, "2026-01-03");
    await eventually("review", async () => (await pending(tenancy)).length === 0);
    await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "other" } });
    await assess({ asOf: "2026-02-28" });
    expect(await feeSummaries(tenancy)).toEqual(["2026-01-05 5000 voided", "2026-01-05 5000 pending"]);
    expect(await violations()).toEqual([]);
  });

  test("is charged again for each day when the back-dated credit is reversed", async () => {
    const tenancy = await aTenancyWithLateFee(daily);
    const id = await aCharge(office, tenancy.leaseId, 100_000);
    await assess({ asOf: "2026-01-07" });
    const { credit } = await office.call("creditCharge", { params: { id }, body: { amountCents: 100_000, reason: "waive", creditedOn: "2026-01-05" } });
    await eventually("review", async () => (await pending(tenancy)).length === 1);
    await office.call("reverseCredit", { params: { id, creditId: credit.id } });
    await assess({ asOf: "2026-01-07" });
    expect(await pending(tenancy)).toEqual(["2026-01-05 1000 pending", "2026-01-06 1000 pending", "2026-01-07 1000 pending"]);
  });

  test("is charged for the new due date of its rent, not for the old one", async () => {
    const tenancy = await aTenancyWithLateFee(flat);
    const id = await aCharge(office, tenancy.leaseId, 100_000);
    await assess({ asOf: "2026-01-31" });
    await office.call("updateCharge", { params: { id }, body: { dueDate: "2026-02-01" } });
    await eventually("review", async () => (await pending(tenancy)).length === 0);
    await assess({ asOf: "2026-02-04" });
    expect(await pending(tenancy)).toEqual([]);
    await assess({ asOf: "2026-02-28" });
    expect(await pending(tenancy)).toEqual(["2026-02-05 5000 pending"]);
  });
});

test("the daily job charges late fees, except on rent that was posted after the day of its fee", async () => {
  const [due, postedLate] = [await aTenancyWithLateFee(flat), await aTenancyWithLateFee(flat)];
  await aCharge(office, postedLate.leaseId, 100, addDays(todayInOffice(), -5));
  await aCharge(office, due.leaseId, 100, addDays(todayInOffice(), -4));
  await withOwnerConnection(office, (owner) =>
    owner.query("insert into work_request (job, organization_id) values ('postDueCharges', $1)", [office.organizationId]),
  );
  await eventually("late fee", async () => (await lateFeesOf(due)).length === 1);
  expect(await lateFeesOf(postedLate)).toEqual([]);
  await assess();
  expect(await lateFeesOf(postedLate)).toHaveLength(1);
});
