import { expect, test } from "@jest/globals";
import { addMonths, endOfMonth, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { recordEvents, todayInOffice } from "../../../test/ledger.fixtures.ts";

// The lease has not started, and its first month is free, so the office voids the rent of that month. Then the tenant, who was entered twice, is merged.
test("merging the tenant of a pending lease does not charge a voided month again", async () => {
  const office = await anOffice();
  const { propertyId, unitId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant: duplicate } = await office.call("createTenant", { body: { fullName: "Ann Tenant" } });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ann Tenant" } });
  const startDate = addMonths(startOfMonth(todayInOffice()), 2);
  const terms = { propertyId, unitId, tenantId: duplicate.id, startDate, rentCents: 100_000 };
  const { lease } = await office.call("createLease", { body: { ...terms, termType: "month_to_month", activate: true } });
  await office.call("postDueCharges", { body: { throughDate: endOfMonth(startDate) } });
  const [rent] = (await office.call("listCharges", { query: { leaseId: lease.id } })).charges;
  await office.call("voidCharge", { params: { id: rent!.id }, body: { reason: "The first month is free" } });
  const events = await recordEvents(office);
  await office.call("mergeTenants", { params: { id: tenant.id }, body: { duplicateTenantId: duplicate.id } });
  await events.waitUntilConsumed();
  await events.close();
  await office.call("postDueCharges", { body: { throughDate: endOfMonth(startDate) } });
  const { charges } = await office.call("listCharges", { query: { leaseId: lease.id } });
  expect(charges.filter(({ status }) => status !== "voided").map(({ dueDate, amountCents }) => [dueDate, amountCents])).toEqual([]);
});
