import { expect, test } from "@jest/globals";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { waitForDailyJobs, withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { findViolations } from "../../../test/invariants.queries.ts";

/** Creates rent of 1,000 with a late fee of 5 percent, of which 10 are waived, and a function that terminates the lease on September 15. */
async function aPartlyWaivedFee(office: Office) {
  await waitForDailyJobs(office);
  const first = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Dan Tenant" } });
  const terms = { propertyId: first.propertyId, unitId: first.unitId, tenantId: tenant.id, startDate: "2025-09-01", rentCents: 100_000 };
  const lateFee = { lateFeeType: "percent" as const, lateFeePercentBps: 500, lateFeeGraceDays: 3 };
  const { lease } = await office.call("createLease", { body: { ...terms, ...lateFee, termType: "month_to_month", activate: true } });
  await office.call("postDueCharges", { body: { throughDate: "2025-09-30" } });
  await office.call("assessLateFees", { body: { asOf: "2025-09-10" } });
  const read = async (chargeType: "rent" | "late_fee") =>
    (await office.call("listCharges", { query: { leaseId: lease.id, chargeType, dueBefore: "2025-09-10" } })).charges;
  const [fee] = await read("late_fee");
  await office.call("creditCharge", { params: { id: fee!.id }, body: { amountCents: 1_000, reason: "waive", creditedOn: "2025-09-10" } });
  const [rent] = await read("rent");
  const terminate = async () => {
    await office.call("terminateLease", { params: { id: lease.id }, body: { terminationDate: "2025-09-15" } });
    await waitForIdleJobs("ledger", office);
    return (await read("late_fee")).filter(({ status }) => status !== "voided");
  };
  return { tenancy: { ...first, tenantId: tenant.id, leaseId: lease.id }, rentId: rent!.id, terminate };
}

// The lease ends on September 15: the rent is 500, 5 percent of it are 25, less 10.
test("a partly waived percent late fee is charged on the prorated rent instead, less the waived amount", async () => {
  const office = await anOffice();
  const { terminate } = await aPartlyWaivedFee(office);
  const fees = await terminate();
  expect(fees.map(({ dueDate, amountCents, balanceCents }) => [dueDate, amountCents, balanceCents])).toEqual([["2025-09-05", 2_500, 1_500]]);
  const { credits } = await office.call("getCharge", { params: { id: fees[0]!.id } });
  expect(credits).toMatchObject([{ amountCents: 1_000, reason: "waive", creditedOn: "2025-09-10" }]);
  expect(await withOwnerConnection(office, findViolations)).toEqual([]);
});

// The rent was paid on September 10. Of the 1,000, 500 settle the prorated rent, and the credit that is left pays the 15 of the fee.
test("the waived part of a late fee of prorated rent is not paid from credit", async () => {
  const office = await anOffice();
  await office.call("updateOrganization", { body: { policies: { autoAllocatePayments: true } } });
  const other = await aTenancy(office);
  await office.call("recordPayment", { body: aPayment(other, 10_000) });
  // The ledger receives the policy asynchronously: charges of one cent show when it is in effect.
  await eventually("policy", async () => {
    const { charge } = await office.call("getCharge", { params: { id: await aCharge(office, other.leaseId, 1, "2025-09-01") } });
    return charge.status === "paid";
  });
  const { tenancy, rentId, terminate } = await aPartlyWaivedFee(office);
  const allocations = [{ chargeId: rentId, amountCents: 100_000 }];
  await office.call("recordPayment", { body: { ...aPayment(tenancy, 100_000), receivedAt: "2025-09-10T17:00:00.000Z", allocations } });
  expect((await terminate()).map(({ amountCents, creditedCents, allocatedCents }) => [amountCents, creditedCents, allocatedCents])).toEqual([
    [2_500, 1_000, 1_500],
  ]);
});
