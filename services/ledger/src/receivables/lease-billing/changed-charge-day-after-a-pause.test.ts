/** Change of the charge day of a lease whose rent was paused and resumed in the month. */
import { expect, test } from "@jest/globals";
import { addMonths, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { todayInOffice, waitForDailyJobs } from "../../../test/ledger.fixtures.ts";

// The rent is resumed today without the missed periods: rent of this month that was due before today stays skipped, rent due later is charged.
test.each([
  { title: "to an earlier day loses no month of rent", rentChargeDay: 31, changed: 1 },
  { title: "to a later day does not charge the month that was skipped", rentChargeDay: 1, changed: 31 },
])("a change of the charge day $title", async ({ rentChargeDay, changed }) => {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const startDate = addMonths(startOfMonth(todayInOffice()), -1);
  const { leaseId } = await aTenancy(office, { startDate, rentChargeDay, createRecurringRent: true });
  const { recurringChargeRules } = await office.call("listRecurringCharges", { query: { leaseId } });
  const params = { id: recurringChargeRules[0]!.id };
  await office.call("pauseRecurringCharge", { params });
  await office.call("resumeRecurringCharge", { params, body: { postMissed: false } });
  const nextMonth = async () => (await office.call("getRecurringChargeForecast", { params, query: { months: 12 } })).forecast[0]!.periodStart;
  const expected = await nextMonth();
  await office.call("updateLease", { params: { id: leaseId }, body: { rentChargeDay: changed } });
  expect(await nextMonth()).toBe(expected);
});
