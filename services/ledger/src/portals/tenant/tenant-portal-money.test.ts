import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { addDays } from "@freehold/kit/time/plain-date";
import { anOffice, type Colleague, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { todayInOffice } from "../../../test/ledger.fixtures.ts";

const today = todayInOffice();
let office: Office;
let tenancy: Tenancy;
let coTenantId: string;
let [tenant, coTenant, neighbour]: Colleague[] = [];
let [lateRent, rent, paymentId] = ["", "", ""];

beforeAll(async () => {
  office = await anOffice();
  coTenantId = (await office.call("createTenant", { body: { fullName: "Carla Co" } })).tenant.id;
  tenancy = await aTenancy(office, { coTenantId });
  const other = await aTenancy(office);
  await aCharge(office, other.leaseId, 70_000);
  [tenant, coTenant, neighbour] = [await office.tenantUser(tenancy.tenantId), await office.tenantUser(coTenantId), await office.tenantUser(other.tenantId)];
  lateRent = await aCharge(office, tenancy.leaseId, 100_000, addDays(today, -10));
  rent = await aCharge(office, tenancy.leaseId, 50_000, today);
  await office.call("createCharge", {
    body: { leaseId: tenancy.leaseId, amountCents: 3_000, dueDate: addDays(today, 5), chargeType: "fee", name: "Key", memo: "Lost twice" },
  });
  const body = { ...aPayment(tenancy, 65_000), receivedAt: new Date().toISOString(), allocations: [{ chargeId: lateRent, amountCents: 60_000 }] };
  paymentId = (await office.call("recordPayment", { body })).payment.id;
});

const everything = async (user: Colleague) =>
  Promise.all([
    user.call("listTenantPortalCharges"),
    user.call("listTenantPortalPayments"),
    user.call("listTenantPortalLedger"),
    user.call("listTenantPortalSecurityDeposits"),
  ]);

describe("getTenantPortalBalance", () => {
  test("returns what is due and past due, the credit, and what is due next, to each tenant of the lease", async () => {
    for (const user of [tenant!, coTenant!])
      for (const query of [{}, { leaseId: tenancy.leaseId }])
        expect((await user.call("getTenantPortalBalance", { query })).balance).toEqual({
          leaseId: tenancy.leaseId,
          asOf: today,
          dueCents: 90_000,
          pastDueCents: 40_000,
          unallocatedCents: 5_000,
          nextDueOn: addDays(today, 5),
          nextDueCents: 3_000,
        });
    const ofNeighbour = await neighbour!.attempt("getTenantPortalBalance", { query: { leaseId: tenancy.leaseId } });
    expect([ofNeighbour.status, ofNeighbour.body.message]).toEqual([404, "Lease not found."]);
  });

  test("counts recurring rent that is not charged yet as due next", async () => {
    const billed = await aTenancy(office, { createRecurringRent: true, rentCents: 80_000, rentChargeDay: 31, startDate: addDays(today, -40) });
    const user = await office.tenantUser(billed.tenantId);
    const { balance } = await user.call("getTenantPortalBalance");
    expect(balance.nextDueOn! > today).toBe(true);
    expect(balance.nextDueCents).toBeGreaterThan(0);
  });
});

describe("listTenantPortalCharges and listTenantPortalPayments", () => {
  test("return those of the own leases, without the office's remarks and accounts", async () => {
    const { charges, total } = await tenant!.call("listTenantPortalCharges", { query: { sortDirection: "asc" } });
    expect([charges.slice(0, 2).map(({ id, balanceCents, isOverdue }) => [id, balanceCents, isOverdue]), total]).toEqual([
      [
        [lateRent, 40_000, true],
        [rent, 50_000, false],
      ],
      3,
    ]);
    for (const hidden of ["memo", "categoryId", "workOrderId"]) expect(charges[2]).not.toHaveProperty(hidden);
    expect((await tenant!.call("listTenantPortalCharges", { query: { status: "partially_paid", dueBefore: addDays(today, -1) } })).total).toBe(1);
    const { payments } = await coTenant!.call("listTenantPortalPayments", { query: { leaseId: tenancy.leaseId } });
    expect(payments).toMatchObject([
      {
        id: paymentId,
        amountCents: 65_000,
        unallocatedCents: 5_000,
        tenant: { fullName: "Tess Tenant" },
        allocations: [{ chargeId: lateRent, amountCents: 60_000 }],
      },
    ]);
    for (const hidden of ["idempotencyKey", "depositId", "refunds"]) expect(payments[0]).not.toHaveProperty(hidden);
    expect((await coTenant!.call("listTenantPortalPayments", { query: { receivedBefore: addDays(today, -1) } })).total).toBe(0);
  });

  test("show nothing of another tenant", async () => {
    const [charges, payments, ledger] = await everything(neighbour!);
    expect([charges!.total, payments!.total, ledger!.total]).toEqual([1, 0, 1]);
    expect(JSON.stringify([charges, payments, ledger])).not.toContain(tenancy.leaseId);
    for (const operation of ["listTenantPortalCharges", "listTenantPortalPayments", "listTenantPortalLedger", "listTenantPortalSecurityDeposits"] as const)
      expect((await neighbour!.attempt(operation, { query: { leaseId: tenancy.leaseId } })).status).toBe(404);
  });
});

test("getTenantPortalReceipt returns the receipt as JSON and PDF, and not to other tenants", async () => {
  const { receipt } = await tenant!.call("getTenantPortalReceipt", { params: { id: paymentId } });
  const { receipt: ofOffice } = await office.call("getPaymentReceipt", { params: { id: paymentId } });
  expect(receipt).toMatchObject({ number: ofOffice.number, allocatedCents: 60_000, leaseBalanceCents: 88_000, organizationName: ofOffice.organizationName });
  expect(receipt.payment).not.toHaveProperty("idempotencyKey");
  const pdf = await tenant!.raw("GET", `/api/portal/payments/${paymentId}/receipt?format=pdf`);
  expect([pdf.headers.get("content-type"), (await pdf.text()).slice(0, 5)]).toEqual(["application/pdf", "%PDF-"]);
  for (const id of [paymentId, randomUUID()]) expect((await neighbour!.attempt("getTenantPortalReceipt", { params: { id } })).status).toBe(404);
});

test("listTenantPortalLedger equals the office's ledger of the lease", async () => {
  const query = { to: addDays(today, 10) };
  const { entries, closingBalanceCents, openingBalanceCents } = await tenant!.call("listTenantPortalLedger", { query });
  const ofOffice = await office.call("listLeaseLedger", { params: { id: tenancy.leaseId }, query });
  expect([entries, openingBalanceCents, closingBalanceCents]).toEqual([ofOffice.entries, 0, ofOffice.closingBalanceCents]);
  expect(entries.length).toBeGreaterThan(3);
  expect((await coTenant!.call("listTenantPortalLedger", { query: { ...query, leaseId: tenancy.leaseId } })).entries).toEqual(entries);
});

test("the credit of a payment without a lease is the payer's alone", async () => {
  const body = { ...aPayment(tenancy, 1_000), leaseId: undefined, receivedAt: new Date().toISOString() };
  const { payment } = await office.call("recordPayment", { body });
  const balanceOf = async (user: Colleague) => (await user.call("getTenantPortalBalance")).balance.unallocatedCents;
  expect([await balanceOf(tenant!), await balanceOf(coTenant!)]).toEqual([6_000, 5_000]);
  const closing = async (user: Colleague) => (await user.call("listTenantPortalLedger")).closingBalanceCents;
  expect((await closing(coTenant!)) - (await closing(tenant!))).toBe(1_000);
  expect((await coTenant!.call("listTenantPortalPayments")).payments.map(({ id }) => id)).not.toContain(payment.id);
  await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "entry_error", memo: "Prepare the eviction" } });
  const descriptions = (await tenant!.call("listTenantPortalLedger", { query: { pageSize: "100" } })).entries.map(({ description }) => description);
  expect(descriptions).not.toContain("Prepare the eviction");
});

describe("security deposits", () => {
  test("are shown with their amounts and deadline, and deductions once they are final", async () => {
    const roommateId = (await office.call("createTenant", { body: { fullName: "Rita Roommate" } })).tenant.id;
    const own = await aTenancy(office, { startDate: addDays(today, -60), coTenantId: roommateId });
    const [user, roommate] = [await office.tenantUser(own.tenantId), await office.tenantUser(roommateId)];
    const { securityDeposit } = await office.call("createSecurityDeposit", { body: { leaseId: own.leaseId, requiredCents: 40_000 } });
    const allocations = [{ chargeId: securityDeposit.chargeIds[0]!, amountCents: 40_000 }];
    const { payment } = await office.call("recordPayment", { body: { ...aPayment(own, 40_000), receivedAt: new Date().toISOString(), allocations } });
    const account = { name: "Escrow", institutionName: "First Bank", accountMask: "1234", accountType: "security_deposit" as const, openingDate: "2026-01-01" };
    const { bankAccount } = await office.call("createBankAccount", { body: account });
    await office.call("createDeposit", { body: { bankAccountId: bankAccount.id, depositedOn: today, paymentIds: [payment.id] } });
    await office.call("terminateLease", { params: { id: own.leaseId }, body: { terminationDate: today } });
    const params = { id: securityDeposit.id };
    await office.call("createSecurityDepositDeduction", { params, body: { category: "cleaning", description: "Oven", amountCents: 5_000 } });
    const draft = (await user.call("getTenantPortalSecurityDeposit", { params })).securityDeposit;
    expect(draft).toMatchObject({
      heldCents: 40_000,
      deductionsCents: 0,
      refundPayableCents: 40_000,
      deductions: [],
      dispositionSentAt: null,
      moveOutDate: today,
    });
    expect(draft.dispositionDueOn).not.toBeNull();
    for (const hidden of ["bankAccountId", "transactions", "chargeIds"]) expect(draft).not.toHaveProperty(hidden);
    await office.call("finalizeSecurityDeposit", { params, body: { sentAt: new Date().toISOString(), method: "mail", forwardingAddress: "9 Oak Street" } });
    const { securityDeposits } = await user.call("listTenantPortalSecurityDeposits");
    expect(securityDeposits).toMatchObject([
      { id: securityDeposit.id, deductionsCents: 5_000, heldCents: 35_000, deductions: [{ description: "Oven", amountCents: 5_000 }], status: "disposed" },
    ]);
    expect(securityDeposits[0]!.deductions[0]).not.toHaveProperty("journalEntryId");
    const addresses = [user, roommate].map(async (each) => (await each.call("getTenantPortalSecurityDeposit", { params })).securityDeposit.forwardingAddress);
    expect(await Promise.all(addresses)).toEqual(["9 Oak Street", null]);
    expect((await tenant!.attempt("getTenantPortalSecurityDeposit", { params })).status).toBe(404);
  });
});

describe("a released co-tenant", () => {
  test("keeps what was dated before the release, and sees nothing later", async () => {
    const leaving = (await office.call("createTenant", { body: { fullName: "Lena Leaving" } })).tenant.id;
    const shared = await aTenancy(office, { coTenantId: leaving });
    const user = await office.tenantUser(leaving);
    const before = await aCharge(office, shared.leaseId, 10_000, addDays(today, -20));
    const onDay = await aCharge(office, shared.leaseId, 20_000, addDays(today, -5));
    await office.call("createSecurityDeposit", { body: { leaseId: shared.leaseId, requiredCents: 500 } });
    const early = { ...aPayment(shared, 1_000), receivedAt: `${addDays(today, -15)}T15:00:00.000Z` };
    const late = { ...aPayment(shared, 2_000), receivedAt: new Date().toISOString() };
    const [earlyId, lateId] = [
      (await office.call("recordPayment", { body: early })).payment.id,
      (await office.call("recordPayment", { body: late })).payment.id,
    ];
    const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id);
    const [charges] = await everything(user);
    expect(ids(charges!.charges)).toEqual(expect.arrayContaining([before, onDay]));
    const { occupants } = await office.call("listOccupants", { params: { leaseId: shared.leaseId } });
    const params = { id: occupants.find((occupant) => occupant.tenantId === leaving)!.id };
    await office.call("releaseOccupant", { params, body: { releasedOn: addDays(today, -5) } });
    const [after, payments, ledger, deposits] = await everything(user);
    expect([ids(after!.charges), ids(payments!.payments), deposits!.total]).toEqual([[before], [earlyId], 0]);
    expect(ledger!.entries.map(({ chargeId, paymentId: id }) => chargeId ?? id)).toEqual([before, earlyId]);
    expect((await user.attempt("getTenantPortalReceipt", { params: { id: lateId } })).status).toBe(404);
    expect((await user.call("getTenantPortalReceipt", { params: { id: earlyId } })).receipt.leaseBalanceCents).toBeNull();
    expect((await user.call("getTenantPortalBalance")).balance).toMatchObject({ dueCents: 10_000, nextDueOn: null });
  });
});

test("a guarantor sees no money of the lease", async () => {
  const guarantor = (await office.call("createTenant", { body: { fullName: "Gus Guarantor" } })).tenant.id;
  await office.call("createOccupant", { params: { leaseId: tenancy.leaseId }, body: { tenantId: guarantor, role: "guarantor" } });
  const user = await office.tenantUser(guarantor);
  const [charges, payments, ledger, deposits] = await everything(user);
  expect([charges!.total, payments!.total, ledger!.total, deposits!.total]).toEqual([0, 0, 0, 0]);
  expect((await user.attempt("getTenantPortalBalance", { query: { leaseId: tenancy.leaseId } })).status).toBe(404);
});
