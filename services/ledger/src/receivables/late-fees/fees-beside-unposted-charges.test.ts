/** The daily job posts due charges and then assesses late fees. */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aCharge, aTenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";
import { waitForDailyJobs, withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { withLockedRow } from "../../../test/lock-waiters.fixtures.ts";

test("a recurring charge that cannot be posted does not hold back the late fees of other leases", async () => {
  const office = await anOffice();
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  await waitForDailyJobs(office);
  const other = await aTenancy(office, { startDate: "2025-09-01" });
  const fee = { amountCents: 500, categoryId, dayOfMonth: 1, startDate: "2025-09-01", kind: "fee" as const, label: "Parking" };
  const { recurringChargeRule: rule } = await office.call("createRecurringCharge", { body: { leaseId: other.leaseId, ...fee } });
  const { leaseId } = await aTenancy(office, { startDate: "2025-09-01" });
  await office.call("updateLease", { params: { id: leaseId }, body: { lateFeeType: "flat", lateFeeAmountCents: 5_000, lateFeeGraceDays: 0 } });
  await aCharge(office, leaseId, 100_000, "2025-09-01");
  await withOwnerConnection(office, async (owner) => {
    // Back-dates the posting of the rent and makes the recurring charge due since September, by SQL, which requests no run of the job.
    await owner.query("update charge set posted_at = due_date where organization_id = $1 and lease_id = $2", [office.organizationId, leaseId]);
    await owner.query("update recurring_charge_rule set post_from = start_date where organization_id = $1 and id = $2", [office.organizationId, rule.id]);
  });
  const lateFees = async () => (await office.call("listCharges", { query: { leaseId, chargeType: "late_fee" } })).charges;
  await withLockedRow(office, "recurring_charge_rule", rule.id, async (heldRule) => {
    await withOwnerConnection(office, (owner) =>
      owner.query("insert into work_request (job, organization_id) values ('postDueCharges', $1)", [office.organizationId]),
    );
    await heldRule.waitForWaiters(1);
    await heldRule.breakWaiters();
    await eventually("late fee", async () => (await lateFees()).length > 0);
    expect((await office.call("listCharges", { query: { leaseId: other.leaseId, chargeType: "fee" } })).charges).toEqual([]);
  });
  expect((await lateFees()).map(({ amountCents }) => amountCents)).toEqual([5_000]);
});
