/** Files that tenants and vendors add to their conversations in the portal. */
import { describe, expect, test } from "@jest/globals";
import { anOffice, type Colleague } from "../../../../test/support/office.ts";
import { queryRows } from "../../test/database.ts";
import { aLease, anOwner, aTenant, aVendor, createLeaseReferences, unknownId } from "../../test/fixtures.ts";

const office = await anOffice();
const references = await createLeaseReferences(office);
const [lease, vendor] = [await aLease(office, references), await aVendor(office)];
const other = await aTenant(office);
await office.call("createOccupant", { params: { leaseId: lease.id }, body: { tenantId: other.id, role: "co_tenant" } });
const owner = await office.ownerUser((await anOwner(office)).id);
const [tenantUser, otherUser] = [await office.tenantUser(references.tenantId), await office.tenantUser(other.id)];
const [vendorUser, otherVendorUser] = [await office.vendorUser(vendor.id), await office.vendorUser((await aVendor(office)).id)];

const photo = new File([Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64")], "leak.png");
const isRead = async (user: Colleague, id: string) => (await user.attempt("getDocument", { params: { id } })).status === 200;
const start = async (participantType: "tenant" | "vendor", participantId: string) =>
  (await office.call("createConversation", { body: { participantType, participantId, forceNew: true } })).conversation.id;

describe.each([
  { role: "Tenant" as const, participantId: references.tenantId, user: tenantUser, others: [otherUser, vendorUser, owner] },
  { role: "Vendor" as const, participantId: vendor.id, user: vendorUser, others: [otherVendorUser, tenantUser, owner] },
])("a file of a $role in a conversation", ({ role, participantId, user, others }) => {
  const kind = role.toLowerCase() as "tenant" | "vendor";
  const upload = (id: string, { by = user, file = photo, headers = {} } = {}) =>
    by.attempt(`upload${role}ConversationDocument`, { params: { id }, body: { file }, headers });

  test("is sent with a message, and read by the office and the sender, and by nobody else whatever its visibility", async () => {
    const id = await start(kind, participantId);
    const { status, body } = await upload(id);
    expect([status, body.document]).toMatchObject([
      200,
      { entityType: "conversation", entityId: id, contentType: "image/png", category: "photo", visibility: `${kind}_shared`, uploadedByUserId: user.userId },
    ]);
    const documentIds = [body.document.id];
    const { message } = await user.call(`send${role}ConversationMessage`, { params: { id }, body: { body: "It leaks here.", documentIds } });
    expect(message.documentIds).toEqual(documentIds);
    expect((await office.call("getConversation", { params: { id } })).messages.at(-1)!.documentIds).toEqual(documentIds);
    const answer = await office.call("sendConversationMessage", { params: { id }, body: { body: "This one?", channel: "in_app", documentIds } });
    expect(answer.message.documentIds).toEqual(documentIds);
    const readers = () => Promise.all([office, user, ...others].map((each) => isRead(each, documentIds[0]!)));
    expect(await readers()).toEqual([true, true, false, false, false]);
    const { documents } = await user.call(`list${role}PortalDocuments`, { query: { pageSize: 100 } });
    expect(documents.map((document) => document.id)).toContain(documentIds[0]);
    for (const visibility of ["tenant_vendor_shared", "owner_shared", "organization_only"] as const) {
      await office.call("updateDocument", { params: { id: documentIds[0]! }, body: { visibility } });
      expect(await readers()).toEqual([true, visibility === "tenant_vendor_shared", false, false, false]);
    }
    await office.call("updateDocument", { params: { id: documentIds[0]! }, body: { visibility: `${kind}_shared` } });
    for (const reader of others) {
      const { body: refused } = await reader.attempt("getDocument", { params: { id: documentIds[0]! } });
      expect(refused.code).toBe("not_found");
    }
  });

  test("is refused in an unknown conversation, that of another, a closed one, and as another type of file", async () => {
    const id = await start(kind, participantId);
    const page = new File(["<html><body>Hi</body></html>"], "leak.png");
    expect((await upload(unknownId())).status).toBe(404);
    expect((await upload(id, { by: others[0] })).status).toBe(404);
    expect((await upload(id, { file: page })).body.code).toBe("unsupported_file");
    await office.call("updateConversation", { params: { id }, body: { status: "closed" } });
    const closed = await upload(id);
    expect([closed.status, closed.body.code]).toEqual([409, "invalid_transition"]);
    await office.call("updateConversation", { params: { id }, body: { status: "open" } });
    const headers = { "Idempotency-Key": unknownId() };
    const [first, second] = [await upload(id, { headers }), await upload(id, { headers })];
    expect(second.body).toEqual(first.body);
    expect((await office.call("listDocuments", { query: { entityType: "conversation", entityId: id } })).total).toBe(1);
  });

  test("is refused above fifty of the last thirty days", async () => {
    const id = await start(kind, participantId);
    const { document } = (await upload(id)).body;
    await queryRows(
      office.organizationId,
      `insert into document (organization_id, id, created_at, updated_at, entity_type, entity_id, title, file_name, content_type, size_bytes, sha256, category, visibility, portal_uploader_id, portal_uploader_role)
        select organization_id, gen_random_uuid(), created_at, updated_at, entity_type, entity_id, title, file_name, content_type, 1, sha256, category, visibility, portal_uploader_id, portal_uploader_role
        from document, generate_series(1, 49) where id = $1`,
      [document.id],
    );
    const { status, body } = await upload(id);
    expect([status, body.errors]).toMatchObject([400, [{ path: "file", code: "max", message: expect.stringContaining("conversation") }]]);
    await queryRows(office.organizationId, "update document set created_at = created_at - interval '31 days' where entity_id = $1", [id]);
    expect((await upload(id)).status).toBe(200);
  });
});
