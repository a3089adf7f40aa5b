import { expect, test } from "@jest/globals";
import { anOffice, type Colleague } from "../../../../test/support/office.ts";
import { queryRows } from "../../test/database.ts";
import { aLease, aVendor, createLeaseReferences } from "../../test/fixtures.ts";

const office = await anOffice();
const references = await createLeaseReferences(office);
const lease = await aLease(office, references);
const [tenant, vendor] = [await office.tenantUser(references.tenantId), await aVendor(office)];
const vendorUser = await office.vendorUser(vendor.id);

async function aRequest(): Promise<string> {
  const { workOrder } = await tenant.call("createMaintenanceRequest", { body: { title: "The tap drips", description: "In the kitchen.", leaseId: lease.id } });
  return workOrder.id;
}
const upload = (id: string) =>
  tenant.attempt("uploadMaintenanceRequestDocument", { params: { id }, body: { file: new File(["A leak.\n"], "leak.txt"), title: "The leak" } });
const isRead = async (user: Colleague, id: string) => (await user.attempt("getDocument", { params: { id } })).status === 200;

test("a tenant's upload that the office shares with the vendor is read by the vendor", async () => {
  const id = await aRequest();
  await office.call("assignWorkOrder", { params: { id }, body: { vendorId: vendor.id } });
  const { document } = (await upload(id)).body;
  expect([await isRead(tenant, document.id), await isRead(vendorUser, document.id)]).toEqual([true, false]);
  await office.call("updateDocument", { params: { id: document.id }, body: { visibility: "vendor_shared" } });
  expect([await isRead(tenant, document.id), await isRead(vendorUser, document.id)]).toEqual([false, true]);
});

test("the limits count the files of a person that the office has deleted or hidden, and the bytes of all work orders", async () => {
  const [id, other] = [await aRequest(), await aRequest()];
  const { document } = (await upload(id)).body;
  await office.call("deleteDocument", { params: { id: document.id } });
  await queryRows(office.organizationId, "update document set size_bytes = 262144000 where id = $1", [document.id]);
  const { status, body } = await upload(other);
  expect([status, body.errors]).toMatchObject([400, [{ path: "file", code: "max", message: expect.stringContaining("250 MiB") }]]);
  await queryRows(office.organizationId, "update document set created_at = created_at - interval '31 days' where id = $1", [document.id]);
  expect((await upload(other)).status).toBe(200);
});

test("uploads of a person to several work orders at the same time do not exceed the limit together", async () => {
  const another = await aLease(office, await createLeaseReferences(office));
  const person = await office.tenantUser(another.tenantId);
  const createRequest = () =>
    person.call("createMaintenanceRequest", { body: { title: "The tap drips", description: "In the kitchen.", leaseId: another.id } });
  const ids = (await Promise.all(Array.from({ length: 7 }, createRequest))).map(({ workOrder }) => workOrder.id);
  const uploadTo = (id: string) =>
    person.attempt("uploadMaintenanceRequestDocument", { params: { id }, body: { file: new File(["A leak.\n"], "leak.txt"), title: "The leak" } });
  const { document } = (await uploadTo(ids[0]!)).body;
  // Room for one more file of eight bytes.
  await queryRows(office.organizationId, "update document set size_bytes = 262143992 where id = $1", [document.id]);
  const responses = await Promise.all(ids.slice(1).map(uploadTo));
  expect(responses.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 400, 400, 400, 400, 400]);
});
