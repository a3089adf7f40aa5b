/** Minors among the occupants of a lease, who read nothing of it in the portal. */
import { expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { anOffice } from "../../../../../test/support/office.ts";
import { aLease, aTenant, createLeaseReferences } from "../../../test/fixtures.ts";

test("a co-tenant who is under age reads nothing of the lease, and one who is of age all of it", async () => {
  const office = await anOffice();
  const day = today("America/New_York");
  const bornYearsAgo = (years: number) => `${Number(day.slice(0, 4)) - years}-06-15`;
  const references = await createLeaseReferences(office);
  const [minor, adult] = [await aTenant(office, { dateOfBirth: bornYearsAgo(10) }), await aTenant(office, { dateOfBirth: bornYearsAgo(19) })];
  const occupants = [minor, adult].map(({ id }) => ({ tenantId: id, role: "co_tenant" as const }));
  const lease = await aLease(office, references, { occupants });
  await office.call("createCharge", { body: { leaseId: lease.id, amountCents: 1_000, dueDate: day, chargeType: "fee" } });
  const read = async (tenantId: string) => {
    const user = await office.tenantUser(tenantId);
    const { leases } = await user.call("listTenantPortalLeases");
    const { charges } = await user.call("listTenantPortalCharges");
    return [leases.map(({ id }) => id), charges.length > 0, (await user.attempt("getTenantPortalLease", { params: { id: lease.id } })).status];
  };
  expect(await read(minor.id)).toEqual([[], false, 404]);
  expect(await read(adult.id)).toEqual([[lease.id], true, 200]);
});
