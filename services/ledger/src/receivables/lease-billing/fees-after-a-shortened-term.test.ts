import { expect, test } from "@jest/globals";
import { addMonths, endOfMonth, startOfMonth, withDayOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { todayInOffice } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

// A fee of 50 is due on the 15th and is posted ahead. The lease is shortened to the 10th of that month, and extended again.
test.each(["lease", "unit"])("a fee of the %s that is due after the end of a shortened lease is not owed until the lease is extended again", async (target) => {
  const office = await anOffice();
  const month = addMonths(startOfMonth(todayInOffice()), 2);
  const { leaseId, unitId } = await aTenancy(office, { startDate: startOfMonth(todayInOffice()) });
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const fee = { amountCents: 5_000, categoryId, dayOfMonth: 15, startDate: month, kind: "fee" as const, label: "Parking" };
  await office.call("createRecurringCharge", { body: { ...(target === "lease" ? { leaseId } : { unitId }), ...fee } });
  const postAndListOwed = async () => {
    await office.call("postDueCharges", { body: { throughDate: endOfMonth(month) } });
    const { charges } = await office.call("listCharges", { query: { leaseId } });
    return charges.filter(({ balanceCents }) => balanceCents > 0).map(({ dueDate }) => dueDate);
  };
  const changeEnd = (endDate: string) => office.call("updateLease", { params: { id: leaseId }, body: { endDate } });
  expect(await postAndListOwed()).toEqual([withDayOfMonth(month, 15)]);
  await changeEnd(withDayOfMonth(month, 10));
  expect(await postAndListOwed()).toEqual([]);
  await changeEnd(withDayOfMonth(month, 20));
  expect(await postAndListOwed()).toEqual([withDayOfMonth(month, 15)]);
});
