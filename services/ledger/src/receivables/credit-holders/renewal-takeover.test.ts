/** Takeover of credit and deposits by a renewal. */
import { beforeAll, expect, test } from "@jest/globals";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

let office: Office;
let leaseId: string;
let renewalId: string;

// A deposit of 1,200 is charged and 1,500 are received: 300 are credit. The renewal takes over at once, since it starts in the past.
beforeAll(async () => {
  office = await anOffice();
  const first = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ann Tenant" } });
  const terms = { propertyId: first.propertyId, unitId: first.unitId, tenantId: tenant.id, rentCents: 100_000, createRecurringRent: false };
  leaseId = (await office.call("createLease", { body: { ...terms, startDate: "2025-01-01", termType: "month_to_month", activate: true } })).lease.id;
  const { charge } = await office.call("createCharge", { body: { leaseId, amountCents: 120_000, dueDate: "2025-01-01", chargeType: "deposit" } });
  const allocations = [{ chargeId: charge.id, amountCents: 120_000 }];
  await office.call("recordPayment", { body: { ...aPayment({ tenantId: tenant.id, leaseId }, 150_000), allocations } });
  const body = { startDate: "2026-06-01", endDate: "2099-12-31", termType: "fixed" as const };
  renewalId = (await office.call("renewLease", { params: { id: leaseId }, body })).lease.id;
  await office.call("activateLease", { params: { id: renewalId }, body: {} });
  for (const service of ["portfolio", "ledger"] as const) await waitForIdleJobs(service, office);
});
const read = async (id: string) => (await office.call("getLease", { params: { id } })).lease;

test("unallocated credit goes with the tenant to the renewal", async () => {
  expect([(await read(leaseId)).balanceCents, (await read(renewalId)).balanceCents]).toEqual([0, -30_000]);
});

test("the deposit that is held goes with the tenant to the renewal", async () => {
  expect([(await read(leaseId)).depositHeldCents, (await read(renewalId)).depositHeldCents]).toEqual([0, 120_000]);
});

test("a co-tenant who joins with the renewal sees the credit and the deposit that it took over", async () => {
  const { tenant } = await office.call("createTenant", { body: { fullName: "Carl Co" } });
  await office.call("createOccupant", { params: { leaseId: renewalId }, body: { tenantId: tenant.id, role: "co_tenant" } });
  const carl = await office.tenantUser(tenant.id);
  const [{ balance }, { securityDeposits }] = [await carl.call("getTenantPortalBalance"), await carl.call("listTenantPortalSecurityDeposits")];
  expect(balance).toMatchObject({ leaseId: renewalId, dueCents: 0, unallocatedCents: 30_000 });
  expect(securityDeposits).toMatchObject([{ leaseId: renewalId, receivedCents: 120_000, heldCents: 120_000, forwardingAddress: null }]);
});

test("both ledgers show the takeover on its day, and end with the balance of their lease", async () => {
  const ledgers = await Promise.all([leaseId, renewalId].map((id) => office.call("listLeaseLedger", { params: { id }, query: {} })));
  const takeovers = ledgers.map(({ entries }) => entries.filter(({ description }) => description === "Taken over by the renewal"));
  expect(takeovers).toMatchObject([[{ date: "2026-06-01", debitCents: 30_000 }], [{ date: "2026-06-01", creditCents: 30_000 }]]);
  expect(ledgers.map(({ closingBalanceCents }) => closingBalanceCents)).toEqual([0, -30_000]);
  expect(await withOwnerConnection(office, findViolations)).toEqual([]);
});

/** Returns a lease of an office with a deposit of 1,200, and functions that pay on it and renew it from a day. */
async function aLeaseToRenew() {
  const own = await anOffice();
  const first = await aTenancy(own, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await own.call("createTenant", { body: { fullName: "Ann Tenant" } });
  const terms = { propertyId: first.propertyId, unitId: first.unitId, tenantId: tenant.id, rentCents: 100_000, createRecurringRent: false };
  const { lease } = await own.call("createLease", { body: { ...terms, startDate: "2025-01-01", termType: "month_to_month", activate: true } });
  const deposit = { leaseId: lease.id, amountCents: 120_000, dueDate: "2025-01-01", chargeType: "deposit" as const };
  const { charge } = await own.call("createCharge", { body: deposit });
  return {
    own,
    id: lease.id,
    depositId: charge.id,
    bankAccountId: (await accountIdsByCode(own))["1000"]!,
    pay: async (amountCents: number, depositCents: number) => {
      const allocations = depositCents > 0 ? [{ chargeId: charge.id, amountCents: depositCents }] : [];
      const body = { ...aPayment({ tenantId: tenant.id, leaseId: lease.id }, amountCents), allocations };
      return (await own.call("recordPayment", { body })).payment;
    },
    renew: async (leaseId: string, startDate: string, endDate = "2099-12-31") => {
      const { lease: renewal } = await own.call("renewLease", { params: { id: leaseId }, body: { startDate, endDate, termType: "month_to_month" } });
      await own.call("activateLease", { params: { id: renewal.id }, body: {} });
      return renewal.id;
    },
    amounts: async (leaseId: string) => {
      const { balanceCents, depositHeldCents } = (await own.call("getLease", { params: { id: leaseId } })).lease;
      return [balanceCents, depositHeldCents];
    },
    violations: () => withOwnerConnection(own, findViolations),
  };
}

test("a payment that is returned after the takeover leaves neither credit nor a deposit behind", async () => {
  const { own, id, pay, renew, amounts, violations } = await aLeaseToRenew();
  const payment = await pay(150_000, 120_000);
  const renewal = await renew(id, "2026-06-01");
  await own.call("reversePayment", { params: { id: payment.id }, body: { reason: "bank_error", reversedAt: "2026-03-01T17:00:00.000Z" } });
  expect([await amounts(id), await amounts(renewal)]).toEqual([
    [120_000, 0],
    [0, 0],
  ]);
  expect(await violations()).toEqual([]);
});

test("a deposit paid after the takeover is held for the renewal, and a deposit payment released after it becomes credit of the renewal", async () => {
  const { own, id, pay, renew, amounts, violations } = await aLeaseToRenew();
  const { id: paymentId, allocations } = await pay(50_000, 50_000);
  const renewal = await renew(id, "2026-06-01");
  await pay(70_000, 70_000);
  expect([await amounts(id), await amounts(renewal)]).toEqual([
    [0, 0],
    [0, 120_000],
  ]);
  await own.call("deletePaymentAllocation", { params: { id: paymentId, allocationId: allocations[0]!.id } });
  expect([await amounts(id), await amounts(renewal)]).toEqual([
    [50_000, 0],
    [-50_000, 70_000],
  ]);
  expect(await violations()).toEqual([]);
});

test("deposits that are paid at the same time after the takeover are held for the renewal", async () => {
  const { own, id, pay, renew, amounts, violations } = await aLeaseToRenew();
  const body = { leaseId: id, amountCents: 30_000, dueDate: "2025-01-01", chargeType: "deposit" as const };
  const { charge } = await own.call("createCharge", { body });
  const renewal = await renew(id, "2026-06-01");
  const { tenantId } = (await own.call("getCharge", { params: { id: charge.id } })).charge;
  const payOther = () =>
    own.call("recordPayment", { body: { ...aPayment({ tenantId, leaseId: id }, 30_000), allocations: [{ chargeId: charge.id, amountCents: 30_000 }] } });
  await Promise.all([pay(120_000, 120_000), payOther()]);
  expect([await amounts(id), await amounts(renewal)]).toEqual([
    [0, 0],
    [0, 150_000],
  ]);
  expect(await violations()).toEqual([]);
});

test("a refund voided after the takeover becomes credit of the renewal; a returned payment charges other refunds to their leases", async () => {
  const { own, id, bankAccountId, pay, renew, amounts, violations } = await aLeaseToRenew();
  const payment = await pay(30_000, 0);
  const refund = async (amountCents: number) => {
    const body = { amountCents, method: "check" as const, bankAccountId };
    return (await own.call("refundPayment", { params: { id: payment.id }, body })).refund.id;
  };
  const voidRefund = (refundId: string) => own.call("voidRefund", { params: { id: payment.id, refundId }, body: { reason: "Never cashed" } });
  const [first] = [await refund(10_000), await refund(5_000)];
  const renewal = await renew(id, "2026-06-01");
  await refund(4_000);
  await voidRefund(first);
  expect([await amounts(id), await amounts(renewal)]).toEqual([
    [120_000, 0],
    [-21_000, 0],
  ]);
  expect(await violations()).toEqual([]);
  await own.call("reversePayment", { params: { id: payment.id }, body: { reason: "bank_error" } });
  expect([await amounts(id), await amounts(renewal)]).toEqual([
    [125_000, 0],
    [4_000, 0],
  ]);
  expect(await violations()).toEqual([]);
});

test("credit and deposits go on to the renewal of the renewal", async () => {
  const { id, pay, renew, amounts, violations } = await aLeaseToRenew();
  await pay(150_000, 120_000);
  const first = await renew(id, "2026-06-01", "2026-08-31");
  const second = await renew(first, "2026-09-01");
  expect([await amounts(id), await amounts(first), await amounts(second)]).toEqual([
    [0, 0],
    [0, 0],
    [-30_000, 120_000],
  ]);
  expect(await violations()).toEqual([]);
});
