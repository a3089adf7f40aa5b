import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { waitForDailyJobs } from "../../../test/ledger.fixtures.ts";

/** Creates a lease from 2025-09-01 at 1,000 a month, with a flat late fee of 50 from the 5th of a month on, and posts the rent of September. */
export async function aLeaseWithLateFees(): Promise<{ office: Office; tenantId: string; leaseId: string }> {
  const office = await anOffice();
  await waitForDailyJobs(office);
  const { propertyId, unitId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Dan Tenant" } });
  const terms = { propertyId, unitId, tenantId: tenant.id, startDate: "2025-09-01", rentCents: 100_000 };
  const lateFee = { lateFeeType: "flat" as const, lateFeeAmountCents: 5_000, lateFeeGraceDays: 3 };
  const { lease } = await office.call("createLease", { body: { ...terms, ...lateFee, termType: "month_to_month", activate: true } });
  await office.call("postDueCharges", { body: { throughDate: "2025-09-30" } });
  return { office, tenantId: tenant.id, leaseId: lease.id };
}
