import { describe, expect, test } from "@jest/globals";
import type { Client, Request as Asked } from "../../../../test/support/client.ts";
import { anOffice } from "../../../../test/support/office.ts";
import { findOutboxEvents } from "../../test/database.ts";
import { startReplica } from "../../test/replica.ts";
import { aPdf, aPng, findStoredFiles } from "../../test/files.ts";
import { aLease, anOwner, createLeaseReferences, aProperty, aTenant, aVendor, inDays, currentDate, unknownId } from "../../test/fixtures.ts";

const office = await anOffice();
const stranger = await anOffice();
const place = await createLeaseReferences(office);
const about = { entityType: "property" as const, entityId: place.propertyId };

type Terms = Partial<NonNullable<Asked<"uploadDocument">["body"]>>;
const upload = async (terms: Terms = {}, client: Client = office) =>
  (await client.call("uploadDocument", { body: { file: aPdf(), ...about, ...terms } })).document;

describe("listDocuments", () => {
  test("filters, searches and sorts", async () => {
    const mine = await anOffice();
    const [one, other] = [await aProperty(mine), await aProperty(mine)];
    const big = await upload({ entityId: one.id, file: aPdf("lease.pdf", 2_000), category: "lease", title: "Contract" }, mine);
    const small = await upload({ entityId: other.id, file: aPng("door.png"), category: "photo", visibility: "owner_shared", title: "A door" }, mine);
    const ids = async (query: Record<string, string>) => (await mine.call("listDocuments", { query })).documents.map(({ id }) => id);
    expect(await ids({})).toEqual([small.id, big.id]);
    expect(await ids({ sortBy: "sizeBytes" })).toEqual([big.id, small.id]);
    expect(await ids({ sortBy: "title", sortDirection: "asc" })).toEqual([small.id, big.id]);
    expect(await ids({ entityId: one.id })).toEqual([big.id]);
    expect(await ids({ entityType: "unit,tenant" })).toEqual([]);
    expect(await ids({ category: "lease,tax" })).toEqual([big.id]);
    expect(await ids({ visibility: "owner_shared" })).toEqual([small.id]);
    expect(await ids({ search: "contract" })).toEqual([big.id]);
    expect(await ids({ search: "door.p" })).toEqual([small.id]);
    expect(await ids({ search: "%" })).toEqual([]);
    expect(await ids({ uploadedByUserId: unknownId() })).toEqual([]);
    expect(await ids({ createdAfter: currentDate(), createdBefore: currentDate() })).toEqual([small.id, big.id]);
    expect(await ids({ createdAfter: inDays(1) })).toEqual([]);
    expect(await ids({ createdBefore: inDays(-1) })).toEqual([]);
    expect((await mine.call("listDocuments", { query: { pageSize: 1, page: 2 } })).documents).toEqual([big]);
  });

  test("includes deleted ones for admins and managers only", async () => {
    const mine = await anOffice();
    const property = await aProperty(mine);
    const { id } = await upload({ entityId: property.id }, mine);
    await mine.call("deleteDocument", { params: { id } });
    expect((await mine.call("listDocuments")).total).toBe(0);
    expect((await mine.call("listDocuments", { query: { includeDeleted: true } })).documents).toMatchObject([{ id, deletedAt: expect.any(String) }]);
    expect((await (await mine.colleague("staff")).attempt("listDocuments", { query: { includeDeleted: true } })).status).toBe(403);
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
    ["no title", { title: null }, "title", "type"],
    ["a title of 161 characters", { title: "x".repeat(161) }, "title", "too_long"],
  ])("rejects %s", async (_, body, path, code) => {
    const { id } = await upload();
    const answer = await office.attempt("updateDocument", { params: { id }, body: body as never });
    expect([answer.status, answer.body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("accepts one of two concurrent updates of the same version", async () => {
    const { id } = await upload();
    const headers = { "If-Match": '"1"' };
    const answers = await Promise.all(["One", "Other"].map((title) => office.attempt("updateDocument", { params: { id }, body: { title }, headers })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412]);
  });
});

describe("deleteDocument", () => {
  test("removes the file, the download and every link, once", async () => {
    const mine = await anOffice();
    const property = await aProperty(mine);
    const { id } = await upload({ entityId: property.id }, mine);
    const { url } = await mine.call("createDocumentLink", { params: { id }, body: { expiresInSeconds: 60 } });
    const answers = await Promise.all([1, 2, 3].map(() => mine.attempt("deleteDocument", { params: { id } })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404]);
    expect(answers.find(({ status }) => status === 200)!.body.document).toMatchObject({ id, version: 2, deletedAt: expect.any(String) });
    expect(await findStoredFiles(mine.organizationId)).toEqual([]);
    const path = new URL(url).pathname;
    for (const gone of [`/api/documents/${id}`, `/api/documents/${id}/download`, path]) expect((await mine.raw("GET", gone)).status).toBe(404);
    expect((await mine.attempt("createDocumentLink", { params: { id }, body: { expiresInSeconds: 60 } })).status).toBe(404);
    expect((await findOutboxEvents(mine, id)).map(({ type }) => type)).toEqual(["document.created", "document.deleted"]);
  });

  test("is allowed for managers", async () => {
    const { id } = await upload();
    const [staff, manager] = await Promise.all([office.colleague("staff"), office.colleague("manager")]);
    expect((await staff.attempt("deleteDocument", { params: { id } })).status).toBe(403);
    expect((await manager.attempt("deleteDocument", { params: { id } })).status).toBe(200);
  });
});

describe("shared documents", () => {
  test("are read by the portal users they are shared with, for their own records, and by no others", async () => {
    const lease = await aLease(office, place);
    const [elsewhere, neighbour, owner, vendor] = await Promise.all([createLeaseReferences(office), aTenant(office), anOwner(office), aVendor(office)]);
    await office.call("updateProperty", { params: { id: place.propertyId }, body: { ownerIds: [owner.id] } });
    const { workOrder } = await office.call("createWorkOrder", { body: { propertyId: place.propertyId, title: "Fix the tap", vendorId: vendor.id } });
    const people = {
      tenant: await office.tenantUser(place.tenantId),
      neighbour: await office.tenantUser(neighbour.id),
      owner: await office.ownerUser(owner.id),
      vendor: await office.vendorUser(vendor.id),
    };
    const expected: [Terms, (keyof typeof people)[]][] = [
      [{ entityType: "lease", entityId: lease.id, visibility: "tenant_shared" }, ["tenant"]],
      [{ entityType: "unit", entityId: place.unitId, visibility: "tenant_vendor_shared" }, ["tenant"]],
      [{ visibility: "tenant_shared" }, ["tenant"]],
      [{ visibility: "owner_shared" }, ["owner"]],
      [{ entityType: "lease", entityId: lease.id, visibility: "owner_shared" }, ["owner"]],
      [{ entityType: "tenant", entityId: place.tenantId, visibility: "tenant_shared" }, ["tenant"]],
      [{ entityType: "vendor", entityId: vendor.id, visibility: "vendor_shared" }, ["vendor"]],
      [{ entityType: "work_order", entityId: workOrder.id, visibility: "vendor_shared" }, ["vendor"]],
      [{ entityType: "property", entityId: elsewhere.propertyId, visibility: "tenant_shared" }, []],
      [{ entityType: "property", entityId: elsewhere.propertyId, visibility: "owner_shared" }, []],
      [{ entityType: "lease", entityId: lease.id, visibility: "organization_only" }, []],
      [{ entityType: "organization", entityId: office.organizationId, visibility: "tenant_shared" }, []],
    ];
    for (const [terms, readers] of expected) {
      const { id } = await upload(terms);
      const seen = await Promise.all(
        Object.entries(people).map(async ([client, person]) => {
          const [read, sent] = await Promise.all([person.attempt("getDocument", { params: { id } }), person.raw("GET", `/api/documents/${id}/download`)]);
          expect([client, sent.status]).toEqual([client, read.status]);
          return read.status === 200 ? [client] : [];
        }),
      );
      expect([terms, seen.flat()]).toEqual([terms, readers]);
    }
  });

  test("answer 404 to another organization", async () => {
    const { id } = await upload({ visibility: "tenant_shared" });
    for (const path of [`/api/documents/${id}`, `/api/documents/${id}/download`]) expect((await stranger.raw("GET", path)).status).toBe(404);
    expect((await stranger.attempt("createDocumentLink", { params: { id }, body: { expiresInSeconds: 60 } })).status).toBe(404);
  });
});

describe("without a file store", () => {
  test("documents are listed, and operations on files answer 503", async () => {
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
