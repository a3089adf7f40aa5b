import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";

// Of 1,000 received on January 5, 600 settle a charge and 400 are credit. The 600 are released today; the renewal has started on June 1.
test("credit that existed when the renewal started moves to it on that day, also when more credit is released later", async () => {
  const office = await anOffice();
  const { propertyId, unitId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ann Tenant" } });
  const terms = { propertyId, unitId, tenantId: tenant.id, rentCents: 100_000, createRecurringRent: false, startDate: "2026-01-01" };
  const { lease } = await office.call("createLease", { body: { ...terms, termType: "month_to_month", activate: true } });
  const { charge } = await office.call("createCharge", { body: { leaseId: lease.id, amountCents: 60_000, dueDate: "2026-01-01", chargeType: "rent" } });
  const payment = { ...aPayment({ tenantId: tenant.id, leaseId: lease.id }, 100_000), allocations: [{ chargeId: charge.id, amountCents: 60_000 }] };
  const { id, allocations } = (await office.call("recordPayment", { body: payment })).payment;
  await office.call("deletePaymentAllocation", { params: { id, allocationId: allocations[0]!.id } });
  const body = { startDate: "2026-06-01", endDate: "2099-12-31", termType: "fixed" as const };
  const { lease: renewal } = await office.call("renewLease", { params: { id: lease.id }, body });
  await office.call("activateLease", { params: { id: renewal.id }, body: {} });
  const ledgers = await Promise.all(
    [lease.id, renewal.id].map((each) => office.call("listLeaseLedger", { params: { id: each }, query: { asOf: "2026-06-30" } })),
  );
  expect(ledgers.map(({ closingBalanceCents }) => closingBalanceCents)).toEqual([0, -40_000]);
  expect(await withOwnerConnection(office, findViolations)).toEqual([]);
});
