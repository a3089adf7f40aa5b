import { expect, test } from "@jest/globals";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";

// September at 1,000 is free. The renewal at the same rent starts on September 16: 500 for each half, both of them free.
test("a free month stays free when the lease is renewed within it", async () => {
  const office = await anOffice();
  const first = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ann Tenant" } });
  const terms = { propertyId: first.propertyId, unitId: first.unitId, tenantId: tenant.id, startDate: "2025-09-01", rentCents: 100_000 };
  const { lease } = await office.call("createLease", { body: { ...terms, termType: "month_to_month", activate: true } });
  await office.call("postDueCharges", { body: { throughDate: "2025-09-30" } });
  const [rent] = (await office.call("listCharges", { query: { leaseId: lease.id, dueBefore: "2025-09-30" } })).charges;
  await office.call("creditCharge", { params: { id: rent!.id }, body: { amountCents: 100_000, reason: "concession", creditedOn: "2025-09-01" } });
  const body = { startDate: "2025-09-16", endDate: "2099-12-31", termType: "fixed" as const };
  const { lease: renewal } = await office.call("renewLease", { params: { id: lease.id }, body });
  await office.call("activateLease", { params: { id: renewal.id }, body: {} });
  await office.call("postDueCharges", { body: { throughDate: "2025-09-30" } });
  const { charges } = await office.call("listCharges", {
    query: { tenantId: tenant.id, dueAfter: "2025-09-01", dueBefore: "2025-09-30", sortDirection: "asc" },
  });
  const live = charges.filter(({ status }) => status !== "voided");
  expect(live.map(({ periodStart, amountCents, balanceCents }) => [periodStart, amountCents, balanceCents])).toEqual([
    ["2025-09-01", 50_000, 0],
    ["2025-09-16", 50_000, 0],
  ]);
});

// Parking of 75 for September is free. The renewal is entered afterwards, starts on September 1 and takes the fee over.
test("a fee that is free for a month stays free when a renewal charges it instead", async () => {
  const office = await anOffice();
  const first = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ann Tenant" } });
  const terms = { propertyId: first.propertyId, unitId: first.unitId, tenantId: tenant.id, startDate: "2025-08-31", rentCents: 100_000 };
  const { lease } = await office.call("createLease", { body: { ...terms, termType: "month_to_month", activate: true } });
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const fee = { amountCents: 7_500, categoryId, dayOfMonth: 5, startDate: "2025-09-01", kind: "fee" as const, label: "Parking", postMissed: true };
  await office.call("createRecurringCharge", { body: { leaseId: lease.id, ...fee } });
  await office.call("postDueCharges", { body: { throughDate: "2025-09-30" } });
  const readFees = async () => {
    const query = { tenantId: tenant.id, chargeType: "fee" as const, dueAfter: "2025-09-01", dueBefore: "2025-09-30" };
    return (await office.call("listCharges", { query })).charges.filter(({ status }) => status !== "voided");
  };
  const [parking] = await readFees();
  await office.call("creditCharge", { params: { id: parking!.id }, body: { amountCents: 7_500, reason: "concession", creditedOn: "2025-09-05" } });
  const body = { startDate: "2025-09-01", endDate: "2099-12-31", termType: "fixed" as const };
  const { lease: renewal } = await office.call("renewLease", { params: { id: lease.id }, body });
  await office.call("activateLease", { params: { id: renewal.id }, body: {} });
  await office.call("postDueCharges", { body: { throughDate: "2025-09-30" } });
  expect((await readFees()).map(({ leaseId, balanceCents }) => [leaseId, balanceCents])).toEqual([[renewal.id, 0]]);
});
