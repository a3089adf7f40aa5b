/** A recurring charge that is split by a change of its terms while its lease is terminated: both parts end with the lease. */
import { expect, test } from "@jest/globals";
import { addDays, addMonths, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { withLockedRow } from "../../../test/lock-waiters.fixtures.ts";
import { todayInOffice, waitForDailyJobs } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

async function aRecurringCharge() {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const { leaseId } = await aTenancy(office);
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const { recurringChargeRule } = await office.call("createRecurringCharge", {
    body: { leaseId, amountCents: 500, categoryId, dayOfMonth: 1, startDate: "2026-01-01", kind: "fee", label: "Garage" },
  });
  const { id } = recurringChargeRule;
  const split = () =>
    office.attempt("updateRecurringCharge", { params: { id }, body: { amountCents: 900, applyFrom: addMonths(startOfMonth(todayInOffice()), 3) } });
  const terminate = () => office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate: addDays(todayInOffice(), -1) } });
  const statuses = async () => (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules.map(({ status }) => status);
  return { office, id, split, terminate, statuses };
}

test("control: both parts of a recurring charge that was split before the termination end with the lease", async () => {
  const { split, terminate, statuses } = await aRecurringCharge();
  expect((await split()).status).toBe(200);
  expect(await statuses()).toEqual(["active", "active"]);
  await terminate();
  expect(await statuses()).toEqual(["ended", "ended"]);
});

test("both parts of a recurring charge that is split during the termination end with the lease", async () => {
  const { office, id, split, terminate, statuses } = await aRecurringCharge();
  await withLockedRow(office, "recurring_charge_rule", id, async (row) => {
    const change = split();
    await row.waitForWaiters(1);
    const termination = terminate();
    await row.waitForWaiters(2);
    await row.release();
    await Promise.all([change, termination]);
  });
  expect(new Set(await statuses())).toEqual(new Set(["ended"]));
});
