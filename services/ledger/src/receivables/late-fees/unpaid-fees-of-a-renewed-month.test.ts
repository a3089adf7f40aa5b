/** Unpaid late fees of a month whose rent is charged by a renewal instead. */
import { expect, test } from "@jest/globals";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { waitForDailyJobs, withOwnerConnection } from "../../../test/ledger.fixtures.ts";

const flat = { lateFeeType: "flat" as const, lateFeeAmountCents: 5_000 };
const percent = { lateFeeType: "percent" as const, lateFeePercentBps: 500 };

/** Creates a lease with unpaid rent of 1,000 of September, posted on its due date, with a late fee, and functions that renew it. */
async function aLeaseWithUnpaidLateFee(lateFeeTerms: typeof flat | typeof percent = flat) {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const { propertyId, unitId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Dan Tenant" } });
  const terms = { propertyId, unitId, tenantId: tenant.id, startDate: "2025-08-31", rentCents: 100_000 };
  const lateFee = { ...lateFeeTerms, lateFeeGraceDays: 3 };
  const { lease } = await office.call("createLease", { body: { ...terms, ...lateFee, termType: "month_to_month", activate: true } });
  await office.call("postDueCharges", { body: { throughDate: "2025-09-30" } });
  await withOwnerConnection(office, (owner) =>
    owner.query("update charge set posted_at = due_date where organization_id = $1 and lease_id = $2", [office.organizationId, lease.id]),
  );
  await office.call("assessLateFees", { body: { asOf: "2025-09-10" } });
  await waitForIdleJobs("ledger", office);
  const readFees = async () => {
    const query = { tenantId: tenant.id, chargeType: "late_fee" as const, dueAfter: "2025-09-05", dueBefore: "2025-09-30", sortDirection: "asc" as const };
    return (await office.call("listCharges", { query })).charges.filter(({ status }) => status !== "voided");
  };
  const renew = async (startDate = "2025-09-01") => {
    const body = { startDate, endDate: "2099-12-31", termType: "fixed" as const };
    const { lease: renewal } = await office.call("renewLease", { params: { id: lease.id }, body });
    await office.call("activateLease", { params: { id: renewal.id }, body: {} });
    await office.call("postDueCharges", { body: { throughDate: "2025-09-30" } });
    await waitForIdleJobs("ledger", office);
  };
  const runDailyJobs = async () => {
    await withOwnerConnection(office, (owner) =>
      owner.query("insert into work_request (job, organization_id) values ('postDueCharges', $1)", [office.organizationId]),
    );
    await waitForIdleJobs("ledger", office);
  };
  return { office, readFees, renew, runDailyJobs };
}

test("an unpaid late fee stays owed when a renewal charges its rent instead", async () => {
  const { readFees, renew, runDailyJobs } = await aLeaseWithUnpaidLateFee();
  await renew();
  await runDailyJobs();
  expect((await readFees()).map(({ dueDate, balanceCents }) => [dueDate, balanceCents])).toEqual([["2025-09-05", 5_000]]);
});

// The office waived 10 of the 50.
test("the waived part of a late fee stays waived when a renewal charges its rent instead", async () => {
  const { office, readFees, renew } = await aLeaseWithUnpaidLateFee();
  const [fee] = await readFees();
  await office.call("creditCharge", { params: { id: fee!.id }, body: { amountCents: 1_000, reason: "waive", creditedOn: "2025-09-10" } });
  await renew();
  await office.call("assessLateFees", { body: { asOf: "2025-09-30" } });
  expect((await readFees()).map(({ dueDate, balanceCents }) => [dueDate, balanceCents])).toEqual([["2025-09-05", 4_000]]);
});

test.each([
  ["a flat fee stays with the days before the renewal", flat, [["2025-09-05", 5_000]]],
  [
    "a percentage is charged on the rent of each part",
    percent,
    [
      ["2025-09-05", 2_500],
      ["2025-09-20", 2_500],
    ],
  ],
] as const)("a month that a renewal splits bears its unpaid late fee once: %s", async (_, terms, expected) => {
  const { readFees, renew, runDailyJobs } = await aLeaseWithUnpaidLateFee(terms);
  await renew("2025-09-16");
  await runDailyJobs();
  expect((await readFees()).map(({ dueDate, balanceCents }) => [dueDate, balanceCents])).toEqual(expected);
});
