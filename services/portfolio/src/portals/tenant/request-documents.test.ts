/** Documents that tenants add to new maintenance requests. */
import { expect, test } from "@jest/globals";
import { anOffice, type Colleague } from "../../../../../test/support/office.ts";
import { queryRows } from "../../../test/database.ts";
import { aPdf, aPng, findIncomingFiles, findStoredFiles } from "../../../test/files.ts";
import { aLease, aTenant, aVendor, createLeaseReferences, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const references = await createLeaseReferences(office);
const [lease, other] = [await aLease(office, references), await aTenant(office)];
await office.call("createOccupant", { params: { leaseId: lease.id }, body: { tenantId: other.id, role: "co_tenant" } });
const [tenant, coTenant] = [await office.tenantUser(references.tenantId), await office.tenantUser(other.id)];
const vendor = await aVendor(office);
const vendorUser = await office.vendorUser(vendor.id);

const request = { title: "The tap drips", description: "In the kitchen." };
const attempt = (documentIds: string[], headers = {}) => tenant.attempt("createMaintenanceRequest", { body: { ...request, documentIds }, headers });
const documentsOf = async (id: string) => (await tenant.call("getMaintenanceRequest", { params: { id } })).documents;
const isRead = async (user: Colleague, id: string) => (await user.attempt("getDocument", { params: { id } })).status === 200;
const bytesOf = async (user: Colleague, id: string) => Buffer.from(await (await user.raw("GET", `/api/documents/${id}/download`)).arrayBuffer());

/** Uploads a photo to a conversation of a tenant and returns its document. */
async function aPhoto(user = tenant, participantId = references.tenantId) {
  const { conversation } = await office.call("createConversation", { body: { participantType: "tenant", participantId, forceNew: true } });
  const body = { file: aPng("leak.png"), title: "The leak" };
  return (await user.call("uploadTenantConversationDocument", { params: { id: conversation.id }, body })).document;
}
const aLeaseDocument = async (visibility: "tenant_shared" | "organization_only") =>
  (await office.call("uploadDocument", { body: { file: aPdf("rules.pdf"), entityType: "lease", entityId: lease.id, visibility } })).document;

test("a request has copies of the tenant's documents, which the office and the tenant read, and the vendor once the office shares them", async () => {
  const [photo, rules] = [await aPhoto(), await aLeaseDocument("tenant_shared")];
  const { workOrder } = (await attempt([photo.id, rules.id, photo.id])).body;
  const documents = await documentsOf(workOrder.id);
  expect(documents.toReversed()).toMatchObject(
    [photo, rules].map(({ title, fileName, contentType, sizeBytes, sha256, category }) => ({
      title,
      fileName,
      contentType,
      sizeBytes,
      sha256,
      category,
      entityType: "work_order",
      entityId: workOrder.id,
      visibility: "tenant_shared",
      uploadedByUserId: tenant.userId,
    })),
  );
  expect((await office.call("getWorkOrder", { params: { id: workOrder.id } })).documents.map(({ id }) => id)).toEqual(documents.map(({ id }) => id));
  const copy = documents.find(({ sha256 }) => sha256 === photo.sha256)!;
  const content = await bytesOf(tenant, photo.id);
  await office.call("deleteDocument", { params: { id: photo.id } });
  expect([await bytesOf(tenant, copy.id), await bytesOf(office, copy.id)]).toEqual([content, content]);
  await office.call("assignWorkOrder", { params: { id: workOrder.id }, body: { vendorId: vendor.id } });
  expect([await isRead(vendorUser, copy.id), await isRead(coTenant, copy.id)]).toEqual([false, false]);
  await office.call("updateDocument", { params: { id: copy.id }, body: { visibility: "tenant_vendor_shared" } });
  expect([await isRead(vendorUser, copy.id), await isRead(tenant, copy.id)]).toEqual([true, true]);
});

test("a request is refused with a document that the tenant does not read, and leaves neither a work order nor files", async () => {
  const [own, unread] = [await aPhoto(), [await aPhoto(coTenant, other.id), await aLeaseDocument("organization_only"), { id: unknownId() }]];
  const count = async () => [(await tenant.call("listMaintenanceRequests")).total, (await findStoredFiles(office.organizationId)).length];
  const before = await count();
  for (const { id } of unread) {
    const { status, body } = await attempt([own.id, id]);
    expect([status, body.errors]).toMatchObject([400, [{ path: "documentIds.1", code: "not_found" }]]);
  }
  const { body } = await attempt(Array.from({ length: 21 }, () => own.id));
  expect(body.errors).toMatchObject([{ path: "documentIds", code: "too_long" }]);
  expect(await count()).toEqual(before);
  expect(await findIncomingFiles(await bytesOf(tenant, own.id))).toEqual([]);
});

test("a request that is repeated under its Idempotency-Key has its copies once, also when the document was deleted meanwhile", async () => {
  const photo = await aPhoto();
  const before = (await findStoredFiles(office.organizationId)).length;
  const headers = { "Idempotency-Key": unknownId() };
  const responses = [await attempt([photo.id], headers), await attempt([photo.id], headers)];
  await queryRows(office.organizationId, "update document set deleted_at = now() where id = $1", [photo.id]);
  responses.push(await attempt([photo.id], headers));
  expect(responses.map(({ status, body }) => [status, body])).toEqual(responses.map(() => [200, responses[0]!.body]));
  expect([(await documentsOf(responses[0]!.body.workOrder.id)).length, (await findStoredFiles(office.organizationId)).length]).toEqual([1, before + 1]);
});

test("the copies count towards the bytes that a tenant uploads in thirty days", async () => {
  const references = await createLeaseReferences(office);
  await aLease(office, references);
  const user = await office.tenantUser(references.tenantId);
  const photo = await aPhoto(user, references.tenantId);
  const create = () => user.attempt("createMaintenanceRequest", { body: { ...request, documentIds: [photo.id] } });
  // Room for one copy.
  await queryRows(office.organizationId, "update document set size_bytes = $2::bigint where id = $1", [photo.id, 262_144_000 / 2]);
  const before = (await findStoredFiles(office.organizationId)).length;
  const responses = [await create(), await create()];
  expect(responses.map(({ status }) => status)).toEqual([200, 400]);
  expect(responses[1]!.body.errors).toMatchObject([{ path: "documentIds", code: "max", message: expect.stringContaining("250 MiB") }]);
  expect((await findStoredFiles(office.organizationId)).length).toBe(before + 1);
});
