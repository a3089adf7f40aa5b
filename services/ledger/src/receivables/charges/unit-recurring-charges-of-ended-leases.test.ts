import { expect, test } from "@jest/globals";
import { addDays, addMonths, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";
import { todayInOffice } from "../../../test/ledger.fixtures.ts";

// A fee of 75 on the unit is charged on the 5th of April to July. The lease is terminated on May 31; the next lease starts on July 1.
test("termination voids a unit's recurring charges due after the lease end, and the next lease is charged from its start", async () => {
  const office = await anOffice();
  const { propertyId, unitId, leaseId } = await aTenancy(office, { startDate: "2025-01-01" });
  const body = { amountCents: 7_500, categoryId: (await accountIdsByCode(office))["4010"]!, dayOfMonth: 5, startDate: "2025-04-01", postMissed: true };
  const { recurringChargeRule } = await office.call("createRecurringCharge", { body: { unitId, ...body, kind: "fee", label: "Parking" } });
  await office.call("postDueCharges", { body: { throughDate: "2025-07-31" } });
  await office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate: "2025-05-31" } });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Cara Newcomer" } });
  const terms = { propertyId, unitId, tenantId: tenant.id, startDate: "2025-07-01", rentCents: 100_000, createRecurringRent: false };
  const { lease: next } = await office.call("createLease", { body: { ...terms, termType: "month_to_month", activate: true } });
  await office.call("postDueCharges", { body: { throughDate: "2025-07-31" } });
  const query = { dueBefore: "2025-07-31", sortDirection: "asc" as const };
  const { charges } = await office.call("listRecurringChargeCharges", { params: { id: recurringChargeRule.id }, query });
  expect(charges.filter(({ status }) => status !== "voided").map((charge) => [charge.dueDate, charge.leaseId])).toEqual([
    ["2025-04-05", leaseId],
    ["2025-05-05", leaseId],
    ["2025-07-05", next.id],
  ]);
});

test("activation of a renewal voids a unit's recurring charges of the renewed lease due after the start of the renewal", async () => {
  const office = await anOffice();
  const thisMonth = startOfMonth(todayInOffice());
  const { propertyId, unitId, tenantId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const lease = { propertyId, unitId, tenantId, startDate: "2025-01-01", rentCents: 100_000, createRecurringRent: false };
  const { lease: first } = await office.call("createLease", { body: { ...lease, termType: "month_to_month", activate: true } });
  const body = { amountCents: 7_500, categoryId: (await accountIdsByCode(office))["4010"]!, dayOfMonth: 5, startDate: addMonths(thisMonth, 1) };
  const { recurringChargeRule } = await office.call("createRecurringCharge", { body: { unitId, ...body, kind: "fee", label: "Parking" } });
  await office.call("postDueCharges", { body: { throughDate: addDays(addMonths(thisMonth, 4), -1) } });
  const terms = { startDate: addMonths(thisMonth, 2), endDate: "2099-12-31", termType: "fixed" as const };
  const { lease: renewal } = await office.call("renewLease", { params: { id: first.id }, body: terms });
  await office.call("activateLease", { params: { id: renewal.id }, body: {} });
  const { charges } = await office.call("listRecurringChargeCharges", { params: { id: recurringChargeRule.id }, query: { sortDirection: "asc" } });
  expect(charges.map(({ dueDate, status }) => [dueDate, status])).toEqual([
    [addDays(addMonths(thisMonth, 1), 4), "pending"],
    [addDays(addMonths(thisMonth, 2), 4), "voided"],
    [addDays(addMonths(thisMonth, 3), 4), "voided"],
  ]);
});
