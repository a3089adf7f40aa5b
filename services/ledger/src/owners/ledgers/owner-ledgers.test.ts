import { describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment } from "../../../../../test/support/tenancy.ts";
import { aBillPayment, anExpense } from "../../payables/payables.fixtures.ts";
import { aContribution, anOwnedProperty, anOwner, ownerLedgerOf } from "../owners.fixtures.ts";

/** An office with a property that Ann (60 %) and Ben (40 %) own, with 1,001 cents of rent in an operating account. */
async function aSharedProperty() {
  const office = await anOffice();
  const [ann, ben] = [await anOwner(office, "Ann"), await anOwner(office, "Ben")];
  return { office, ann, ben, ...(await anOwnedProperty(office, { rentCents: 1_001, shares: { [ann]: 6_000, [ben]: 4_000 } })) };
}

async function payRent(office: Office, tenancy: { tenantId: string; leaseId: string }, cents: number, receivedAt: string, dueDate = "2026-01-01") {
  const charge = await aCharge(office, tenancy.leaseId, cents, dueDate);
  const body = { ...aPayment(tenancy, cents), receivedAt, allocations: [{ chargeId: charge, amountCents: cents }] };
  return (await office.call("recordPayment", { body })).payment.id;
}

describe("listOwnerLedger", () => {
  test("divides income and expenses in whole cents, and gives the cent left over to the largest share", async () => {
    const { office, ann, ben, propertyId, bankAccountId } = await aSharedProperty();
    const expense = await anExpense(office, propertyId, 333);
    await office.call("recordExpensePayment", { body: aBillPayment(bankAccountId, 333, [{ expenseId: expense.id, amountCents: 333 }]) });
    const [{ rows: ofAnn }, { rows: ofBen }] = [await ownerLedgerOf(office, ann), await ownerLedgerOf(office, ben)];
    expect(ofAnn).toEqual([
      ["2026-01-05", "4000", 601, 601],
      ["2026-01-20", "5000", -200, 401],
    ]);
    expect(ofBen).toEqual([
      ["2026-01-05", "4000", 400, 400],
      ["2026-01-20", "5000", -133, 267],
    ]);
  });

  test("has what it had before when the allocations of one payment are removed one by one", async () => {
    const { office, ann, ben, propertyId, bankAccountId, ...tenancy } = await aSharedProperty();
    await office.call("updateOrganization", { body: { policies: { trustOverdraft: "off" } } });
    const closing = async () => [(await ownerLedgerOf(office, ann)).closing, (await ownerLedgerOf(office, ben)).closing];
    const charges = [await aCharge(office, tenancy.leaseId, 1), await aCharge(office, tenancy.leaseId, 1), await aCharge(office, tenancy.leaseId, 3)];
    const allocations = charges.map((chargeId, index) => ({ chargeId, amountCents: [1, 1, 3][index]! }));
    const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, 5), allocations } });
    expect(await closing()).toEqual([601 + 4, 400 + 1]);
    for (const { id } of payment.allocations) await office.call("deletePaymentAllocation", { params: { id: payment.id, allocationId: id } });
    expect(await closing()).toEqual([601, 400]);
    const bills = [await anExpense(office, propertyId, 1), await anExpense(office, propertyId, 1), await anExpense(office, propertyId, 3)];
    const ofBills = bills.map(({ id, amountCents }) => ({ expenseId: id, amountCents }));
    const { expensePayment } = await office.call("recordExpensePayment", { body: aBillPayment(bankAccountId, 5, ofBills) });
    for (const { id } of expensePayment.allocations)
      await office.call("deleteExpensePaymentAllocation", { params: { id: expensePayment.id, allocationId: id } });
    expect(await closing()).toEqual([601, 400]);
  });

  test("has what was earned on the accrual basis, whether or not it was received", async () => {
    const { office, ann, propertyId } = await aSharedProperty();
    await anExpense(office, propertyId, 100);
    expect((await ownerLedgerOf(office, ann, { basis: "accrual" })).rows).toEqual([
      ["2026-01-01", "4000", 601, 601],
      ["2026-01-10", "5000", -60, 541],
    ]);
    expect((await ownerLedgerOf(office, ann)).rows.map(([, code]) => code)).toEqual(["4000"]);
  });

  test("has a contribution and an expense of one owner in the ledger of this owner alone", async () => {
    const { office, ann, ben, propertyId, bankAccountId } = await aSharedProperty();
    await office.call("createOwnerContribution", { params: { id: ben }, body: aContribution(propertyId, bankAccountId, 100) });
    const expense = await anExpense(office, propertyId, 50, { ownerId: ben });
    await office.call("recordExpensePayment", { body: aBillPayment(bankAccountId, 50, [{ expenseId: expense.id, amountCents: 50 }]) });
    expect((await ownerLedgerOf(office, ann)).closing).toBe(601);
    expect((await ownerLedgerOf(office, ben)).rows).toEqual([
      ["2026-01-05", "4000", 400, 400],
      ["2026-01-08", "3100", 100, 500],
      ["2026-01-20", "5000", -50, 450],
    ]);
  });

  test("divides rent by the shares on its due date, whenever it is paid, and so on both bases alike", async () => {
    const { office, ann, ben, propertyId, ...tenancy } = await aSharedProperty();
    const cat = await anOwner(office, "Cat");
    const shares = [
      { ownerId: ben, shareBps: 4_000 },
      { ownerId: cat, shareBps: 6_000 },
    ];
    await office.call("replaceOwnership", { params: { id: propertyId }, body: { effectiveDate: "2026-02-01", shares } });
    await payRent(office, tenancy, 1_000, "2026-01-31T17:00:00.000Z");
    await payRent(office, tenancy, 1_000, "2026-02-20T17:00:00.000Z");
    await payRent(office, tenancy, 1_000, "2026-02-20T17:00:00.000Z", "2026-02-01");
    const closingsOn = (basis: "cash" | "accrual") =>
      Promise.all([ann, ben, cat].map(async (owner) => (await ownerLedgerOf(office, owner, { basis, to: "2026-02-28" })).closing));
    expect(await closingsOn("cash")).toEqual([1_801, 1_600, 600]);
    expect(await closingsOn("accrual")).toEqual(await closingsOn("cash"));
  });

  test("is limited to days and to a property, with the balances before and after", async () => {
    const { office, ann, propertyId, bankAccountId, ...tenancy } = await aSharedProperty();
    await anOwnedProperty(office, { rentCents: 500, shares: { [ann]: 10_000 } }, bankAccountId);
    await payRent(office, tenancy, 100, "2026-01-09T17:00:00.000Z");
    expect(await ownerLedgerOf(office, ann, { from: "2026-01-06", to: "2026-01-09", propertyId })).toEqual({
      rows: [["2026-01-09", "4000", 60, 661]],
      opening: 601,
      closing: 661,
    });
    expect((await ownerLedgerOf(office, ann)).closing).toBe(1_161);
    const page = await office.call("listOwnerLedger", { params: { id: ann }, query: { page: "2", pageSize: "2" } });
    expect([page.total, page.totalPages, page.entries.length, page.entries[0]!.balanceCents]).toEqual([3, 2, 1, 1_161]);
    const refused = await office.attempt("listOwnerLedger", { params: { id: await anOwner(office) }, query: { propertyId } });
    expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([400, "propertyId"]);
  });
});

describe("getOwnerBalance", () => {
  const balanceOf = async (office: Office, id: string, query: Record<string, string> = {}) =>
    (await office.call("getOwnerBalance", { params: { id }, query })).balance;

  test("has every figure that is subtracted from the cash of a property", async () => {
    const { office, ann, ben, propertyId, bankAccountId, ...tenancy } = await aSharedProperty();
    await office.call("updateProperty", { params: { id: propertyId }, body: { reserveCents: 100 } });
    const { charge } = await office.call("createCharge", {
      body: { leaseId: tenancy.leaseId, amountCents: 500, dueDate: "2026-01-01", chargeType: "deposit" },
    });
    const body = { ...aPayment(tenancy, 700), receivedAt: "2026-01-07T17:00:00.000Z", allocations: [{ chargeId: charge.id, amountCents: 500 }] };
    const { payment } = await office.call("recordPayment", { body });
    await office.call("createDeposit", { body: { bankAccountId, depositedOn: "2026-01-08", paymentIds: [payment.id] } });
    await anExpense(office, propertyId, 150, { dueOn: "2026-01-31" });
    await anExpense(office, propertyId, 9_000, { dueOn: "2099-12-31" });
    const { workOrder } = await office.call("createWorkOrder", { body: { propertyId, title: "Roof" } });
    const { estimate } = await office.call("createWorkOrderEstimate", { params: { id: workOrder.id }, body: { amountCents: 50 } });
    await office.call("approveWorkOrderEstimate", { params: { id: estimate.id }, body: {} });
    const figures = {
      cashCents: 1_701,
      securityDepositsCents: 500,
      prepaidRentCents: 200,
      unpaidExpensesCents: 150,
      pendingCents: 0,
      heldEstimatesCents: 50,
      managementFeesCents: 0,
      reserveCents: 100,
      additionalReserveCents: 0,
    };
    // 1,701 - 500 - 200 - 150 - 50 - 100 = 701, of which 60 % are 420 and 40 % are 280; the cent left over is Ann's.
    expect(await balanceOf(office, ann)).toMatchObject({ ownerId: ann, ...figures, availableToPayCents: 421 });
    expect((await balanceOf(office, ben)).byProperty).toEqual([
      { propertyId, propertyName: expect.any(String), shareBps: 4_000, ...figures, availableToPayCents: 280 },
    ]);
    // An invoice that waits for approval ends the hold for its own amount, and a rejected one not at all.
    const pending = await anExpense(office, propertyId, 20, { workOrderId: workOrder.id, needsApproval: true });
    expect(await balanceOf(office, ann)).toMatchObject({ heldEstimatesCents: 30, unpaidExpensesCents: 170 });
    await office.call("rejectExpense", { params: { id: pending.id }, body: { reason: "Not done" } });
    expect(await balanceOf(office, ann)).toMatchObject({ heldEstimatesCents: 50, unpaidExpensesCents: 150 });
    // A first invoice releases its own amount, and the last one of a completed work order the rest.
    await anExpense(office, propertyId, 10, { workOrderId: workOrder.id });
    expect(await balanceOf(office, ann)).toMatchObject({ heldEstimatesCents: 40, unpaidExpensesCents: 160 });
    for (const status of ["in_progress", "completed"] as const) await office.call("transitionWorkOrder", { params: { id: workOrder.id }, body: { status } });
    expect(await balanceOf(office, ann)).toMatchObject({ heldEstimatesCents: 0, unpaidExpensesCents: 160 });
    // The payment of January 7 was deposited on January 8.
    expect(await balanceOf(office, ann, { asOf: "2026-01-07" })).toMatchObject({ cashCents: 1_001, securityDepositsCents: 0, prepaidRentCents: 0 });
  });

  test("is never negative, and has a property that was sold while the ledger of the owner has a balance there", async () => {
    const { office, ann, ben, propertyId } = await aSharedProperty();
    await office.call("replaceOwnership", {
      params: { id: propertyId },
      body: { effectiveDate: "2026-02-01", shares: [{ ownerId: ben, shareBps: 10_000 }] },
    });
    const ofAnn = async (query: Record<string, string>) =>
      (await balanceOf(office, ann, query)).byProperty.map(({ shareBps, availableToPayCents }) => [shareBps, availableToPayCents]);
    expect([await ofAnn({ asOf: "2026-01-09" }), await ofAnn({})]).toEqual([[[6_000, 601]], [[0, 601]]]);
    await anExpense(office, propertyId, 5_000);
    // Ann bears 3,000 of the bill, and has nothing left that can be paid.
    expect([await ofAnn({ asOf: "2026-01-09" }), await ofAnn({})]).toEqual([[[6_000, 601]], [[0, 0]]]);
    expect(await balanceOf(office, ben)).toMatchObject({ cashCents: 1_001, unpaidExpensesCents: 5_000, availableToPayCents: 0 });
  });
});
