import { expect, test } from "@jest/globals";
import { addDays, addMonths, endOfMonth, startOfMonth, withDayOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { todayInOffice } from "../../../test/ledger.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

const fee = { amountCents: 5_000, kind: "fee" as const, label: "Parking", postMissed: true };

// The lease starts on January 10, 2026. The fee is due on the 1st and has a start date of October 1, 2025.
test("a fee of a lease is not charged for a day before the lease starts", async () => {
  const office = await anOffice();
  const { leaseId } = await aTenancy(office, { startDate: "2026-01-10" });
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const create = (endDate: string | null) =>
    office.attempt("createRecurringCharge", { body: { ...fee, leaseId, categoryId, dayOfMonth: 1, startDate: "2025-10-01", ...(endDate && { endDate }) } });
  expect(await create("2026-01-09")).toMatchObject({ status: 400, body: { errors: [{ path: "endDate" }] } });
  expect((await create(null)).body).toMatchObject({ recurringChargeRule: { startDate: "2026-01-10" } });
  await office.call("postDueCharges", { body: { throughDate: "2026-02-28" } });
  const { charges } = await office.call("listCharges", { query: { leaseId, dueBefore: "2026-02-28" } });
  expect(charges.map(({ dueDate }) => dueDate)).toEqual(["2026-02-01"]);
});

// The lease starts on the 20th of a month ahead, and its fee is due on the 5th.
test("a fee of a pending lease is not charged before the lease starts", async () => {
  const office = await anOffice();
  const { propertyId, unitId, tenantId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const month = addMonths(startOfMonth(todayInOffice()), 2);
  const terms = { propertyId, unitId, tenantId, startDate: withDayOfMonth(month, 20), rentCents: 100_000, createRecurringRent: false };
  const { lease } = await office.call("createLease", { body: { ...terms, termType: "month_to_month", activate: true } });
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  await office.call("createRecurringCharge", { body: { ...fee, leaseId: lease.id, categoryId, dayOfMonth: 5, startDate: addDays(todayInOffice(), -60) } });
  await office.call("postDueCharges", { body: { throughDate: endOfMonth(addMonths(month, 1)) } });
  const { charges } = await office.call("listCharges", { query: { leaseId: lease.id } });
  expect(charges.map(({ dueDate }) => dueDate)).toEqual([withDayOfMonth(addMonths(month, 1), 5)]);
});
