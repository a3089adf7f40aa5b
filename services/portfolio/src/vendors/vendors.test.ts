import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/office.ts";
import { eventsOf } from "../../test/behind.ts";
import { unknownId } from "../../test/places.ts";

const office = await anOffice();
const stranger = await anOffice();

describe("createVendor", () => {
  test("answers an active vendor, all else left open", async () => {
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
    expect(await eventsOf(office, vendor.id)).toMatchObject([{ type: "vendor.created" }]);
  });

  test.each([
    ["a name of 160 characters", { name: "x".repeat(160) }],
    ["a trade of 120 characters", { trade: "x".repeat(120) }],
    ["a phone of 7 characters", { phone: "5550100" }],
    ["a phone of 32 characters", { phone: "5".repeat(32) }],
    ["notes of 2000 characters", { notes: "x".repeat(2000) }],
    ["nothing where nothing may be", { email: null, phone: null, trade: null, notes: null }],
    ["an inactive one", { isActive: false }],
  ])("takes %s", async (_, terms) => {
    const { status, body } = await office.attempt("createVendor", { body: { name: "Pipes", ...terms } });
    expect([status, body.vendor]).toMatchObject([200, terms]);
  });

  test.each([
    ["no name", { name: "" }, "name", "too_short"],
    ["a name of 161 characters", { name: "x".repeat(161) }, "name", "too_long"],
    ["what is no e-mail address", { email: "pipes" }, "email", "format"],
    ["an empty trade", { trade: "" }, "trade", "too_short"],
    ["a trade of 121 characters", { trade: "x".repeat(121) }, "trade", "too_long"],
    ["a phone of 6 characters", { phone: "555010" }, "phone", "too_short"],
    ["a phone of 33 characters", { phone: "5".repeat(33) }, "phone", "too_long"],
    ["notes of 2001 characters", { notes: "x".repeat(2001) }, "notes", "too_long"],
    ["an account nobody has", { categoryId: unknownId() }, "categoryId", "not_found"],
    ["a member nobody knows", { userId: unknownId() }, "userId", "unrecognized_key"],
  ])("refuses %s", async (_, terms, path, code) => {
    const { status, body } = await office.attempt("createVendor", { body: { name: "Pipes", ...terms } as never });
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("is for admins and managers", async () => {
    const [manager, staff] = await Promise.all([office.colleague("manager"), office.colleague("staff")]);
    expect((await manager.attempt("createVendor", { body: { name: "Pipes" } })).status).toBe(200);
    expect((await staff.attempt("createVendor", { body: { name: "Pipes" } })).status).toBe(403);
  });
});

describe("getVendor", () => {
  test("does not know another organization's vendor", async () => {
    const { vendor } = await stranger.call("createVendor", { body: { name: "Pipes" } });
    expect((await office.attempt("getVendor", { params: { id: vendor.id } })).status).toBe(404);
  });
});

describe("listVendors", () => {
  test("filters and sorts, and answers CSV that no spreadsheet runs", async () => {
    const mine = await anOffice();
    await mine.call("createVendor", { body: { name: "=Pipes", trade: "Plumbing" } });
    await mine.call("createVendor", { body: { name: "Arrow", trade: "Roofing", isActive: false } });
    const names = async (query: Record<string, string | boolean>) => (await mine.call("listVendors", { query })).vendors.map(({ name }) => name);
    expect(await names({ sortBy: "trade" })).toEqual(["=Pipes", "Arrow"]);
    expect(await names({ trade: "plumbing" })).toEqual(["=Pipes"]);
    expect(await names({ isActive: false })).toEqual(["Arrow"]);
    expect(await names({ search: "roof" })).toEqual(["Arrow"]);
    const csv = await mine.attempt("listVendors", { headers: { Accept: "text/csv" } });
    expect(csv.text).toContain("'=Pipes");
  });
});
