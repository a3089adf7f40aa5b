import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

// The unit's fee of 50 is due on the 20th. Ann's fee of October was posted ahead and the office voided it.
async function aVoidedUnitFee() {
  const office = await anOffice();
  const first = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const signLease = async (fullName: string, startDate: string) => {
    const { tenant } = await office.call("createTenant", { body: { fullName } });
    const terms = { propertyId: first.propertyId, unitId: first.unitId, tenantId: tenant.id, startDate, rentCents: 100_000 };
    return (await office.call("createLease", { body: { ...terms, termType: "month_to_month", createRecurringRent: false, activate: true } })).lease.id;
  };
  const annsLeaseId = await signLease("Ann", "2025-09-01");
  const categoryId = (await accountIdsByCode(office))["4010"]!;
  const fee = { amountCents: 5_000, categoryId, dayOfMonth: 20, startDate: "2025-09-01", kind: "fee" as const, label: "Parking", postMissed: true };
  await office.call("createRecurringCharge", { body: { unitId: first.unitId, ...fee } });
  const postAndReadOctober = async (leaseId: string) => {
    await office.call("postDueCharges", { body: { throughDate: "2025-10-31" } });
    const { charges } = await office.call("listCharges", { query: { leaseId, dueAfter: "2025-10-01", dueBefore: "2025-10-31" } });
    return charges;
  };
  const [annsFee] = await postAndReadOctober(annsLeaseId);
  await office.call("voidCharge", { params: { id: annsFee!.id }, body: { reason: "No parking in October." } });
  const live = async (leaseId: string) =>
    (await postAndReadOctober(leaseId)).filter(({ status }) => status !== "voided").map(({ dueDate, amountCents }) => [dueDate, amountCents]);
  return { office, signLease, annsLeaseId, live };
}

test("a recurring charge on a unit bills the new tenant for a month for which the office voided the charge of the previous tenant", async () => {
  const { office, signLease, annsLeaseId, live } = await aVoidedUnitFee();
  await office.call("terminateLease", { params: { id: annsLeaseId }, body: { terminationDate: "2025-09-25" } });
  expect(await live(annsLeaseId)).toEqual([]);
  const bensLeaseId = await signLease("Ben", "2025-10-05");
  for (let run = 0; run < 2; run++) expect(await live(bensLeaseId)).toEqual([["2025-10-20", 5_000]]);
});

test("a recurring charge on a unit does not bill a tenant again for a voided month, also when the tenant renews within it", async () => {
  const { office, annsLeaseId, live } = await aVoidedUnitFee();
  expect(await live(annsLeaseId)).toEqual([]);
  const body = { startDate: "2025-10-05", endDate: "2099-12-31", termType: "fixed" as const };
  const { lease: renewal } = await office.call("renewLease", { params: { id: annsLeaseId }, body });
  await office.call("activateLease", { params: { id: renewal.id }, body: {} });
  expect([await live(annsLeaseId), await live(renewal.id)]).toEqual([[], []]);
});
