import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";
import { findOutboxEvents, queryRows } from "../../test/database.ts";
import { address, aDraftLease, aLease, anOwner, createLeaseReferences, aProperty, aUnit, inDays, currentDate, unknownId } from "../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const terms = { name: "Elm Court", ...address, units: 4, occupiedUnits: 1 };
const unit = { bathrooms: 1, bedrooms: 2, monthlyRentCents: 150_000, status: "vacant" as const };
const readCategoryId = async () => (await office.call("listCategories")).categories[0]!.id;

describe("createProperty", () => {
  test("returns the given and the default members", async () => {
    const owner = await anOwner(office);
    const { property, notes } = await office.call("createProperty", { body: { ...terms, state: "il", ownerIds: [owner.id] } });
    expect(property).toMatchObject({
      ...terms,
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

  test("publishes property.created to the office alone", async () => {
    const property = await aProperty(office);
    const [event] = await findOutboxEvents(office, property.id);
    expect(event).toMatchObject({
      type: "property.created",
      actorUserId: office.userId,
      audience: { roles: ["admin", "manager", "staff"], tenantIds: [], ownerIds: [], vendorIds: [] },
    });
  });

  test("creates the first unit with its fee templates", async () => {
    const categoryId = await readCategoryId();
    const feeTemplates = [
      { amountCents: 2500, categoryId, label: "Pets", defaultDueDay: 5 },
      { amountCents: 1, categoryId, label: "Water" },
    ];
    const { property } = await office.call("createProperty", { body: { ...terms, units: 1, initialUnit: { ...unit, unitNumber: "1A", feeTemplates } } });
    const { units } = await office.call("listUnits", { query: { propertyId: property.id } });
    expect(units).toHaveLength(1);
    expect(units[0]).toMatchObject({ unitNumber: "1A", bedrooms: 2, bathrooms: 1, status: "vacant", propertyName: "Elm Court", unitType: "residential" });
    expect(units[0]!.feeTemplates).toMatchObject([
      { label: "Pets", amountCents: 2500, defaultDueDay: 5, kind: "fee" },
      { label: "Water", amountCents: 1, defaultDueDay: null },
    ]);
  });

  test("stores nothing when the account of a fee template is not in the chart of accounts", async () => {
    const name = `Nowhere ${unknownId()}`;
    const fee = { amountCents: 1, label: "Pets" };
    const feeTemplates = [
      { ...fee, categoryId: await readCategoryId() },
      { ...fee, categoryId: unknownId() },
    ];
    const { status, body } = await office.attempt("createProperty", { body: { ...terms, name, initialUnit: { ...unit, feeTemplates } } });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ path: "initialUnit.feeTemplates.1.categoryId", code: "not_found" }]);
    expect((await office.call("listProperties", { query: { search: name } })).total).toBe(0);
  });

  test.each([
    ["no name", { name: "" }, "name", "too_short"],
    ["a name of 121 characters", { name: "x".repeat(121) }, "name", "too_long"],
    ["a first address line of 161 characters", { streetLine1: "x".repeat(161) }, "streetLine1", "too_long"],
    ["an empty second address line", { streetLine2: "" }, "streetLine2", "too_short"],
    ["a city of 121 characters", { city: "x".repeat(121) }, "city", "too_long"],
    ["a state of three letters", { state: "ILL" }, "state", "format"],
    ["a postal code of four digits", { postalCode: "6270" }, "postalCode", "format"],
    ["a postal code with a short extension", { postalCode: "62701-123" }, "postalCode", "format"],
    ["an unknown asset class", { assetClass: "castle" }, "assetClass", "enum"],
    ["zero units", { units: 0 }, "units", "min"],
    ["half a unit", { units: 1.5 }, "units", "type"],
    ["more occupied units than units", { units: 2, occupiedUnits: 3 }, "occupiedUnits", "max"],
    ["a repeated owner", { ownerIds: [office.userId, office.userId] }, "ownerIds", "unique"],
    ["a first unit without bedrooms", { initialUnit: { ...unit, bedrooms: undefined } }, "initialUnit.bedrooms", "required"],
    ["half a bathroom", { initialUnit: { ...unit, bathrooms: 1.5 } }, "initialUnit.bathrooms", "type"],
    ["a rent of zero", { initialUnit: { ...unit, monthlyRentCents: 0 } }, "initialUnit.monthlyRentCents", "min"],
    ["a unit number of 33 characters", { initialUnit: { ...unit, unitNumber: "x".repeat(33) } }, "initialUnit.unitNumber", "too_long"],
    ["an unknown member", { colour: "red" }, "colour", "unrecognized_key"],
  ])("refuses %s", async (_, changes, path, code) => {
    const { status, body } = await office.attempt("createProperty", { body: { ...terms, ...changes } as never });
    expect(status).toBe(400);
    expect(body.errors).toEqual(expect.arrayContaining([expect.objectContaining({ path, code })]));
  });

  test.each([
    ["a name of 120 characters", { name: "x".repeat(120) }],
    ["a postal code with an extension", { postalCode: "62701-1234" }],
    ["a second address line", { streetLine2: "Floor 2" }],
    ["every unit occupied", { units: 3, occupiedUnits: 3 }],
    ["a unit number of 32 characters", { initialUnit: { ...unit, unitNumber: "x".repeat(32) } }],
    ["a first unit without a number", { initialUnit: { ...unit, unitNumber: null } }],
  ])("accepts %s", async (_, changes) => {
    expect((await office.attempt("createProperty", { body: { ...terms, ...changes } })).status).toBe(200);
  });

  test("refuses owners of other organizations, naming their paths", async () => {
    const [owner, foreign] = await Promise.all([anOwner(office), anOwner(otherOffice)]);
    const { status, body } = await office.attempt("createProperty", { body: { ...terms, ownerIds: [owner.id, foreign.id, unknownId()] } });
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([
      { path: "ownerIds.1", code: "not_found" },
      { path: "ownerIds.2", code: "not_found" },
    ]);
  });

  test("and a concurrent deletion of an owner never both succeed", async () => {
    const attempts = Array.from({ length: 10 }, async () => {
      const owner = await anOwner(office);
      const [created, deleted] = await Promise.all([
        office.attempt("createProperty", { body: { ...terms, ownerIds: [owner.id] } }),
        office.attempt("deleteOwner", { params: { id: owner.id } }),
      ]);
      expect([
        [200, 409],
        [400, 200],
      ]).toContainEqual([created.status, deleted.status]);
    });
    await Promise.all(attempts);
  });

  test("replays the response for a repeated Idempotency-Key", async () => {
    const headers = { "Idempotency-Key": unknownId() };
    const first = await office.attempt("createProperty", { body: terms, headers });
    const repeated = await office.attempt("createProperty", { body: terms, headers });
    expect(repeated.body).toEqual(first.body);
    expect(repeated.headers.get("Idempotent-Replayed")).toBe("true");
    const reused = await office.attempt("createProperty", { body: { ...terms, name: "Oak Court" }, headers });
    expect([reused.status, reused.body.code]).toEqual([409, "idempotency_key_reused"]);
  });

  test("is allowed to managers, and forbidden to staff, who can list properties", async () => {
    const [manager, staff] = await Promise.all([office.colleague("manager"), office.colleague("staff")]);
    expect((await manager.attempt("createProperty", { body: terms })).status).toBe(200);
    expect((await staff.attempt("createProperty", { body: terms })).status).toBe(403);
    expect((await staff.attempt("listProperties")).status).toBe(200);
  });
});

describe("getProperty", () => {
  test("derives the unit counts from unit rows once there are any", async () => {
    const property = await aProperty(office, { units: 1, occupiedUnits: 1 });
    const readCounts = async () => {
      const { property: current } = await office.call("getProperty", { params: { id: property.id } });
      return [current.units, current.occupiedUnits];
    };
    expect(await readCounts()).toEqual([1, 1]);
    const references = await createLeaseReferences(office);
    const [first] = await Promise.all([aUnit(office, property.id, { unitNumber: "1" }), aUnit(office, property.id, { unitNumber: "2" })]);
    expect(await readCounts()).toEqual([2, 0]);
    await aLease(office, { propertyId: property.id, unitId: first.id, tenantId: references.tenantId });
    expect(await readCounts()).toEqual([2, 1]);
  });

  test("returns 404 for a property of another organization, and 400 for an id that is not a UUID", async () => {
    const property = await aProperty(otherOffice);
    expect((await office.attempt("getProperty", { params: { id: property.id } })).status).toBe(404);
    expect((await office.attempt("getProperty", { params: { id: "elm" } })).body.errors).toMatchObject([{ path: "id" }]);
  });
});

describe("updateProperty", () => {
  test("changes only the given members", async () => {
    const owner = await anOwner(office);
    const property = await aProperty(office, { ownerIds: [owner.id], streetLine2: "Floor 2" });
    const { property: changed } = await office.call("updateProperty", { params: { id: property.id }, body: { streetLine2: null, reserveCents: 50_000 } });
    expect(changed).toEqual({ ...property, streetLine2: null, reserveCents: 50_000, updatedAt: changed.updatedAt });
  });

  test("validates the given members together with the stored ones", async () => {
    const property = await aProperty(office, { units: 5, occupiedUnits: 3 });
    const update = (body: object) => office.attempt("updateProperty", { params: { id: property.id }, body });
    expect((await update({ units: 2 })).body.errors).toMatchObject([{ path: "occupiedUnits", code: "max" }]);
    expect((await update({ occupiedUnits: 6 })).body.errors).toMatchObject([{ path: "occupiedUnits", code: "max" }]);
    expect((await update({ units: 2, occupiedUnits: 2 })).status).toBe(200);
    expect((await update({ managementStartDate: "2024-02-29", managementEndDate: "2024-02-28" })).body.errors).toMatchObject([{ code: "before_start" }]);
  });

  test("does not compare the declared numbers while the occupied units are derived from unit records", async () => {
    const property = await aProperty(office, { units: 10, occupiedUnits: 0 });
    const unit = await aUnit(office, property.id);
    const update = async (body: object) => {
      const { status, body: response } = await office.attempt("updateProperty", { params: { id: property.id }, body });
      return [status, response.property?.units, response.property?.occupiedUnits];
    };
    expect(await update({ occupiedUnits: 5 })).toEqual([200, 10, 0]);
    expect(await update({ units: 2 })).toEqual([200, 2, 0]);
    expect(await update({ occupiedUnits: 3 })).toEqual([200, 2, 0]);
    await office.call("deleteUnit", { params: { id: unit.id } });
    expect((await office.call("getProperty", { params: { id: property.id } })).property).toMatchObject({ units: 2, occupiedUnits: 2 });
    expect((await office.attempt("updateProperty", { params: { id: property.id }, body: { units: 1 } })).status).toBe(400);
  });

  test("names active trust accounts for its operating money and its deposits", async () => {
    const property = await aProperty(office);
    const anAccount = async (accountType: "operating" | "security_deposit") =>
      (await office.call("createBankAccount", { body: { name: accountType, institutionName: "First Bank", accountMask: "4321", accountType } })).bankAccount.id;
    const [operating, escrow, archived] = [await anAccount("operating"), await anAccount("security_deposit"), await anAccount("operating")];
    await office.call("archiveBankAccount", { params: { id: archived } });
    const update = (body: object) => office.attempt("updateProperty", { params: { id: property.id }, body });
    expect((await update({ operatingBankAccountId: unknownId() })).body.errors).toMatchObject([{ path: "operatingBankAccountId", code: "not_found" }]);
    expect((await update({ operatingBankAccountId: archived })).body.errors).toMatchObject([{ path: "operatingBankAccountId", code: "not_allowed" }]);
    expect((await update({ depositBankAccountId: operating })).body.errors).toMatchObject([{ path: "depositBankAccountId", code: "not_allowed" }]);
    const { body } = await update({ operatingBankAccountId: operating, depositBankAccountId: escrow });
    expect(body.property).toMatchObject({ operatingBankAccountId: operating, depositBankAccountId: escrow });
    expect((await update({ depositBankAccountId: null })).body.property.depositBankAccountId).toBeNull();
  });

  test("with concurrent requests never stores more occupied units than units", async () => {
    const property = await aProperty(office, { units: 10, occupiedUnits: 5 });
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        office.attempt("updateProperty", { params: { id: property.id }, body: index % 2 ? { units: 5 + (index % 5) } : { occupiedUnits: 5 + (index % 6) } }),
      ),
    );
    const { property: after } = await office.call("getProperty", { params: { id: property.id } });
    expect(after.occupiedUnits).toBeLessThanOrEqual(after.units);
  });

  test("replaces the owners in the given order", async () => {
    const [first, second, third] = await Promise.all([anOwner(office), anOwner(office), anOwner(office)]);
    const property = await aProperty(office, { ownerIds: [first.id, second.id] });
    const { property: changed } = await office.call("updateProperty", { params: { id: property.id }, body: { ownerIds: [third.id, first.id] } });
    expect(changed.ownerIds).toEqual([third.id, first.id]);
  });

  test("returns 412 to an outdated If-Match", async () => {
    const property = await aProperty(office);
    const { headers } = await office.attempt("getProperty", { params: { id: property.id } });
    const change = () =>
      office.attempt("updateProperty", { params: { id: property.id }, body: { name: "Oak" }, headers: { "If-Match": headers.get("ETag")! } });
    expect((await change()).status).toBe(200);
    expect((await change()).status).toBe(412);
  });
});

describe("deleteProperty", () => {
  test("is refused while a lease is active; after its termination deletes the units and cancels draft leases", async () => {
    const references = await createLeaseReferences(office);
    const params = { id: references.propertyId };
    const lease = await aLease(office, references, { rentCents: 0, createRecurringRent: false });
    const draft = await aDraftLease(office, references);
    expect((await office.attempt("deleteProperty", { params })).body.code).toBe("resource_in_use");
    await office.call("terminateLease", { params: { id: lease.id }, body: { terminationDate: currentDate(), finalRent: "none" } });
    const { property } = await office.call("deleteProperty", { params });
    expect(property.deletedAt).not.toBeNull();
    expect((await office.attempt("deleteProperty", { params })).status).toBe(404);
    expect((await office.attempt("getUnit", { params: { id: references.unitId } })).status).toBe(404);
    expect((await office.call("getLease", { params: { id: draft.id } })).lease.status).toBe("cancelled");
    expect((await findOutboxEvents(office, references.propertyId)).at(-1)!.type).toBe("property.deleted");
  });

  test("is refused while a terminated lease has open charges", async () => {
    const references = await createLeaseReferences(office);
    const params = { id: references.propertyId };
    const lease = await aLease(office, references, { rentCents: 0, createRecurringRent: false });
    const { charge } = await office.call("createCharge", { body: { leaseId: lease.id, amountCents: 700, dueDate: inDays(-1), chargeType: "rent" } });
    await office.call("terminateLease", { params: { id: lease.id }, body: { terminationDate: currentDate(), finalRent: "none" } });
    expect((await office.call("getProperty", { params })).property.overduePostedRentCents).toBe(700);
    expect((await office.call("getLease", { params: { id: lease.id } })).lease).toMatchObject({ balanceCents: 700, overduePostedRentCents: 700 });
    expect((await office.call("getTenant", { params: { id: references.tenantId } })).tenant.balanceCents).toBe(700);
    const { status, body } = await office.attempt("deleteProperty", { params });
    expect([status, body.code]).toEqual([409, "resource_in_use"]);
    await office.call("voidCharge", { params: { id: charge.id }, body: { reason: "Waived" } });
    expect((await office.attempt("deleteProperty", { params })).status).toBe(200);
  });

  test("is refused while the property has an unpaid expense", async () => {
    const { id } = await aProperty(office);
    const { expense } = await office.call("createExpense", { body: { propertyId: id, amountCents: 500, incurredOn: currentDate(), category: "maintenance" } });
    const { status, body } = await office.attempt("deleteProperty", { params: { id } });
    expect([status, body.code, body.message]).toEqual([409, "resource_in_use", "The property still has an unpaid expense. Pay or void it first."]);
    await office.call("voidExpense", { params: { id: expense.id }, body: { reason: "Entered twice" } });
    expect((await office.attempt("deleteProperty", { params: { id } })).status).toBe(200);
  });

  test("is refused while somebody still lives there after the end of the lease", async () => {
    const references = await createLeaseReferences(office);
    const params = { id: references.propertyId };
    const lease = await aLease(office, references, { rentCents: 0, createRecurringRent: false });
    await queryRows(office.organizationId, "update lease set status = 'expired', end_date = $2 where id = $1", [lease.id, inDays(-1)]);
    const { status, body } = await office.attempt("deleteProperty", { params });
    expect([status, body.code]).toEqual([409, "resource_in_use"]);
    await office.call("updateOccupant", { params: { id: lease.occupants[0]!.id }, body: { moveOutDate: currentDate() } });
    expect((await office.attempt("deleteProperty", { params })).status).toBe(200);
  });

  test("is refused while a lease is pending", async () => {
    const references = await createLeaseReferences(office);
    await aLease(office, references, { startDate: inDays(1), endDate: inDays(300) });
    expect((await office.attempt("deleteProperty", { params: { id: references.propertyId } })).status).toBe(409);
  });

  test("also deletes units that are created concurrently", async () => {
    const property = await aProperty(office);
    let isDone = false;
    const deletion = office.attempt("deleteProperty", { params: { id: property.id } }).finally(() => (isDone = true));
    const creations = Array.from({ length: 6 }, async () => {
      while (!isDone) await office.attempt("createUnit", { body: { propertyId: property.id, monthlyRentCents: 1 } });
    });
    const [deleted] = await Promise.all([deletion, ...creations]);
    expect(deleted.status).toBe(200);
    expect(await queryRows(office.organizationId, "select id from unit where property_id = $1 and deleted_at is null", [property.id])).toEqual([]);
  });
});

describe("listProperties", () => {
  test("filters, sorts and pages", async () => {
    const listOffice = await anOffice();
    const owner = await anOwner(listOffice);
    await aProperty(listOffice, { name: "Alder", city: "Peoria", units: 3, occupiedUnits: 3, ownerIds: [owner.id] });
    await aProperty(listOffice, { name: "Birch", assetClass: "commercial", units: 2 });
    await aProperty(listOffice, { name: "100% Cedar", state: "mo", units: 1 });
    const names = async (query: Record<string, string | number | boolean>) =>
      (await listOffice.call("listProperties", { query })).properties.map(({ name }) => name);
    expect(await names({})).toEqual(["100% Cedar", "Alder", "Birch"]);
    expect(await names({ sortBy: "units", sortDirection: "desc" })).toEqual(["Alder", "Birch", "100% Cedar"]);
    expect(await names({ search: "%" })).toEqual(["100% Cedar"]);
    expect(await names({ city: "peoria" })).toEqual(["Alder"]);
    expect(await names({ state: "mo" })).toEqual(["100% Cedar"]);
    expect(await names({ ownerId: owner.id })).toEqual(["Alder"]);
    expect(await names({ assetClass: "commercial" })).toEqual(["Birch"]);
    expect(await names({ hasVacancy: false })).toEqual(["Alder"]);
    expect(await listOffice.call("listProperties", { query: { page: 2, pageSize: 2 } })).toMatchObject({ page: 2, pageSize: 2, total: 3, totalPages: 2 });
    expect(await otherOffice.call("listProperties", { query: { search: "Alder" } })).toMatchObject({ total: 0, totalPages: 1 });
  });

  test("returns deleted properties to an incremental sync", async () => {
    const listOffice = await anOffice();
    const property = await aProperty(listOffice);
    await listOffice.call("deleteProperty", { params: { id: property.id } });
    expect((await listOffice.call("listProperties")).total).toBe(0);
    const synced = await listOffice.call("listProperties", { query: { includeDeleted: true, updatedAfter: property.updatedAt } });
    expect(synced.properties).toEqual([expect.objectContaining({ id: property.id, deletedAt: expect.any(String) })]);
  });
});
