import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents, queryRows } from "../../../test/database.ts";
import { aDraftLease, aLease, anOwner, createLeaseReferences, aTenant, aVendor, aWorkOrder, inDays, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const references = await createLeaseReferences(office);
const noteFields = { entityType: "property" as const, entityId: references.propertyId, visibility: "organization_only" as const };
const createNote = async (body: string) => (await office.call("createNote", { body: { ...noteFields, body } })).note;

describe("createNote", () => {
  test("returns the note with its author", async () => {
    const note = await createNote("Roof is new");
    expect(note).toMatchObject({
      ...noteFields,
      body: "Roof is new",
      createdByUserId: office.userId,
      createdByUser: { id: office.userId, fullName: "Ada Admin" },
    });
    expect(await findOutboxEvents(office, note.id)).toMatchObject([
      { type: "note.created", data: { entityType: "property", entityId: references.propertyId } },
    ]);
    expect((await office.call("getProperty", { params: { id: references.propertyId } })).notes[0]).toEqual(note);
  });

  test("accepts every entity type", async () => {
    const [owner, lease, { vendor }] = await Promise.all([
      anOwner(office),
      aDraftLease(office, references),
      office.call("createVendor", { body: { name: "Pipes" } }),
    ]);
    const workOrder = await aWorkOrder(office, { propertyId: references.propertyId });
    const entities = {
      property: references.propertyId,
      unit: references.unitId,
      tenant: references.tenantId,
      owner: owner.id,
      lease: lease.id,
      vendor: vendor.id,
      work_order: workOrder.id,
    };
    for (const [entityType, entityId] of Object.entries(entities)) {
      const { note } = await office.call("createNote", { body: { ...noteFields, entityType: entityType as "unit", entityId, body: "A note" } });
      expect(note).toMatchObject({ entityType, entityId });
    }
    expect((await office.call("getLease", { params: { id: lease.id } })).notes).toHaveLength(1);
    expect((await office.call("getTenant", { params: { id: references.tenantId } })).notes).toHaveLength(1);
  });

  test.each([
    ["a blank body", { body: "  " }, "body", "too_short"],
    ["a body of 4001 characters", { body: "x".repeat(4001) }, "body", "too_long"],
    ["a property as a unit", { entityType: "unit" }, "entityId", "not_found"],
    ["an unknown entity", { entityId: unknownId() }, "entityId", "not_found"],
    ["a property as a work order", { entityType: "work_order" }, "entityId", "not_found"],
    ["an unknown entityType", { entityType: "planet" }, "entityType", "enum"],
    ["an unknown visibility", { visibility: "public" }, "visibility", "enum"],
    ["no visibility", { visibility: undefined }, "visibility", "required"],
  ])("rejects %s", async (_, fields, path, code) => {
    const { status, body } = await office.attempt("createNote", { body: { ...noteFields, body: "A note", ...fields } as never });
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("accepts 4000 characters, also from staff, and rejects entities of another organization", async () => {
    const staff = await office.colleague("staff");
    expect((await staff.call("createNote", { body: { ...noteFields, body: "x".repeat(4000) } })).note.body).toHaveLength(4000);
    expect((await otherOffice.attempt("createNote", { body: { ...noteFields, body: "A note" } })).body.errors).toMatchObject([
      { path: "entityId", code: "not_found" },
    ]);
  });
});

describe("listNotes", () => {
  test("returns the notes of an entity, newest first", async () => {
    const unitNote = { ...noteFields, entityType: "unit" as const, entityId: references.unitId };
    for (const body of ["First", "Second"]) await office.call("createNote", { body: { ...unitNote, body } });
    const { notes } = await office.call("listNotes", { query: { entityType: "unit", entityId: references.unitId } });
    expect(notes.slice(0, 2).map(({ body }) => body)).toEqual(["Second", "First"]);
    expect((await otherOffice.call("listNotes", { query: { entityType: "unit", entityId: references.unitId } })).total).toBe(0);
    expect((await office.attempt("listNotes", { query: { entityType: "unit" } })).body.errors).toMatchObject([{ path: "entityId", code: "required" }]);
  });
});

describe("updateNote", () => {
  test("updates the members that are sent", async () => {
    const note = await createNote("Roof is old");
    const { body, headers } = await office.attempt("updateNote", { params: { id: note.id }, body: { body: "Roof is new" } });
    expect(body.note).toEqual({ ...note, body: "Roof is new", updatedAt: body.note.updatedAt });
    expect(headers.get("etag")).toBe('"2"');
    expect((await office.call("updateNote", { params: { id: note.id }, body: { visibility: "vendor_shared" } })).note).toMatchObject({
      body: "Roof is new",
      visibility: "vendor_shared",
    });
    expect((await findOutboxEvents(office, note.id)).map(({ type }) => type)).toEqual(["note.created", "note.updated", "note.updated"]);
  });

  test.each([
    ["a blank body", { body: " " }, "body", "too_short"],
    ["a body of 4001 characters", { body: "x".repeat(4001) }, "body", "too_long"],
    ["an unknown visibility", { visibility: "public" }, "visibility", "enum"],
    ["another entity", { entityId: references.unitId }, "entityId", "unrecognized_key"],
  ])("rejects %s", async (_, fields, path, code) => {
    const { id } = await createNote("A note");
    const { status, body } = await office.attempt("updateNote", { params: { id }, body: fields as never });
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("is allowed for the author, admins and managers", async () => {
    const [author, colleague, manager] = await Promise.all([office.colleague("staff"), office.colleague("staff"), office.colleague("manager")]);
    const { note } = await author.call("createNote", { body: { ...noteFields, body: "Mine" } });
    const attempts = [author, colleague, manager].map((client) => client.attempt("updateNote", { params: { id: note.id }, body: { body: "Changed" } }));
    expect((await Promise.all(attempts)).map(({ status, body }) => [status, body.code])).toEqual([
      [200, undefined],
      [403, "scope_forbidden"],
      [200, undefined],
    ]);
    const rejected = await colleague.attempt("deleteNote", { params: { id: note.id } });
    expect([rejected.status, rejected.body.message]).toEqual([403, "Only its author, admins or managers can change or delete a note."]);
    expect((await author.attempt("deleteNote", { params: { id: note.id } })).status).toBe(200);
  });

  test("accepts one of two concurrent updates of the same version", async () => {
    const { id } = await createNote("A note");
    const headers = { "If-Match": '"1"' };
    const responses = await Promise.all(["One", "Other"].map((body) => office.attempt("updateNote", { params: { id }, body: { body }, headers })));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412]);
  });
});

describe("deleteNote", () => {
  test("deletes a note once; lists return it only with includeDeleted", async () => {
    const { id } = await createNote("Wrong");
    const responses = await Promise.all([1, 2].map(() => office.attempt("deleteNote", { params: { id } })));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
    expect(responses.find(({ status }) => status === 200)!.body.note).toMatchObject({ id, deletedAt: expect.any(String) });
    expect((await office.attempt("updateNote", { params: { id }, body: { body: "Right" } })).status).toBe(404);
    const query = { entityType: "property", entityId: references.propertyId, pageSize: 100 };
    const ids = async (filters: object) => (await office.call("listNotes", { query: { ...query, ...filters } })).notes.map((note) => note.id);
    expect(await ids({})).not.toContain(id);
    expect(await ids({ includeDeleted: true })).toContain(id);
    expect((await office.call("getProperty", { params: { id: references.propertyId } })).notes.map((note) => note.id)).not.toContain(id);
    expect((await findOutboxEvents(office, id)).map(({ type }) => type)).toEqual(["note.created", "note.deleted"]);
  });
});

describe("a note", () => {
  test("is visible to tenants and vendors when shared, for their own records", async () => {
    const ownReferences = await createLeaseReferences(office);
    const [lease, vendor] = await Promise.all([aLease(office, ownReferences), aVendor(office)]);
    const [tenantUser, vendorUser] = await Promise.all([office.tenantUser(ownReferences.tenantId), office.vendorUser(vendor.id)]);
    const visibilitiesOf = async (client: typeof tenantUser, entityType: string, entityId: string) =>
      (await client.call("listNotes", { query: { entityType, entityId } })).notes.map(({ visibility }) => visibility).toSorted();
    for (const [entityType, entityId] of [
      ["lease", lease.id],
      ["property", references.propertyId],
      ["vendor", vendor.id],
    ] as const)
      for (const visibility of ["organization_only", "tenant_shared", "vendor_shared", "tenant_vendor_shared"] as const)
        await office.call("createNote", { body: { entityType, entityId, visibility, body: "A note" } });
    expect(await visibilitiesOf(tenantUser, "lease", lease.id)).toEqual(["tenant_shared", "tenant_vendor_shared"]);
    expect(await visibilitiesOf(tenantUser, "property", references.propertyId)).toEqual([]);
    expect(await visibilitiesOf(tenantUser, "vendor", vendor.id)).toEqual([]);
    expect(await visibilitiesOf(vendorUser, "vendor", vendor.id)).toEqual(["tenant_vendor_shared", "vendor_shared"]);
    expect(await visibilitiesOf(vendorUser, "lease", lease.id)).toEqual([]);
  });
});

describe("a note about a lease", () => {
  test("stays readable for a released co-tenant if it was shared before the release, and is never readable for guarantors and minors", async () => {
    const ownReferences = await createLeaseReferences(office);
    const roles = ["co_tenant", "occupant", "guarantor"] as const;
    const tenants = await Promise.all(roles.map(() => aTenant(office)));
    const lease = await aLease(office, ownReferences, { occupants: roles.map((role, index) => ({ tenantId: tenants[index]!.id, role })) });
    const users = await Promise.all([ownReferences.tenantId, ...tenants.map(({ id }) => id)].map((id) => office.tenantUser(id)));
    const write = async (visibility: "tenant_shared" | "organization_only") =>
      (await office.call("createNote", { body: { entityType: "lease", entityId: lease.id, visibility, body: "A note" } })).note.id;
    const [early, late] = [await write("tenant_shared"), await write("organization_only")];
    await queryRows(office.organizationId, "update note set shared_with_tenants_at = $2 where organization_id = $1 and id = any($3)", [
      office.organizationId,
      `${inDays(-9)}T16:00:00Z`,
      [early, late],
    ]);
    const coTenant = lease.occupants.find(({ role }) => role === "co_tenant")!;
    await office.call("releaseOccupant", { params: { id: coTenant.id }, body: { releasedOn: inDays(-5) } });
    await office.call("updateNote", { params: { id: late }, body: { visibility: "tenant_shared" } });
    const read = async (user: (typeof users)[number]) =>
      (await user.call("listNotes", { query: { entityType: "lease", entityId: lease.id } })).notes.map(({ id }) => id).toSorted();
    expect(await Promise.all(users.map(read))).toEqual([[early, late].toSorted(), [early], [], []]);
    await office.call("updateNote", { params: { id: early }, body: { body: "A note", visibility: "tenant_vendor_shared" } });
    expect(await Promise.all(users.map(read))).toEqual([[early, late].toSorted(), [early], [], []]);
    await office.call("updateNote", { params: { id: early }, body: { body: "The gate code is 4711." } });
    expect(await Promise.all(users.map(read))).toEqual([[early, late].toSorted(), [], [], []]);
  });
});

test.each(["lease", "unit", "property"] as const)(
  "a note about a %s that was shared before the release of a co-tenant, also on the same day, stays readable for the co-tenant, and a later one is not",
  async (entityType) => {
    const ownReferences = await createLeaseReferences(office);
    const { id: tenantId } = await aTenant(office);
    const lease = await aLease(office, ownReferences, { occupants: [{ tenantId, role: "co_tenant" }] });
    const user = await office.tenantUser(tenantId);
    const entityId = { lease: lease.id, unit: ownReferences.unitId, property: ownReferences.propertyId }[entityType];
    const write = async () => (await office.call("createNote", { body: { entityType, entityId, visibility: "tenant_shared", body: "A note" } })).note.id;
    const read = async () => (await user.call("listNotes", { query: { entityType, entityId } })).notes.map(({ id }) => id);
    const early = await write();
    expect(await read()).toEqual([early]);
    const coTenant = lease.occupants.find(({ role }) => role === "co_tenant")!;
    await office.call("releaseOccupant", { params: { id: coTenant.id }, body: { releasedOn: inDays(0) } });
    await write();
    expect(await read()).toEqual([early]);
  },
);

describe("the audience of note events", () => {
  const audiencesOf = async (id: string) => (await findOutboxEvents(office, id)).map(({ type, audience }) => [type, audience.tenantIds, audience.vendorIds]);

  test("includes the tenants who live in a unit or at a property, and the unreleased tenants of a lease, only if the note is shared with tenants", async () => {
    const ownReferences = await createLeaseReferences(office);
    const [coTenant, released, minor, guarantor] = await Promise.all(Array.from({ length: 4 }, () => aTenant(office)));
    const lease = await aLease(office, ownReferences, {
      occupants: [
        { tenantId: coTenant!.id, role: "co_tenant" },
        { tenantId: released!.id, role: "co_tenant" },
        { tenantId: minor!.id, role: "occupant" },
        { tenantId: guarantor!.id, role: "guarantor" },
      ],
    });
    const releasedOccupant = lease.occupants.find(({ tenantId }) => tenantId === released!.id)!;
    await office.call("releaseOccupant", { params: { id: releasedOccupant.id }, body: { releasedOn: inDays(-1) } });
    const tenantAudienceOf = async (
      entityType: "lease" | "unit" | "property",
      entityId: string,
      visibility: "tenant_shared" | "vendor_shared" | "organization_only",
    ) => {
      const { note } = await office.call("createNote", { body: { entityType, entityId, visibility, body: "A note" } });
      return (await findOutboxEvents(office, note.id))[0]!.audience.tenantIds.toSorted();
    };
    const currentTenantIds = [ownReferences.tenantId, coTenant!.id].toSorted();
    expect(await tenantAudienceOf("unit", ownReferences.unitId, "tenant_shared")).toEqual(currentTenantIds);
    expect(await tenantAudienceOf("property", ownReferences.propertyId, "tenant_shared")).toEqual(currentTenantIds);
    expect(await tenantAudienceOf("lease", lease.id, "tenant_shared")).toEqual(currentTenantIds);
    expect(await tenantAudienceOf("lease", lease.id, "vendor_shared")).toEqual([]);
    expect(await tenantAudienceOf("property", ownReferences.propertyId, "organization_only")).toEqual([]);
  });

  test("includes the audiences before and after a visibility change, and the last audience of a deleted note", async () => {
    const vendor = await aVendor(office);
    const { note } = await office.call("createNote", { body: { entityType: "vendor", entityId: vendor.id, visibility: "vendor_shared", body: "A note" } });
    const params = { id: note.id };
    await office.call("updateNote", { params, body: { visibility: "organization_only" } });
    await office.call("updateNote", { params, body: { body: "Another" } });
    await office.call("updateNote", { params, body: { visibility: "tenant_vendor_shared" } });
    await office.call("deleteNote", { params });
    expect(await audiencesOf(note.id)).toEqual([
      ["note.created", [], [vendor.id]],
      ["note.updated", [], [vendor.id]],
      ["note.updated", [], []],
      ["note.updated", [], [vendor.id]],
      ["note.deleted", [], [vendor.id]],
    ]);
  });
});
