/** Refusals that name deleted tenants. */
import { beforeAll, expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";

let office: Office;
beforeAll(async () => {
  office = await anOffice();
});

/** Terminates a lease, deletes its tenant and waits until the ledger has the deletion. */
async function deleteTenantOf({ leaseId, tenantId }: Tenancy): Promise<void> {
  await office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate: today("America/New_York"), finalRent: "none" } });
  await office.call("deleteTenant", { params: { id: tenantId } });
  await withOwnerConnection(office, (client) =>
    eventually("deletion", async () => (await client.query("select from tenant_copy where id = $1 and is_deleted", [tenantId])).rowCount === 1),
  );
}

test("createCharge refuses a lease whose tenant was deleted", async () => {
  const tenancy = await aTenancy(office);
  await deleteTenantOf(tenancy);
  const body = { leaseId: tenancy.leaseId, amountCents: 500, dueDate: "2026-01-01", chargeType: "damage" as const };
  const { status, body: response } = await office.attempt("createCharge", { body });
  expect([status, response.errors?.[0]]).toMatchObject([400, { path: "leaseId", code: "not_found" }]);
});

test("reversePayment charges no fee to a deleted tenant", async () => {
  const tenancy = await aTenancy(office);
  const chargeId = await aCharge(office, tenancy.leaseId, 600);
  const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, 600), allocations: [{ chargeId, amountCents: 600 }] } });
  await deleteTenantOf(tenancy);
  const reverse = (body: object) => office.attempt("reversePayment", { params: { id: payment.id }, body: { reason: "nsf", ...body } });
  const refused = await reverse({ nsfFeeCents: 2_500 });
  expect([refused.status, refused.body.errors?.[0]]).toMatchObject([400, { path: "nsfFeeCents", code: "not_found" }]);
  expect((await reverse({})).body.charges.map(({ chargeType }) => chargeType)).toEqual(["rent"]);
});
