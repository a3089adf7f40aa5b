import { expect, test } from "@jest/globals";
import { addDays, addMonths, endOfMonth, startOfMonth, withDayOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { todayInOffice } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

const firstDay = addMonths(startOfMonth(todayInOffice()), 3);
const [before, after] = [addDays(firstDay, -12), withDayOfMonth(firstDay, 12)];

/** Creates a pending lease with a fee of 50 due on the 1st from the start of the lease on, and functions that post and read its charges. */
async function aPendingLease(startDate: string) {
  const office = await anOffice();
  const first = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ann Tenant" } });
  const terms = { propertyId: first.propertyId, unitId: first.unitId, tenantId: tenant.id, startDate, rentCents: 100_000 };
  const { lease } = await office.call("createLease", { body: { ...terms, termType: "month_to_month", activate: true } });
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const fee = { amountCents: 5_000, categoryId, dayOfMonth: 1, startDate, kind: "fee" as const, label: "Parking" };
  await office.call("createRecurringCharge", { body: { leaseId: lease.id, ...fee } });
  const post = () => office.call("postDueCharges", { body: { throughDate: endOfMonth(firstDay) } });
  const live = async () => {
    const { charges } = await office.call("listCharges", { query: { leaseId: lease.id } });
    return charges.filter(({ status }) => status !== "voided");
  };
  return { office, id: lease.id, post, live };
}

test("a fee of a pending lease is not charged for a day before the lease starts when its start moves to a later day", async () => {
  const { office, id, post, live } = await aPendingLease(before);
  await office.call("updateLease", { params: { id }, body: { startDate: after } });
  await post();
  expect((await live()).map(({ chargeType, dueDate }) => [chargeType, dueDate])).toEqual([["rent", after]]);
});

// The office has to void what is posted before it can move the start.
test("a fee that was posted ahead is charged again after it was voided to move the start of a pending lease", async () => {
  const { office, id, post, live } = await aPendingLease(before);
  await post();
  for (const charge of await live()) await office.call("voidCharge", { params: { id: charge.id }, body: { reason: "The lease starts on another day." } });
  await office.call("updateLease", { params: { id }, body: { startDate: addDays(before, -1) } });
  await post();
  expect((await live()).filter(({ chargeType }) => chargeType === "fee").map(({ dueDate }) => dueDate)).toEqual([firstDay]);
});
