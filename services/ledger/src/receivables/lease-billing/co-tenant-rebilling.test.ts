/** Termination of a lease whose last month a co-tenant paid with a payment that names no lease. */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";

// Rent of September 1,000; terminated on September 15: 15 of 30 days, 500. The other 500 are credit of the co-tenant.
test("the money of a co-tenant's payment without a lease settles the prorated last month of a terminated lease", async () => {
  const office = await anOffice();
  const tenancy = await aTenancy(office, { startDate: "2025-09-01", createRecurringRent: true });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ben Co-Tenant" } });
  await office.call("createOccupant", { params: { leaseId: tenancy.leaseId }, body: { tenantId: tenant.id, role: "co_tenant", moveInDate: "2025-09-01" } });
  await office.call("postDueCharges", { body: { throughDate: "2025-09-30" } });
  const { charges } = await office.call("listCharges", { query: { leaseId: tenancy.leaseId, dueBefore: "2025-09-30" } });
  const { leaseId: _, ...body } = aPayment({ ...tenancy, tenantId: tenant.id }, 100_000);
  const allocations = [{ chargeId: charges[0]!.id, amountCents: 100_000 }];
  const { payment } = await office.call("recordPayment", { body: { ...body, receivedAt: "2025-09-01T17:00:00.000Z", allocations } });
  const terminated = await office.attempt("terminateLease", { params: { id: tenancy.leaseId }, body: { terminationDate: "2025-09-15" } });
  expect([terminated.status, terminated.body.message]).toEqual([200, undefined]);
  expect(terminated.body.charges).toMatchObject([{ amountCents: 50_000, allocatedCents: 50_000, periodEnd: "2025-09-15" }]);
  expect((await office.call("getPayment", { params: { id: payment.id } })).payment.unallocatedCents).toBe(50_000);
});
