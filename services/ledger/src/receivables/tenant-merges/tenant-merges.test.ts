import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, closingBalances } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";

const office = await anOffice();

const createTenantId = async () => (await office.call("createTenant", { body: { fullName: "Tess Tenant-Again" } })).tenant.id;
const chargesOf = async (tenantId: string) => (await office.call("listCharges", { query: { tenantId, sortBy: "dueDate", sortDirection: "asc" } })).charges;
const paymentsOf = async (tenantId: string) => (await office.call("listPayments", { query: { tenantId } })).payments;

describe("tenant.merged", () => {
  test("reassigns the charges and payments of the duplicate without a change of account balances", async () => {
    const tenancy = await aTenancy(office);
    const openChargeId = await aCharge(office, tenancy.leaseId, 30_000);
    const paidChargeId = await aCharge(office, tenancy.leaseId, 20_000, "2026-02-01");
    const { payment } = await office.call("recordPayment", {
      body: { ...aPayment(tenancy, 25_000), allocations: [{ chargeId: paidChargeId, amountCents: 20_000 }] },
    });
    const balancesBefore = await closingBalances(office);
    const survivorId = await createTenantId();

    const { tenant } = await office.call("mergeTenants", { params: { id: survivorId }, body: { duplicateTenantId: tenancy.tenantId } });
    expect(tenant.balanceCents).toBe(25_000);
    const reassigned = await eventually("two charges of the survivor", async () =>
      (await chargesOf(survivorId)).length === 2 ? chargesOf(survivorId) : undefined,
    );
    expect(reassigned.map(({ id, tenantId, balanceCents }) => [id, tenantId, balanceCents])).toEqual([
      [openChargeId, survivorId, 30_000],
      [paidChargeId, survivorId, 0],
    ]);
    expect(await paymentsOf(survivorId)).toMatchObject([{ id: payment.id, tenantId: survivorId, tenant: { id: survivorId, fullName: "Tess Tenant-Again" } }]);
    expect([await chargesOf(tenancy.tenantId), await paymentsOf(tenancy.tenantId)]).toEqual([[], []]);
    expect((await office.call("getTenant", { params: { id: survivorId } })).tenant.balanceCents).toBe(25_000);
    expect(await closingBalances(office)).toEqual(balancesBefore);
  });

  test("lets the survivor pay charges of the duplicate at once, and refuses payments of the duplicate", async () => {
    const tenancy = await aTenancy(office);
    const chargeId = await aCharge(office, tenancy.leaseId, 10_000);
    const survivorId = await createTenantId();
    await office.call("mergeTenants", { params: { id: survivorId }, body: { duplicateTenantId: tenancy.tenantId } });
    const { payment } = await office.call("recordPayment", { body: { ...aPayment({ ...tenancy, tenantId: survivorId }, 10_000), autoAllocate: true } });
    expect(payment.allocations).toMatchObject([{ chargeId, amountCents: 10_000 }]);
    const error = await eventually("rejection of the payment", async () => {
      const { status, body } = await office.attempt("recordPayment", { body: { ...aPayment(tenancy, 1), leaseId: undefined } });
      return status === 400 ? body : undefined;
    });
    expect(error.errors).toMatchObject([{ path: "tenantId", code: "not_found", message: expect.stringContaining(survivorId) }]);
  });

  test("replays the response of a payment recorded for the duplicate before the merge", async () => {
    const tenancy = await aTenancy(office);
    const body = aPayment(tenancy, 5_000);
    const first = await office.call("recordPayment", { body });
    const survivorId = await createTenantId();
    await office.call("mergeTenants", { params: { id: survivorId }, body: { duplicateTenantId: tenancy.tenantId } });
    await eventually("payment of the survivor", async () => (await paymentsOf(survivorId)).length > 0);
    expect(await office.call("recordPayment", { body })).toEqual(first);
  });

  test("reassigns through two consecutive merges", async () => {
    const tenancy = await aTenancy(office);
    await aCharge(office, tenancy.leaseId, 7_000);
    const [secondId, thirdId] = [await createTenantId(), await createTenantId()];
    await office.call("mergeTenants", { params: { id: secondId }, body: { duplicateTenantId: tenancy.tenantId } });
    await office.call("mergeTenants", { params: { id: thirdId }, body: { duplicateTenantId: secondId } });
    const charges = await eventually("charge of the last survivor", async () => ((await chargesOf(thirdId)).length > 0 ? chargesOf(thirdId) : undefined));
    expect(charges).toMatchObject([{ tenantId: thirdId, balanceCents: 7_000 }]);
    expect((await office.call("listTenants", { query: { hasBalance: "true", search: "Again" } })).tenants.map(({ id }) => id)).toContain(thirdId);
  });

  test("reassigns rows that are written for the duplicate after the merge", async () => {
    const tenancy = await aTenancy(office);
    const chargeId = await aCharge(office, tenancy.leaseId, 3_000);
    const survivorId = await createTenantId();
    await office.call("mergeTenants", { params: { id: survivorId }, body: { duplicateTenantId: tenancy.tenantId } });
    const isReassigned = async () => (await chargesOf(survivorId)).some(({ id }) => id === chargeId);
    await eventually("charge of the survivor", isReassigned);
    await withOwnerConnection(office, async (client) => {
      await client.query("update charge set tenant_id = $2 where id = $1", [chargeId, tenancy.tenantId]);
      await client.query("update scheduled_work set next_run_at = now() where organization_id = $1 and job = 'gatherMerged'", [office.organizationId]);
    });
    await eventually("charge of the survivor after the job", isReassigned);
    expect((await office.call("getTenant", { params: { id: survivorId } })).tenant.balanceCents).toBe(3_000);
  });

  test("reassigns recurring charges, and the survivor owes new charges on the lease", async () => {
    const tenancy = await aTenancy(office, { createRecurringRent: true });
    const survivorId = await createTenantId();
    await office.call("mergeTenants", { params: { id: survivorId }, body: { duplicateTenantId: tenancy.tenantId } });
    await eventually("recurring charges of the survivor", async () => {
      const { recurringChargeRules } = await office.call("listRecurringCharges", { query: { leaseId: tenancy.leaseId } });
      return recurringChargeRules.length > 0 && recurringChargeRules.every(({ tenantId }) => tenantId === survivorId);
    });
    const chargeId = await aCharge(office, tenancy.leaseId, 1_000);
    expect((await chargesOf(survivorId)).map(({ id }) => id)).toContain(chargeId);
  });
});
