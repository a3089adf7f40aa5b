import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { eventually } from "../../../../../test/support/eventually.ts";

let office: Office;

beforeAll(async () => {
  office = await anOffice();
});

/** Creates a second lease of the tenant, at another property. */
async function aSecondTenancy({ tenantId }: Tenancy): Promise<Tenancy> {
  const other = await aTenancy(office);
  const { lease } = await office.call("createLease", {
    body: {
      propertyId: other.propertyId,
      unitId: await aUnitAt(other.propertyId),
      tenantId,
      startDate: "2026-01-01",
      termType: "month_to_month",
      rentCents: 1,
      rentChargeDay: 1,
      createRecurringRent: false,
      activate: true,
    },
  });
  return { ...other, tenantId, leaseId: lease.id };
}
const aUnitAt = async (propertyId: string) => (await office.call("createUnit", { body: { propertyId, unitNumber: "2", monthlyRentCents: 100_000 } })).unit.id;

/** Adds a co-tenant to a lease and returns the id of the tenant. */
async function aCoTenant(leaseId: string): Promise<string> {
  const { tenant } = await office.call("createTenant", { body: { fullName: "Cora Co-tenant" } });
  await office.call("createOccupant", { params: { leaseId }, body: { tenantId: tenant.id, role: "co_tenant" } });
  return tenant.id;
}

const withoutLease = (body: ReturnType<typeof aPayment>) => ({ ...body, leaseId: undefined });

/** Returns the accrual balances of a property by account code, without zeros. */
async function balancesOf(propertyId: string): Promise<Record<string, number>> {
  const { trialBalance } = await office.call("getTrialBalance", { query: { asOf: "2199-12-31", propertyId } });
  expect(trialBalance.isBalanced).toBe(true);
  return Object.fromEntries(
    trialBalance.rows.filter(({ closingCents }) => closingCents !== 0).map(({ accountCode, closingCents }) => [accountCode, closingCents]),
  );
}
const expectNoViolations = async () => expect(await withOwnerConnection(office, findViolations)).toEqual([]);

describe("a payment without a lease", () => {
  test("settles charges of two leases, each in its own property", async () => {
    const first = await aTenancy(office);
    const second = await aSecondTenancy(first);
    const [rent, otherRent] = [await aCharge(office, first.leaseId, 700), await aCharge(office, second.leaseId, 400)];
    const allocations = [
      { chargeId: rent, amountCents: 700 },
      { chargeId: otherRent, amountCents: 250 },
    ];
    const { payment } = await office.call("recordPayment", { body: { ...withoutLease(aPayment(first, 1_000)), allocations } });
    expect(payment.unallocatedCents).toBe(50);
    expect(await balancesOf(first.propertyId)).toEqual({ "1050": 700, "4000": -700 });
    expect(await balancesOf(second.propertyId)).toEqual({ "1050": 250, "1100": 150, "4000": -400 });
    await expectNoViolations();
    await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "other" } });
    expect(await balancesOf(first.propertyId)).toEqual({ "1100": 700, "4000": -700 });
    expect(await balancesOf(second.propertyId)).toEqual({ "1100": 400, "4000": -400 });
    await expectNoViolations();
  });

  test("moves its money to the property of a charge that it settles later", async () => {
    const tenancy = await aTenancy(office);
    const { payment } = await office.call("recordPayment", { body: withoutLease(aPayment(tenancy, 500)) });
    const chargeId = await aCharge(office, tenancy.leaseId, 300);
    expect(await balancesOf(tenancy.propertyId)).toEqual({ "1100": 300, "4000": -300 });
    await office.call("allocatePayment", { params: { id: payment.id }, body: { allocations: [{ chargeId, amountCents: 300 }] } });
    expect(await balancesOf(tenancy.propertyId)).toEqual({ "1050": 300, "4000": -300 });
    await expectNoViolations();
    await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf" } });
    expect(await balancesOf(tenancy.propertyId)).toEqual({ "1100": 300, "4000": -300 });
    await expectNoViolations();
  });

  test("pays a deposit, which is held for the lease of the charge", async () => {
    const tenancy = await aTenancy(office);
    const { charge } = await office.call("createCharge", {
      body: { leaseId: tenancy.leaseId, amountCents: 900, dueDate: "2026-01-01", chargeType: "deposit" },
    });
    await office.call("recordPayment", { body: { ...withoutLease(aPayment(tenancy, 900)), autoAllocate: true } });
    expect((await office.call("getCharge", { params: { id: charge.id } })).charge.status).toBe("paid");
    expect(await balancesOf(tenancy.propertyId)).toEqual({ "1050": 900, "2100": -900 });
    await expectNoViolations();
  });

  test("is refused for a deleted tenant, but a repeated request replays its earlier response", async () => {
    const tenancy = await aTenancy(office);
    const { tenant } = await office.call("createTenant", { body: { fullName: "Dee Deleted" } });
    const body = withoutLease(aPayment({ ...tenancy, tenantId: tenant.id }, 100));
    const { payment } = await office.call("recordPayment", { body });
    await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "entry_error" } });
    await office.call("deleteTenant", { params: { id: tenant.id } });
    // The ledger learns of the deletion by an event.
    const refusal = await eventually("refusal", async () => {
      const attempt = await office.attempt("recordPayment", { body: { ...body, idempotencyKey: randomUUID() } });
      return attempt.status === 400 ? attempt : undefined;
    });
    expect([refusal.status, refusal.body.errors?.[0]]).toMatchObject([400, { path: "tenantId", code: "not_found" }]);
    expect((await office.call("recordPayment", { body })).payment.id).toBe(payment.id);
  });
});

describe("a co-tenant's payment", () => {
  test.each(["with the lease", "without a lease"])("%s settles the lease's charge", async (kind) => {
    const tenancy = await aTenancy(office);
    const tenantId = await aCoTenant(tenancy.leaseId);
    const chargeId = await aCharge(office, tenancy.leaseId, 600);
    const body = aPayment({ ...tenancy, tenantId }, 600);
    const isRecorded = async (allocations: object) => {
      const { status, body: response } = await office.attempt("recordPayment", {
        body: { ...(kind === "with the lease" ? body : withoutLease(body)), ...allocations },
      });
      // The co-tenant arrives in the ledger with the event of the lease.
      return status === 200 ? response.payment : undefined;
    };
    const payment = await eventually("payment of the co-tenant", () => isRecorded({ allocations: [{ chargeId, amountCents: 600 }] }));
    expect(payment).toMatchObject({ unallocatedCents: 0, tenantId });
    expect(await balancesOf(tenancy.propertyId)).toEqual({ "1050": 600, "4000": -600 });
    await expectNoViolations();
  });

  test("without a lease is allocated automatically to the lease's charges", async () => {
    const tenancy = await aTenancy(office);
    const tenantId = await aCoTenant(tenancy.leaseId);
    const chargeId = await aCharge(office, tenancy.leaseId, 600);
    const allocatedChargeIds = await eventually("lease of the co-tenant", async () => {
      const { payment } = await office.call("recordPayment", { body: { ...withoutLease(aPayment({ ...tenancy, tenantId }, 10)), autoAllocate: true } });
      return payment.allocations.length > 0 ? payment.allocations.map((allocation) => allocation.chargeId) : undefined;
    });
    expect(allocatedChargeIds).toEqual([chargeId]);
    await expectNoViolations();
  });

  test("is refused for a lease that the tenant is not on", async () => {
    const [tenancy, other] = [await aTenancy(office), await aTenancy(office)];
    const chargeId = await aCharge(office, other.leaseId, 600);
    const allocations = [{ chargeId, amountCents: 600 }];
    const { status, body } = await office.attempt("recordPayment", { body: { ...withoutLease(aPayment(tenancy, 600)), allocations } });
    expect([status, body.errors?.[0]]).toMatchObject([400, { path: "allocations.0.chargeId", code: "mismatch" }]);
  });
});

test("credit of a payment without a lease is applied to a charge when it is posted", async () => {
  await office.call("updateOrganization", { body: { policies: { autoAllocatePayments: true } } });
  const tenancy = await aTenancy(office);
  await office.call("recordPayment", { body: withoutLease(aPayment(tenancy, 10_000)) });
  // The ledger receives the policy asynchronously: charges of one cent show when it is in effect.
  await eventually("policy", async () => {
    const { charge } = await office.call("getCharge", { params: { id: await aCharge(office, tenancy.leaseId, 1) } });
    return charge.status === "paid" || undefined;
  });
  const { total } = await office.call("listCharges", { query: { leaseId: tenancy.leaseId } });
  const chargeId = await aCharge(office, tenancy.leaseId, 15_000);
  expect((await office.call("getCharge", { params: { id: chargeId } })).charge).toMatchObject({ balanceCents: 5_000 + total, status: "partially_paid" });
  expect(await balancesOf(tenancy.propertyId)).toEqual({ "1050": 10_000, "1100": 5_000 + total, "4000": -15_000 - total });
  await expectNoViolations();
});

describe("the entries of a charge and its payment", () => {
  test("name their document, and their lines name the charge and the payment, also in a reversal", async () => {
    const own = await anOffice();
    const tenancy = await aTenancy(own);
    const chargeId = await aCharge(own, tenancy.leaseId, 700);
    const { payment } = await own.call("recordPayment", { body: { ...aPayment(tenancy, 1_000), allocations: [{ chargeId, amountCents: 700 }] } });
    await own.call("reversePayment", { params: { id: payment.id }, body: { reason: "bank_error" } });
    const { journalEntries } = await own.call("listJournalEntries", { query: { sortBy: "createdAt", sortDirection: "asc" } });
    const [charge, receipt, reversal] = journalEntries;
    expect([charge, receipt, reversal].map((entry) => [entry!.source, entry!.sourceType, entry!.sourceId])).toEqual([
      ["charge", "charge", chargeId],
      ["payment", "payment", payment.id],
      ["reversal", "payment", payment.id],
    ]);
    expect(charge!.lines.map((line) => [line.accountCode, line.chargeId, line.paymentId])).toEqual([
      ["1100", chargeId, null],
      ["4000", chargeId, null],
    ]);
    for (const entry of [receipt!, reversal!])
      expect(entry.lines.map(({ accountCode, chargeId: charged, paymentId, leaseId }) => [accountCode, charged, paymentId, leaseId])).toEqual([
        ["1050", null, payment.id, tenancy.leaseId],
        ["1100", chargeId, payment.id, tenancy.leaseId],
        ["2150", null, payment.id, tenancy.leaseId],
      ]);
  });
});
