import { expect, test } from "@jest/globals";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { waitForDailyJobs } from "../../../test/ledger.fixtures.ts";

// Rent of 1,000 due March 1 with three days of grace; fee of 50 on March 5, of which 20 are waived; the rent was received on March 3.
test("a late fee that was waived in part and not paid is no longer owed when the rent turns out to be paid in time", async () => {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const tenancy = await aTenancy(office);
  await office.call("updateLease", { params: { id: tenancy.leaseId }, body: { lateFeeType: "flat", lateFeeAmountCents: 5_000, lateFeeGraceDays: 3 } });
  const chargeId = await aCharge(office, tenancy.leaseId, 100_000, "2026-03-01");
  const { assessment } = await office.call("assessLateFees", { body: { asOf: "2026-03-10" } });
  const id = assessment.lines[0]!.lateFeeChargeId!;
  await office.call("creditCharge", { params: { id }, body: { amountCents: 2_000, reason: "waive", creditedOn: "2026-03-12" } });
  const allocations = [{ chargeId, amountCents: 100_000 }];
  await office.call("recordPayment", { body: { ...aPayment(tenancy, 100_000), receivedAt: "2026-03-03T17:00:00.000Z", allocations } });
  await waitForIdleJobs("ledger", office);
  expect((await office.call("getCharge", { params: { id } })).charge.balanceCents).toBe(0);
});
