import { describe, expect, test } from "@jest/globals";
import { addDays } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { startReplica } from "../../../test/replica.ts";
import { aDraftLease, aLease, createLeaseReferences, aProperty, aTenant, aUnit, aWorkOrder, currentDate, unknownId } from "../../../test/fixtures.ts";

const getDashboard = async (office: Office, query: { propertyId?: string; asOf?: string } = {}) => (await office.call("getDashboard", { query })).dashboard;

const pay = (office: Office, tenancy: Tenancy, amountCents: number, chargeId?: string) =>
  office.call("recordPayment", { body: { ...aPayment(tenancy, amountCents), ...(chargeId && { allocations: [{ chargeId, amountCents }] }) } });

describe("the dashboard", () => {
  test("of an empty organization has today's date and zeros", async () => {
    const office = await anOffice();
    const earliestDate = currentDate();
    const dashboard = await getDashboard(office);
    expect([earliestDate, currentDate()]).toContain(dashboard.asOf);
    expect(dashboard).toEqual({
      asOf: dashboard.asOf,
      occupancy: { units: 0, occupied: 0, vacant: 0, notice: 0, rateBps: 0 },
      rent: { billedCents: 0, collectedCents: 0, outstandingCents: 0, collectionRateBps: 0 },
      delinquency: { leases: 0, totalCents: 0, buckets: { current: 0, d1to30: 0, d31to60: 0, d61to90: 0, d90plus: 0 } },
      leasesExpiring: { within30: 0, within60: 0, within90: 0 },
      workOrders: { open: 0, inProgress: 0, overdue: 0, avgDaysOpen: 0 },
      trust: { bankBalanceCents: 0, liabilityCents: 0, varianceCents: 0, unreconciledAccounts: 0 },
      payables: { ownerCents: 0, vendorCents: 0 },
      recentActivity: [],
    });
  });

  test("is allowed for staff, and rejects unknown properties and invalid dates", async () => {
    const [office, otherOffice] = await Promise.all([anOffice(), anOffice()]);
    const [staff, foreign] = await Promise.all([office.colleague("staff"), aProperty(otherOffice)]);
    expect((await staff.attempt("getDashboard")).status).toBe(200);
    for (const propertyId of [foreign.id, unknownId()]) {
      const { status, body } = await office.attempt("getDashboard", { query: { propertyId } });
      expect([status, body.errors]).toMatchObject([400, [{ path: "propertyId", code: "not_found" }]]);
    }
    expect((await office.attempt("getDashboard", { query: { asOf: "2026-02-30" } })).status).toBe(400);
  });

  test("returns 503 while the ledger is unavailable", async () => {
    const office = await anOffice();
    const replica = await startReplica(office, { reachable: "identity" });
    try {
      const { status, body } = await replica.request("GET", "/api/dashboard");
      expect([status, body]).toMatchObject([503, { code: "service_unavailable" }]);
      expect(body).not.toHaveProperty("dashboard");
    } finally {
      await replica.stop();
    }
  });
});

describe("money on the dashboard", () => {
  test("has the month's rent and the aging of open charges", async () => {
    const office = await anOffice();
    const [late, punctual] = await Promise.all([aTenancy(office), aTenancy(office)]);
    const rentChargeId = await aCharge(office, late.leaseId, 100_000, "2026-03-01");
    await pay(office, late, 40_000, rentChargeId);
    const otherCharges: [string, number][] = [
      ["2026-03-20", 30_000],
      ["2026-03-31", 20_000],
      ["2026-02-28", 3_000],
      ["2026-02-18", 5_000],
      ["2026-02-17", 6_000],
      ["2026-01-19", 7_000],
      ["2026-01-18", 8_000],
      ["2025-12-20", 9_000],
      ["2025-12-19", 10_000],
    ];
    for (const [dueDate, amountCents] of otherCharges) await aCharge(office, late.leaseId, amountCents, dueDate);
    await office.call("createCharge", { body: { leaseId: late.leaseId, amountCents: 1_000, dueDate: "2026-03-10", chargeType: "fee" } });
    const voidedChargeId = await aCharge(office, late.leaseId, 77_000, "2026-03-05");
    await office.call("voidCharge", { params: { id: voidedChargeId }, body: { reason: "Entered twice" } });
    await aCharge(office, punctual.leaseId, 50_000, "2026-04-01");

    const { rent: march, delinquency } = await getDashboard(office, { asOf: "2026-03-20" });
    expect(march).toEqual({ billedCents: 150_000, collectedCents: 40_000, outstandingCents: 110_000, collectionRateBps: 2_667 });
    const buckets = { current: 100_000, d1to30: 69_000, d31to60: 13_000, d61to90: 17_000, d90plus: 10_000 };
    expect(delinquency).toEqual({ leases: 1, totalCents: 209_000, buckets });
    const { rent: april, delinquency: aprilDelinquency } = await getDashboard(office, { asOf: "2026-04-02" });
    expect(april).toEqual({ billedCents: 50_000, collectedCents: 0, outstandingCents: 50_000, collectionRateBps: 0 });
    expect([aprilDelinquency.leases, aprilDelinquency.totalCents, aprilDelinquency.buckets.current]).toEqual([2, 209_000, 0]);
    const ofProperty = await getDashboard(office, { asOf: "2026-03-20", propertyId: punctual.propertyId });
    expect([ofProperty.rent.billedCents, ofProperty.delinquency.totalCents, ofProperty.delinquency.leases]).toEqual([0, 50_000, 0]);
  });

  test("has the rent collected and the open charges of a past day as they were, whatever was paid, returned or credited since", async () => {
    const office = await anOffice();
    const tenancy = await aTenancy(office);
    const [paidLater, credited] = [await aCharge(office, tenancy.leaseId, 44_445, "2026-01-20"), await aCharge(office, tenancy.leaseId, 1_000, "2026-01-25")];
    const allocations = [{ chargeId: paidLater, amountCents: 44_445 }];
    const received = { ...aPayment(tenancy, 44_445), receivedAt: "2026-02-10T17:00:00.000Z", allocations };
    const { payment } = await office.call("recordPayment", { body: received });
    const credit = { amountCents: 400, reason: "concession" as const, creditedOn: "2026-02-12" };
    await office.call("creditCharge", { params: { id: credited }, body: credit });
    await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf", reversedAt: "2026-02-20T17:00:00.000Z" } });
    const figures = async (asOf: string) => {
      const { rent, delinquency } = await getDashboard(office, { asOf });
      return [rent.collectedCents, rent.outstandingCents, delinquency.totalCents, delinquency.leases];
    };
    expect(await figures("2026-01-31")).toEqual([0, 45_445, 45_445, 1]);
    expect((await figures("2026-02-10")).slice(2)).toEqual([1_000, 1]);
    expect((await figures("2026-02-12")).slice(2)).toEqual([600, 1]);
    expect((await figures("2026-02-20")).slice(2)).toEqual([45_045, 1]);
    const ahead = await aCharge(office, tenancy.leaseId, 30_000, "2090-01-31");
    await office.call("recordPayment", {
      body: { ...aPayment(tenancy, 30_000), receivedAt: "2026-02-10T17:00:00.000Z", allocations: [{ chargeId: ahead, amountCents: 30_000 }] },
    });
    expect([await figures("2026-01-31"), await figures("2026-02-12")].map(([, , totalCents]) => totalCents)).toEqual([75_445, 600]);
  });

  test("has trust balances and payables to owners and vendors as of a day", async () => {
    const office = await anOffice();
    const [a, b] = await Promise.all([aTenancy(office), aTenancy(office)]);
    const { charge: deposit } = await office.call("createCharge", {
      body: { leaseId: a.leaseId, amountCents: 200_000, dueDate: "2026-01-01", chargeType: "deposit" },
    });
    await pay(office, a, 200_000, deposit.id);
    await pay(office, a, 30_000);
    const rent = await aCharge(office, b.leaseId, 50_000);
    await pay(office, b, 50_000, rent);
    const anAccount = async (accountType: "operating" | "business") =>
      (await office.call("createBankAccount", { body: { name: accountType, institutionName: "First Bank", accountMask: "4321", accountType } })).bankAccount.id;
    const [operating, business] = [await anAccount("operating"), await anAccount("business")];
    const payments = (await office.call("listPayments", { query: { pageSize: "10" } })).payments.map(({ id }) => id);
    await office.call("createDeposit", { body: { bankAccountId: operating, depositedOn: "2026-01-06", paymentIds: payments } });
    const anExpense = (amountCents: number) =>
      office.call("createExpense", { body: { amountCents, incurredOn: "2026-02-10", category: "maintenance", propertyId: b.propertyId } });
    const [{ expense }] = [await anExpense(12_000), await anExpense(7_000)];
    await office.call("recordExpensePayment", {
      body: {
        amountCents: 12_000,
        paymentMethod: "check",
        paidAt: "2026-02-11T17:00:00.000Z",
        bankAccountId: operating,
        allocations: [{ expenseId: expense.id, amountCents: 12_000 }],
      },
    });
    // Money of the company is no trust money.
    await office.call("createBankAdjustment", {
      params: { id: business },
      body: { kind: "interest", amountCents: 900, occurredOn: "2026-02-11" },
    });

    const amounts = async (query: { asOf: string; propertyId?: string }) => {
      const { trust, payables } = await getDashboard(office, query);
      const { bankBalanceCents, liabilityCents, varianceCents, unreconciledAccounts } = trust;
      return [bankBalanceCents, liabilityCents, varianceCents, payables.ownerCents, payables.vendorCents, unreconciledAccounts];
    };
    expect(await amounts({ asOf: "2026-03-01" })).toEqual([268_000, 268_000, 0, 38_000, 7_000, 2]);
    expect(await amounts({ asOf: "2026-02-10" })).toEqual([280_000, 280_000, 0, 50_000, 19_000, 1]);
    expect(await amounts({ asOf: "2026-01-04" })).toEqual([0, 0, 0, 0, 0, 0]);
    expect(await amounts({ asOf: "2026-02-11", propertyId: a.propertyId })).toEqual([230_000, 230_000, 0, 0, 0, 1]);
    expect(await amounts({ asOf: "2026-02-11", propertyId: b.propertyId })).toEqual([38_000, 38_000, 0, 38_000, 7_000, 1]);
  });
});

describe("occupancy and work orders on the dashboard", () => {
  test("counts units and occupancy per property", async () => {
    const office = await anOffice();
    const today = currentDate();
    const [declared, references] = await Promise.all([aProperty(office, { units: 5, occupiedUnits: 3 }), createLeaseReferences(office)]);
    const [second, third, tenants] = await Promise.all([
      aUnit(office, references.propertyId, { unitNumber: "2" }),
      aUnit(office, references.propertyId, { unitNumber: "3" }),
      Promise.all([aTenant(office), aTenant(office)]),
    ]);
    const withoutRecurringRent = { createRecurringRent: false };
    const lease = await aLease(office, references, { ...withoutRecurringRent, occupants: [{ tenantId: tenants[1].id, role: "co_tenant" }] });
    await aLease(office, { ...references, unitId: second.id, tenantId: tenants[0].id }, { ...withoutRecurringRent, startDate: addDays(today, 7) });
    await aDraftLease(office, { ...references, unitId: third.id });
    await office.call("giveNotice", { params: { id: lease.id }, body: { noticeGivenOn: addDays(today, -1), plannedMoveOutDate: addDays(today, 20) } });

    const { occupancy } = await getDashboard(office);
    expect(occupancy).toEqual({ units: 15, occupied: 4, vacant: 11, notice: 1, rateBps: 2_667 });
    const listed = (await office.call("listProperties")).properties;
    expect([occupancy.units, occupancy.occupied]).toEqual([sum(listed.map(({ units }) => units)), sum(listed.map(({ occupiedUnits }) => occupiedUnits))]);
    expect((await getDashboard(office, { propertyId: declared.id })).occupancy).toEqual({ units: 5, occupied: 3, vacant: 2, notice: 0, rateBps: 6_000 });
    expect((await getDashboard(office, { asOf: addDays(today, -2), propertyId: references.propertyId })).occupancy).toMatchObject({ occupied: 1, notice: 0 });
    expect((await getDashboard(office, { asOf: addDays(lease.startDate, -1), propertyId: references.propertyId })).occupancy.occupied).toBe(0);
  });

  test("counts the unit of a renewed lease as occupied on the days before and after the renewal took over", async () => {
    const office = await anOffice();
    const references = await createLeaseReferences(office);
    const terms = { startDate: addDays(currentDate(), -400), endDate: undefined, termType: "month_to_month", createRecurringRent: false } as object;
    const lease = await aLease(office, references, terms);
    const body = { startDate: currentDate(), endDate: addDays(currentDate(), 365) };
    const renewal = (await office.call("renewLease", { params: { id: lease.id }, body })).lease;
    await office.call("activateLease", { params: { id: renewal.id }, body: {} });
    const occupiedOn = async (asOf: string) => (await getDashboard(office, { asOf })).occupancy.occupied;
    for (const days of [-400, -1, 0]) expect([days, await occupiedOn(addDays(currentDate(), days))]).toEqual([days, 1]);
    expect(await occupiedOn(addDays(currentDate(), -401))).toBe(0);
  });

  test("leaves out units that were deleted since, on the days on which they were let, too", async () => {
    const office = await anOffice();
    const today = currentDate();
    const { id: propertyId } = await aProperty(office, { units: 1, occupiedUnits: 0 });
    const [kept, deleted] = [await aUnit(office, propertyId, { unitNumber: "1" }), await aUnit(office, propertyId, { unitNumber: "2" })];
    const letUnit = async (unitId: string) =>
      aLease(office, { propertyId, unitId, tenantId: (await aTenant(office)).id }, { rentCents: 0, createRecurringRent: false });
    await letUnit(kept.id);
    const lease = await letUnit(deleted.id);
    await office.call("terminateLease", { params: { id: lease.id }, body: { terminationDate: addDays(today, -2), finalRent: "none" } });
    const past = { asOf: addDays(today, -10), propertyId };
    expect((await getDashboard(office, past)).occupancy).toMatchObject({ units: 2, occupied: 2 });
    await office.call("deleteUnit", { params: { id: deleted.id } });
    expect((await getDashboard(office, past)).occupancy).toEqual({ units: 1, occupied: 1, vacant: 0, notice: 0, rateBps: 10_000 });
  });

  test("counts expiring leases cumulatively within 30, 60 and 90 days", async () => {
    const office = await anOffice();
    const today = currentDate();
    const withoutRecurringRent = { createRecurringRent: false };
    const daysUntilEnd = [-1, 0, 30, 31, 60, 90, 91];
    const referencesOfLeases = await Promise.all([...daysUntilEnd, "draft", "month_to_month"].map(() => createLeaseReferences(office)));
    await Promise.all(
      daysUntilEnd.map((days, index) => aLease(office, referencesOfLeases[index]!, { ...withoutRecurringRent, endDate: addDays(today, days) })),
    );
    await aDraftLease(office, referencesOfLeases.at(-2)!, { endDate: addDays(today, 10) });
    await aLease(office, referencesOfLeases.at(-1)!, { ...withoutRecurringRent, termType: "month_to_month", endDate: undefined });
    expect((await getDashboard(office, { asOf: today })).leasesExpiring).toEqual({ within30: 2, within60: 4, within90: 5 });
    expect((await getDashboard(office, { asOf: addDays(today, 1) })).leasesExpiring).toEqual({ within30: 2, within60: 3, within90: 5 });
    expect((await getDashboard(office, { asOf: today, propertyId: referencesOfLeases[3]!.propertyId })).leasesExpiring).toEqual({
      within30: 0,
      within60: 1,
      within90: 1,
    });
  });

  test("counts unfinished work orders and returns recent activity", async () => {
    const office = await anOffice();
    const today = currentDate();
    const property = await aProperty(office);
    const createWorkOrder = (dueOn?: string, propertyId?: string) => aWorkOrder(office, { ...(dueOn && { dueOn }), ...(propertyId && { propertyId }) });
    const [, , started, finished] = await Promise.all([
      createWorkOrder(addDays(today, -1)),
      createWorkOrder(today),
      createWorkOrder(addDays(today, -5), property.id),
      createWorkOrder(addDays(today, -5)),
    ]);
    const transition = (id: string, status: "in_progress" | "completed") => office.call("transitionWorkOrder", { params: { id }, body: { status } });
    await transition(started.id, "in_progress");
    await transition(finished.id, "in_progress");
    await transition(finished.id, "completed");
    expect((await getDashboard(office, { asOf: today })).workOrders).toEqual({ open: 2, inProgress: 1, overdue: 2, avgDaysOpen: 0 });
    expect((await getDashboard(office, { asOf: addDays(today, 10) })).workOrders).toEqual({ open: 2, inProgress: 1, overdue: 3, avgDaysOpen: 10 });
    expect((await getDashboard(office, { asOf: today, propertyId: property.id })).workOrders).toEqual({ open: 0, inProgress: 1, overdue: 1, avgDaysOpen: 0 });

    const completion = { type: "work_order.transitioned", entityId: finished.id, summary: "A work order was completed." };
    const activities = await eventually("ten activities, the completion first", async () => {
      const { recentActivity } = await getDashboard(office);
      return recentActivity.length === 10 && recentActivity[0]!.summary === completion.summary ? recentActivity : undefined;
    });
    expect(activities[0]).toMatchObject(completion);
    const activitiesOfProperty = await eventually("three activities of the property", async () => {
      const { recentActivity } = await getDashboard(office, { propertyId: property.id });
      return recentActivity.length === 3 ? recentActivity : undefined;
    });
    expect(activitiesOfProperty.map(({ type }) => type)).toEqual(["work_order.transitioned", "work_order.created", "property.created"]);
  });
});

const sum = (numbers: readonly number[]): number => numbers.reduce((total, value) => total + value, 0);
