import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

// The unit is leased until June 30 and again from August 1, so from April to September it is vacant only in July.
test("a recurring charge on a unit posts each missed month to the lease that held the unit, and none for a vacant month", async () => {
  const office = await anOffice();
  const first = await aTenancy(office, { startDate: "2025-01-01", endDate: "2025-06-30" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Cara Newcomer" } });
  const terms = { propertyId: first.propertyId, unitId: first.unitId, tenantId: tenant.id, startDate: "2025-08-01", rentCents: 100_000 };
  const { lease } = await office.call("createLease", { body: { ...terms, termType: "month_to_month", createRecurringRent: false, activate: true } });
  const body = { amountCents: 500, categoryId: (await accountIdsByCode(office))["4010"]!, dayOfMonth: 5, startDate: "2025-04-01", postMissed: true };
  const { recurringChargeRule } = await office.call("createRecurringCharge", { body: { unitId: first.unitId, ...body, kind: "fee", label: "Parking" } });
  await office.call("postDueCharges", { body: { throughDate: "2025-09-30" } });
  const query = { dueBefore: "2025-09-30", sortDirection: "asc" as const };
  const { charges } = await office.call("listRecurringChargeCharges", { params: { id: recurringChargeRule.id }, query });
  expect(charges.map(({ dueDate, leaseId }) => [dueDate, leaseId])).toEqual([
    ["2025-04-05", first.leaseId],
    ["2025-05-05", first.leaseId],
    ["2025-06-05", first.leaseId],
    ["2025-08-05", lease.id],
    ["2025-09-05", lease.id],
  ]);
});

test("a recurring charge on a unit still charges a lease with a termination date in the future", async () => {
  const office = await anOffice();
  const { leaseId, unitId } = await aTenancy(office, { startDate: "2025-01-01" });
  const body = { amountCents: 500, categoryId: (await accountIdsByCode(office))["4010"]!, dayOfMonth: 5, startDate: "2025-04-01", postMissed: true };
  const { recurringChargeRule } = await office.call("createRecurringCharge", { body: { unitId, ...body, kind: "fee", label: "Parking" } });
  await office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate: "2099-06-30" } });
  await office.call("postDueCharges", { body: { throughDate: "2025-05-31" } });
  const { charges } = await office.call("listRecurringChargeCharges", { params: { id: recurringChargeRule.id }, query: { dueBefore: "2025-05-31" } });
  expect(charges.map((charge) => charge.leaseId)).toEqual([leaseId, leaseId]);
});
