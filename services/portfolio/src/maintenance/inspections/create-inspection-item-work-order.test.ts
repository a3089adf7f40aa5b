import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents } from "../../../test/database.ts";
import { anInspection, aLease, createLeaseParties, aVendor, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const stranger = await anOffice();
const place = await createLeaseParties(office);
const { propertyId, unitId } = place;
const lease = await aLease(office, place);
const order = (id: string, itemId: string, body: object = {}) => office.attempt("createInspectionItemWorkOrder", { params: { id, itemId }, body });
const read = async (id: string) => (await office.call("getInspection", { params: { id } })).inspection;

/** An inspection of the lease's unit with one thing that is broken. */
async function aFinding(item: object = {}) {
  const inspection = await anInspection(office, {
    propertyId,
    unitId,
    leaseId: lease.id,
    areas: [{ name: "Kitchen", items: [{ name: "Oven", condition: "damaged", note: "The door does not close", estimatedCostCents: 30_000, ...item }] }],
  });
  return { inspection, id: inspection.id, itemId: inspection.areas[0]!.items[0]!.id };
}

describe("createInspectionItemWorkOrder", () => {
  test("orders work on what was found, where it was found", async () => {
    const { inspection, id, itemId } = await aFinding();
    const { workOrder } = (await order(id, itemId)).body;
    expect(workOrder).toMatchObject({
      ...place,
      leaseId: lease.id,
      title: "Kitchen: Oven",
      description: "The door does not close",
      estimateCents: 30_000,
      status: "open",
      source: "inspection",
      inspectionId: id,
      visibility: "organization_only",
    });
    expect((await office.call("getWorkOrder", { params: { id: workOrder.id } })).workOrder).toEqual(workOrder);
    expect(await read(id)).toEqual({
      ...inspection,
      areas: [{ ...inspection.areas[0]!, items: [{ ...inspection.areas[0]!.items[0]!, workOrderId: workOrder.id }] }],
    });
    expect((await findOutboxEvents(office, workOrder.id)).map(({ type }) => type)).toEqual(["work_order.created"]);
  });

  test("takes what is said otherwise, and has whom it is assigned to notified", async () => {
    const [{ id, itemId }, vendor] = await Promise.all([aFinding(), aVendor(office)]);
    const said = {
      title: "Repair the oven",
      description: null,
      priority: "high",
      category: "appliance",
      vendorId: vendor.id,
      estimateCents: 1_000,
      chargeableTo: "tenant",
    };
    const { workOrder } = (await order(id, itemId, said)).body;
    expect(workOrder).toMatchObject(said);
    expect((await findOutboxEvents(office, workOrder.id)).at(-1)).toMatchObject({
      type: "work_order.assigned",
      data: { vendorId: vendor.id, notifies: ["vendor"] },
    });
  });

  test("shortens a title that would be too long", async () => {
    const { id, itemId } = await aFinding({ name: "x".repeat(120) });
    await office.call("saveInspectionAreas", {
      params: { id },
      body: { areas: [{ name: "y".repeat(120), items: [{ id: itemId, name: "x".repeat(120) }] }] },
    });
    expect((await order(id, itemId)).body.workOrder.title).toHaveLength(160);
  });

  test("orders it once for each item, of however many who try", async () => {
    const { id, itemId } = await aFinding();
    const answers = await Promise.all(Array.from({ length: 10 }, () => order(id, itemId)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    const refused = answers.find(({ status }) => status === 409)!;
    expect([refused.body.code, refused.body.message]).toEqual(["duplicate", expect.stringContaining("already has a work order")]);
    const { workOrders } = await office.call("listWorkOrders", { query: { unitId, search: "Kitchen: Oven", pageSize: 100 } });
    expect(workOrders.filter(({ inspectionId }) => inspectionId === id)).toHaveLength(1);
  });

  test("is repeated without a second effect under one Idempotency-Key", async () => {
    const { id, itemId } = await aFinding();
    const headers = { "Idempotency-Key": unknownId() };
    const again = () => office.attempt("createInspectionItemWorkOrder", { params: { id, itemId }, body: {}, headers });
    const [first, second] = [await again(), await again()];
    expect([first.status, second.text]).toEqual([200, first.text]);
  });

  test("is possible for a completed inspection, which stays the version it is, and not for a cancelled one", async () => {
    const [done, off] = [await aFinding(), await aFinding()];
    await office.call("startInspection", { params: { id: done.id } });
    const completed = await office.attempt("completeInspection", { params: { id: done.id }, body: {} });
    expect((await order(done.id, done.itemId)).status).toBe(200);
    const after = await office.attempt("getInspection", { params: { id: done.id } });
    expect([after.headers.get("ETag"), after.body.inspection.updatedAt]).toEqual([completed.headers.get("ETag"), completed.body.inspection.updatedAt]);
    await office.call("cancelInspection", { params: { id: off.id }, body: {} });
    const refused = await order(off.id, off.itemId);
    expect([refused.status, refused.body.code, refused.body.message]).toEqual([409, "invalid_transition", expect.stringContaining("cancelled")]);
  });

  test.each([
    ["a place of its own", { propertyId: unknownId() }, "propertyId", "unrecognized_key"],
    ["a source of its own", { source: "staff" }, "source", "unrecognized_key"],
    ["a vendor nobody has", { vendorId: unknownId() }, "vendorId", "not_found"],
    ["a colleague nobody has", { assignedUserId: unknownId() }, "assignedUserId", "not_found"],
    ["an empty title", { title: " " }, "title", "too_short"],
    ["a visit that ends before it starts", { scheduledStart: "2026-12-02T00:00:00Z", scheduledEnd: "2026-12-01T00:00:00Z" }, "scheduledEnd", "before_start"],
  ])("refuses %s, and the item has none", async (_, terms, path, code) => {
    const { id, itemId } = await aFinding();
    const { status, body } = await order(id, itemId, terms);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
    expect((await read(id)).areas[0]!.items[0]!.workOrderId).toBeNull();
  });

  test("knows no item of another inspection, and no inspection of another organization", async () => {
    const [one, other] = [await aFinding(), await aFinding()];
    expect((await order(one.id, other.itemId)).status).toBe(404);
    expect((await order(one.id, unknownId())).status).toBe(404);
    expect((await stranger.attempt("createInspectionItemWorkOrder", { params: one, body: {} })).status).toBe(404);
  });
});
