import { expect, test } from "@jest/globals";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { waitForDailyJobs } from "../../../test/ledger.fixtures.ts";

// Rent of September is unpaid and bears a late fee of 50, of which the office waived 10. A check of September 3 is entered, which voids
// the fee, and then bounces: 1,000 and 40 are owed as before.
test("the waived part of a late fee stays waived when the back-dated check that cleared its rent bounces", async () => {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const { propertyId, unitId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Dan Tenant" } });
  const terms = { propertyId, unitId, tenantId: tenant.id, startDate: "2025-09-01", endDate: "2025-09-30", rentCents: 100_000 };
  const lateFee = { lateFeeType: "flat" as const, lateFeeAmountCents: 5_000, lateFeeGraceDays: 3 };
  const { lease } = await office.call("createLease", { body: { ...terms, ...lateFee, termType: "fixed", activate: true } });
  await office.call("postDueCharges", { body: { throughDate: "2025-09-30" } });
  await office.call("assessLateFees", { body: { asOf: "2025-09-10" } });
  await waitForIdleJobs("ledger", office);
  const readOpen = async () => {
    const { charges } = await office.call("listCharges", { query: { leaseId: lease.id, sortBy: "dueDate", sortDirection: "asc" } });
    return charges.filter(({ balanceCents }) => balanceCents > 0);
  };
  const owed = async () => (await readOpen()).map(({ chargeType, balanceCents }) => [chargeType, balanceCents]);
  const [rent, fee] = await readOpen();
  await office.call("creditCharge", { params: { id: fee!.id }, body: { amountCents: 1_000, reason: "waive", creditedOn: "2025-09-10" } });
  const before = await owed();
  const allocations = [{ chargeId: rent!.id, amountCents: 100_000 }];
  const check = { ...aPayment({ tenantId: tenant.id, leaseId: lease.id }, 100_000), receivedAt: "2025-09-03T17:00:00.000Z", allocations };
  const { payment } = await office.call("recordPayment", { body: check });
  await waitForIdleJobs("ledger", office);
  await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf" } });
  await waitForIdleJobs("ledger", office);
  await office.call("assessLateFees", { body: { asOf: "2025-09-10" } });
  expect(await owed()).toEqual(before);
});
