import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/office.ts";
import { eventsOf } from "../../test/behind.ts";
import { aDraft, anOwner, aPlace, unknownId } from "../../test/places.ts";

const office = await anOffice();
const stranger = await anOffice();
const place = await aPlace(office);
const about = { entityType: "property" as const, entityId: place.propertyId, visibility: "organization_only" as const };
const write = async (body: string) => (await office.call("createNote", { body: { ...about, body } })).note;

describe("createNote", () => {
  test("answers the note under its author's name", async () => {
    const note = await write("Roof is new");
    expect(note).toMatchObject({ ...about, body: "Roof is new", createdByUserId: office.userId, createdByUser: { id: office.userId, fullName: "Ada Admin" } });
    expect(await eventsOf(office, note.id)).toMatchObject([{ type: "note.created", data: { entityType: "property", entityId: place.propertyId } }]);
    expect((await office.call("getProperty", { params: { id: place.propertyId } })).notes[0]).toEqual(note);
  });

  test("writes about everything there is", async () => {
    const [owner, lease, { vendor }] = await Promise.all([anOwner(office), aDraft(office, place), office.call("createVendor", { body: { name: "Pipes" } })]);
    const there = { property: place.propertyId, unit: place.unitId, tenant: place.tenantId, owner: owner.id, lease: lease.id, vendor: vendor.id };
    for (const [entityType, entityId] of Object.entries(there)) {
      const { note } = await office.call("createNote", { body: { ...about, entityType: entityType as "unit", entityId, body: "A note" } });
      expect(note).toMatchObject({ entityType, entityId });
    }
    expect((await office.call("getLease", { params: { id: lease.id } })).notes).toHaveLength(1);
    expect((await office.call("getTenant", { params: { id: place.tenantId } })).notes).toHaveLength(1);
  });

  test.each([
    ["nothing", { body: "  " }, "body", "too_short"],
    ["4001 characters", { body: "x".repeat(4001) }, "body", "too_long"],
    ["about a thing of another kind", { entityType: "unit" }, "entityId", "not_found"],
    ["about nothing there is", { entityId: unknownId() }, "entityId", "not_found"],
    ["about a work order", { entityType: "work_order" }, "entityId", "not_found"],
    ["about a planet", { entityType: "planet" }, "entityType", "enum"],
    ["for everybody's eyes", { visibility: "public" }, "visibility", "enum"],
    ["without saying for whom", { visibility: undefined }, "visibility", "required"],
  ])("refuses a note of %s", async (_, terms, path, code) => {
    const { status, body } = await office.attempt("createNote", { body: { ...about, body: "A note", ...terms } as never });
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("takes 4000 characters, from staff as well, and nothing about another organization", async () => {
    const staff = await office.colleague("staff");
    expect((await staff.call("createNote", { body: { ...about, body: "x".repeat(4000) } })).note.body).toHaveLength(4000);
    expect((await stranger.attempt("createNote", { body: { ...about, body: "A note" } })).body.errors).toMatchObject([{ path: "entityId", code: "not_found" }]);
  });
});

describe("listNotes", () => {
  test("answers the notes about one thing, newest first", async () => {
    const mine = { ...about, entityType: "unit" as const, entityId: place.unitId };
    for (const body of ["First", "Second"]) await office.call("createNote", { body: { ...mine, body } });
    const { notes } = await office.call("listNotes", { query: { entityType: "unit", entityId: place.unitId } });
    expect(notes.slice(0, 2).map(({ body }) => body)).toEqual(["Second", "First"]);
    expect((await stranger.call("listNotes", { query: { entityType: "unit", entityId: place.unitId } })).total).toBe(0);
    expect((await office.attempt("listNotes", { query: { entityType: "unit" } })).body.errors).toMatchObject([{ path: "entityId", code: "required" }]);
  });
});
