import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/office.ts";
import { findOutboxEvents, queryRows } from "../../test/database.ts";
import { address, aDraftLease, aLease, anOwner, createLeaseParties, aProperty, aUnit, inDays, currentDate, unknownId } from "../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const elm = { name: "Elm Court", ...address, units: 4, occupiedUnits: 1 };
const unit = { bathrooms: 1, bedrooms: 2, monthlyRentCents: 150_000, status: "vacant" as const };
const aCategory = async () => (await office.call("listCategories")).categories[0]!.id;

describe("createProperty", () => {
  test("answers what was sent and what was left open", async () => {
    const owner = await anOwner(office);
    const { property, notes } = await office.call("createProperty", { body: { ...elm, state: "il", ownerIds: [owner.id] } });
    expect(property).toMatchObject({
      ...elm,
      state: "IL",
      streetLine2: null,
      assetClass: "residential",
      organizationId: office.organizationId,
      ownerIds: [owner.id],
      relations: { owners: [{ id: owner.id, fullName: owner.fullName }] },
      overduePostedRentCents: 0,
      deletedAt: null,
    });
    expect(notes).toEqual([]);
    expect((await office.call("getProperty", { params: { id: property.id } })).property).toEqual(property);
  });

  test("announces the property to the office alone", async () => {
    const property = await aProperty(office);
    const [event] = await findOutboxEvents(office, property.id);
    expect(event).toMatchObject({ type: "property.created", actorUserId: office.userId, audience: { roles: ["admin", "manager", "staff"], tenantIds: [] } });
  });

  test("adds the first unit with its fee templates in the same stroke", async () => {
    const categoryId = await aCategory();
    const feeTemplates = [
      { amountCents: 2500, categoryId, label: "Pets", defaultDueDay: 5 },
      { amountCents: 1, categoryId, label: "Water" },
    ];
    const { property } = await office.call("createProperty", { body: { ...elm, units: 1, initialUnit: { ...unit, unitNumber: "1A", feeTemplates } } });
    const { units } = await office.call("listUnits", { query: { propertyId: property.id } });
    expect(units).toHaveLength(1);
    expect(units[0]).toMatchObject({ unitNumber: "1A", bedrooms: 2, bathrooms: 1, status: "vacant", propertyName: "Elm Court", unitType: "residential" });
    expect(units[0]!.feeTemplates).toMatchObject([
      { label: "Pets", amountCents: 2500, defaultDueDay: 5, kind: "fee" },
      { label: "Water", amountCents: 1, defaultDueDay: null },
    ]);
  });

  test("writes nothing when the account of a fee is not in the chart", async () => {
    const name = `Nowhere ${unknownId()}`;
    const fee = { amountCents: 1, label: "Pets" };
    const feeTemplates = [
      { ...fee, categoryId: await aCategory() },
      { ...fee, categoryId: unknownId() },
    ];
    const { status, body } = await office.attempt("createProperty", { body: { ...elm, name, initialUnit: { ...unit, feeTemplates } } });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ path: "initialUnit.feeTemplates.1.categoryId", code: "not_found" }]);
    expect((await office.call("listProperties", { query: { search: name } })).total).toBe(0);
  });

  test.each([
    ["no name", { name: "" }, "name", "too_short"],
    ["a name of 121 characters", { name: "x".repeat(121) }, "name", "too_long"],
    ["a first line of 161 characters", { streetLine1: "x".repeat(161) }, "streetLine1", "too_long"],
    ["an empty second line", { streetLine2: "" }, "streetLine2", "too_short"],
    ["a city of 121 characters", { city: "x".repeat(121) }, "city", "too_long"],
    ["a state of three letters", { state: "ILL" }, "state", "format"],
    ["a postal code of four digits", { postalCode: "6270" }, "postalCode", "format"],
    ["a postal code with a short tail", { postalCode: "62701-123" }, "postalCode", "format"],
    ["an asset class nobody knows", { assetClass: "castle" }, "assetClass", "enum"],
    ["no unit at all", { units: 0 }, "units", "min"],
    ["half a unit", { units: 1.5 }, "units", "type"],
    ["more occupied units than units", { units: 2, occupiedUnits: 3 }, "occupiedUnits", "max"],
    ["an owner named twice", { ownerIds: [office.userId, office.userId] }, "ownerIds", "unique"],
    ["a first unit without bedrooms", { initialUnit: { ...unit, bedrooms: undefined } }, "initialUnit.bedrooms", "required"],
    ["half a bathroom", { initialUnit: { ...unit, bathrooms: 1.5 } }, "initialUnit.bathrooms", "type"],
    ["no rent", { initialUnit: { ...unit, monthlyRentCents: 0 } }, "initialUnit.monthlyRentCents", "min"],
    ["a unit number of 33 characters", { initialUnit: { ...unit, unitNumber: "x".repeat(33) } }, "initialUnit.unitNumber", "too_long"],
    ["a member nobody knows", { colour: "red" }, "colour", "unrecognized_key"],
  ])("refuses %s", async (_, terms, path, code) => {
    const { status, body } = await office.attempt("createProperty", { body: { ...elm, ...terms } as never });
    expect(status).toBe(400);
    expect(body.errors).toEqual(expect.arrayContaining([expect.objectContaining({ path, code })]));
  });

  test.each([
    ["a name of 120 characters", { name: "x".repeat(120) }],
    ["a postal code with a tail", { postalCode: "62701-1234" }],
    ["a second line", { streetLine2: "Floor 2" }],
    ["every unit occupied", { units: 3, occupiedUnits: 3 }],
    ["a unit number of 32 characters", { initialUnit: { ...unit, unitNumber: "x".repeat(32) } }],
    ["a first unit without a number", { initialUnit: { ...unit, unitNumber: null } }],
  ])("takes %s", async (_, terms) => {
    expect((await office.attempt("createProperty", { body: { ...elm, ...terms } })).status).toBe(200);
  });

  test("refuses owners that the organization does not have, by their place", async () => {
    const [mine, foreign] = await Promise.all([anOwner(office), anOwner(otherOffice)]);
    const { status, body } = await office.attempt("createProperty", { body: { ...elm, ownerIds: [mine.id, foreign.id, unknownId()] } });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([
      { path: "ownerIds.1", code: "not_found" },
      { path: "ownerIds.2", code: "not_found" },
    ]);
  });

  test("never leaves a property with an owner who is deleted at the same moment", async () => {
    const attempts = Array.from({ length: 10 }, async () => {
      const owner = await anOwner(office);
      const [created, deleted] = await Promise.all([
        office.attempt("createProperty", { body: { ...elm, ownerIds: [owner.id] } }),
        office.attempt("deleteOwner", { params: { id: owner.id } }),
      ]);
      expect([
        [200, 409],
        [400, 200],
      ]).toContainEqual([created.status, deleted.status]);
    });
    await Promise.all(attempts);
  });

  test("is repeated without a second effect under one Idempotency-Key", async () => {
    const headers = { "Idempotency-Key": unknownId() };
    const first = await office.attempt("createProperty", { body: elm, headers });
    const again = await office.attempt("createProperty", { body: elm, headers });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    const other = await office.attempt("createProperty", { body: { ...elm, name: "Oak Court" }, headers });
    expect([other.status, other.body.code]).toEqual([409, "idempotency_key_reused"]);
  });

  test("is for admins and managers", async () => {
    const [manager, staff] = await Promise.all([office.colleague("manager"), office.colleague("staff")]);
    expect((await manager.attempt("createProperty", { body: elm })).status).toBe(200);
    expect((await staff.attempt("createProperty", { body: elm })).status).toBe(403);
    expect((await staff.attempt("listProperties")).status).toBe(200);
  });
});

describe("getProperty", () => {
  test("counts units and who lives there once there are unit rows", async () => {
    const property = await aProperty(office, { units: 1, occupiedUnits: 1 });
    const seen = async () => {
      const { property: now } = await office.call("getProperty", { params: { id: property.id } });
      return [now.units, now.occupiedUnits];
    };
    expect(await seen()).toEqual([1, 1]);
    const parties = await createLeaseParties(office);
    const [first] = await Promise.all([aUnit(office, property.id, { unitNumber: "1" }), aUnit(office, property.id, { unitNumber: "2" })]);
    expect(await seen()).toEqual([2, 0]);
    await aLease(office, { propertyId: property.id, unitId: first.id, tenantId: parties.tenantId });
    expect(await seen()).toEqual([2, 1]);
  });

  test("does not know another organization's property", async () => {
    const property = await aProperty(otherOffice);
    expect((await office.attempt("getProperty", { params: { id: property.id } })).status).toBe(404);
    expect((await office.attempt("getProperty", { params: { id: "elm" } })).body.errors).toMatchObject([{ path: "id" }]);
  });
});

describe("updateProperty", () => {
  test("changes what is sent and nothing else", async () => {
    const owner = await anOwner(office);
    const property = await aProperty(office, { ownerIds: [owner.id], streetLine2: "Floor 2" });
    const { property: changed } = await office.call("updateProperty", { params: { id: property.id }, body: { streetLine2: null, reserveCents: 50_000 } });
    expect(changed).toEqual({ ...property, streetLine2: null, reserveCents: 50_000, updatedAt: changed.updatedAt });
  });

  test("checks the property as a whole, not what was sent of it", async () => {
    const property = await aProperty(office, { units: 5, occupiedUnits: 3 });
    const attempt = (body: object) => office.attempt("updateProperty", { params: { id: property.id }, body });
    expect((await attempt({ units: 2 })).body.errors).toMatchObject([{ path: "occupiedUnits", code: "max" }]);
    expect((await attempt({ occupiedUnits: 6 })).body.errors).toMatchObject([{ path: "occupiedUnits", code: "max" }]);
    expect((await attempt({ units: 2, occupiedUnits: 2 })).status).toBe(200);
    expect((await attempt({ managementStartDate: "2024-02-29", managementEndDate: "2024-02-28" })).body.errors).toMatchObject([{ code: "before_start" }]);
    expect((await attempt({ operatingBankAccountId: unknownId() })).body.errors).toMatchObject([{ path: "operatingBankAccountId", code: "not_found" }]);
  });

  test("never leaves more occupied units than units, however many change it at once", async () => {
    const property = await aProperty(office, { units: 10, occupiedUnits: 5 });
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        office.attempt("updateProperty", { params: { id: property.id }, body: n % 2 ? { units: 5 + (n % 5) } : { occupiedUnits: 5 + (n % 6) } }),
      ),
    );
    const { property: after } = await office.call("getProperty", { params: { id: property.id } });
    expect(after.occupiedUnits).toBeLessThanOrEqual(after.units);
  });

  test("replaces the owners in the order that is given", async () => {
    const [a, b, c] = await Promise.all([anOwner(office), anOwner(office), anOwner(office)]);
    const property = await aProperty(office, { ownerIds: [a.id, b.id] });
    const { property: changed } = await office.call("updateProperty", { params: { id: property.id }, body: { ownerIds: [c.id, a.id] } });
    expect(changed.ownerIds).toEqual([c.id, a.id]);
  });

  test("refuses a change of what has changed since it was read", async () => {
    const property = await aProperty(office);
    const { headers } = await office.attempt("getProperty", { params: { id: property.id } });
    const change = () =>
      office.attempt("updateProperty", { params: { id: property.id }, body: { name: "Oak" }, headers: { "If-Match": headers.get("ETag")! } });
    expect((await change()).status).toBe(200);
    expect((await change()).status).toBe(412);
  });
});

describe("deleteProperty", () => {
  test("is refused while a lease is active, and takes the units and drafts with it after that", async () => {
    const parties = await createLeaseParties(office);
    const params = { id: parties.propertyId };
    const lease = await aLease(office, parties, { rentCents: 0, createRecurringRent: false });
    const draft = await aDraftLease(office, parties);
    expect((await office.attempt("deleteProperty", { params })).body.code).toBe("resource_in_use");
    await office.call("terminateLease", { params: { id: lease.id }, body: { terminationDate: currentDate(), finalRent: "none" } });
    const { property } = await office.call("deleteProperty", { params });
    expect(property.deletedAt).not.toBeNull();
    expect((await office.attempt("deleteProperty", { params })).status).toBe(404);
    expect((await office.attempt("getUnit", { params: { id: parties.unitId } })).status).toBe(404);
    expect((await office.call("getLease", { params: { id: draft.id } })).lease.status).toBe("cancelled");
    expect((await findOutboxEvents(office, parties.propertyId)).at(-1)!.type).toBe("property.deleted");
  });

  test("is refused while money is open on a lease that has ended", async () => {
    const parties = await createLeaseParties(office);
    const params = { id: parties.propertyId };
    const lease = await aLease(office, parties, { rentCents: 0, createRecurringRent: false });
    const { charge } = await office.call("createCharge", { body: { leaseId: lease.id, amountCents: 700, dueDate: inDays(-1), chargeType: "rent" } });
    await office.call("terminateLease", { params: { id: lease.id }, body: { terminationDate: currentDate(), finalRent: "none" } });
    expect((await office.call("getProperty", { params })).property.overduePostedRentCents).toBe(700);
    expect((await office.call("getLease", { params: { id: lease.id } })).lease).toMatchObject({ balanceCents: 700, overduePostedRentCents: 700 });
    expect((await office.call("getTenant", { params: { id: parties.tenantId } })).tenant.balanceCents).toBe(700);
    const { status, body } = await office.attempt("deleteProperty", { params });
    expect([status, body.code]).toEqual([409, "resource_in_use"]);
    await office.call("voidCharge", { params: { id: charge.id }, body: { reason: "Waived" } });
    expect((await office.attempt("deleteProperty", { params })).status).toBe(200);
  });

  test("is refused for a pending lease as well", async () => {
    const parties = await createLeaseParties(office);
    await aLease(office, parties, { startDate: inDays(1), endDate: inDays(300) });
    expect((await office.attempt("deleteProperty", { params: { id: parties.propertyId } })).status).toBe(409);
  });

  test("never leaves a live unit in a deleted property", async () => {
    const property = await aProperty(office);
    let isOver = false;
    const deleting = office.attempt("deleteProperty", { params: { id: property.id } }).finally(() => (isOver = true));
    const adding = Array.from({ length: 6 }, async () => {
      while (!isOver) await office.attempt("createUnit", { body: { propertyId: property.id, monthlyRentCents: 1 } });
    });
    const [deleted] = await Promise.all([deleting, ...adding]);
    expect(deleted.status).toBe(200);
    expect(await queryRows(office.organizationId, "select id from unit where property_id = $1 and deleted_at is null", [property.id])).toEqual([]);
  });
});

describe("listProperties", () => {
  test("filters, sorts and pages", async () => {
    const mine = await anOffice();
    const owner = await anOwner(mine);
    await aProperty(mine, { name: "Alder", city: "Peoria", units: 3, occupiedUnits: 3, ownerIds: [owner.id] });
    await aProperty(mine, { name: "Birch", assetClass: "commercial", units: 2 });
    await aProperty(mine, { name: "100% Cedar", state: "mo", units: 1 });
    const names = async (query: Record<string, string | number | boolean>) => (await mine.call("listProperties", { query })).properties.map(({ name }) => name);
    expect(await names({})).toEqual(["100% Cedar", "Alder", "Birch"]);
    expect(await names({ sortBy: "units", sortDirection: "desc" })).toEqual(["Alder", "Birch", "100% Cedar"]);
    expect(await names({ search: "%" })).toEqual(["100% Cedar"]);
    expect(await names({ city: "peoria" })).toEqual(["Alder"]);
    expect(await names({ state: "mo" })).toEqual(["100% Cedar"]);
    expect(await names({ ownerId: owner.id })).toEqual(["Alder"]);
    expect(await names({ assetClass: "commercial" })).toEqual(["Birch"]);
    expect(await names({ hasVacancy: false })).toEqual(["Alder"]);
    expect(await mine.call("listProperties", { query: { page: 2, pageSize: 2 } })).toMatchObject({ page: 2, pageSize: 2, total: 3, totalPages: 2 });
    expect(await otherOffice.call("listProperties", { query: { search: "Alder" } })).toMatchObject({ total: 0, totalPages: 1 });
  });

  test("shows deleted ones to those who sync", async () => {
    const mine = await anOffice();
    const property = await aProperty(mine);
    await mine.call("deleteProperty", { params: { id: property.id } });
    expect((await mine.call("listProperties")).total).toBe(0);
    const synced = await mine.call("listProperties", { query: { includeDeleted: true, updatedAfter: property.updatedAt } });
    expect(synced.properties).toEqual([expect.objectContaining({ id: property.id, deletedAt: expect.any(String) })]);
  });
});
