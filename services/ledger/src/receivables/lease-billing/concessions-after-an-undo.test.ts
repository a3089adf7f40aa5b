/** Concessions on rent that is rebilled, and rebilled again when the change of the lease is undone. */
import { expect, test } from "@jest/globals";
import { addMonths, endOfMonth, startOfMonth, withDayOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { todayInOffice } from "../../../test/ledger.fixtures.ts";

const month = addMonths(startOfMonth(todayInOffice()), 2);

/** Creates a lease whose rent of 1,000 is posted ahead through a free month, and a function that reads the balance of that month. */
async function aLeaseWithAFreeMonth(term: { termType: "fixed"; endDate: string } | { termType: "month_to_month" }) {
  const office = await anOffice();
  const { propertyId, unitId, tenantId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const body = { propertyId, unitId, tenantId, startDate: startOfMonth(todayInOffice()), rentCents: 100_000, ...term, activate: true };
  const { lease } = await office.call("createLease", { body });
  await office.call("postDueCharges", { body: { throughDate: endOfMonth(month) } });
  const readCharges = async () => (await office.call("listCharges", { query: { leaseId: lease.id, dueAfter: month, dueBefore: endOfMonth(month) } })).charges;
  const [rent] = await readCharges();
  await office.call("creditCharge", { params: { id: rent!.id }, body: { amountCents: 100_000, reason: "concession" } });
  const owedCents = async () => {
    await office.call("postDueCharges", { body: { throughDate: endOfMonth(month) } });
    return (await readCharges()).reduce((sum, { balanceCents }) => sum + balanceCents, 0);
  };
  return { office, leaseId: lease.id, owedCents };
}

test("a free month stays free when the lease is shortened into it and extended again", async () => {
  const { office, leaseId, owedCents } = await aLeaseWithAFreeMonth({ termType: "fixed", endDate: "2099-12-31" });
  await office.call("updateLease", { params: { id: leaseId }, body: { endDate: withDayOfMonth(month, 10) } });
  await office.call("updateLease", { params: { id: leaseId }, body: { endDate: "2099-12-31" } });
  expect(await owedCents()).toBe(0);
});

test("a free month stays free when a renewal that was to start then is cancelled", async () => {
  const { office, leaseId, owedCents } = await aLeaseWithAFreeMonth({ termType: "month_to_month" });
  const body = { startDate: month, endDate: "2099-12-31", termType: "fixed" as const };
  const { lease: renewal } = await office.call("renewLease", { params: { id: leaseId }, body });
  await office.call("activateLease", { params: { id: renewal.id }, body: {} });
  await office.call("cancelLease", { params: { id: renewal.id } });
  expect(await owedCents()).toBe(0);
});
