/** Monthly fees around a renewal whose start moves before it begins. */
import { expect, test } from "@jest/globals";
import { addDays, addMonths, endOfMonth, startOfMonth, withDayOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { todayInOffice } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

// A fee of 50 is due on the 1st of each month. The renewal was to start on one day around the 1st of a month, and starts on another one.
const firstDay = addMonths(startOfMonth(todayInOffice()), 3);
const [before, after] = [addDays(firstDay, -12), withDayOfMonth(firstDay, 12)];

test.each([
  { move: "before", from: after, to: before, isDraft: false },
  { move: "before", from: after, to: before, isDraft: true },
  { move: "after", from: before, to: after, isDraft: false },
])("a fee is charged once, on the lease of its due date, when the renewal moves $move that date (draft: $isDraft)", async ({ from, to, isDraft }) => {
  const office = await anOffice();
  const first = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ann Tenant" } });
  const premises = { propertyId: first.propertyId, unitId: first.unitId, tenantId: tenant.id };
  const startDate = startOfMonth(todayInOffice());
  const { lease } = await office.call("createLease", { body: { ...premises, startDate, rentCents: 100_000, termType: "month_to_month", activate: true } });
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const fee = { amountCents: 5_000, categoryId, dayOfMonth: 1, startDate, kind: "fee" as const, label: "Parking" };
  await office.call("createRecurringCharge", { body: { leaseId: lease.id, ...fee } });
  const body = { startDate: from, endDate: "2099-12-31", termType: "fixed" as const };
  const { lease: renewal } = await office.call("renewLease", { params: { id: lease.id }, body });
  const activate = () => office.call("activateLease", { params: { id: renewal.id }, body: {} });
  if (!isDraft) await activate();
  await office.call("updateLease", { params: { id: renewal.id }, body: { startDate: to } });
  if (isDraft) await activate();
  await office.call("postDueCharges", { body: { throughDate: endOfMonth(firstDay) } });
  const { charges } = await office.call("listCharges", { query: { tenantId: tenant.id, chargeType: "fee", dueAfter: firstDay, dueBefore: firstDay } });
  expect(charges.map(({ leaseId, amountCents }) => [leaseId, amountCents])).toEqual([[to === before ? renewal.id : lease.id, 5_000]]);
});
