/** Late fees of rent that the automatic allocation of credit settles, with money that was received in time. */
import { expect, test } from "@jest/globals";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { waitForDailyJobs } from "../../../test/ledger.fixtures.ts";
import { aLeaseWithLateFees } from "./late-fees.fixtures.ts";

/** Lets the organization allocate credit automatically. The ledger receives the policy asynchronously: charges of one cent show when it is in effect. */
async function allocateAutomatically(office: Office): Promise<void> {
  await office.call("updateOrganization", { body: { policies: { autoAllocatePayments: true } } });
  const other = await aTenancy(office);
  await office.call("recordPayment", { body: aPayment(other, 10_000) });
  await eventually(
    "policy",
    async () => (await office.call("getCharge", { params: { id: await aCharge(office, other.leaseId, 1) } })).charge.status === "paid",
  );
}

/** Records money of the tenant, assesses late fees, and returns their sum, the balance of the rent and the credit that is left. */
async function assessWithCredit(amountCents: number) {
  const { office, tenantId, leaseId } = await aLeaseWithLateFees();
  await allocateAutomatically(office);
  const body = { ...aPayment({ tenantId, leaseId }, amountCents), receivedAt: "2025-09-02T16:00:00.000Z" };
  const { payment } = await office.call("recordPayment", { body });
  await office.call("assessLateFees", { body: { asOf: "2025-09-20" } });
  await waitForIdleJobs("ledger", office);
  const { charges } = await office.call("listCharges", { query: { leaseId } });
  const lateFeeCents = charges
    .filter(({ chargeType }) => chargeType === "late_fee")
    .reduce((sum, { allocatedCents, balanceCents }) => sum + allocatedCents + balanceCents, 0);
  const rent = charges.find(({ chargeType }) => chargeType === "rent")!;
  const { unallocatedCents } = (await office.call("getPayment", { params: { id: payment.id } })).payment;
  return { lateFeeCents, rentBalanceCents: rent.balanceCents, unallocatedCents };
}

// Rent of 1,000.00 is due on September 1, with a late fee of 50.00 from September 5 on. The tenant's money was received on September 2
// and is not allocated. The policy allocates credit automatically: the run that assesses the fee settles the rent with the money of
// September 2, so the rent was paid in time (a payment counts by its receipt) and bears no fee.
test("rent that credit of 1,000.00 settles as of a day in the grace period bears no late fee", async () => {
  expect(await assessWithCredit(100_000)).toEqual({ lateFeeCents: 0, rentBalanceCents: 0, unallocatedCents: 0 });
});

// The other 100.00 stay credit of the tenant: the same run must not first take 50.00 of them for a fee that is not owed.
test("credit of 1,100.00 settles the rent as of a day in the grace period, and pays no late fee", async () => {
  expect(await assessWithCredit(110_000)).toEqual({ lateFeeCents: 0, rentBalanceCents: 0, unallocatedCents: 10_000 });
});

// The late fee of September 5 is assessed on the 20th. Then the office enters a check of 1,050.00, 1,100.00 or 2,000.00 that was
// received on September 2, allocated automatically: it settles the rent of 1,000.00 in time. The fee was unpaid until then, so it is
// voided, and the rest of the money is credit. Expected: no fee, rent open 0, credit = money - 1,000.00.
test.each([105_000, 110_000, 200_000])("an unpaid late fee is voided when %i cents that were received in time are recorded later", async (amountCents) => {
  const { office, tenantId, leaseId } = await aLeaseWithLateFees();
  await office.call("assessLateFees", { body: { asOf: "2025-09-20" } });
  const body = { ...aPayment({ tenantId, leaseId }, amountCents), receivedAt: "2025-09-02T16:00:00.000Z", autoAllocate: true };
  const { payment } = await office.call("recordPayment", { body });
  await waitForIdleJobs("ledger", office);
  const { charges } = await office.call("listCharges", { query: { leaseId } });
  const { unallocatedCents } = (await office.call("getPayment", { params: { id: payment.id } })).payment;
  const lateFees = charges.filter(({ chargeType }) => chargeType === "late_fee").map(({ status, allocatedCents }) => [status, allocatedCents]);
  expect({ lateFees, unallocatedCents }).toEqual({ lateFees: [["voided", 0]], unallocatedCents: amountCents - 100_000 });
});

// Rent of 1,000.00 is due on January 1, with 10.00 for each day from January 5 on. On January 20, 16 fees are assessed (5 to 20). Then
// a check of 2,000.00 that was received on January 6 is recorded and allocated automatically. The rent was open at the start of January
// 5 and 6: 2 fees of 10.00 are owed. The other 14 are voided. The credit that is left is 2,000.00 - 1,000.00 - 20.00 = 980.00.
test("daily late fees after the receipt of the rent are voided, and not paid by the rest of the same check", async () => {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const { propertyId, unitId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Dan Tenant" } });
  const lateFee = { lateFeeType: "daily" as const, lateFeeAmountCents: 1_000, lateFeeGraceDays: 3 };
  const terms = { propertyId, unitId, tenantId: tenant.id, startDate: "2026-01-01", rentCents: 100_000, createRecurringRent: false, ...lateFee };
  const { lease } = await office.call("createLease", { body: { ...terms, termType: "month_to_month", activate: true } });
  await aCharge(office, lease.id, 100_000, "2026-01-01");
  await office.call("assessLateFees", { body: { asOf: "2026-01-20" } });
  const body = { ...aPayment({ tenantId: tenant.id, leaseId: lease.id }, 200_000), receivedAt: "2026-01-06T16:00:00.000Z", autoAllocate: true };
  const { payment } = await office.call("recordPayment", { body });
  await waitForIdleJobs("ledger", office);
  const { charges } = await office.call("listCharges", { query: { leaseId: lease.id, chargeType: "late_fee", pageSize: 100 } });
  const paidCents = charges.reduce((sum, { allocatedCents }) => sum + allocatedCents, 0);
  const { unallocatedCents } = (await office.call("getPayment", { params: { id: payment.id } })).payment;
  expect({ count: charges.length, paidCents, unallocatedCents }).toEqual({ count: 16, paidCents: 2_000, unallocatedCents: 98_000 });
});
