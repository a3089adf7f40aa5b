import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { createLeaseReferences, aProperty, aVendor, aWorkOrder, inDays, currentDate } from "../../../test/fixtures.ts";

const office = await anOffice();
const stranger = await anOffice();

describe("listWorkOrders", () => {
  test("filters, sorts and pages", async () => {
    const mine = await anOffice();
    const [home, oak] = await Promise.all([createLeaseReferences(mine), aProperty(mine, { name: "Oak House" })]);
    const vendor = await aVendor(mine, { name: "Arrow Roofing" });
    const tap = await aWorkOrder(mine, { ...home, title: "Tap", category: "plumbing", dueOn: inDays(-1), priority: "high" });
    const roof = await aWorkOrder(mine, { propertyId: oak.id, title: "Roof", vendorId: vendor.id, dueOn: currentDate(), priority: "emergency" });
    const lamp = await aWorkOrder(mine, { propertyId: oak.id, title: "100% dark", assignedUserId: mine.userId, category: "electrical", priority: "low" });
    await mine.call("transitionWorkOrder", { params: { id: lamp.id }, body: { status: "in_progress" } });
    const titles = async (query: Record<string, string | number | boolean>) =>
      (await mine.call("listWorkOrders", { query })).workOrders.map(({ title }) => title);
    expect(await titles({})).toEqual(["100% dark", "Roof", "Tap"]);
    expect(await titles({ sortBy: "priority" })).toEqual(["Roof", "Tap", "100% dark"]);
    expect(await titles({ sortBy: "status", sortDirection: "asc" })).toEqual(["Tap", "Roof", "100% dark"]);
    expect(await titles({ sortBy: "dueOn", sortDirection: "asc" })).toEqual(["Tap", "Roof", "100% dark"]);
    expect(await titles({ sortBy: "dueOn" })).toEqual(["Roof", "Tap", "100% dark"]);
    expect(await titles({ sortBy: "propertyName", sortDirection: "asc" })).toEqual(["Tap", "Roof", "100% dark"]);
    expect(await titles({ sortBy: "createdAt", sortDirection: "asc" })).toEqual(["Tap", "Roof", "100% dark"]);
    for (const [query, expected] of [
      [{ search: "%" }, ["100% dark"]],
      [{ search: "oak" }, ["100% dark", "Roof"]],
      [{ search: "arrow" }, ["Roof"]],
      [{ search: `#${tap.number}` }, ["Tap"]],
      [{ propertyId: oak.id }, ["100% dark", "Roof"]],
      [{ unitId: home.unitId }, ["Tap"]],
      [{ tenantId: home.tenantId }, ["Tap"]],
      [{ vendorId: vendor.id }, ["Roof"]],
      [{ assignedUserId: mine.userId }, ["100% dark"]],
      [{ status: "in_progress,completed" }, ["100% dark"]],
      [{ priority: "high,emergency" }, ["Roof", "Tap"]],
      [{ category: "plumbing" }, ["Tap"]],
      [{ overdue: true }, ["Tap"]],
      [{ overdue: false }, ["100% dark", "Roof"]],
      [{ dueAfter: currentDate() }, ["Roof"]],
      [{ dueBefore: inDays(-1) }, ["Tap"]],
      [{ createdAfter: currentDate(), createdBefore: currentDate() }, ["100% dark", "Roof", "Tap"]],
      [{ createdBefore: inDays(-1) }, []],
      [{ updatedAfter: roof.updatedAt }, ["100% dark"]],
    ] as const)
      expect([query, await titles(query as Record<string, string>)]).toEqual([query, expected]);
    expect(await mine.call("listWorkOrders", { query: { page: 2, pageSize: 2 } })).toMatchObject({
      page: 2,
      total: 3,
      totalPages: 2,
      workOrders: [{ title: "Tap" }],
    });
    await mine.call("transitionWorkOrder", { params: { id: tap.id }, body: { status: "cancelled" } });
    expect(await titles({ overdue: true })).toEqual([]);
    expect((await stranger.call("listWorkOrders", { query: { propertyId: oak.id } })).total).toBe(0);
  });

  test.each([
    ["an unknown status", { status: "open,done" }, "status.1", "enum"],
    ["an invalid flag", { overdue: "perhaps" }, "overdue", "enum"],
    ["an unknown sort", { sortBy: "title" }, "sortBy", "enum"],
  ])("rejects %s", async (_, query, path, code) => {
    const { status, body } = await office.attempt("listWorkOrders", { query });
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });
});

describe("the work orders of a property and of a vendor", () => {
  test("are listed with the same filters", async () => {
    const [property, vendor] = await Promise.all([aProperty(office), aVendor(office)]);
    const mine = await aWorkOrder(office, { propertyId: property.id, vendorId: vendor.id, priority: "low" });
    const other = await aWorkOrder(office, { propertyId: property.id });
    const ofProperty = await office.call("listPropertyWorkOrders", { params: { id: property.id } });
    expect(ofProperty.workOrders.map(({ id }) => id)).toEqual([other.id, mine.id]);
    expect((await office.call("listPropertyWorkOrders", { params: { id: property.id }, query: { vendorId: vendor.id } })).workOrders).toEqual([mine]);
    const ofVendor = await office.call("listVendorWorkOrders", { params: { id: vendor.id } });
    expect(ofVendor).toMatchObject({ workOrders: [mine], total: 1 });
    expect((await office.call("listVendorWorkOrders", { params: { id: vendor.id }, query: { priority: "high" } })).total).toBe(0);
    expect((await stranger.attempt("listPropertyWorkOrders", { params: { id: property.id } })).status).toBe(404);
    expect((await stranger.attempt("listVendorWorkOrders", { params: { id: vendor.id } })).status).toBe(404);
  });
});
