import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { addDays, addMonths } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, closingBalances, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { recordEvents, todayInOffice, withOwnerConnection, type EventRecorder } from "../../../test/ledger.fixtures.ts";
import { closeMonth } from "../../periods/periods.fixtures.ts";
import { findViolations } from "../../../test/invariants.queries.ts";

let office: Office;
let tenancy: Tenancy;
let events: EventRecorder;

beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
  events = await recordEvents(office);
});
afterAll(() => events.close());

const attemptUpdate = (id: string, body: object, headers: Record<string, string> = {}) => office.attempt("updateCharge", { params: { id }, body, headers });
const update = async (id: string, body: object) => (await office.call("updateCharge", { params: { id }, body })).charge;
const readCharge = async (id: string) => (await office.call("getCharge", { params: { id } })).charge;
const receivableOn = async (asOf: string) =>
  (await office.call("getTrialBalance", { query: { asOf, propertyId: tenancy.propertyId } })).trialBalance.rows.find(
    ({ accountCode }) => accountCode === "1100",
  )!.closingCents;
const violations = () => withOwnerConnection(office, findViolations);

describe("updateCharge", () => {
  test("changes name and memo, and removes the memo", async () => {
    const id = await aCharge(office, tenancy.leaseId, 100);
    expect(await update(id, { name: " Key ", memo: "lost" })).toMatchObject({ id, name: "Key", memo: "lost", dueDate: "2026-01-01", amountCents: 100 });
    const changed = await update(id, { memo: null });
    expect(changed).toMatchObject({ name: "Key", memo: null });
    expect(await readCharge(id)).toEqual(changed);
    expect(await events.waitForEvent("charge.updated", id)).toMatchObject({
      data: { leaseId: tenancy.leaseId, dueDate: "2026-01-01" },
      audience: { tenantIds: [tenancy.tenantId] },
    });
    expect((await office.call("listCharges", { query: { search: "Key" } })).charges).toHaveLength(1);
  });

  test("dates the journal entry on a changed due date, so that the receivable exists from that day on and not before", async () => {
    const before = await Promise.all(["2026-01-31", "2026-03-09", "2026-03-10", "2026-04-01"].map(receivableOn));
    const id = await aCharge(office, tenancy.leaseId, 700, "2026-02-01");
    expect(await update(id, { dueDate: "2026-03-10" })).toMatchObject({ id, dueDate: "2026-03-10", balanceCents: 700, status: "pending" });
    const changes = await Promise.all(["2026-01-31", "2026-03-09", "2026-03-10", "2026-04-01"].map(receivableOn));
    expect(changes.map((cents, index) => cents - before[index]!)).toEqual([0, 0, 700, 700]);
    expect(await update(id, { dueDate: "2026-01-20" })).toMatchObject({ dueDate: "2026-01-20" });
    expect((await receivableOn("2026-01-31")) - before[0]!).toBe(700);
    expect(await violations()).toEqual([]);
  });

  test("moves a charge into and out of the overdue charges", async () => {
    const ownTenancy = await aTenancy(office);
    const id = await aCharge(office, ownTenancy.leaseId, 100, "2026-01-01");
    const overdueIds = async () =>
      (await office.call("listCharges", { query: { leaseId: ownTenancy.leaseId, overdue: true } })).charges.map((charge) => charge.id);
    await events.waitForEvent("charge.overdue", id);
    expect(await overdueIds()).toEqual([id]);
    expect(await update(id, { dueDate: addMonths(todayInOffice(), 1) })).toMatchObject({ isOverdue: false });
    expect(await overdueIds()).toEqual([]);
    expect(await update(id, { dueDate: addDays(todayInOffice(), -1) })).toMatchObject({ isOverdue: true, daysOverdue: 1 });
    expect(await overdueIds()).toEqual([id]);
    expect(await violations()).toEqual([]);
  });

  test("lets the charge be paid and voided afterwards", async () => {
    const balancesBefore = await closingBalances(office);
    const [paidId, voidedId] = [await aCharge(office, tenancy.leaseId, 100), await aCharge(office, tenancy.leaseId, 100)];
    for (const id of [paidId, voidedId]) await update(id, { dueDate: "2026-02-02" });
    const allocations = [{ chargeId: paidId, amountCents: 100 }];
    const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, 100), allocations } });
    await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "entry_error" } });
    await office.call("voidCharge", { params: { id: voidedId }, body: { reason: "a mistake" } });
    const receivable = balancesBefore["1100"]! + 100;
    expect(await closingBalances(office)).toEqual({ ...balancesBefore, "1100": receivable, "4000": balancesBefore["4000"]! - 100 });
    expect(await violations()).toEqual([]);
  });

  test("is refused while a payment is allocated, and for the due date also after its reversal", async () => {
    const id = await aCharge(office, tenancy.leaseId, 100);
    const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, 40), allocations: [{ chargeId: id, amountCents: 40 }] } });
    expect(await attemptUpdate(id, { name: "Other" })).toMatchObject({ status: 409, body: { code: "already_allocated" } });
    await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "entry_error" } });
    expect((await attemptUpdate(id, { name: "Other" })).status).toBe(200);
    const refused = await attemptUpdate(id, { dueDate: "2026-05-01" });
    expect(refused).toMatchObject({ status: 409, body: { code: "already_allocated" } });
    expect(refused.body.message).toContain(todayInOffice());
  });

  test("is refused for a voided charge", async () => {
    const id = await aCharge(office, tenancy.leaseId, 100);
    await office.call("voidCharge", { params: { id }, body: { reason: "a mistake" } });
    expect(await attemptUpdate(id, { name: "Other" })).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
  });

  test.each([
    ["name", " "],
    ["name", null],
    ["memo", "m".repeat(1_001)],
    ["dueDate", "2026-02-29"],
    ["dueDate", null],
    ["amountCents", 1],
  ])("refuses %s = %p", async (field, value) => {
    const id = await aCharge(office, tenancy.leaseId, 100);
    const { status, body } = await attemptUpdate(id, { [field]: value });
    expect([status, body.errors?.[0]?.path]).toEqual([400, field]);
  });

  test("concurrent with a payment leaves the accounts right on every day", async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => aCharge(office, tenancy.leaseId, 10)));
    await Promise.all(
      ids.map(async (id) => {
        const body = { ...aPayment(tenancy, 10), allocations: [{ chargeId: id, amountCents: 10 }] };
        const [paid, moved] = await Promise.all([office.attempt("recordPayment", { body }), attemptUpdate(id, { dueDate: "2026-06-01" })]);
        expect(paid.status).toBe(200);
        expect([200, 409]).toContain(moved.status);
      }),
    );
    expect(await violations()).toEqual([]);
  });

  test("neither moves a charge out of a closed period nor into one", async () => {
    const closedOffice = await anOffice();
    const { leaseId } = await aTenancy(closedOffice);
    const [january, february] = [await aCharge(closedOffice, leaseId, 100, "2026-01-10"), await aCharge(closedOffice, leaseId, 100, "2026-02-10")];
    await closeMonth(closedOffice, "2026-01");
    const move = async (id: string, dueDate: string) => (await closedOffice.attempt("updateCharge", { params: { id }, body: { dueDate } })).body.code;
    expect([await move(january, "2026-03-01"), await move(february, "2026-01-31")]).toEqual(["period_closed", "period_closed"]);
    expect(await move(february, "2026-02-01")).toBeUndefined();
    expect(await withOwnerConnection(closedOffice, findViolations)).toEqual([]);
  });

  test.each([{ name: "Other" }, { memo: "A note" }, { dueDate: "2026-01-10" }])("refuses %p in a closed period", async (body) => {
    const closedOffice = await anOffice();
    const { leaseId } = await aTenancy(closedOffice);
    const id = await aCharge(closedOffice, leaseId, 100, "2026-01-10");
    const { charge } = await closedOffice.call("getCharge", { params: { id } });
    await closeMonth(closedOffice, "2026-01");
    const refused = await closedOffice.attempt("updateCharge", { params: { id }, body });
    expect([refused.status, refused.body.code]).toEqual([409, "period_closed"]);
    expect((await closedOffice.call("getCharge", { params: { id } })).charge).toMatchObject({ name: charge.name, memo: null, dueDate: "2026-01-10" });
  });

  test("refuses an If-Match of another version", async () => {
    const id = await aCharge(office, tenancy.leaseId, 100);
    expect((await attemptUpdate(id, { name: "Other" }, { "If-Match": '"99"' })).status).toBe(412);
  });
});
