import { expect, test } from "@jest/globals";
import { addMonths, endOfMonth, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { recordEvents, todayInOffice } from "../../../test/ledger.fixtures.ts";

// The office voids the first month of a lease that has not started: it is free. Then the tenant turns out to have been entered twice.
test("a month that the office voided is not charged again because the tenant of the pending lease is merged", async () => {
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
