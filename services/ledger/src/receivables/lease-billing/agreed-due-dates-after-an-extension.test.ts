import { expect, test } from "@jest/globals";
import { addMonths, endOfMonth, startOfMonth, withDayOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { todayInOffice } from "../../../test/ledger.fixtures.ts";

// Rent of a month was due on the 1st; the office moved the due date to the 25th. The lease is shortened to the 10th and extended again.
test("the parts of a month's rent keep the due date that the office set when the lease is shortened and extended again", async () => {
  const office = await anOffice();
  const month = addMonths(startOfMonth(todayInOffice()), 2);
  const { leaseId } = await aTenancy(office, { startDate: startOfMonth(todayInOffice()), createRecurringRent: true });
  await office.call("postDueCharges", { body: { throughDate: endOfMonth(month) } });
  const readRent = async () => {
    const { charges } = await office.call("listCharges", { query: { leaseId, dueAfter: month, dueBefore: endOfMonth(month) } });
    return charges.filter(({ status }) => status !== "voided");
  };
  const [rent] = await readRent();
  await office.call("updateCharge", { params: { id: rent!.id }, body: { dueDate: withDayOfMonth(month, 25) } });
  for (const endDate of [withDayOfMonth(month, 10), "2099-12-31"]) await office.call("updateLease", { params: { id: leaseId }, body: { endDate } });
  const charges = await readRent();
  expect(charges.reduce((sum, { balanceCents }) => sum + balanceCents, 0)).toBe(100_000);
  expect([...new Set(charges.map(({ dueDate }) => dueDate))]).toEqual([withDayOfMonth(month, 25)]);
});
