import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/office.ts";
import { findOutboxEvents } from "../../../test/database.ts";
import { aDraftLease, aLease, createLeaseParties, aProperty, aTenant, aUnit, inDays, currentDate, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const property = await aProperty(office);
const read = async (id: string) => (await office.call("getUnit", { params: { id } })).unit;

describe("createUnit", () => {
  test("answers what was sent and what was left open", async () => {
    const terms = {
      unitNumber: "12B",
      unitType: "commercial" as const,
      bedrooms: 0,
      bathrooms: 1.5,
      squareFeet: 640,
      floor: -1,
      marketRentCents: 0,
      amenities: ["Dishwasher"],
    };
    const unit = await aUnit(office, property.id, { ...terms, availableFrom: "2028-02-29", notes: "South side" });
    expect(unit).toMatchObject({
      ...terms,
      availableFrom: "2028-02-29",
      notes: "South side",
      status: "vacant",
      propertyName: "Elm Court",
      currentLeaseId: null,
      feeTemplates: [],
    });
    expect(await read(unit.id)).toEqual(unit);
    expect(await findOutboxEvents(office, unit.id)).toMatchObject([{ type: "unit.created", data: { propertyId: property.id } }]);
    const plain = await aUnit(office, property.id);
    expect(plain).toMatchObject({ unitNumber: null, unitType: "residential", bedrooms: null, amenities: [], notes: null });
  });

  test("keeps amenities to the letter, whatever a database would read into them", async () => {
    const amenities = ["null", 'A "loft"', "Gas, water\n\tand heat", "\\n", "{}", "Café ☕"];
    const unit = await aUnit(office, property.id, { amenities });
    expect([unit.amenities, (await read(unit.id)).amenities]).toEqual([amenities, amenities]);
  });

  test("refuses a number that the property has, whatever the case", async () => {
    await aUnit(office, property.id, { unitNumber: "7a" });
    const { status, body } = await office.attempt("createUnit", { body: { propertyId: property.id, monthlyRentCents: 1, unitNumber: "7A" } });
    expect([status, body.code, body.errors]).toMatchObject([409, "duplicate", [{ path: "unitNumber", code: "unique" }]]);
    const other = await aProperty(office);
    expect((await aUnit(office, other.id, { unitNumber: "7A" })).unitNumber).toBe("7A");
  });

  test("gives a number to one of many who ask for it at once", async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => office.attempt("createUnit", { body: { propertyId: property.id, monthlyRentCents: 1, unitNumber: "Race" } })),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(19);
  });

  test("takes several units without a number: a blank one is none", async () => {
    const units = await Promise.all([
      aUnit(office, property.id, { unitNumber: " " }),
      aUnit(office, property.id, { unitNumber: "" }),
      aUnit(office, property.id, { unitNumber: null }),
    ]);
    expect(units.map(({ unitNumber }) => unitNumber)).toEqual([null, null, null]);
  });

  test.each([
    ["an unknown property", { propertyId: unknownId() }, "propertyId", "not_found"],
    ["no rent", { monthlyRentCents: undefined }, "monthlyRentCents", "required"],
    ["a rent of nothing", { monthlyRentCents: 0 }, "monthlyRentCents", "min"],
    ["a rent beyond what is counted exactly", { monthlyRentCents: 2 ** 53 }, "monthlyRentCents", "max"],
    ["a third of a bathroom", { bathrooms: 1.3 }, "bathrooms", "format"],
    ["101 bedrooms", { bedrooms: 101 }, "bedrooms", "max"],
    ["a number of 33 characters", { unitNumber: "x".repeat(33) }, "unitNumber", "too_long"],
    ["an unknown type", { unitType: "castle" }, "unitType", "enum"],
    ["a fee without an account", { feeTemplates: [{ amountCents: 1, label: "Pets" }] }, "feeTemplates.0.categoryId", "required"],
    ["a fee with an unknown account", { feeTemplates: [{ amountCents: 1, label: "Pets", categoryId: unknownId() }] }, "feeTemplates.0.categoryId", "not_found"],
    [
      "a fee due on day 32",
      { feeTemplates: [{ amountCents: 1, label: "Pets", categoryId: unknownId(), defaultDueDay: 32 }] },
      "feeTemplates.0.defaultDueDay",
      "max",
    ],
    ["a member nobody knows", { colour: "red" }, "colour", "unrecognized_key"],
  ])("refuses %s", async (_, terms, path, code) => {
    const { status, body } = await office.attempt("createUnit", { body: { propertyId: property.id, monthlyRentCents: 1, ...terms } as never });
    expect(status).toBe(400);
    expect(body.errors).toEqual(expect.arrayContaining([expect.objectContaining({ path, code })]));
  });

  test("refuses another organization's property, and staff", async () => {
    const foreign = await aProperty(otherOffice);
    const body = { propertyId: foreign.id, monthlyRentCents: 1 };
    expect((await office.attempt("createUnit", { body })).body.errors).toMatchObject([{ path: "propertyId", code: "not_found" }]);
    const staff = await office.colleague("staff");
    expect((await staff.attempt("createUnit", { body: { ...body, propertyId: property.id } })).status).toBe(403);
  });
});

describe("getUnit", () => {
  test("keeps the declared status until the unit is let, and maintenance always", async () => {
    const parties = await createLeaseParties(office);
    const change = (status: "occupied" | "maintenance" | "vacant") => office.call("updateUnit", { params: { id: parties.unitId }, body: { status } });
    await change("occupied");
    await aDraftLease(office, parties);
    expect((await read(parties.unitId)).status).toBe("occupied");
    await aLease(office, parties, { startDate: inDays(2), endDate: inDays(3) });
    expect((await read(parties.unitId)).status).toBe("vacant");
    await aLease(office, parties, { startDate: inDays(-2), endDate: inDays(1) });
    expect((await read(parties.unitId)).status).toBe("occupied");
    await change("maintenance");
    expect((await read(parties.unitId)).status).toBe("maintenance");
  });

  test("is vacant while nobody has moved in, and while only a guarantor stands behind the lease", async () => {
    const parties = await createLeaseParties(office);
    const guarantor = await aTenant(office);
    await aLease(office, parties, { moveInDate: inDays(1), occupants: [{ tenantId: guarantor.id, role: "guarantor", moveInDate: inDays(-1) }] });
    expect(await read(parties.unitId)).toMatchObject({ status: "vacant", currentLeaseId: expect.any(String) });
  });

  test("does not know another organization's unit", async () => {
    const { unitId } = await createLeaseParties(otherOffice);
    expect((await office.attempt("getUnit", { params: { id: unitId } })).status).toBe(404);
    expect((await office.attempt("updateUnit", { params: { id: unitId }, body: { floor: 1 } })).status).toBe(404);
  });
});

describe("updateUnit", () => {
  test("changes what is sent and nothing else", async () => {
    const unit = await aUnit(office, property.id, { unitNumber: "90", bedrooms: 2, notes: "South side" });
    const { unit: changed } = await office.call("updateUnit", { params: { id: unit.id }, body: { notes: null, bathrooms: 2 } });
    expect(changed).toEqual({ ...unit, notes: null, bathrooms: 2, updatedAt: changed.updatedAt });
    expect((await findOutboxEvents(office, unit.id)).map(({ type }) => type)).toEqual(["unit.created", "unit.updated"]);
  });

  test("refuses a number that is taken, and an old version", async () => {
    await aUnit(office, property.id, { unitNumber: "91" });
    const unit = await aUnit(office, property.id, { unitNumber: "92" });
    const params = { id: unit.id };
    expect((await office.attempt("updateUnit", { params, body: { unitNumber: "91" } })).body.code).toBe("duplicate");
    expect((await office.attempt("updateUnit", { params, body: { floor: 1 }, headers: { "If-Match": '"7"' } })).body.code).toBe("version_conflict");
    expect((await office.attempt("updateUnit", { params, body: { propertyId: unknownId() } as never })).body.errors).toMatchObject([
      { code: "unrecognized_key" },
    ]);
  });
});

describe("listUnits", () => {
  test("filters and sorts", async () => {
    const mine = await anOffice();
    const [elm, oak, tenant] = await Promise.all([aProperty(mine, { name: "Elm" }), aProperty(mine, { name: "Oak" }), aTenant(mine)]);
    const first = await aUnit(mine, elm.id, { unitNumber: "1", bedrooms: 3, monthlyRentCents: 5 });
    await aUnit(mine, oak.id, { unitNumber: "2", unitType: "storage", monthlyRentCents: 9 });
    await aUnit(mine, oak.id, { unitNumber: "3", status: "maintenance", monthlyRentCents: 7 });
    await aLease(mine, { propertyId: elm.id, unitId: first.id, tenantId: tenant.id }, { endDate: inDays(30) });
    const numbers = async (query: Record<string, string | number>) => (await mine.call("listUnits", { query })).units.map(({ unitNumber }) => unitNumber);
    expect(await numbers({})).toEqual(["1", "2", "3"]);
    expect(await numbers({ sortBy: "monthlyRentCents", sortDirection: "desc" })).toEqual(["2", "3", "1"]);
    expect(await numbers({ sortBy: "status" })).toEqual(["3", "1", "2"]);
    expect(await numbers({ search: "oak" })).toEqual(["2", "3"]);
    expect(await numbers({ propertyId: elm.id })).toEqual(["1"]);
    expect(await numbers({ status: "occupied,maintenance" })).toEqual(["1", "3"]);
    expect(await numbers({ unitType: "storage" })).toEqual(["2"]);
    expect(await numbers({ bedroomsMin: 3 })).toEqual(["1"]);
    expect(await numbers({ vacantAsOf: currentDate() })).toEqual(["2", "3"]);
    expect(await numbers({ vacantAsOf: inDays(30) })).toEqual(["2", "3"]);
    expect((await mine.attempt("listUnits", { query: { status: "haunted" } })).status).toBe(400);
  });
});

describe("createUnits", () => {
  const many = (...numbers: (string | null)[]) => numbers.map((unitNumber) => ({ unitNumber, monthlyRentCents: 100_000 }));

  test("creates up to 200 units in the order that is given", async () => {
    const parties = await aProperty(office);
    const numbers = Array.from({ length: 200 }, (_, index) => String(index + 1));
    const { units, errors } = await office.call("createUnits", { body: { propertyId: parties.id, units: many(...numbers) } });
    expect([units.map(({ unitNumber }) => unitNumber), errors]).toEqual([numbers, []]);
    expect((await office.call("listPropertyUnits", { params: { id: parties.id } })).total).toBe(200);
    const tooMany = { propertyId: parties.id, units: many(...numbers, "201") };
    expect((await office.attempt("createUnits", { body: tooMany })).body.errors).toMatchObject([{ path: "units", code: "too_long" }]);
    expect((await office.attempt("createUnits", { body: { propertyId: parties.id, units: [] } })).body.errors).toMatchObject([
      { path: "units", code: "too_short" },
    ]);
  });

  test("creates none when one cannot be, and names each that cannot", async () => {
    const parties = await aProperty(office);
    await aUnit(office, parties.id, { unitNumber: "A1" });
    const body = { propertyId: parties.id, units: many("a1", "B", "b", null, null) };
    const { status, body: refused } = await office.attempt("createUnits", { body });
    expect([status, refused.code]).toEqual([409, "duplicate"]);
    expect(refused.errors).toMatchObject([
      { path: "units.0.unitNumber", code: "unique" },
      { path: "units.2.unitNumber", code: "unique" },
    ]);
    expect((await office.call("listPropertyUnits", { params: { id: parties.id } })).total).toBe(1);
  });

  test("with partial creates those that can be, and says why the others cannot", async () => {
    const parties = await aProperty(office);
    await aUnit(office, parties.id, { unitNumber: "A1" });
    const body = { propertyId: parties.id, units: many("a1", "B", "b"), partial: true };
    const { units, errors } = await office.call("createUnits", { body });
    expect(units.map(({ unitNumber }) => unitNumber)).toEqual(["B"]);
    expect(errors).toMatchObject([
      { index: 0, errors: [{ path: "unitNumber", code: "unique" }] },
      { index: 2, errors: [{ path: "unitNumber", code: "unique" }] },
    ]);
  });

  test("of the same numbers twice at once is created once", async () => {
    const parties = await aProperty(office);
    const body = { propertyId: parties.id, units: many("1", "2", "3") };
    const responses = await Promise.all([office.attempt("createUnits", { body }), office.attempt("createUnits", { body })]);
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect((await office.call("listPropertyUnits", { params: { id: parties.id } })).total).toBe(3);
  });

  test("refuses a property of somebody else, and a row of the wrong shape by its place", async () => {
    const foreign = await aProperty(otherOffice);
    expect((await office.attempt("createUnits", { body: { propertyId: foreign.id, units: many("1") } })).body.errors).toMatchObject([
      { path: "propertyId", code: "not_found" },
    ]);
    const withoutAccount = { monthlyRentCents: 1, feeTemplates: [{ label: "Parking", amountCents: 1, categoryId: unknownId() }] };
    const named = await office.attempt("createUnits", { body: { propertyId: property.id, units: [...many("1"), withoutAccount], partial: true } });
    expect(named.body.errors).toMatchObject([{ path: "units.1.feeTemplates.0.categoryId", code: "not_found" }]);
    const wrong = { propertyId: property.id, units: [...many("1"), { unitNumber: "2" }] };
    expect((await office.attempt("createUnits", { body: wrong as never })).body.errors).toMatchObject([{ path: "units.1.monthlyRentCents", code: "required" }]);
  });
});

describe("deleteUnit", () => {
  test("happens once, frees the number, and cancels drafts for the unit", async () => {
    const parties = await createLeaseParties(office);
    const draft = await aDraftLease(office, parties);
    const params = { id: parties.unitId };
    const responses = await Promise.all([office.attempt("deleteUnit", { params }), office.attempt("deleteUnit", { params })]);
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
    expect((await office.attempt("getUnit", { params })).status).toBe(404);
    expect((await office.call("getLease", { params: { id: draft.id } })).lease.status).toBe("cancelled");
    expect((await findOutboxEvents(office, draft.id)).at(-1)).toMatchObject({ type: "lease.updated", data: { status: "cancelled" } });
    expect((await findOutboxEvents(office, parties.unitId)).at(-1)).toMatchObject({ type: "unit.deleted", data: { propertyId: parties.propertyId } });
  });

  test("is refused while it is let or worked on", async () => {
    const [let_, worked] = await Promise.all([createLeaseParties(office), createLeaseParties(office)]);
    await aLease(office, let_);
    await office.call("createWorkOrder", { body: { propertyId: worked.propertyId, unitId: worked.unitId, title: "Leaking tap" } });
    for (const id of [let_.unitId, worked.unitId]) expect((await office.attempt("deleteUnit", { params: { id } })).body.code).toBe("resource_in_use");
  });

  test("does not race a lease that is activated", async () => {
    const parties = await createLeaseParties(office);
    const draft = await aDraftLease(office, parties);
    const [removed, activated] = await Promise.all([
      office.attempt("deleteUnit", { params: { id: parties.unitId } }),
      office.attempt("activateLease", { params: { id: draft.id }, body: {} }),
    ]);
    expect([removed.status, activated.status].toSorted((a, b) => a - b)).toEqual([200, 409]);
  });
});

describe("fee templates of a unit", () => {
  test("are added, changed and removed one by one", async () => {
    const unit = await aUnit(office, property.id);
    const { categories } = await office.call("listCategories");
    const categoryId = categories.find(({ code }) => code === "4010")!.id;
    const add = async (label: string) =>
      (await office.call("createUnitFeeTemplate", { params: { unitId: unit.id }, body: { label, amountCents: 500, categoryId } })).feeTemplate;
    const [parking, pets] = [await add("Parking"), await add("Pets")];
    expect(parking).toMatchObject({ unitId: unit.id, label: "Parking", amountCents: 500, defaultDueDay: null, kind: "fee" });
    const { feeTemplate: changed } = await office.call("updateUnitFeeTemplate", { params: { id: parking.id }, body: { amountCents: 700, defaultDueDay: 31 } });
    expect(changed).toEqual({ ...parking, amountCents: 700, defaultDueDay: 31, updatedAt: changed.updatedAt });
    expect((await office.call("getUnit", { params: { id: unit.id } })).unit.feeTemplates).toEqual([changed, pets]);
    await office.call("deleteUnitFeeTemplate", { params: { id: parking.id } });
    expect((await office.call("listUnitFeeTemplates", { params: { unitId: unit.id } })).feeTemplates).toEqual([pets]);
    expect((await office.attempt("deleteUnitFeeTemplate", { params: { id: parking.id } })).status).toBe(404);
    expect((await findOutboxEvents(office, unit.id)).filter(({ type }) => type === "unit.updated")).toHaveLength(4);
  });

  test("are refused by name: an account that does not exist, a day that no month has, a stranger's unit", async () => {
    const unit = await aUnit(office, property.id);
    const terms = { label: "Parking", amountCents: 500, categoryId: unknownId() };
    const attempt = (change: object, unitId = unit.id) => office.attempt("createUnitFeeTemplate", { params: { unitId }, body: { ...terms, ...change } });
    expect((await attempt({})).body.errors).toMatchObject([{ path: "categoryId", code: "not_found" }]);
    expect((await attempt({ defaultDueDay: 32 })).body.errors).toMatchObject([{ path: "defaultDueDay", code: "max" }]);
    expect((await attempt({ amountCents: 0 })).body.errors).toMatchObject([{ path: "amountCents", code: "min" }]);
    const foreign = await aUnit(otherOffice, (await aProperty(otherOffice)).id);
    expect((await office.attempt("listUnitFeeTemplates", { params: { unitId: foreign.id } })).status).toBe(404);
  });
});
