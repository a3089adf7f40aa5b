/** Money of a fee that a renewal charges instead, under another name. */
import { expect, test } from "@jest/globals";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

// A fee of 50 is due on October 20 and paid on October 1. A renewal that starts on October 16 charges it instead.
test("a fee that was paid stays paid when a renewal charges it instead under a name that the office changed on the renewal", async () => {
  const office = await anOffice();
  const { propertyId, unitId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ann Tenant" } });
  const terms = { propertyId, unitId, tenantId: tenant.id, startDate: "2025-10-01", rentCents: 100_000, createRecurringRent: false };
  const { lease } = await office.call("createLease", { body: { ...terms, termType: "month_to_month", activate: true } });
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const fee = { amountCents: 5_000, categoryId, dayOfMonth: 20, startDate: "2025-10-01", kind: "fee" as const, label: "Parking", postMissed: true };
  await office.call("createRecurringCharge", { body: { leaseId: lease.id, ...fee } });
  const postAndReadFees = async () => {
    await office.call("postDueCharges", { body: { throughDate: "2025-10-31" } });
    const { charges } = await office.call("listCharges", { query: { tenantId: tenant.id, chargeType: "fee", dueBefore: "2025-10-31" } });
    return charges.filter(({ status }) => status !== "voided");
  };
  const allocations = [{ chargeId: (await postAndReadFees())[0]!.id, amountCents: 5_000 }];
  const payment = { ...aPayment({ tenantId: tenant.id, leaseId: lease.id }, 5_000), receivedAt: "2025-10-01T17:00:00.000Z", allocations };
  await office.call("recordPayment", { body: payment });
  const renewed = { startDate: "2025-10-16", endDate: "2099-12-31", termType: "fixed" as const };
  const { lease: renewal } = await office.call("renewLease", { params: { id: lease.id }, body: renewed });
  const { recurringChargeRules } = await office.call("listRecurringCharges", { query: { leaseId: renewal.id, kind: "fee" } });
  await office.call("updateRecurringCharge", { params: { id: recurringChargeRules[0]!.id }, body: { label: "Garage" } });
  await office.call("activateLease", { params: { id: renewal.id }, body: {} });
  await postAndReadFees();
  await waitForIdleJobs("ledger", office);
  expect((await postAndReadFees()).map(({ dueDate, amountCents, balanceCents }) => [dueDate, amountCents, balanceCents])).toEqual([["2025-10-20", 5_000, 0]]);
});
