import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents, queryRows } from "../../../test/database.ts";
import { anOwner, aProperty, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();

describe("createOwner", () => {
  test("returns an active owner without a portal account", async () => {
    const { owner, notes } = await office.call("createOwner", {
      body: { fullName: " Olive Owner ", email: "olive@example.com", phone: "555-0100", w9ReceivedOn: "2028-02-29" },
    });
    expect(owner).toMatchObject({
      fullName: "Olive Owner",
      phone: "555-0100",
      isActive: true,
      portalStatus: "none",
      userId: null,
      w9ReceivedOn: "2028-02-29",
      deletedAt: null,
    });
    expect(notes).toEqual([]);
    expect((await office.call("getOwner", { params: { id: owner.id } })).owner).toEqual(owner);
    expect(await findOutboxEvents(office, owner.id)).toMatchObject([{ type: "owner.created" }]);
  });

  test("accepts owners with the same e-mail address", async () => {
    const [a, b] = await Promise.all([anOwner(office), anOwner(office)]);
    expect(a.email).toBe(b.email);
  });

  test.each([
    ["no name", { fullName: " " }, "fullName", "too_short"],
    ["a name of 161 characters", { fullName: "x".repeat(161) }, "fullName", "too_long"],
    ["no e-mail address", { email: undefined }, "email", "required"],
    ["an invalid e-mail address", { email: "olive" }, "email", "format"],
    ["a phone of six digits", { phone: "555010" }, "phone", "too_short"],
    ["an unknown member", { deletedAt: null }, "deletedAt", "unrecognized_key"],
  ])("rejects %s", async (_, terms, path, code) => {
    const { status, body } = await office.attempt("createOwner", { body: { fullName: "Olive", email: "olive@example.com", ...terms } as never });
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("is forbidden to staff, who cannot delete owners either but can read them", async () => {
    const staff = await office.colleague("staff");
    const owner = await anOwner(office);
    expect((await staff.attempt("createOwner", { body: { fullName: "Olive", email: "olive@example.com" } })).status).toBe(403);
    expect((await staff.attempt("deleteOwner", { params: { id: owner.id } })).status).toBe(403);
    expect((await staff.attempt("getOwner", { params: { id: owner.id } })).status).toBe(200);
  });
});

describe("deleteOwner", () => {
  test("is rejected while the owner has a property, and succeeds once", async () => {
    const owner = await anOwner(office);
    const property = await aProperty(office, { ownerIds: [owner.id] });
    const params = { id: owner.id };
    expect((await office.attempt("deleteOwner", { params })).body.code).toBe("resource_in_use");
    await office.call("updateProperty", { params: { id: property.id }, body: { ownerIds: [] } });
    const { owner: deleted } = await office.call("deleteOwner", { params });
    expect(deleted).toMatchObject({ id: owner.id, isActive: false });
    expect(deleted.deletedAt).not.toBeNull();
    expect((await office.attempt("deleteOwner", { params })).status).toBe(404);
    expect((await office.attempt("getOwner", { params })).status).toBe(404);
    expect((await findOutboxEvents(office, owner.id)).map(({ type }) => type)).toEqual(["owner.created", "owner.deleted"]);
  });

  test("ignores deleted properties", async () => {
    const owner = await anOwner(office);
    const property = await aProperty(office, { ownerIds: [owner.id] });
    await office.call("deleteProperty", { params: { id: property.id } });
    expect((await office.attempt("deleteOwner", { params: { id: owner.id } })).status).toBe(200);
  });

  test("returns 404 for an owner of another organization and for an unknown id", async () => {
    const owner = await anOwner(otherOffice);
    expect((await office.attempt("deleteOwner", { params: { id: owner.id } })).status).toBe(404);
    expect((await office.attempt("deleteOwner", { params: { id: unknownId() } })).status).toBe(404);
    expect((await otherOffice.call("getOwner", { params: { id: owner.id } })).owner.deletedAt).toBeNull();
  });
});

describe("listOwners", () => {
  test("returns the total, also after concurrent creations and deletions", async () => {
    const newOffice = await anOffice();
    const owners = await Promise.all(Array.from({ length: 6 }, () => anOwner(newOffice)));
    const deletions = owners.slice(0, 2).map(({ id }) => newOffice.call("deleteOwner", { params: { id } }));
    await Promise.all([...deletions, anOwner(newOffice), newOffice.attempt("deleteOwner", { params: { id: owners[5]!.id }, headers: { "if-match": '"99"' } })]);
    const firstPage = await newOffice.call("listOwners", { query: { pageSize: 2 } });
    expect(firstPage).toMatchObject({ total: 5, totalPages: 3 });
    expect((await newOffice.call("listOwners", { query: { search: "owner" } })).total).toBe(5);
    expect((await newOffice.call("listOwners", { query: { includeDeleted: true } })).total).toBe(7);
  });

  test("filters and sorts, and lists deleted owners to admins but not to staff", async () => {
    const newOffice = await anOffice();
    const [zoe] = await Promise.all([
      anOwner(newOffice, { fullName: "Zoe", companyName: "Zoe & Sons" }),
      anOwner(newOffice, { fullName: "Amy", isActive: false, email: "amy@example.org" }),
    ]);
    const property = await aProperty(newOffice, { ownerIds: [zoe.id] });
    const names = async (query: Record<string, string | boolean>) => (await newOffice.call("listOwners", { query })).owners.map(({ fullName }) => fullName);
    expect(await names({})).toEqual(["Amy", "Zoe"]);
    expect(await names({ sortDirection: "desc" })).toEqual(["Zoe", "Amy"]);
    expect(await names({ search: "sons" })).toEqual(["Zoe"]);
    expect(await names({ search: ".org" })).toEqual(["Amy"]);
    expect(await names({ isActive: true })).toEqual(["Zoe"]);
    expect(await names({ propertyId: property.id })).toEqual(["Zoe"]);
    await newOffice.call("updateProperty", { params: { id: property.id }, body: { ownerIds: [] } });
    await newOffice.call("deleteOwner", { params: { id: zoe.id } });
    expect(await names({})).toEqual(["Amy"]);
    expect(await names({ includeDeleted: true })).toEqual(["Amy", "Zoe"]);
    const staff = await newOffice.colleague("staff");
    expect((await staff.attempt("listOwners", { query: { includeDeleted: true } })).body.code).toBe("scope_forbidden");
  });
});

describe("updateOwner", () => {
  test("updates only the members that are sent", async () => {
    const owner = await anOwner(office, { phone: "555-0100", companyName: "Olive & Co" });
    const { owner: changed, notes } = await office.call("updateOwner", { params: { id: owner.id }, body: { phone: null, payoutMethod: "ach" } });
    expect(changed).toEqual({ ...owner, phone: null, payoutMethod: "ach", updatedAt: changed.updatedAt });
    expect(notes).toEqual([]);
    expect((await findOutboxEvents(office, owner.id)).map(({ type }) => type)).toEqual(["owner.created", "owner.updated"]);
  });

  test("rejects an If-Match of another version, another organization, staff and a null name", async () => {
    const owner = await anOwner(office);
    const params = { id: owner.id };
    expect((await office.attempt("updateOwner", { params, body: { phone: null }, headers: { "If-Match": '"7"' } })).body.code).toBe("version_conflict");
    expect((await otherOffice.attempt("updateOwner", { params, body: { phone: null } })).status).toBe(404);
    expect((await (await office.colleague("staff")).attempt("updateOwner", { params, body: { phone: null } })).status).toBe(403);
    expect((await office.attempt("updateOwner", { params, body: { fullName: null } as never })).body.errors).toMatchObject([{ path: "fullName" }]);
  });
});

describe("a tax id", () => {
  test("is write-only, returned as its last four digits, and stored encrypted", async () => {
    const { owner } = await office.call("createOwner", {
      body: { fullName: "Tess Taxed", email: "tess@example.com", taxIdType: "ssn", taxId: "123-45-6789" },
      headers: { "Idempotency-Key": "tess" },
    });
    expect(owner).toMatchObject({ taxIdType: "ssn", taxIdLast4: "6789" });
    const [ownerRow] = await queryRows<{ row: string }>(office.organizationId, "select row_to_json(o)::text as row from owner o where id = $1", [owner.id]);
    const [idempotencyKeyRow] = await queryRows<{ row: string }>(
      office.organizationId,
      "select row_to_json(k)::text as row from idempotency_key k where answer like '%Tess Taxed%'",
    );
    expect(ownerRow!.row).not.toMatch(/123-?45-?6789/);
    expect(idempotencyKeyRow!.row).not.toMatch(/123-?45-?6789/);
    expect(JSON.stringify(await findOutboxEvents(office, owner.id))).not.toMatch(/123-?45-?6789|"6789"/);
    const params = { id: owner.id };
    const { owner: corrected } = await office.call("updateOwner", { params, body: { taxIdType: "ein", taxId: "98-7654321" } });
    expect(corrected).toMatchObject({ taxIdType: "ein", taxIdLast4: "4321" });
    expect((await office.attempt("updateOwner", { params, body: { taxId: "98-7654321" } })).body.errors).toMatchObject([
      { path: "taxIdType", code: "required" },
    ]);
    const { owner: cleared } = await office.call("updateOwner", { params, body: { taxIdType: null, taxId: null } });
    expect(cleared).toMatchObject({ taxIdType: null, taxIdLast4: null });
  });
});
