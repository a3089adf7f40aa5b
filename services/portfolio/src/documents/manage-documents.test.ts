import { describe, expect, test } from "@jest/globals";
import { localDateOf } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import type { Client, Request } from "../../../../test/support/client.ts";
import { anOffice } from "../../../../test/support/office.ts";
import { findOutboxEvents } from "../../test/database.ts";
import { startReplica } from "../../test/replica.ts";
import { aPdf, aPng, findStoredFiles } from "../../test/files.ts";
import { aLease, anOwner, createLeaseReferences, currentDate, aProperty, aTenant, aVendor, unknownId } from "../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const references = await createLeaseReferences(office);
const entity = { entityType: "property" as const, entityId: references.propertyId };

type UploadFields = Partial<NonNullable<Request<"uploadDocument">["body"]>>;
const upload = async (fields: UploadFields = {}, client: Client = office) =>
  (await client.call("uploadDocument", { body: { file: aPdf(), ...entity, ...fields } })).document;

describe("listDocuments", () => {
  test("filters, searches and sorts", async () => {
    const newOffice = await anOffice();
    const [one, other] = [await aProperty(newOffice), await aProperty(newOffice)];
    const contract = await upload({ entityId: one.id, file: aPdf("lease.pdf", 2_000), category: "lease", title: "Contract" }, newOffice);
    const photo = await upload({ entityId: other.id, file: aPng("door.png"), category: "photo", visibility: "owner_shared", title: "A door" }, newOffice);
    const ids = async (query: Record<string, string>) => (await newOffice.call("listDocuments", { query })).documents.map(({ id }) => id);
    expect(await ids({})).toEqual([photo.id, contract.id]);
    expect(await ids({ sortBy: "sizeBytes", sortDirection: "desc" })).toEqual([contract.id, photo.id]);
    expect(await ids({ sortBy: "title", sortDirection: "asc" })).toEqual([photo.id, contract.id]);
    expect(await ids({ entityId: one.id })).toEqual([contract.id]);
    expect(await ids({ entityType: "unit,tenant" })).toEqual([]);
    expect(await ids({ category: "lease,tax" })).toEqual([contract.id]);
    expect(await ids({ visibility: "owner_shared" })).toEqual([photo.id]);
    expect(await ids({ search: "contract" })).toEqual([contract.id]);
    expect(await ids({ search: "door.p" })).toEqual([photo.id]);
    expect(await ids({ search: "%" })).toEqual([]);
    expect(await ids({ uploadedByUserId: unknownId() })).toEqual([]);
    const [firstDay, lastDay] = [contract, photo].map(({ createdAt }) => localDateOf(createdAt, "America/New_York")) as [string, string];
    expect(await ids({ createdAfter: firstDay, createdBefore: lastDay })).toEqual([photo.id, contract.id]);
    expect(await ids({ createdAfter: addDays(lastDay, 1) })).toEqual([]);
    expect(await ids({ createdBefore: addDays(firstDay, -1) })).toEqual([]);
    expect((await newOffice.call("listDocuments", { query: { pageSize: 1, page: 2 } })).documents).toEqual([contract]);
  });

  test("includes deleted documents for admins but not for staff", async () => {
    const newOffice = await anOffice();
    const property = await aProperty(newOffice);
    const { id } = await upload({ entityId: property.id }, newOffice);
    await newOffice.call("deleteDocument", { params: { id } });
    expect((await newOffice.call("listDocuments")).total).toBe(0);
    expect((await newOffice.call("listDocuments", { query: { includeDeleted: true } })).documents).toMatchObject([{ id, deletedAt: expect.any(String) }]);
    expect((await (await newOffice.colleague("staff")).attempt("listDocuments", { query: { includeDeleted: true } })).status).toBe(403);
  });
});

describe("listPropertyDocuments", () => {
  test("returns the documents that are attached to the property, with the filters of all documents", async () => {
    const newOffice = await anOffice();
    const { propertyId, unitId } = await createLeaseReferences(newOffice);
    const [deed, photo] = [
      await upload({ entityId: propertyId, category: "lease" }, newOffice),
      await upload({ entityId: propertyId, category: "photo" }, newOffice),
    ];
    await upload({ entityType: "unit", entityId: unitId }, newOffice);
    await upload({ entityId: (await aProperty(newOffice)).id }, newOffice);
    const request = { params: { id: propertyId } };
    expect(await newOffice.call("listPropertyDocuments", request)).toMatchObject({ documents: [photo, deed], page: 1, total: 2 });
    expect((await newOffice.call("listPropertyDocuments", { ...request, query: { category: "lease" } })).documents).toEqual([deed]);
    expect((await (await newOffice.colleague("staff")).call("listPropertyDocuments", request)).total).toBe(2);
    expect((await otherOffice.attempt("listPropertyDocuments", request)).status).toBe(404);
  });
});

describe("updateDocument", () => {
  test("updates only the members that are sent, never the file", async () => {
    const document = await upload({ title: "Draft" });
    const staff = await office.colleague("staff");
    const changed = await staff.attempt("updateDocument", { params: { id: document.id }, body: { title: "Final", category: "notice" } });
    expect(changed.body.document).toEqual({ ...document, title: "Final", category: "notice", version: 2, updatedAt: changed.body.document.updatedAt });
    expect(changed.headers.get("etag")).toBe('"2"');
    expect((await findOutboxEvents(office, document.id)).map(({ type }) => type)).toEqual(["document.created", "document.updated"]);
  });

  test.each([
    ["another file", { file: "a" }, "file", "unrecognized_key"],
    ["another entity", { entityId: unknownId() }, "entityId", "unrecognized_key"],
    ["a null title", { title: null }, "title", "type"],
    ["a title of 161 characters", { title: "x".repeat(161) }, "title", "too_long"],
  ])("rejects %s", async (_, body, path, code) => {
    const { id } = await upload();
    const response = await office.attempt("updateDocument", { params: { id }, body: body as never });
    expect([response.status, response.body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("accepts one of two concurrent updates of the same version", async () => {
    const { id } = await upload();
    const headers = { "If-Match": '"1"' };
    const responses = await Promise.all(["One", "Other"].map((title) => office.attempt("updateDocument", { params: { id }, body: { title }, headers })));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412]);
  });
});

describe("deleteDocument", () => {
  test("removes the file, its download and its links; one of several concurrent deletions succeeds", async () => {
    const newOffice = await anOffice();
    const property = await aProperty(newOffice);
    const { id } = await upload({ entityId: property.id }, newOffice);
    const { url } = await newOffice.call("createDocumentLink", { params: { id }, body: { expiresInSeconds: 60 } });
    const responses = await Promise.all([1, 2, 3].map(() => newOffice.attempt("deleteDocument", { params: { id } })));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404]);
    expect(responses.find(({ status }) => status === 200)!.body.document).toMatchObject({ id, version: 2, deletedAt: expect.any(String) });
    expect(await findStoredFiles(newOffice.organizationId)).toEqual([]);
    const path = new URL(url).pathname;
    for (const deletedPath of [`/api/documents/${id}`, `/api/documents/${id}/download`, path])
      expect((await newOffice.raw("GET", deletedPath)).status).toBe(404);
    expect((await newOffice.attempt("createDocumentLink", { params: { id }, body: { expiresInSeconds: 60 } })).status).toBe(404);
    expect((await findOutboxEvents(newOffice, id)).map(({ type }) => type)).toEqual(["document.created", "document.deleted"]);
  });

  test("is allowed for managers but not for staff", async () => {
    const { id } = await upload();
    const [staff, manager] = await Promise.all([office.colleague("staff"), office.colleague("manager")]);
    expect((await staff.attempt("deleteDocument", { params: { id } })).status).toBe(403);
    expect((await manager.attempt("deleteDocument", { params: { id } })).status).toBe(200);
  });
});

describe("shared documents", () => {
  test("can be read only by portal users they are shared with and whose own records they are about", async () => {
    const lease = await aLease(office, references);
    const [otherReferences, neighbour, owner, vendor] = await Promise.all([createLeaseReferences(office), aTenant(office), anOwner(office), aVendor(office)]);
    await office.call("updateProperty", { params: { id: references.propertyId }, body: { ownerIds: [owner.id] } });
    const { workOrder } = await office.call("createWorkOrder", { body: { propertyId: references.propertyId, title: "Fix the tap", vendorId: vendor.id } });
    const portalUsers = {
      tenant: await office.tenantUser(references.tenantId),
      neighbour: await office.tenantUser(neighbour.id),
      owner: await office.ownerUser(owner.id),
      vendor: await office.vendorUser(vendor.id),
    };
    const expected: [UploadFields, (keyof typeof portalUsers)[]][] = [
      [{ entityType: "lease", entityId: lease.id, visibility: "tenant_shared" }, ["tenant"]],
      [{ entityType: "unit", entityId: references.unitId, visibility: "tenant_vendor_shared" }, ["tenant"]],
      [{ visibility: "tenant_shared" }, ["tenant"]],
      [{ visibility: "owner_shared" }, ["owner"]],
      [{ entityType: "lease", entityId: lease.id, visibility: "owner_shared" }, ["owner"]],
      [{ entityType: "tenant", entityId: references.tenantId, visibility: "tenant_shared" }, ["tenant"]],
      [{ entityType: "vendor", entityId: vendor.id, visibility: "vendor_shared" }, ["vendor"]],
      [{ entityType: "work_order", entityId: workOrder.id, visibility: "vendor_shared" }, ["vendor"]],
      [{ entityType: "property", entityId: otherReferences.propertyId, visibility: "tenant_shared" }, []],
      [{ entityType: "property", entityId: otherReferences.propertyId, visibility: "owner_shared" }, []],
      [{ entityType: "lease", entityId: lease.id, visibility: "organization_only" }, []],
      [{ entityType: "organization", entityId: office.organizationId, visibility: "tenant_shared" }, []],
    ];
    for (const [fields, readers] of expected) {
      const { id } = await upload(fields);
      const actualReaders = await Promise.all(
        Object.entries(portalUsers).map(async ([name, user]) => {
          const [read, download] = await Promise.all([user.attempt("getDocument", { params: { id } }), user.raw("GET", `/api/documents/${id}/download`)]);
          expect([name, download.status]).toEqual([name, read.status]);
          return read.status === 200 ? [name] : [];
        }),
      );
      expect([fields, actualReaders.flat()]).toEqual([fields, readers]);
    }
  });

  test("return 404 to another organization", async () => {
    const { id } = await upload({ visibility: "tenant_shared" });
    for (const path of [`/api/documents/${id}`, `/api/documents/${id}/download`]) expect((await otherOffice.raw("GET", path)).status).toBe(404);
    expect((await otherOffice.attempt("createDocumentLink", { params: { id }, body: { expiresInSeconds: 60 } })).status).toBe(404);
  });
});

describe("without a file store", () => {
  test("documents can be read, and operations on files return 503", async () => {
    const { id } = await upload();
    const replica = await startReplica(office, { reachable: "nothing" });
    try {
      expect((await replica.request("GET", `/api/documents/${id}`)).status).toBe(200);
      for (const [method, path] of [
        ["POST", "/api/documents"],
        ["GET", `/api/documents/${id}/download`],
      ] as const)
        expect(await replica.request(method, path)).toMatchObject({ status: 503, body: { code: "not_configured" } });
    } finally {
      await replica.stop();
    }
  });
});

describe("the audience of document events", () => {
  test("includes the tenants, vendors and owners who have access to the document, or had it before its visibility changed", async () => {
    const [ownReferences, vendor, owner] = [await createLeaseReferences(office), await aVendor(office), await anOwner(office)];
    const { tenantId, propertyId } = ownReferences;
    const lease = await aLease(office, ownReferences);
    await office.call("replaceOwnership", {
      params: { id: propertyId },
      body: { effectiveDate: currentDate(), shares: [{ ownerId: owner.id, shareBps: 10_000 }] },
    });
    const audiencesOf = async (id: string) =>
      (await findOutboxEvents(office, id)).map(({ type, audience: { tenantIds, vendorIds, ownerIds } }) => [type, ...tenantIds, ...vendorIds, ...ownerIds]);
    const shared = await upload({ entityType: "lease", entityId: lease.id, visibility: "tenant_shared" });
    await office.call("updateDocument", { params: { id: shared.id }, body: { visibility: "organization_only" } });
    await office.call("deleteDocument", { params: { id: shared.id } });
    expect(await audiencesOf(shared.id)).toEqual([["document.created", tenantId], ["document.updated", tenantId], ["document.deleted"]]);
    const owned = await upload({ entityId: propertyId, visibility: "owner_shared" });
    expect(await audiencesOf(owned.id)).toEqual([["document.created", owner.id]]);
    const sent = await upload({ entityType: "vendor", entityId: vendor.id, visibility: "vendor_shared" });
    expect(await audiencesOf(sent.id)).toEqual([["document.created", vendor.id]]);
  });
});
