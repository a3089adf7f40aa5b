import { expect, test } from "@jest/globals";
import { addMonths, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { todayInOffice } from "../../../test/ledger.fixtures.ts";

// The rent of this month is due on its last day. Then the charge day becomes the 1st, which has passed this month.
test("rent that is not due yet does not become overdue because the charge day of the lease changes", async () => {
  const office = await anOffice();
  const startDate = addMonths(startOfMonth(todayInOffice()), -1);
  const { leaseId } = await aTenancy(office, { startDate, rentChargeDay: 31, createRecurringRent: true });
  await office.call("postDueCharges", { body: {} });
  const read = async () => (await office.call("listCharges", { query: { leaseId } })).charges;
  const posted = (await read()).map(({ id }) => id);
  await office.call("updateLease", { params: { id: leaseId }, body: { rentChargeDay: 1 } });
  await office.call("postDueCharges", { body: {} });
  const added = (await read()).filter(({ id }) => !posted.includes(id));
  expect(added.filter(({ dueDate }) => dueDate < todayInOffice()).map(({ dueDate, isOverdue }) => [dueDate, isOverdue])).toEqual([]);
});
