import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents } from "../../../test/database.ts";
import { anInspection, aLease, createLeaseReferences, aVendor, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const references = await createLeaseReferences(office);
const { propertyId, unitId } = references;
const lease = await aLease(office, references);
const createItemWorkOrder = (id: string, itemId: string, body: object = {}) =>
  office.attempt("createInspectionItemWorkOrder", { params: { id, itemId }, body });
const read = async (id: string) => (await office.call("getInspection", { params: { id } })).inspection;

/** Creates an inspection of the lease's unit with one damaged item. */
async function aDamagedItem(item: object = {}) {
  const inspection = await anInspection(office, {
    propertyId,
    unitId,
    leaseId: lease.id,
    areas: [{ name: "Kitchen", items: [{ name: "Oven", condition: "damaged", note: "The door does not close", estimatedCostCents: 30_000, ...item }] }],
  });
  return { inspection, id: inspection.id, itemId: inspection.areas[0]!.items[0]!.id };
}

describe("createInspectionItemWorkOrder", () => {
  test("creates a work order with the item's note and the inspection's location", async () => {
    const { inspection, id, itemId } = await aDamagedItem();
    const { workOrder } = (await createItemWorkOrder(id, itemId)).body;
    expect(workOrder).toMatchObject({
      ...references,
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

  test("accepts other terms and publishes an assignment that notifies the vendor", async () => {
    const [{ id, itemId }, vendor] = await Promise.all([aDamagedItem(), aVendor(office)]);
    const terms = {
      title: "Repair the oven",
      description: null,
      priority: "high",
      category: "appliance",
      vendorId: vendor.id,
      estimateCents: 1_000,
      chargeableTo: "tenant",
    };
    const { workOrder } = (await createItemWorkOrder(id, itemId, terms)).body;
    expect(workOrder).toMatchObject(terms);
    expect((await findOutboxEvents(office, workOrder.id)).at(-1)).toMatchObject({
      type: "work_order.assigned",
      data: { vendorId: vendor.id, notifies: ["vendor"] },
    });
  });

  test("truncates a long title", async () => {
    const { id, itemId } = await aDamagedItem({ name: "x".repeat(120) });
    await office.call("saveInspectionAreas", {
      params: { id },
      body: { areas: [{ name: "y".repeat(120), items: [{ id: itemId, name: "x".repeat(120) }] }] },
    });
    expect((await createItemWorkOrder(id, itemId)).body.workOrder.title).toHaveLength(160);
  });

  test("creates one work order per item, also for concurrent calls", async () => {
    const { id, itemId } = await aDamagedItem();
    const responses = await Promise.all(Array.from({ length: 10 }, () => createItemWorkOrder(id, itemId)));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    const rejected = responses.find(({ status }) => status === 409)!;
    expect([rejected.body.code, rejected.body.message]).toEqual(["duplicate", expect.stringContaining("already has a work order")]);
    const { workOrders } = await office.call("listWorkOrders", { query: { unitId, search: "Kitchen: Oven", pageSize: 100 } });
    expect(workOrders.filter(({ inspectionId }) => inspectionId === id)).toHaveLength(1);
  });

  test("is idempotent under the same Idempotency-Key", async () => {
    const { id, itemId } = await aDamagedItem();
    const headers = { "Idempotency-Key": unknownId() };
    const send = () => office.attempt("createInspectionItemWorkOrder", { params: { id, itemId }, body: {}, headers });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.text]).toEqual([200, first.text]);
  });

  test("accepts a completed inspection without changing its version, and rejects a cancelled one", async () => {
    const [completedItem, cancelledItem] = [await aDamagedItem(), await aDamagedItem()];
    await office.call("startInspection", { params: { id: completedItem.id } });
    const completed = await office.attempt("completeInspection", { params: { id: completedItem.id }, body: {} });
    expect((await createItemWorkOrder(completedItem.id, completedItem.itemId)).status).toBe(200);
    const after = await office.attempt("getInspection", { params: { id: completedItem.id } });
    expect([after.headers.get("ETag"), after.body.inspection.updatedAt]).toEqual([completed.headers.get("ETag"), completed.body.inspection.updatedAt]);
    await office.call("cancelInspection", { params: { id: cancelledItem.id }, body: {} });
    const rejected = await createItemWorkOrder(cancelledItem.id, cancelledItem.itemId);
    expect([rejected.status, rejected.body.code, rejected.body.message]).toEqual([409, "invalid_transition", expect.stringContaining("cancelled")]);
  });

  test.each([
    ["a location", { propertyId: unknownId() }, "propertyId", "unrecognized_key"],
    ["a source", { source: "staff" }, "source", "unrecognized_key"],
    ["an unknown vendor", { vendorId: unknownId() }, "vendorId", "not_found"],
    ["an unknown user", { assignedUserId: unknownId() }, "assignedUserId", "not_found"],
    ["an empty title", { title: " " }, "title", "too_short"],
    ["a scheduled end before the start", { scheduledStart: "2026-12-02T00:00:00Z", scheduledEnd: "2026-12-01T00:00:00Z" }, "scheduledEnd", "before_start"],
  ])("rejects %s and creates no work order", async (_, terms, path, code) => {
    const { id, itemId } = await aDamagedItem();
    const { status, body } = await createItemWorkOrder(id, itemId, terms);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
    expect((await read(id)).areas[0]!.items[0]!.workOrderId).toBeNull();
  });

  test("returns 404 for an item of another inspection and an inspection of another organization", async () => {
    const [damaged, other] = [await aDamagedItem(), await aDamagedItem()];
    expect((await createItemWorkOrder(damaged.id, other.itemId)).status).toBe(404);
    expect((await createItemWorkOrder(damaged.id, unknownId())).status).toBe(404);
    expect((await otherOffice.attempt("createInspectionItemWorkOrder", { params: damaged, body: {} })).status).toBe(404);
  });
});
