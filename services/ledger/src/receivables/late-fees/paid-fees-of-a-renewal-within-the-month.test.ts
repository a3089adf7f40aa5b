import { expect, test } from "@jest/globals";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { aPayment } from "../../../../../test/support/tenancy.ts";
import { aLeaseWithLateFees } from "./late-fees.fixtures.ts";

// Rent of September of 1,000 is unpaid, and its late fee of 50 was paid on September 10. The lease is renewed from September 16.
test("a month whose late fee was paid bears no second late fee when a renewal starts within it", async () => {
  const { office, tenantId, leaseId } = await aLeaseWithLateFees();
  await office.call("assessLateFees", { body: { asOf: "2025-09-10" } });
  const readFees = async () => {
    const { charges } = await office.call("listCharges", { query: { tenantId, chargeType: "late_fee", dueBefore: "2025-09-30" } });
    return charges.filter(({ status }) => status !== "voided");
  };
  const allocations = [{ chargeId: (await readFees())[0]!.id, amountCents: 5_000 }];
  const payment = { ...aPayment({ tenantId, leaseId }, 5_000), receivedAt: "2025-09-10T17:00:00.000Z", allocations };
  await office.call("recordPayment", { body: payment });
  const body = { startDate: "2025-09-16", endDate: "2099-12-31", termType: "fixed" as const };
  const { lease: renewal } = await office.call("renewLease", { params: { id: leaseId }, body });
  await office.call("activateLease", { params: { id: renewal.id }, body: {} });
  await office.call("postDueCharges", { body: { throughDate: "2025-09-30" } });
  await waitForIdleJobs("ledger", office);
  await office.call("assessLateFees", { body: { asOf: "2025-09-30" } });
  expect((await readFees()).map(({ dueDate, amountCents }) => [dueDate, amountCents])).toEqual([["2025-09-05", 5_000]]);
});
