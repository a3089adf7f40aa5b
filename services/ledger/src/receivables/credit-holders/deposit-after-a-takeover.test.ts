/** Deposits that are charged on a lease after its renewal took over. */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";

// The renewal takes over on October 1. On October 10 the old lease is charged a deposit of 500, which the tenant pays on the 11th.
test("a deposit that is charged on a lease after its renewal took over is held for the renewal", async () => {
  const office = await anOffice();
  const { propertyId, unitId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ann Tenant" } });
  const terms = { propertyId, unitId, tenantId: tenant.id, startDate: "2025-08-01", rentCents: 100_000, createRecurringRent: false };
  const { lease } = await office.call("createLease", { body: { ...terms, termType: "month_to_month", activate: true } });
  const renew = { startDate: "2025-10-01", endDate: "2099-12-31", termType: "fixed" as const };
  const { lease: renewal } = await office.call("renewLease", { params: { id: lease.id }, body: renew });
  await office.call("activateLease", { params: { id: renewal.id }, body: {} });
  const deposit = { leaseId: lease.id, amountCents: 50_000, dueDate: "2025-10-10", chargeType: "deposit" as const };
  const { charge } = await office.call("createCharge", { body: deposit });
  const allocations = [{ chargeId: charge.id, amountCents: 50_000 }];
  const payment = { ...aPayment({ tenantId: tenant.id, leaseId: lease.id }, 50_000), receivedAt: "2025-10-11T17:00:00.000Z", allocations };
  await office.call("recordPayment", { body: payment });
  const heldCents = async (id: string) => (await office.call("getLease", { params: { id } })).lease.depositHeldCents!;
  // Balances of leases may lag by a second.
  await eventually("deposit", async () => (await heldCents(lease.id)) + (await heldCents(renewal.id)) === 50_000);
  expect([await heldCents(lease.id), await heldCents(renewal.id)]).toEqual([0, 50_000]);
});
