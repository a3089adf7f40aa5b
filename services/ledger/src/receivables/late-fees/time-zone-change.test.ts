import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { waitForDailyJobs, withOwnerConnection } from "../../../test/ledger.fixtures.ts";

// Rent due February 25, three days of grace, fee on March 1. Received on February 28 at 15:00 in New York, which is March 1 in Auckland.
test("rent whose payment is dated in the grace period bears no late fee after the organization changes its time zone", async () => {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const tenancy = await aTenancy(office);
  await office.call("updateLease", { params: { id: tenancy.leaseId }, body: { lateFeeType: "flat", lateFeeAmountCents: 5_000, lateFeeGraceDays: 3 } });
  const chargeId = await aCharge(office, tenancy.leaseId, 100_000, "2026-02-25");
  const allocations = [{ chargeId, amountCents: 100_000 }];
  await office.call("recordPayment", { body: { ...aPayment(tenancy, 100_000), receivedAt: "2026-02-28T20:00:00.000Z", allocations } });
  await office.call("updateOrganization", { body: { timezone: "Pacific/Auckland" } });
  await withOwnerConnection(office, (client) =>
    eventually("time zone of the ledger", async () => (await client.query("select 1 from book where timezone = 'Pacific/Auckland'")).rows.length > 0),
  );
  const { entries } = await office.call("listLeaseLedger", { params: { id: tenancy.leaseId }, query: { to: "2026-03-31" } });
  expect(entries.find(({ kind }) => kind === "payment")!.date).toBe("2026-02-28");
  expect((await office.call("assessLateFees", { body: { asOf: "2026-03-10" } })).assessment.created).toBe(0);
});
