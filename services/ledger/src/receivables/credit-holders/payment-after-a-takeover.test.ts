/** Money of a lease that was received before a renewal took over, and recorded afterwards. */
import { expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";

/** Creates a lease with a credit of 100 received in January, and a function that renews it from June 1 on and returns the id of the renewal. */
async function aRenewableLease() {
  const office = await anOffice();
  const { propertyId, unitId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ann Tenant" } });
  const terms = { propertyId, unitId, tenantId: tenant.id, rentCents: 100_000, createRecurringRent: false, startDate: "2026-01-01" };
  const { lease } = await office.call("createLease", { body: { ...terms, termType: "month_to_month", activate: true } });
  const tenancy = { tenantId: tenant.id, leaseId: lease.id };
  await office.call("recordPayment", { body: { ...aPayment(tenancy, 100), receivedAt: "2026-01-05T15:00:00.000Z" } });
  const renew = async () => {
    const { lease: renewal } = await office.call("renewLease", {
      params: { id: lease.id },
      body: { startDate: "2026-06-01", endDate: "2099-12-31", termType: "fixed" },
    });
    await office.call("activateLease", { params: { id: renewal.id }, body: {} });
    return renewal.id;
  };
  return { office, tenancy, renew };
}

const balanceOn = async (office: Office, id: string, asOf: string) =>
  (await office.call("listLeaseLedger", { params: { id }, query: { asOf } })).closingBalanceCents;
const paymentOfMay10 = (tenancy: { tenantId: string; leaseId: string }) => ({ ...aPayment(tenancy, 300), receivedAt: "2026-05-10T15:00:00.000Z" });

test("control: credit that was received and recorded before the takeover belongs to the renewal from its start", async () => {
  const { office, tenancy, renew } = await aRenewableLease();
  await office.call("recordPayment", { body: paymentOfMay10(tenancy) });
  const renewalId = await renew();
  expect([await balanceOn(office, tenancy.leaseId, "2026-06-01"), await balanceOn(office, renewalId, "2026-06-01")]).toEqual([0, -400]);
});

test("credit that was received before the takeover and recorded after it belongs to the renewal from its start", async () => {
  const { office, tenancy, renew } = await aRenewableLease();
  const renewalId = await renew();
  await office.call("recordPayment", { body: paymentOfMay10(tenancy) });
  expect([await balanceOn(office, tenancy.leaseId, "2026-06-01"), await balanceOn(office, renewalId, "2026-06-01")]).toEqual([0, -400]);
});

test("credit of payments that are recorded together after the takeover belongs to the renewal from its start", async () => {
  const { office, tenancy, renew } = await aRenewableLease();
  const renewalId = await renew();
  await Promise.all(Array.from({ length: 6 }, () => office.call("recordPayment", { body: paymentOfMay10(tenancy) })));
  const balances = await Promise.all(
    ["2026-05-31", "2026-06-01"].map(async (day) => [await balanceOn(office, tenancy.leaseId, day), await balanceOn(office, renewalId, day)]),
  );
  expect(balances).toEqual([
    [-1_900, 0],
    [0, -1_900],
  ]);
});
