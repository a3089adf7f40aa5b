/** Fees that were agreed from a later day than the start of their lease. */
import { expect, test } from "@jest/globals";
import { addMonths, endOfMonth, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { todayInOffice } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

/** Creates a lease with a fee of 50 that is due on the 1st from a later day on, and a function that reads its due dates through that month. */
async function aLeaseWithFee(terms: { startDate: string; agreedFrom: string; createRecurringRent?: boolean }) {
  const { startDate, agreedFrom, createRecurringRent = true } = terms;
  const office = await anOffice();
  const { propertyId, unitId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ann Tenant" } });
  const body = { propertyId, unitId, tenantId: tenant.id, startDate, rentCents: 100_000, createRecurringRent };
  const { lease } = await office.call("createLease", { body: { ...body, termType: "month_to_month", activate: true } });
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const fee = { amountCents: 5_000, categoryId, dayOfMonth: 1, startDate: agreedFrom, kind: "fee" as const, label: "Parking" };
  await office.call("createRecurringCharge", { body: { leaseId: lease.id, ...fee } });
  const move = (id: string, day: string) => office.call("updateLease", { params: { id }, body: { startDate: day } });
  const readDueDates = async () => {
    await office.call("postDueCharges", { body: { throughDate: endOfMonth(agreedFrom) } });
    const { charges } = await office.call("listCharges", { query: { tenantId: tenant.id, chargeType: "fee" } });
    return charges.map(({ dueDate }) => dueDate);
  };
  return { office, leaseId: lease.id, move, readDueDates };
}

test.each([true, false])(
  "a fee that was agreed from a later day keeps that day when the start of a pending lease moves beyond it and back (rent: %s)",
  async (createRecurringRent) => {
    const startDate = addMonths(startOfMonth(todayInOffice()), 2);
    const agreedFrom = addMonths(startDate, 1);
    const { leaseId, move, readDueDates } = await aLeaseWithFee({ startDate, agreedFrom, createRecurringRent });
    for (const day of [addMonths(startDate, 2), startDate]) await move(leaseId, day);
    expect(await readDueDates()).toEqual([agreedFrom]);
  },
);

// The fee is agreed from the fourth month of the lease on. The renewal was to start in the fifth month, and starts in the third.
test("a fee that was agreed from a later day keeps that day when the renewal moves before it", async () => {
  const startDate = startOfMonth(todayInOffice());
  const agreedFrom = addMonths(startDate, 3);
  const { office, leaseId, move, readDueDates } = await aLeaseWithFee({ startDate, agreedFrom });
  const body = { startDate: addMonths(startDate, 4), endDate: "2099-12-31", termType: "fixed" as const };
  const { lease: renewal } = await office.call("renewLease", { params: { id: leaseId }, body });
  await office.call("activateLease", { params: { id: renewal.id }, body: {} });
  await move(renewal.id, addMonths(startDate, 2));
  expect(await readDueDates()).toEqual([agreedFrom]);
});
