/** Days and leases of the prepaid rent that a renewal takes over. */
import { expect, test } from "@jest/globals";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { findViolations } from "../../../test/invariants.queries.ts";

/** Signs a month-to-month lease since 2025 and records credit of 300.00 on it, received on January 5, 2026. */
async function aLeaseWithCredit(office: Office) {
  const { propertyId, unitId, tenantId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const terms = { propertyId, unitId, tenantId, startDate: "2025-01-01", rentCents: 100_000, createRecurringRent: false };
  const { lease } = await office.call("createLease", { body: { ...terms, termType: "month_to_month", activate: true } });
  const { payment } = await office.call("recordPayment", { body: aPayment({ tenantId, leaseId: lease.id }, 30_000) });
  return { id: lease.id, paymentId: payment.id };
}

/** Renews a lease from June 1, 2026; the renewal takes over at once. */
async function renew(office: Office, id: string): Promise<string> {
  const { lease } = await office.call("renewLease", { params: { id }, body: { startDate: "2026-06-01", endDate: "2099-12-31", termType: "month_to_month" } });
  await office.call("activateLease", { params: { id: lease.id }, body: {} });
  return lease.id;
}

// Credit of 300 since January 5. The charge of 100 is due on February 1 and settled with the credit after the renewal took over.
test("credit that a renewal took over settles an earlier charge at the lease that held the credit on that day", async () => {
  const office = await anOffice();
  const { id, paymentId } = await aLeaseWithCredit(office);
  const { charge } = await office.call("createCharge", { body: { leaseId: id, amountCents: 10_000, dueDate: "2026-02-01", chargeType: "rent" } });
  const renewalId = await renew(office, id);
  for (const service of ["portfolio", "ledger"] as const) await waitForIdleJobs(service, office);
  await office.call("allocatePayment", { params: { id: paymentId }, body: { allocations: [{ chargeId: charge.id, amountCents: 10_000 }] } });
  const balanceOn = async (leaseId: string, asOf: string) =>
    (await office.call("listLeaseLedger", { params: { id: leaseId }, query: { asOf } })).closingBalanceCents;
  const balancesOn = async (asOf: string) => [await balanceOn(id, asOf), await balanceOn(renewalId, asOf)];
  expect([await balancesOn("2026-05-31"), await balancesOn("2026-06-01")]).toEqual([
    [-20_000, 0],
    [0, -20_000],
  ]);
  expect(await withOwnerConnection(office, findViolations)).toEqual([]);
});

test("a renewal takes over once, also when its activation is requested and consumed at the same time", async () => {
  const office = await anOffice();
  const leases = await Promise.all(Array.from({ length: 12 }, () => aLeaseWithCredit(office)));
  await Promise.all(leases.map(({ id }) => renew(office, id)));
  for (const service of ["portfolio", "ledger"] as const) await waitForIdleJobs(service, office);
  const { rows } = await withOwnerConnection(office, (client) =>
    client.query("select source_id from journal_entry where memo = 'Taken over by the renewal' group by source_id having count(*) > 1"),
  );
  expect(rows).toEqual([]);
});
