import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents } from "../../../test/database.ts";
import { aDraftLease, aLease, anOwner, createLeaseReferences, aTenant, aVendor, aWorkOrder, inDays, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const stranger = await anOffice();
const place = await createLeaseReferences(office);
const about = { entityType: "property" as const, entityId: place.propertyId, visibility: "organization_only" as const };
const write = async (body: string) => (await office.call("createNote", { body: { ...about, body } })).note;

describe("createNote", () => {
  test("returns the note with its author", async () => {
    const note = await write("Roof is new");
    expect(note).toMatchObject({ ...about, body: "Roof is new", createdByUserId: office.userId, createdByUser: { id: office.userId, fullName: "Ada Admin" } });
    expect(await findOutboxEvents(office, note.id)).toMatchObject([{ type: "note.created", data: { entityType: "property", entityId: place.propertyId } }]);
    expect((await office.call("getProperty", { params: { id: place.propertyId } })).notes[0]).toEqual(note);
  });

  test("accepts every entity type", async () => {
    const [owner, lease, { vendor }] = await Promise.all([
      anOwner(office),
      aDraftLease(office, place),
      office.call("createVendor", { body: { name: "Pipes" } }),
    ]);
    const workOrder = await aWorkOrder(office, { propertyId: place.propertyId });
    const entities = {
      property: place.propertyId,
      unit: place.unitId,
      tenant: place.tenantId,
      owner: owner.id,
      lease: lease.id,
      vendor: vendor.id,
      work_order: workOrder.id,
    };
    for (const [entityType, entityId] of Object.entries(entities)) {
      const { note } = await office.call("createNote", { body: { ...about, entityType: entityType as "unit", entityId, body: "A note" } });
      expect(note).toMatchObject({ entityType, entityId });
    }
    expect((await office.call("getLease", { params: { id: lease.id } })).notes).toHaveLength(1);
    expect((await office.call("getTenant", { params: { id: place.tenantId } })).notes).toHaveLength(1);
  });

  test.each([
    ["nothing", { body: "  " }, "body", "too_short"],
    ["4001 characters", { body: "x".repeat(4001) }, "body", "too_long"],
    ["about an entity of another type", { entityType: "unit" }, "entityId", "not_found"],
    ["about an unknown entity", { entityId: unknownId() }, "entityId", "not_found"],
    ["about a work order", { entityType: "work_order" }, "entityId", "not_found"],
    ["with an unknown entityType", { entityType: "planet" }, "entityType", "enum"],
    ["with an unknown visibility", { visibility: "public" }, "visibility", "enum"],
    ["without a visibility", { visibility: undefined }, "visibility", "required"],
  ])("rejects a note of %s", async (_, terms, path, code) => {
    const { status, body } = await office.attempt("createNote", { body: { ...about, body: "A note", ...terms } as never });
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("accepts 4000 characters, also from staff, and rejects entities of another organization", async () => {
    const staff = await office.colleague("staff");
    expect((await staff.call("createNote", { body: { ...about, body: "x".repeat(4000) } })).note.body).toHaveLength(4000);
    expect((await stranger.attempt("createNote", { body: { ...about, body: "A note" } })).body.errors).toMatchObject([{ path: "entityId", code: "not_found" }]);
  });
});

describe("listNotes", () => {
  test("returns the notes of an entity, newest first", async () => {
    const mine = { ...about, entityType: "unit" as const, entityId: place.unitId };
    for (const body of ["First", "Second"]) await office.call("createNote", { body: { ...mine, body } });
    const { notes } = await office.call("listNotes", { query: { entityType: "unit", entityId: place.unitId } });
    expect(notes.slice(0, 2).map(({ body }) => body)).toEqual(["Second", "First"]);
    expect((await stranger.call("listNotes", { query: { entityType: "unit", entityId: place.unitId } })).total).toBe(0);
    expect((await office.attempt("listNotes", { query: { entityType: "unit" } })).body.errors).toMatchObject([{ path: "entityId", code: "required" }]);
  });
});

describe("updateNote", () => {
  test("updates the members that are sent", async () => {
    const note = await write("Roof is old");
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
    ["nothing", { body: " " }, "body", "too_short"],
    ["4001 characters", { body: "x".repeat(4001) }, "body", "too_long"],
    ["with an unknown visibility", { visibility: "public" }, "visibility", "enum"],
    ["about another entity", { entityId: place.unitId }, "entityId", "unrecognized_key"],
  ])("rejects a note of %s", async (_, terms, path, code) => {
    const { id } = await write("A note");
    const { status, body } = await office.attempt("updateNote", { params: { id }, body: terms as never });
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("is allowed for the author, admins and managers", async () => {
    const [author, colleague, manager] = await Promise.all([office.colleague("staff"), office.colleague("staff"), office.colleague("manager")]);
    const { note } = await author.call("createNote", { body: { ...about, body: "Mine" } });
    const attempts = [author, colleague, manager].map((client) => client.attempt("updateNote", { params: { id: note.id }, body: { body: "Changed" } }));
    expect((await Promise.all(attempts)).map(({ status, body }) => [status, body.code])).toEqual([
      [200, undefined],
      [403, "scope_forbidden"],
      [200, undefined],
    ]);
    const refused = await colleague.attempt("deleteNote", { params: { id: note.id } });
    expect([refused.status, refused.body.message]).toEqual([403, "Only its author, admins or managers can change or delete a note."]);
    expect((await author.attempt("deleteNote", { params: { id: note.id } })).status).toBe(200);
  });

  test("accepts one of two concurrent updates of the same version", async () => {
    const { id } = await write("A note");
    const headers = { "If-Match": '"1"' };
    const answers = await Promise.all(["One", "Other"].map((body) => office.attempt("updateNote", { params: { id }, body: { body }, headers })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412]);
  });
});

describe("deleteNote", () => {
  test("removes a note from lists once, but not with includeDeleted", async () => {
    const { id } = await write("Wrong");
    const answers = await Promise.all([1, 2].map(() => office.attempt("deleteNote", { params: { id } })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
    expect(answers.find(({ status }) => status === 200)!.body.note).toMatchObject({ id, deletedAt: expect.any(String) });
    expect((await office.attempt("updateNote", { params: { id }, body: { body: "Right" } })).status).toBe(404);
    const query = { entityType: "property", entityId: place.propertyId, pageSize: 100 };
    const ids = async (more: object) => (await office.call("listNotes", { query: { ...query, ...more } })).notes.map((note) => note.id);
    expect(await ids({})).not.toContain(id);
    expect(await ids({ includeDeleted: true })).toContain(id);
    expect((await office.call("getProperty", { params: { id: place.propertyId } })).notes.map((note) => note.id)).not.toContain(id);
    expect((await findOutboxEvents(office, id)).map(({ type }) => type)).toEqual(["note.created", "note.deleted"]);
  });
});

describe("a note", () => {
  test("is visible to tenants and vendors when shared, for their own records", async () => {
    const home = await createLeaseReferences(office);
    const [lease, vendor] = await Promise.all([aLease(office, home), aVendor(office)]);
    const [tenant, plumber] = await Promise.all([office.tenantUser(home.tenantId), office.vendorUser(vendor.id)]);
    const visibilitiesOf = async (client: typeof tenant, entityType: string, entityId: string) =>
      (await client.call("listNotes", { query: { entityType, entityId } })).notes.map(({ visibility }) => visibility).toSorted();
    for (const [entityType, entityId] of [
      ["lease", lease.id],
      ["property", place.propertyId],
      ["vendor", vendor.id],
    ] as const)
      for (const visibility of ["organization_only", "tenant_shared", "vendor_shared", "tenant_vendor_shared"] as const)
        await office.call("createNote", { body: { entityType, entityId, visibility, body: "A note" } });
    expect(await visibilitiesOf(tenant, "lease", lease.id)).toEqual(["tenant_shared", "tenant_vendor_shared"]);
    expect(await visibilitiesOf(tenant, "property", place.propertyId)).toEqual([]);
    expect(await visibilitiesOf(tenant, "vendor", vendor.id)).toEqual([]);
    expect(await visibilitiesOf(plumber, "vendor", vendor.id)).toEqual(["tenant_vendor_shared", "vendor_shared"]);
    expect(await visibilitiesOf(plumber, "lease", lease.id)).toEqual([]);
  });
});

describe("the audience of note events", () => {
  const audiencesOf = async (id: string) => (await findOutboxEvents(office, id)).map(({ type, audience }) => [type, audience.tenantIds, audience.vendorIds]);

  test("includes the tenants of a lease, unit or property when the note is shared with them", async () => {
    const home = await createLeaseReferences(office);
    const [coTenant, former] = await Promise.all([aTenant(office), aTenant(office)]);
    const lease = await aLease(office, home, {
      occupants: [
        { tenantId: coTenant.id, role: "co_tenant" },
        { tenantId: former.id, role: "occupant" },
      ],
    });
    const gone = lease.occupants.find(({ tenantId }) => tenantId === former.id)!;
    await office.call("releaseOccupant", { params: { id: gone.id }, body: { releasedOn: inDays(-1) } });
    const tenantsTold = async (
      entityType: "lease" | "unit" | "property",
      entityId: string,
      visibility: "tenant_shared" | "vendor_shared" | "organization_only",
    ) => {
      const { note } = await office.call("createNote", { body: { entityType, entityId, visibility, body: "A note" } });
      return (await findOutboxEvents(office, note.id))[0]!.audience.tenantIds.toSorted();
    };
    const living = [home.tenantId, coTenant.id].toSorted();
    expect(await tenantsTold("unit", home.unitId, "tenant_shared")).toEqual(living);
    expect(await tenantsTold("property", home.propertyId, "tenant_shared")).toEqual(living);
    expect(await tenantsTold("lease", lease.id, "tenant_shared")).toEqual([...living, former.id].toSorted());
    expect(await tenantsTold("lease", lease.id, "vendor_shared")).toEqual([]);
    expect(await tenantsTold("property", home.propertyId, "organization_only")).toEqual([]);
  });

  test("includes the previous audience of a visibility change, and the current audience of a deletion", async () => {
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
