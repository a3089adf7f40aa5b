import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, closingBalances } from "../../../../test/support/tenancy.ts";
import { eventually } from "../../../../test/support/world.ts";
import { withOwnerConnection } from "../../test/ledger.fixtures.ts";

const office = await anOffice();

const createTenant = async () => (await office.call("createTenant", { body: { fullName: "Tess Tenant-Again" } })).tenant.id;
const chargesOf = async (tenantId: string) => (await office.call("listCharges", { query: { tenantId, sortBy: "dueDate", sortDirection: "asc" } })).charges;
const paymentsOf = async (tenantId: string) => (await office.call("listPayments", { query: { tenantId } })).payments;

describe("tenant.merged", () => {
  test("reassigns the charges and payments of the duplicate without a change of account balances", async () => {
    const tenancy = await aTenancy(office);
    const open = await aCharge(office, tenancy.leaseId, 30_000);
    const paid = await aCharge(office, tenancy.leaseId, 20_000, "2026-02-01");
    const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, 25_000), allocations: [{ chargeId: paid, amountCents: 20_000 }] } });
    const balancesBefore = await closingBalances(office);
    const survivor = await createTenant();

    const { tenant } = await office.call("mergeTenants", { params: { id: survivor }, body: { duplicateTenantId: tenancy.tenantId } });
    expect(tenant.balanceCents).toBe(25_000);
    const reassigned = await eventually("charges", async () => ((await chargesOf(survivor)).length === 2 ? chargesOf(survivor) : undefined));
    expect(reassigned.map(({ id, tenantId, balanceCents }) => [id, tenantId, balanceCents])).toEqual([
      [open, survivor, 30_000],
      [paid, survivor, 0],
    ]);
    expect(await paymentsOf(survivor)).toMatchObject([{ id: payment.id, tenantId: survivor, tenant: { id: survivor, fullName: "Tess Tenant-Again" } }]);
    expect([await chargesOf(tenancy.tenantId), await paymentsOf(tenancy.tenantId)]).toEqual([[], []]);
    expect((await office.call("getTenant", { params: { id: survivor } })).tenant.balanceCents).toBe(25_000);
    expect(await closingBalances(office)).toEqual(balancesBefore);
  });

  test("lets the survivor pay charges of the duplicate at once, and refuses payments of the duplicate", async () => {
    const tenancy = await aTenancy(office);
    const charge = await aCharge(office, tenancy.leaseId, 10_000);
    const survivor = await createTenant();
    await office.call("mergeTenants", { params: { id: survivor }, body: { duplicateTenantId: tenancy.tenantId } });
    const { payment } = await office.call("recordPayment", { body: { ...aPayment({ ...tenancy, tenantId: survivor }, 10_000), autoAllocate: true } });
    expect(payment.allocations).toMatchObject([{ chargeId: charge, amountCents: 10_000 }]);
    const error = await eventually("refusal", async () => {
      const { status, body } = await office.attempt("recordPayment", { body: { ...aPayment(tenancy, 1), leaseId: undefined } });
      return status === 400 ? body : undefined;
    });
    expect(error.errors).toMatchObject([{ path: "tenantId", code: "not_found", message: expect.stringContaining(survivor) }]);
  });

  test("replays the response of a payment that the duplicate made before the merge", async () => {
    const tenancy = await aTenancy(office);
    const body = aPayment(tenancy, 5_000);
    const first = await office.call("recordPayment", { body });
    const survivor = await createTenant();
    await office.call("mergeTenants", { params: { id: survivor }, body: { duplicateTenantId: tenancy.tenantId } });
    await eventually("payment", async () => (await paymentsOf(survivor)).length > 0);
    expect(await office.call("recordPayment", { body })).toEqual(first);
  });

  test("reassigns through two consecutive merges", async () => {
    const tenancy = await aTenancy(office);
    await aCharge(office, tenancy.leaseId, 7_000);
    const [second, third] = [await createTenant(), await createTenant()];
    await office.call("mergeTenants", { params: { id: second }, body: { duplicateTenantId: tenancy.tenantId } });
    await office.call("mergeTenants", { params: { id: third }, body: { duplicateTenantId: second } });
    const charges = await eventually("charge", async () => ((await chargesOf(third)).length > 0 ? chargesOf(third) : undefined));
    expect(charges).toMatchObject([{ tenantId: third, balanceCents: 7_000 }]);
    expect((await office.call("listTenants", { query: { hasBalance: "true", search: "Again" } })).tenants.map(({ id }) => id)).toContain(third);
  });

  test("reassigns rows that a concurrent transaction wrote for the duplicate", async () => {
    const tenancy = await aTenancy(office);
    const charge = await aCharge(office, tenancy.leaseId, 3_000);
    const survivor = await createTenant();
    await office.call("mergeTenants", { params: { id: survivor }, body: { duplicateTenantId: tenancy.tenantId } });
    const isReassigned = async () => (await chargesOf(survivor)).some(({ id }) => id === charge);
    await eventually("charge", isReassigned);
    await withOwnerConnection(office, async (client) => {
      await client.query("update charge set tenant_id = $2 where id = $1", [charge, tenancy.tenantId]);
      await client.query("update scheduled_work set next_run_at = now() where organization_id = $1 and job = 'gatherMerged'", [office.organizationId]);
    });
    await eventually("charge again", isReassigned);
    expect((await office.call("getTenant", { params: { id: survivor } })).tenant.balanceCents).toBe(3_000);
  });

  test("reassigns recurring charges, and charges the survivor for new charges", async () => {
    const tenancy = await aTenancy(office, { createRecurringRent: true });
    const survivor = await createTenant();
    await office.call("mergeTenants", { params: { id: survivor }, body: { duplicateTenantId: tenancy.tenantId } });
    await eventually("rule", async () => {
      const { recurringChargeRules } = await office.call("listRecurringCharges", { query: { leaseId: tenancy.leaseId } });
      return recurringChargeRules.every(({ tenantId }) => tenantId === survivor);
    });
    const chargeId = await aCharge(office, tenancy.leaseId, 1_000);
    expect((await chargesOf(survivor)).map(({ id }) => id)).toContain(chargeId);
  });
});
