/** Money of a tenant on a lease that a renewal has taken over without the tenant. */
import { expect, test } from "@jest/globals";
import { addMonths } from "@freehold/kit/time/plain-date";
import { anOffice } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";
import { todayInOffice } from "../../../test/ledger.fixtures.ts";

test("a tenant who left with a renewal has own payments on the former lease, and their returns, in the own ledger, whose end is the balance", async () => {
  const office = await anOffice();
  const today = todayInOffice();
  const { tenant: leaving } = await office.call("createTenant", { body: { fullName: "Carla Co" } });
  const { propertyId, unitId, tenantId: stayingId } = await aTenancy(office, { startDate: "2025-01-01", endDate: "2025-12-31" });
  const terms = { propertyId, unitId, startDate: "2026-01-01", termType: "month_to_month" as const, rentCents: 100_000, createRecurringRent: false };
  const occupants = [{ tenantId: leaving.id, role: "co_tenant" as const }];
  const { lease: former } = await office.call("createLease", { body: { ...terms, tenantId: stayingId, occupants, activate: true } });
  const lease = { leaseId: former.id, tenantId: stayingId };
  const chargeId = await aCharge(office, lease.leaseId, 100_000, "2026-04-01");
  const pay = async (tenantId: string, amountCents: number) => {
    const body = { ...aPayment(lease, amountCents), tenantId, receivedAt: new Date().toISOString(), allocations: [{ chargeId, amountCents }] };
    return (await office.call("recordPayment", { body })).payment.id;
  };
  const { lease: renewal } = await office.call("renewLease", {
    params: { id: lease.leaseId },
    body: { startDate: today, endDate: addMonths(today, 12) },
  });
  const occupant = renewal.occupants.find(({ tenantId }) => tenantId === leaving.id)!;
  await office.call("deleteOccupant", { params: { id: occupant.id } });
  await office.call("activateLease", { params: { id: renewal.id } });
  const user = await office.tenantUser(leaving.id);
  const figures = async () => {
    const [ledger, { balance }] = [await user.call("listTenantPortalLedger"), await user.call("getTenantPortalBalance")];
    return [ledger.closingBalanceCents, balance.dueCents];
  };
  expect(await figures()).toEqual([100_000, 100_000]);
  const own = await pay(leaving.id, 50_000);
  expect(await figures()).toEqual([50_000, 50_000]);
  await office.call("reversePayment", { params: { id: own }, body: { reason: "nsf" } });
  expect(await figures()).toEqual([100_000, 100_000]);
  expect((await user.call("listTenantPortalPayments")).payments.map(({ status }) => status)).toEqual(["reversed"]);
});
