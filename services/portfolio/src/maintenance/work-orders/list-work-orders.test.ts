import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { createLeaseReferences, aProperty, aVendor, aWorkOrder, inDays } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();

describe("listWorkOrders", () => {
  test("filters, sorts and pages", async () => {
    const newOffice = await anOffice();
    const [lastWeek, nextWeek] = [inDays(-7), inDays(7)];
    const [elm, oak] = await Promise.all([createLeaseReferences(newOffice), aProperty(newOffice, { name: "Oak House" })]);
    const vendor = await aVendor(newOffice, { name: "Arrow Roofing" });
    const tap = await aWorkOrder(newOffice, { ...elm, title: "Tap", category: "plumbing", dueOn: lastWeek, priority: "high" });
    const roof = await aWorkOrder(newOffice, { propertyId: oak.id, title: "Roof", vendorId: vendor.id, dueOn: nextWeek, priority: "emergency" });
    const lamp = await aWorkOrder(newOffice, {
      propertyId: oak.id,
      title: "100% dark",
      assignedUserId: newOffice.userId,
      category: "electrical",
      priority: "low",
    });
    await newOffice.call("transitionWorkOrder", { params: { id: lamp.id }, body: { status: "in_progress" } });
    const titles = async (query: Record<string, string | number | boolean>) =>
      (await newOffice.call("listWorkOrders", { query })).workOrders.map(({ title }) => title);
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
      [{ unitId: elm.unitId }, ["Tap"]],
      [{ tenantId: elm.tenantId }, ["Tap"]],
      [{ vendorId: vendor.id }, ["Roof"]],
      [{ assignedUserId: newOffice.userId }, ["100% dark"]],
      [{ status: "in_progress,completed" }, ["100% dark"]],
      [{ priority: "high,emergency" }, ["Roof", "Tap"]],
      [{ category: "plumbing" }, ["Tap"]],
      [{ overdue: true }, ["Tap"]],
      [{ overdue: false }, ["100% dark", "Roof"]],
      [{ dueAfter: nextWeek }, ["Roof"]],
      [{ dueBefore: lastWeek }, ["Tap"]],
      [{ createdAfter: inDays(-1), createdBefore: inDays(1) }, ["100% dark", "Roof", "Tap"]],
      [{ createdBefore: lastWeek }, []],
      [{ updatedAfter: roof.updatedAt }, ["100% dark"]],
    ] as const)
      expect([query, await titles(query as Record<string, string>)]).toEqual([query, expected]);
    expect(await newOffice.call("listWorkOrders", { query: { page: 2, pageSize: 2 } })).toMatchObject({
      page: 2,
      total: 3,
      totalPages: 2,
      workOrders: [{ title: "Tap" }],
    });
    await newOffice.call("transitionWorkOrder", { params: { id: tap.id }, body: { status: "cancelled" } });
    expect(await titles({ overdue: true })).toEqual([]);
    expect((await otherOffice.call("listWorkOrders", { query: { propertyId: oak.id } })).total).toBe(0);
  });

  test.each([
    ["an unknown status", { status: "open,done" }, "status", "enum"],
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
    const assigned = await aWorkOrder(office, { propertyId: property.id, vendorId: vendor.id, priority: "low" });
    const unassigned = await aWorkOrder(office, { propertyId: property.id });
    const ofProperty = await office.call("listPropertyWorkOrders", { params: { id: property.id } });
    expect(ofProperty.workOrders.map(({ id }) => id)).toEqual([unassigned.id, assigned.id]);
    expect((await office.call("listPropertyWorkOrders", { params: { id: property.id }, query: { vendorId: vendor.id } })).workOrders).toEqual([assigned]);
    const ofVendor = await office.call("listVendorWorkOrders", { params: { id: vendor.id } });
    expect(ofVendor).toMatchObject({ workOrders: [assigned], total: 1 });
    expect((await office.call("listVendorWorkOrders", { params: { id: vendor.id }, query: { priority: "high" } })).total).toBe(0);
    expect((await otherOffice.attempt("listPropertyWorkOrders", { params: { id: property.id } })).status).toBe(404);
    expect((await otherOffice.attempt("listVendorWorkOrders", { params: { id: vendor.id } })).status).toBe(404);
  });
});
