import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";

// Rent of September was due on the 1st; the office moved the due date to the 12th. The lease ends on September 15: 500 for 15 of 30 days.
test("prorated rent keeps the due date that the office set, and bears no late fee before it", async () => {
  const office = await anOffice();
  const first = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ann Tenant" } });
  const terms = { propertyId: first.propertyId, unitId: first.unitId, tenantId: tenant.id, startDate: "2025-09-01", rentCents: 100_000 };
  const lateFee = { lateFeeType: "flat" as const, lateFeeAmountCents: 5_000, lateFeeGraceDays: 3 };
  const { lease } = await office.call("createLease", { body: { ...terms, ...lateFee, termType: "month_to_month", activate: true } });
  await office.call("postDueCharges", { body: { throughDate: "2025-09-30" } });
  const [rent] = (await office.call("listCharges", { query: { leaseId: lease.id, dueBefore: "2025-09-30" } })).charges;
  await office.call("updateCharge", { params: { id: rent!.id }, body: { dueDate: "2025-09-12", name: "Rent by installment", memo: "Agreed on the phone" } });
  await office.call("terminateLease", { params: { id: lease.id }, body: { terminationDate: "2025-09-15" } });
  const { assessment } = await office.call("assessLateFees", { body: { asOf: "2025-09-14", dryRun: true } });
  const { charges } = await office.call("listCharges", { query: { leaseId: lease.id, dueBefore: "2025-09-30" } });
  const live = charges.filter(({ status }) => status !== "voided").map(({ dueDate, amountCents }) => [dueDate, amountCents]);
  expect(charges.find(({ status }) => status !== "voided")).toMatchObject({ name: "Rent by installment", memo: "Agreed on the phone" });
  expect([live, assessment.lines.map(({ date, amountCents }) => [date, amountCents])]).toEqual([[["2025-09-12", 50_000]], []]);
});
