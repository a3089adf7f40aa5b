/** Access of co-tenants to a renewed lease, after they left the tenancy with its renewal. */
import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";
import { findOutboxEvents, queryRows } from "../../test/database.ts";
import { aPdf } from "../../test/files.ts";
import { aLease, aTenant, createLeaseReferences, currentDate, inDays } from "../../test/fixtures.ts";

const office = await anOffice();
const activate = (id: string) => office.call("activateLease", { params: { id }, body: {} });
const share = async (leaseId: string) =>
  (await office.call("uploadDocument", { body: { file: aPdf(), entityType: "lease", entityId: leaseId, visibility: "tenant_shared" } })).document.id;

/** Creates a lease with a co-tenant and a document shared some days ago, and drafts its renewal, which starts today. */
async function aRenewal() {
  const [references, coTenant] = [await createLeaseReferences(office), await aTenant(office)];
  const terms = { termType: "month_to_month", endDate: undefined, startDate: inDays(-200), createRecurringRent: false } as const;
  const lease = await aLease(office, references, { ...terms, occupants: [{ tenantId: coTenant.id, role: "co_tenant" }] });
  const document = await share(lease.id);
  await queryRows(office.organizationId, "update document set shared_with_tenants_at = now() - interval '9 days' where id = $1", [document]);
  const { lease: renewal } = await office.call("renewLease", { params: { id: lease.id }, body: { startDate: currentDate(), endDate: inDays(364) } });
  const params = { id: renewal.occupants.find(({ tenantId }) => tenantId === coTenant.id)!.id };
  const [user, stayingUser] = [await office.tenantUser(coTenant.id), await office.tenantUser(references.tenantId)];
  return { leaseId: lease.id, renewalId: renewal.id, params, document, user, stayingUser, tenantId: references.tenantId };
}

const read = async (user: Awaited<ReturnType<typeof aRenewal>>["user"]) => {
  const [{ leases }, { documents }] = [await user.call("listTenantPortalLeases"), await user.call("listTenantPortalDocuments", { query: { pageSize: 100 } })];
  return { leases: leases.map(({ id }) => id).toSorted(), documents: documents.map(({ id }) => id).toSorted() };
};
const sorted = (...ids: string[]) => ids.toSorted();

describe("a co-tenant", () => {
  test.each([
    [
      "who is not taken over into the renewal",
      async ({ params, renewalId }: Awaited<ReturnType<typeof aRenewal>>) => {
        await office.call("deleteOccupant", { params });
        await activate(renewalId);
      },
    ],
    [
      "who is released from the renewal",
      async ({ params, renewalId }: Awaited<ReturnType<typeof aRenewal>>) => {
        await activate(renewalId);
        await office.call("releaseOccupant", { params, body: { releasedOn: currentDate() } });
      },
    ],
  ])("%s reads of the former lease what was shared until then, and the one who stays reads all", async (_, leave) => {
    const renewal = await aRenewal();
    const { leaseId, renewalId, document, user, stayingUser, tenantId } = renewal;
    expect(await read(user)).toEqual({ leases: [leaseId], documents: [document] });
    await leave(renewal);
    const later = await share(leaseId);
    expect(await read(user)).toEqual({ leases: [], documents: [document] });
    expect((await user.attempt("getTenantPortalLease", { params: { id: leaseId } })).status).toBe(404);
    expect(await read(stayingUser)).toEqual({ leases: sorted(leaseId, renewalId), documents: sorted(document, later) });
    const { note } = await office.call("createNote", {
      body: { entityType: "lease", entityId: leaseId, visibility: "tenant_shared", body: "The deposit moved." },
    });
    expect((await findOutboxEvents(office, note.id)).map(({ audience }) => audience.tenantIds)).toEqual([[tenantId]]);
  });

  test("who leaves with a renewal in the future reads the lease until then", async () => {
    const [references, coTenant] = [await createLeaseReferences(office), await aTenant(office)];
    const lease = await aLease(office, references, { endDate: inDays(30), occupants: [{ tenantId: coTenant.id, role: "co_tenant" }] });
    const { lease: renewal } = await office.call("renewLease", { params: { id: lease.id }, body: { startDate: inDays(31), endDate: inDays(400) } });
    await office.call("deleteOccupant", { params: { id: renewal.occupants.find(({ tenantId }) => tenantId === coTenant.id)!.id } });
    await activate(renewal.id);
    const document = await share(lease.id);
    expect(await read(await office.tenantUser(coTenant.id))).toEqual({ leases: [lease.id], documents: [document] });
  });
});
