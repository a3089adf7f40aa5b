import { describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice } from "../../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../../test/support/tenancy.ts";
import { recordEvents } from "../../../../test/ledger.fixtures.ts";
import { closeMonth } from "../../../periods/periods.fixtures.ts";
import { aBankAccount, subLedgersOf } from "../../../trust/trust.fixtures.ts";
import { aBillPayment, balancesOn } from "../../payables.fixtures.ts";
import { aManagedProperty, anAgreement, aRun, expectNoViolations, february, january, paidRent, stateOf } from "../management-fees.fixtures.ts";

describe("createManagementFeeRun", () => {
  test("charges a property once for a day, and leaves out those that were charged unless they are named", async () => {
    const { office, propertyId } = await aManagedProperty();
    const run = await aRun(office);
    const attempt = (body: object) => office.attempt("createManagementFeeRun", { body: { ...january, ...body } });
    const duplicate = { status: 409, body: { code: "duplicate" } };
    expect(await attempt({})).toMatchObject(duplicate);
    expect(await attempt({ propertyIds: [propertyId] })).toMatchObject(duplicate);
    expect(await attempt({ periodStart: "2026-01-31", periodEnd: "2026-02-28" })).toMatchObject(duplicate);
    expect(await office.attempt("previewManagementFees", { body: january })).toMatchObject(duplicate);
    const other = await aTenancy(office);
    await anAgreement(office, other.propertyId, { feeType: "flat_per_month", percentBps: null, flatCents: 4_000 });
    const { body } = await attempt({});
    expect(body.run.lines).toMatchObject([{ propertyId: other.propertyId, amountCents: 4_000 }]);
    expect((await attempt(february)).body.run.lines).toHaveLength(2);
    expect((await office.call("listManagementFeeRuns", { query: { propertyId } })).runs.map(({ id }) => id)).toContain(run.id);
    expect((await office.call("listManagementFees", { query: { propertyId } })).total).toBe(2);
    expect((await office.call("listManagementFees", { query: { runId: run.id, kind: "management" } })).managementFees).toMatchObject([
      { propertyId, runId: run.id, amountCents: 10_000, reversedCents: 0, status: "completed", expenseId: run.expenseIds[0] },
    ]);
  });

  test("names unknown properties, properties without an agreement, and accounts that hold no money of owners", async () => {
    const { office, propertyId } = await aManagedProperty();
    const business = await aBankAccount(office, "business");
    const withoutAgreement = (await aTenancy(office)).propertyId;
    const refusal = async (body: object) => {
      const response = await office.attempt("createManagementFeeRun", { body: { ...january, ...body } });
      return [response.status, response.body.errors?.map(({ path, code }) => [path, code])];
    };
    expect(await refusal({ propertyIds: [propertyId, randomUUID()] })).toEqual([400, [["propertyIds.1", "not_found"]]]);
    expect(await refusal({ propertyIds: [withoutAgreement] })).toEqual([400, [["propertyIds.0", "not_allowed"]]]);
    expect(await refusal({ bankAccountId: business })).toEqual([400, [["bankAccountId", "not_allowed"]]]);
    expect(await refusal({ bankAccountId: randomUUID() })).toEqual([400, [["bankAccountId", "not_found"]]]);
    expect(await refusal({ periodEnd: "2025-12-31" })).toEqual([400, [["periodEnd", "before_start"]]]);
    expect(await refusal({ periodEnd: "2027-01-02" })).toEqual([400, [["periodEnd", "max"]]]);
    expect(await office.attempt("createManagementFeeRun", { body: { periodStart: "2025-01-01", periodEnd: "2025-01-31" } })).toMatchObject({
      status: 409,
      body: { code: "invalid_transition" },
    });
  });

  test("leaves the expense of a property unpaid whose owners do not have the money in the account", async () => {
    const { office, bankAccountId, propertyId } = await aManagedProperty();
    const other = await aTenancy(office);
    await anAgreement(office, other.propertyId);
    await paidRent(office, other, "2026-01-20", 50_000);
    const run = await aRun(office);
    expect(run).toMatchObject({ totalCents: 15_000, collectedCents: 10_000, bankAccountId });
    const found = (await office.call("listExpenses", { query: { search: "management fees" } })).expenses.map(({ id }) => id);
    expect(found.toSorted()).toEqual(run.expenseIds.toSorted());
    const expenses = await Promise.all(run.expenseIds.map(async (id) => (await office.call("getExpense", { params: { id } })).expense));
    expect(new Map(expenses.map((expense) => [expense.propertyId, expense.outstandingCents]))).toEqual(
      new Map([
        [propertyId, 0],
        [other.propertyId, 5_000],
      ]),
    );
    expect(await balancesOn(office, "2199-12-31", { propertyId: other.propertyId })).toMatchObject({ "2000": -5_000, "5040": 5_000, "1050": 50_000 });
    await expectNoViolations(office);
  });

  test("charges money on the day on which it settles the charge, each payment once in adjacent periods", async () => {
    const { office, leaseId, tenantId } = await aManagedProperty();
    // Received on January 31 for rent that is due on February 1: it settles the rent then.
    const { charge } = await office.call("createCharge", { body: { leaseId, amountCents: 70_000, dueDate: "2026-02-01", chargeType: "rent" } });
    await office.call("recordPayment", {
      body: {
        tenantId,
        leaseId,
        amountCents: 70_000,
        paymentMethod: "ach",
        receivedAt: "2026-01-31T17:00:00.000Z",
        idempotencyKey: randomUUID(),
        allocations: [{ chargeId: charge.id, amountCents: 70_000 }],
      },
    });
    await paidRent(office, { leaseId, tenantId }, "2026-01-15", 20_000);
    const baseOf = async (periodStart: string, periodEnd: string) => (await aRun(office, { periodStart, periodEnd })).lines.map(({ baseCents }) => baseCents);
    expect(await baseOf("2026-01-01", "2026-01-14")).toEqual([100_000]);
    expect(await baseOf("2026-01-15", "2026-01-31")).toEqual([20_000]);
    expect(await baseOf("2026-02-01", "2026-02-28")).toEqual([70_000]);
  });

  test("charges money that was recorded after the run of its period with the next run, and corrects what no longer settles a charge", async () => {
    const { office, leaseId, tenantId } = await aManagedProperty();
    await aRun(office);
    await paidRent(office, { leaseId, tenantId }, "2026-01-20", 30_000);
    const payment = await paidRent(office, { leaseId, tenantId }, "2026-02-05", 60_000);
    const run = await aRun(office, february);
    expect(run.lines).toMatchObject([
      { month: "2026-01-01", baseCents: 30_000, amountCents: 3_000 },
      { month: "2026-02-01", baseCents: 60_000, amountCents: 6_000 },
    ]);
    const [allocation] = payment.allocations;
    await office.call("deletePaymentAllocation", { params: { id: payment.id, allocationId: allocation!.id } });
    await paidRent(office, { leaseId, tenantId }, "2026-03-05", 80_000);
    const march = await aRun(office, { periodStart: "2026-03-01", periodEnd: "2026-03-31" });
    expect(march.lines).toMatchObject([
      { month: "2026-02-01", baseCents: -60_000, amountCents: -6_000 },
      { month: "2026-03-01", baseCents: 80_000, amountCents: 8_000 },
    ]);
    expect(march.totalCents).toBe(2_000);
    await expectNoViolations(office);
  });

  test("does not apply a changed agreement to money that an earlier run has seen", async () => {
    const { office, agreement, leaseId } = await aManagedProperty();
    await aRun(office);
    await office.call("updateManagementFeeAgreement", { params: { id: agreement.id }, body: { percentBps: 2_000, minimumCents: 50_000 } });
    expect((await office.call("listManagementFees")).managementFees).toMatchObject([{ amountCents: 10_000 }]);
    await office.call("updateManagementFeeAgreement", { params: { id: agreement.id }, body: { minimumCents: null } });
    await paidRent(office, { leaseId, tenantId: (await office.call("getLease", { params: { id: leaseId } })).lease.tenantId }, "2026-02-05", 10_000);
    expect((await aRun(office, february)).lines).toMatchObject([{ baseCents: 10_000, amountCents: 2_000 }]);
  });

  test("charges a leasing fee for a lease that starts in the period, once", async () => {
    const office = await anOffice();
    const { propertyId, leaseId } = await aTenancy(office, { rentCents: 90_001 });
    await anAgreement(office, propertyId, { leasingFee: { type: "percent_first_month", bps: 5_000 } });
    const leasing = { kind: "leasing", leaseId, month: "2026-01-01", baseCents: 90_001, amountCents: 45_001 };
    const run = await aRun(office);
    expect(run.lines).toMatchObject([{ kind: "management", amountCents: 0 }, leasing]);
    expect((await aRun(office, february)).lines).toMatchObject([{ kind: "management" }]);
    await office.call("reverseManagementFeeRun", { params: { id: run.id }, body: { reason: "Agreed otherwise" } });
    expect((await aRun(office)).lines).toMatchObject([{ kind: "management" }, leasing]);
  });

  test("charges a renewal fee for a renewal that takes over in the period, once, and no leasing fee", async () => {
    const office = await anOffice();
    const { leaseId: _, ...tenancy } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
    const terms = { ...tenancy, startDate: "2025-12-01", termType: "month_to_month" as const, rentCents: 90_000, activate: true };
    const { lease } = await office.call("createLease", { body: { ...terms, createRecurringRent: false } });
    await anAgreement(office, tenancy.propertyId, {
      leasingFee: { type: "percent_first_month", bps: 5_000 },
      renewalFee: { type: "flat", cents: 20_000 },
    });
    const body = { startDate: "2026-02-01", endDate: "2099-12-31", termType: "fixed" as const };
    const { lease: renewal } = await office.call("renewLease", { params: { id: lease.id }, body });
    await office.call("activateLease", { params: { id: renewal.id }, body: {} });
    expect((await aRun(office)).lines.map(({ kind }) => kind)).toEqual(["management"]);
    const fee = { kind: "renewal", leaseId: renewal.id, month: "2026-02-01", baseCents: 20_000, amountCents: 20_000 };
    expect((await aRun(office, february)).lines).toMatchObject([{ kind: "management" }, fee]);
    const march = { periodStart: "2026-03-01", periodEnd: "2026-03-31" };
    expect((await aRun(office, march)).lines.map(({ kind }) => kind)).toEqual(["management"]);
  });

  test("counts the units of the property, and waives the fee of a month in which none was leased but by mistake", async () => {
    const office = await anOffice();
    const { propertyId, leaseId: _, ...tenancy } = await aTenancy(office, { startDate: "2026-02-28" });
    const mistake = { ...tenancy, propertyId, startDate: "2026-01-10", endDate: "2026-02-10", termType: "fixed" as const, rentCents: 0, activate: true };
    const { lease } = await office.call("createLease", { body: mistake });
    await office.call("terminateLease", { params: { id: lease.id }, body: { terminationDate: "2026-01-10", finalRent: "none" } });
    await office.call("createUnit", { body: { propertyId, unitNumber: "2", monthlyRentCents: 100_000 } });
    await anAgreement(office, propertyId, { feeType: "flat_per_unit", percentBps: null, flatCents: 3_000, waiveWhenVacant: true });
    const { preview } = await office.call("previewManagementFees", { body: { periodStart: "2026-01-01", periodEnd: "2026-02-28" } });
    expect(preview.lines).toMatchObject([
      { month: "2026-01-01", baseCents: 6_000, isWaived: true, amountCents: 0, base: [] },
      { month: "2026-02-01", baseCents: 6_000, isWaived: false, amountCents: 6_000 },
    ]);
    expect((await aRun(office)).expenseIds).toEqual([]);
  });

  test("charges no fee to a property that is deleted while its agreement applies", async () => {
    const office = await anOffice();
    const { propertyId } = await aTenancy(office);
    await anAgreement(office, propertyId);
    const body = { name: "Oak 1", streetLine1: "1 Oak", city: "Albany", state: "NY", postalCode: "12207", units: 1, occupiedUnits: 0 };
    const { id } = (await office.call("createProperty", { body })).property;
    await anAgreement(office, id, { feeType: "flat_per_month", percentBps: null, flatCents: 4_000 });
    await office.call("deleteProperty", { params: { id } });
    expect((await aRun(office)).lines).toMatchObject([{ propertyId }]);
    expect(await office.attempt("createManagementFeeRun", { body: { ...february, propertyIds: [propertyId, id] } })).toMatchObject({
      status: 400,
      body: { errors: [{ path: "propertyIds.1", code: "not_found" }] },
    });
  });

  test("is refused when the only property with an agreement is deleted", async () => {
    const office = await anOffice();
    const body = { name: "Oak 1", streetLine1: "1 Oak", city: "Albany", state: "NY", postalCode: "12207", units: 1, occupiedUnits: 0 };
    const { id } = (await office.call("createProperty", { body })).property;
    await anAgreement(office, id);
    await office.call("deleteProperty", { params: { id } });
    expect(await office.attempt("createManagementFeeRun", { body: january })).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
    expect((await office.call("previewManagementFees", { body: january })).preview.lines).toEqual([]);
  });

  test("is refused for fees above the largest supported amount", async () => {
    const office = await anOffice();
    const { propertyId } = await aTenancy(office);
    await office.call("createUnit", { body: { propertyId, unitNumber: "2", monthlyRentCents: 100_000 } });
    await anAgreement(office, propertyId, { feeType: "flat_per_unit", percentBps: null, flatCents: Number.MAX_SAFE_INTEGER });
    expect(await office.attempt("createManagementFeeRun", { body: january })).toMatchObject({
      status: 400,
      body: { errors: [{ path: "periodEnd", code: "max" }] },
    });
  });

  test("is refused on a day in a closed accounting period, without an effect", async () => {
    const { office, bankAccountId } = await aManagedProperty();
    await closeMonth(office, "2026-01");
    const before = await stateOf(office, bankAccountId);
    expect(await office.attempt("createManagementFeeRun", { body: january })).toMatchObject({ status: 409, body: { code: "period_closed" } });
    expect(await stateOf(office, bankAccountId)).toEqual(before);
    expect((await office.call("listManagementFeeRuns")).total).toBe(0);
  });

  test("publishes the run and its reversal to the office", async () => {
    const { office } = await aManagedProperty();
    const events = await recordEvents(office);
    const run = await aRun(office);
    expect((await office.call("reverseManagementFeeRun", { params: { id: run.id } })).run).toMatchObject({ status: "reversed", reverseReason: null });
    const reversed = await events.waitForEvent("management_fee.run_reversed", run.id);
    expect(reversed.data).toEqual(january);
    expect(events.eventsOf("management_fee.run_completed", run.id)).toMatchObject([{ data: january }]);
    await events.close();
  });
});

test("fees of months ahead are not charged, nor collected from the money of the owners", async () => {
  const { office } = await aManagedProperty(120_000, { feeType: "flat_per_month", percentBps: null, flatCents: 10_000 });
  const year = new Date().getUTCFullYear() + 1;
  const run = await office.attempt("createManagementFeeRun", { body: { periodStart: `${year}-02-01`, periodEnd: `${year}-12-31` } });
  expect([run.status, run.body.errors]).toEqual([400, [expect.objectContaining({ path: "periodEnd", code: "not_allowed" })]]);
});

describe("the expenses of a run", () => {
  test("change with the run only", async () => {
    const { office } = await aManagedProperty();
    const { expenseIds, expensePaymentId } = await aRun(office);
    const params = { id: expenseIds[0]! };
    const inUse = { status: 409, body: { code: "resource_in_use" } };
    expect(await office.attempt("voidExpense", { params, body: {} })).toMatchObject(inUse);
    expect(await office.attempt("updateExpense", { params, body: { amountCents: 1 } })).toMatchObject(inUse);
    expect((await office.attempt("updateExpense", { params, body: { description: "Fees of January" } })).status).toBe(200);
    expect(await office.attempt("voidExpensePayment", { params: { id: expensePaymentId! }, body: { reason: "Wrong" } })).toMatchObject(inUse);
    const { expensePayment } = await office.call("getExpensePayment", { params: { id: expensePaymentId! } });
    const allocation = { id: expensePaymentId!, allocationId: expensePayment.allocations[0]!.id };
    expect(await office.attempt("deleteExpensePaymentAllocation", { params: allocation })).toMatchObject(inUse);
  });

  test("are paid like others when the run collects nothing, and the run is reversed only after the payment is voided", async () => {
    const { office, bankAccountId } = await aManagedProperty();
    const before = await stateOf(office, bankAccountId);
    const run = await aRun(office, { bankAccountId: null });
    expect(run).toMatchObject({ collectedCents: 0, expensePaymentId: null, bankAccountId: null });
    const { expensePayment } = await office.call("recordExpensePayment", {
      body: aBillPayment(bankAccountId, 10_000, [{ expenseId: run.expenseIds[0]!, amountCents: 10_000 }]),
    });
    expect((await subLedgersOf(office, bankAccountId)).totals).toEqual([90_000, 90_000, 0]);
    const reverse = () => office.attempt("reverseManagementFeeRun", { params: { id: run.id }, body: { reason: "Wrong" } });
    expect(await reverse()).toMatchObject({ status: 409, body: { code: "already_allocated" } });
    await office.call("voidExpensePayment", { params: { id: expensePayment.id }, body: { reason: "Lost" } });
    expect((await reverse()).status).toBe(200);
    expect(await stateOf(office, bankAccountId)).toEqual(before);
    await expectNoViolations(office);
  });
});
