import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents } from "../../../test/database.ts";
import { aProperty, aVendor, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const insurance = (expiresOn: string, kind = "liability" as const) => ({ kind, provider: "Elm Mutual", policyNumber: "P-1", expiresOn, documentId: null });

describe("createVendor", () => {
  test("returns an active vendor with defaults", async () => {
    const { vendor } = await office.call("createVendor", { body: { name: "Pipes & Co" } });
    expect(vendor).toMatchObject({
      name: "Pipes & Co",
      email: null,
      phone: null,
      trade: null,
      notes: null,
      isActive: true,
      userId: null,
      portalStatus: "none",
    });
    expect(await office.call("getVendor", { params: { id: vendor.id } })).toEqual({ vendor, notes: [] });
    expect(await findOutboxEvents(office, vendor.id)).toMatchObject([{ type: "vendor.created" }]);
  });

  test.each([
    ["a name of 160 characters", { name: "x".repeat(160) }],
    ["a trade of 120 characters", { trade: "x".repeat(120) }],
    ["a phone of 7 characters", { phone: "5550100" }],
    ["a phone of 32 characters", { phone: "5".repeat(32) }],
    ["notes of 2000 characters", { notes: "x".repeat(2000) }],
    ["null for every nullable member", { email: null, phone: null, trade: null, notes: null }],
    ["an inactive vendor", { isActive: false }],
  ])("accepts %s", async (_, terms) => {
    const { status, body } = await office.attempt("createVendor", { body: { name: "Pipes", ...terms } });
    expect([status, body.vendor]).toMatchObject([200, terms]);
  });

  test.each([
    ["no name", { name: "" }, "name", "too_short"],
    ["a name of 161 characters", { name: "x".repeat(161) }, "name", "too_long"],
    ["an invalid e-mail address", { email: "pipes" }, "email", "format"],
    ["an empty trade", { trade: "" }, "trade", "too_short"],
    ["a trade of 121 characters", { trade: "x".repeat(121) }, "trade", "too_long"],
    ["a phone of 6 characters", { phone: "555010" }, "phone", "too_short"],
    ["a phone of 33 characters", { phone: "5".repeat(33) }, "phone", "too_long"],
    ["notes of 2001 characters", { notes: "x".repeat(2001) }, "notes", "too_long"],
    ["an unknown account", { categoryId: unknownId() }, "categoryId", "not_found"],
    ["an unknown member", { userId: unknownId() }, "userId", "unrecognized_key"],
  ])("rejects %s", async (_, terms, path, code) => {
    const { status, body } = await office.attempt("createVendor", { body: { name: "Pipes", ...terms } as never });
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("is allowed for admins and managers only", async () => {
    const [manager, staff] = await Promise.all([office.colleague("manager"), office.colleague("staff")]);
    expect((await manager.attempt("createVendor", { body: { name: "Pipes" } })).status).toBe(200);
    expect((await staff.attempt("createVendor", { body: { name: "Pipes" } })).status).toBe(403);
  });
});

describe("getVendor", () => {
  test("returns 404 for a vendor of another organization", async () => {
    const { vendor } = await otherOffice.call("createVendor", { body: { name: "Pipes" } });
    expect((await office.attempt("getVendor", { params: { id: vendor.id } })).status).toBe(404);
  });
});

describe("listVendors", () => {
  test("filters, sorts and escapes formulas in CSV", async () => {
    const newOffice = await anOffice();
    await newOffice.call("createVendor", { body: { name: "=Pipes", trade: "Plumbing" } });
    await newOffice.call("createVendor", { body: { name: "Arrow", trade: "Roofing", isActive: false } });
    const names = async (query: Record<string, string | boolean>) => (await newOffice.call("listVendors", { query })).vendors.map(({ name }) => name);
    expect(await names({ sortBy: "trade" })).toEqual(["=Pipes", "Arrow"]);
    expect(await names({ trade: "plumbing" })).toEqual(["=Pipes"]);
    expect(await names({ isActive: false })).toEqual(["Arrow"]);
    expect(await names({ search: "roof" })).toEqual(["Arrow"]);
    const csv = await newOffice.attempt("listVendors", { headers: { Accept: "text/csv" } });
    expect(csv.text).toContain("'=Pipes");
  });

  test("neutralizes formulas in CSV also where a semicolon or a line break begins a cell, and leaves numbers as they are", async () => {
    const newOffice = await anOffice();
    await aVendor(newOffice, { name: ";Semi", trade: "Oak;=cmd();", notes: "First\n+Second", paymentTermsDays: 30, address: "＝Wide" });
    const { text } = await newOffice.attempt("listVendors", { headers: { Accept: "text/csv" } });
    for (const cell of ["';Semi", "Oak;'=cmd();", `"First\n'+Second"`, "'＝Wide"]) expect(text).toContain(cell);
    expect(text).toMatch(/,30,/);
    expect(text).not.toContain("'30");
  });

  test("filters by insuranceExpiresBefore", async () => {
    const newOffice = await anOffice();
    const [expiring] = await Promise.all([
      aVendor(newOffice, { name: "Soon", insurances: [insurance("2026-12-31"), insurance("2030-01-01")] }),
      aVendor(newOffice, { name: "Later", insurances: [insurance("2030-01-01")] }),
      aVendor(newOffice, { name: "None" }),
    ]);
    const vendorIds = async (insuranceExpiresBefore: string) =>
      (await newOffice.call("listVendors", { query: { insuranceExpiresBefore } })).vendors.map(({ id }) => id);
    expect(await vendorIds("2027-01-01")).toEqual([expiring.id]);
    expect(await vendorIds("2026-12-31")).toEqual([expiring.id]);
    expect(await vendorIds("2026-12-30")).toEqual([]);
  });
});

describe("updateVendor", () => {
  test("updates only the members that are sent", async () => {
    const vendor = await aVendor(office, { trade: "Plumbing", paymentTermsDays: 30, insurances: [insurance("2027-01-01")] });
    const { vendor: changed } = await office.call("updateVendor", { params: { id: vendor.id }, body: { trade: null } });
    expect(changed).toEqual({ ...vendor, trade: null, updatedAt: changed.updatedAt });
    expect((await findOutboxEvents(office, vendor.id)).map(({ type }) => type)).toEqual(["vendor.created", "vendor.updated"]);
  });

  test("replaces the insurances in the order of the request", async () => {
    const vendor = await aVendor(office, { insurances: [insurance("2027-01-01"), insurance("2028-02-29")] });
    const change = async (insurances: ReturnType<typeof insurance>[]) =>
      (await office.call("updateVendor", { params: { id: vendor.id }, body: { insurances } })).vendor.insurances;
    expect(await change([insurance("2029-01-01"), insurance("2026-01-01")])).toEqual([insurance("2029-01-01"), insurance("2026-01-01")]);
    expect(await change([])).toEqual([]);
    const withUnknownDocument = { ...insurance("2027-01-01"), documentId: unknownId() };
    const rejected = await office.attempt("updateVendor", { params: { id: vendor.id }, body: { insurances: [insurance("2027-01-01"), withUnknownDocument] } });
    expect(rejected.body.errors).toMatchObject([{ path: "insurances.1.documentId", code: "not_found" }]);
    const { status, body } = await office.attempt("updateVendor", { params: { id: vendor.id }, body: { insurances: [insurance("2027-02-29")] } });
    expect([status, body.errors]).toMatchObject([400, [{ path: "insurances.0.expiresOn" }]]);
  });

  test("saves the insurances that it returned, also after one of their documents was deleted", async () => {
    const vendor = await aVendor(office);
    const upload = () => office.call("uploadDocument", { body: { file: new File(["Insured.\n"], "policy.txt"), entityType: "vendor", entityId: vendor.id } });
    const documentIds = [(await upload()).document.id, (await upload()).document.id];
    const insurances = documentIds.map((documentId) => ({ ...insurance("2027-01-01"), documentId }));
    await office.call("updateVendor", { params: { id: vendor.id }, body: { insurances } });
    await office.call("deleteDocument", { params: { id: documentIds[0]! } });
    const { vendor: read } = await office.call("getVendor", { params: { id: vendor.id } });
    expect(read.insurances.map(({ documentId }) => documentId)).toEqual([null, documentIds[1]]);
    expect((await office.attempt("updateVendor", { params: { id: vendor.id }, body: { insurances: read.insurances } })).status).toBe(200);
  });

  test("returns only the last digits of the tax id, and rejects an unknown account and another organization", async () => {
    const vendor = await aVendor(office, { taxIdType: "ein", taxId: "12-3456789" });
    expect(vendor).toMatchObject({ taxIdType: "ein", taxIdLast4: "6789" });
    expect(vendor).not.toHaveProperty("taxId");
    const { body } = await office.attempt("updateVendor", { params: { id: vendor.id }, body: { categoryId: unknownId() } });
    expect(body.errors).toMatchObject([{ path: "categoryId", code: "not_found" }]);
    expect((await otherOffice.attempt("updateVendor", { params: { id: vendor.id }, body: { trade: "x" } })).status).toBe(404);
  });
});

describe("deleteVendor", () => {
  test("succeeds once and removes the vendor from lists", async () => {
    const vendor = await aVendor(office);
    const params = { id: vendor.id };
    const responses = await Promise.all([office.attempt("deleteVendor", { params }), office.attempt("deleteVendor", { params })]);
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
    expect((await office.attempt("getVendor", { params })).status).toBe(404);
    expect((await office.call("listVendors", { query: { search: vendor.name, pageSize: 100 } })).vendors.map(({ id }) => id)).not.toContain(vendor.id);
    expect((await office.attempt("updateVendor", { params, body: { trade: "x" } })).status).toBe(404);
    expect((await findOutboxEvents(office, vendor.id)).map(({ type }) => type)).toEqual(["vendor.created", "vendor.deleted"]);
  });

  test("is rejected while the vendor has an open work order", async () => {
    const [vendor, property] = await Promise.all([aVendor(office), aProperty(office)]);
    const { workOrder } = await office.call("createWorkOrder", { body: { propertyId: property.id, title: "Leaking tap", vendorId: vendor.id } });
    const params = { id: vendor.id };
    expect((await office.attempt("deleteVendor", { params })).body.code).toBe("resource_in_use");
    await office.call("transitionWorkOrder", { params: { id: workOrder.id }, body: { status: "cancelled" } });
    expect((await office.attempt("deleteVendor", { params })).status).toBe(200);
  });
});
