import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents } from "../../../test/database.ts";
import { aDraftLease, aLease, createLeaseReferences, aProperty, aTenant, aUnit, inDays, currentDate, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const property = await aProperty(office);
const read = async (id: string) => (await office.call("getUnit", { params: { id } })).unit;

describe("createUnit", () => {
  test("returns the given and the default members", async () => {
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
    const minimal = await aUnit(office, property.id);
    expect(minimal).toMatchObject({ unitNumber: null, unitType: "residential", bedrooms: null, amenities: [], notes: null });
  });

  test("stores amenities with characters that are special in array literals", async () => {
    const amenities = ["null", 'A "loft"', "Gas, water\n\tand heat", "\\n", "{}", "Café ☕"];
    const unit = await aUnit(office, property.id, { amenities });
    expect([unit.amenities, (await read(unit.id)).amenities]).toEqual([amenities, amenities]);
  });

  test("refuses a unit number taken in the property, ignoring case", async () => {
    await aUnit(office, property.id, { unitNumber: "7a" });
    const { status, body } = await office.attempt("createUnit", { body: { propertyId: property.id, monthlyRentCents: 1, unitNumber: "7A" } });
    expect([status, body.code, body.errors]).toMatchObject([409, "duplicate", [{ path: "unitNumber", code: "unique" }]]);
    const otherProperty = await aProperty(office);
    expect((await aUnit(office, otherProperty.id, { unitNumber: "7A" })).unitNumber).toBe("7A");
  });

  test("creates one unit for concurrent requests with one unit number", async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => office.attempt("createUnit", { body: { propertyId: property.id, monthlyRentCents: 1, unitNumber: "Race" } })),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(19);
  });

  test("stores blank unit numbers as null, which may repeat", async () => {
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
    ["a rent of zero", { monthlyRentCents: 0 }, "monthlyRentCents", "min"],
    ["a rent above the safe integers", { monthlyRentCents: 2 ** 53 }, "monthlyRentCents", "max"],
    ["1.3 bathrooms", { bathrooms: 1.3 }, "bathrooms", "format"],
    ["101 bedrooms", { bedrooms: 101 }, "bedrooms", "max"],
    ["a unit number of 33 characters", { unitNumber: "x".repeat(33) }, "unitNumber", "too_long"],
    ["an unknown type", { unitType: "castle" }, "unitType", "enum"],
    ["a fee without an account", { feeTemplates: [{ amountCents: 1, label: "Pets" }] }, "feeTemplates.0.categoryId", "required"],
    ["a fee with an unknown account", { feeTemplates: [{ amountCents: 1, label: "Pets", categoryId: unknownId() }] }, "feeTemplates.0.categoryId", "not_found"],
    [
      "a fee due on day 32",
      { feeTemplates: [{ amountCents: 1, label: "Pets", categoryId: unknownId(), defaultDueDay: 32 }] },
      "feeTemplates.0.defaultDueDay",
      "max",
    ],
    ["an unknown member", { colour: "red" }, "colour", "unrecognized_key"],
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
  test("returns the declared status until the unit is leased, and maintenance always", async () => {
    const references = await createLeaseReferences(office);
    const setStatus = (status: "occupied" | "maintenance" | "vacant") => office.call("updateUnit", { params: { id: references.unitId }, body: { status } });
    await setStatus("occupied");
    await aDraftLease(office, references);
    expect((await read(references.unitId)).status).toBe("occupied");
    await aLease(office, references, { startDate: inDays(2), endDate: inDays(3) });
    expect((await read(references.unitId)).status).toBe("vacant");
    await aLease(office, references, { startDate: inDays(-2), endDate: inDays(1) });
    expect((await read(references.unitId)).status).toBe("occupied");
    await setStatus("maintenance");
    expect((await read(references.unitId)).status).toBe("maintenance");
  });

  test("returns vacant before the first move-in of an occupant other than a guarantor", async () => {
    const references = await createLeaseReferences(office);
    const guarantor = await aTenant(office);
    await aLease(office, references, { moveInDate: inDays(1), occupants: [{ tenantId: guarantor.id, role: "guarantor", moveInDate: inDays(-1) }] });
    expect(await read(references.unitId)).toMatchObject({ status: "vacant", currentLeaseId: expect.any(String) });
  });

  test("like updateUnit, returns 404 for a unit of another organization", async () => {
    const { unitId } = await createLeaseReferences(otherOffice);
    expect((await office.attempt("getUnit", { params: { id: unitId } })).status).toBe(404);
    expect((await office.attempt("updateUnit", { params: { id: unitId }, body: { floor: 1 } })).status).toBe(404);
  });
});

describe("updateUnit", () => {
  test("changes only the given members", async () => {
    const unit = await aUnit(office, property.id, { unitNumber: "90", bedrooms: 2, notes: "South side" });
    const { note } = await office.call("createNote", {
      body: { entityType: "unit", entityId: unit.id, body: "Painted in spring.", visibility: "organization_only" },
    });
    const { unit: changed, notes } = await office.call("updateUnit", { params: { id: unit.id }, body: { notes: null, bathrooms: 2 } });
    expect(notes).toEqual([note]);
    expect(changed).toEqual({ ...unit, notes: null, bathrooms: 2, updatedAt: changed.updatedAt });
    expect((await findOutboxEvents(office, unit.id)).map(({ type }) => type)).toEqual(["unit.created", "unit.updated"]);
  });

  test("refuses a taken unit number, an outdated If-Match and a change of the property", async () => {
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
    const listOffice = await anOffice();
    const [elm, oak, tenant] = await Promise.all([aProperty(listOffice, { name: "Elm" }), aProperty(listOffice, { name: "Oak" }), aTenant(listOffice)]);
    const first = await aUnit(listOffice, elm.id, { unitNumber: "1", bedrooms: 3, monthlyRentCents: 5 });
    await aUnit(listOffice, oak.id, { unitNumber: "2", unitType: "storage", monthlyRentCents: 9 });
    await aUnit(listOffice, oak.id, { unitNumber: "3", status: "maintenance", monthlyRentCents: 7 });
    await aLease(listOffice, { propertyId: elm.id, unitId: first.id, tenantId: tenant.id }, { endDate: inDays(30) });
    const listNumbers = async (query: Record<string, string | number>) =>
      (await listOffice.call("listUnits", { query })).units.map(({ unitNumber }) => unitNumber);
    expect(await listNumbers({})).toEqual(["1", "2", "3"]);
    expect(await listNumbers({ sortBy: "monthlyRentCents", sortDirection: "desc" })).toEqual(["2", "3", "1"]);
    expect(await listNumbers({ sortBy: "status" })).toEqual(["3", "1", "2"]);
    expect(await listNumbers({ search: "oak" })).toEqual(["2", "3"]);
    expect(await listNumbers({ propertyId: elm.id })).toEqual(["1"]);
    expect(await listNumbers({ status: "occupied,maintenance" })).toEqual(["1", "3"]);
    expect(await listNumbers({ unitType: "storage" })).toEqual(["2"]);
    expect(await listNumbers({ bedroomsMin: 3 })).toEqual(["1"]);
    expect(await listNumbers({ vacantAsOf: currentDate() })).toEqual(["2", "3"]);
    expect(await listNumbers({ vacantAsOf: inDays(30) })).toEqual(["2", "3"]);
    expect((await listOffice.attempt("listUnits", { query: { status: "haunted" } })).status).toBe(400);
  });
});

describe("createUnits", () => {
  const unitsWithNumbers = (...numbers: (string | null)[]) => numbers.map((unitNumber) => ({ unitNumber, monthlyRentCents: 100_000 }));

  test("creates up to 200 units in the given order", async () => {
    const building = await aProperty(office);
    const numbers = Array.from({ length: 200 }, (_, index) => String(index + 1));
    const { units, errors } = await office.call("createUnits", { body: { propertyId: building.id, units: unitsWithNumbers(...numbers) } });
    expect([units.map(({ unitNumber }) => unitNumber), errors]).toEqual([numbers, []]);
    expect((await office.call("listPropertyUnits", { params: { id: building.id } })).total).toBe(200);
    const tooMany = { propertyId: building.id, units: unitsWithNumbers(...numbers, "201") };
    expect((await office.attempt("createUnits", { body: tooMany })).body.errors).toMatchObject([{ path: "units", code: "too_long" }]);
    expect((await office.attempt("createUnits", { body: { propertyId: building.id, units: [] } })).body.errors).toMatchObject([
      { path: "units", code: "too_short" },
    ]);
  });

  test("creates none when one is invalid, and names each invalid one", async () => {
    const building = await aProperty(office);
    await aUnit(office, building.id, { unitNumber: "A1" });
    const body = { propertyId: building.id, units: unitsWithNumbers("a1", "B", "b", null, null) };
    const { status, body: error } = await office.attempt("createUnits", { body });
    expect([status, error.code]).toEqual([409, "duplicate"]);
    expect(error.errors).toMatchObject([
      { path: "units.0.unitNumber", code: "unique" },
      { path: "units.2.unitNumber", code: "unique" },
    ]);
    expect((await office.call("listPropertyUnits", { params: { id: building.id } })).total).toBe(1);
  });

  test("with partial creates the valid units and returns the errors of the others", async () => {
    const building = await aProperty(office);
    await aUnit(office, building.id, { unitNumber: "A1" });
    const invalid = [
      { unitNumber: "C", monthlyRentCents: 0, colour: "red" },
      { unitNumber: "D", monthlyRentCents: 1, feeTemplates: [{ label: "Parking", amountCents: 1, categoryId: unknownId() }] },
      null,
    ];
    const body = { propertyId: building.id, units: [...unitsWithNumbers("a1"), ...invalid, ...unitsWithNumbers("B", "b", "c", "d")], partial: true };
    const { units, errors } = await office.call("createUnits", { body });
    expect(units.map(({ unitNumber }) => unitNumber)).toEqual(["B", "c", "d"]);
    expect(errors).toMatchObject([
      { index: 0, errors: [{ path: "unitNumber", code: "unique" }] },
      {
        index: 1,
        errors: [
          { path: "monthlyRentCents", code: "min" },
          { path: "colour", code: "unrecognized_key" },
        ],
      },
      { index: 2, errors: [{ path: "feeTemplates.0.categoryId", code: "not_found" }] },
      { index: 3, errors: [{ path: "", code: "type" }] },
      { index: 5, errors: [{ path: "unitNumber", code: "unique" }] },
    ]);
  });

  test("creates units once for concurrent requests with the same numbers", async () => {
    const building = await aProperty(office);
    const body = { propertyId: building.id, units: unitsWithNumbers("1", "2", "3") };
    const responses = await Promise.all([office.attempt("createUnits", { body }), office.attempt("createUnits", { body })]);
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect((await office.call("listPropertyUnits", { params: { id: building.id } })).total).toBe(3);
  });

  test("refuses a property of another organization and names invalid units by their path", async () => {
    const foreign = await aProperty(otherOffice);
    expect((await office.attempt("createUnits", { body: { propertyId: foreign.id, units: unitsWithNumbers("1") } })).body.errors).toMatchObject([
      { path: "propertyId", code: "not_found" },
    ]);
    const withUnknownAccount = { monthlyRentCents: 1, feeTemplates: [{ label: "Parking", amountCents: 1, categoryId: unknownId() }] };
    const response = await office.attempt("createUnits", {
      body: { propertyId: property.id, units: [...unitsWithNumbers("1"), withUnknownAccount] },
    });
    expect(response.body.errors).toMatchObject([{ path: "units.1.feeTemplates.0.categoryId", code: "not_found" }]);
    const withoutRent = { propertyId: property.id, units: [...unitsWithNumbers("1"), { unitNumber: "2" }] };
    expect((await office.attempt("createUnits", { body: withoutRent as never })).body.errors).toMatchObject([
      { path: "units.1.monthlyRentCents", code: "required" },
    ]);
  });
});

describe("deleteUnit", () => {
  test("deletes a unit once with concurrent requests and cancels its draft leases", async () => {
    const references = await createLeaseReferences(office);
    const draft = await aDraftLease(office, references);
    const params = { id: references.unitId };
    const responses = await Promise.all([office.attempt("deleteUnit", { params }), office.attempt("deleteUnit", { params })]);
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
    expect((await office.attempt("getUnit", { params })).status).toBe(404);
    expect((await office.call("getLease", { params: { id: draft.id } })).lease.status).toBe("cancelled");
    expect((await findOutboxEvents(office, draft.id)).at(-1)).toMatchObject({ type: "lease.updated", data: { status: "cancelled" } });
    expect((await findOutboxEvents(office, references.unitId)).at(-1)).toMatchObject({ type: "unit.deleted", data: { propertyId: references.propertyId } });
  });

  test("is refused while the unit has a lease or a work order", async () => {
    const [leased, withWorkOrder] = await Promise.all([createLeaseReferences(office), createLeaseReferences(office)]);
    await aLease(office, leased);
    await office.call("createWorkOrder", { body: { propertyId: withWorkOrder.propertyId, unitId: withWorkOrder.unitId, title: "Leaking tap" } });
    for (const id of [leased.unitId, withWorkOrder.unitId]) expect((await office.attempt("deleteUnit", { params: { id } })).body.code).toBe("resource_in_use");
  });

  test("and a concurrent activation of a lease never both succeed", async () => {
    const references = await createLeaseReferences(office);
    const draft = await aDraftLease(office, references);
    const [removed, activated] = await Promise.all([
      office.attempt("deleteUnit", { params: { id: references.unitId } }),
      office.attempt("activateLease", { params: { id: draft.id }, body: {} }),
    ]);
    expect([removed.status, activated.status].toSorted((a, b) => a - b)).toEqual([200, 409]);
  });
});

describe("fee templates of a unit", () => {
  test("can be created, changed and deleted", async () => {
    const unit = await aUnit(office, property.id);
    const { categories } = await office.call("listCategories");
    const categoryId = categories.find(({ code }) => code === "4010")!.id;
    const create = async (label: string) =>
      (await office.call("createUnitFeeTemplate", { params: { unitId: unit.id }, body: { label, amountCents: 500, categoryId } })).feeTemplate;
    const [parking, pets] = [await create("Parking"), await create("Pets")];
    expect(parking).toMatchObject({ unitId: unit.id, label: "Parking", amountCents: 500, defaultDueDay: null, kind: "fee" });
    const { feeTemplate: changed } = await office.call("updateUnitFeeTemplate", { params: { id: parking.id }, body: { amountCents: 700, defaultDueDay: 31 } });
    expect(changed).toEqual({ ...parking, amountCents: 700, defaultDueDay: 31, updatedAt: changed.updatedAt });
    expect((await office.call("getUnit", { params: { id: unit.id } })).unit.feeTemplates).toEqual([changed, pets]);
    await office.call("deleteUnitFeeTemplate", { params: { id: parking.id } });
    expect((await office.call("listUnitFeeTemplates", { params: { unitId: unit.id } })).feeTemplates).toEqual([pets]);
    expect((await office.attempt("deleteUnitFeeTemplate", { params: { id: parking.id } })).status).toBe(404);
    expect((await findOutboxEvents(office, unit.id)).filter(({ type }) => type === "unit.updated")).toHaveLength(4);
  });

  test("mark the unit as changed when one is created, changed or deleted", async () => {
    const unit = await aUnit(office, property.id);
    const { categories } = await office.call("listCategories");
    const terms = { label: "Parking", amountCents: 500, categoryId: categories.find(({ code }) => code === "4010")!.id };
    const read = async () => {
      const { headers, body } = await office.attempt("getUnit", { params: { id: unit.id } });
      return { etag: headers.get("ETag")!, updatedAt: body.unit.updatedAt };
    };
    const states = [await read()];
    const { feeTemplate } = await office.call("createUnitFeeTemplate", { params: { unitId: unit.id }, body: terms });
    states.push(await read());
    await office.call("updateUnitFeeTemplate", { params: { id: feeTemplate.id }, body: { amountCents: 700 } });
    states.push(await read());
    await office.call("deleteUnitFeeTemplate", { params: { id: feeTemplate.id } });
    states.push(await read());
    expect(new Set(states.map(({ etag }) => etag)).size).toBe(4);
    expect(states.map(({ updatedAt }) => updatedAt)).toEqual(states.map(({ updatedAt }) => updatedAt).toSorted());
    const stale = await office.attempt("updateUnit", { params: { id: unit.id }, body: { floor: 1 }, headers: { "If-Match": states[0]!.etag } });
    expect(stale.body.code).toBe("version_conflict");
    const { units } = await office.call("listUnits", { query: { propertyId: property.id, updatedAfter: states[0]!.updatedAt } });
    expect(units.map(({ id }) => id)).toContain(unit.id);
  });

  test("require an existing account, a day of a month and a positive amount, and are not found for a unit of another organization", async () => {
    const unit = await aUnit(office, property.id);
    const terms = { label: "Parking", amountCents: 500, categoryId: unknownId() };
    const attemptCreate = (changes: object) => office.attempt("createUnitFeeTemplate", { params: { unitId: unit.id }, body: { ...terms, ...changes } });
    expect((await attemptCreate({})).body.errors).toMatchObject([{ path: "categoryId", code: "not_found" }]);
    expect((await attemptCreate({ defaultDueDay: 32 })).body.errors).toMatchObject([{ path: "defaultDueDay", code: "max" }]);
    expect((await attemptCreate({ amountCents: 0 })).body.errors).toMatchObject([{ path: "amountCents", code: "min" }]);
    const foreign = await aUnit(otherOffice, (await aProperty(otherOffice)).id);
    expect((await office.attempt("listUnitFeeTemplates", { params: { unitId: foreign.id } })).status).toBe(404);
  });
});
