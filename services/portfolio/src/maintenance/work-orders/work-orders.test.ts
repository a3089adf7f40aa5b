import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents } from "../../../test/database.ts";
import { aDraftLease, aLease, createLeaseParties, aProperty, aTenant, aUnit, aVendor, aWorkOrder, inDays, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const stranger = await anOffice();
const place = await createLeaseParties(office);
const { propertyId } = place;
const create = (terms: object) => office.attempt("createWorkOrder", { body: { propertyId, title: "The tap drips", ...terms } });
const update = (id: string, body: object, headers: Record<string, string> = {}) => office.attempt("updateWorkOrder", { params: { id }, body, headers });
const read = (id: string) => office.call("getWorkOrder", { params: { id } });

describe("createWorkOrder", () => {
  test("answers an open work order, all else left open", async () => {
    const { body } = await create({});
    const { workOrder } = body;
    expect(workOrder).toMatchObject({
      propertyId,
      propertyName: "Elm Court",
      unitId: null,
      leaseId: null,
      tenantId: null,
      vendorId: null,
      assignedUserId: null,
      title: "The tap drips",
      description: null,
      category: "other",
      priority: "normal",
      status: "open",
      source: "staff",
      entryPermission: "unknown",
      dueOn: null,
      startedAt: null,
      estimateCents: null,
      approvedEstimateCents: null,
      actualCents: 0,
      chargeableTo: null,
      expenseIds: [],
      inspectionId: null,
      visibility: "organization_only",
      createdByUserId: office.userId,
    });
    expect(await read(workOrder.id)).toEqual({
      workOrder,
      notes: [],
      documents: [],
      estimates: [],
      history: [
        { at: expect.any(String), actorUserId: office.userId, actor: { id: office.userId, fullName: "Ada Admin" }, field: "status", from: null, to: "open" },
      ],
    });
    expect(await findOutboxEvents(office, workOrder.id)).toMatchObject([{ type: "work_order.created", data: { propertyId, unitId: null, status: "open" } }]);
  });

  test.each([
    ["a title of 160 characters", { title: "x".repeat(160) }],
    ["a description of 8000 characters", { description: "x".repeat(8000) }],
    ["an emergency", { category: "plumbing", priority: "emergency", entryPermission: "granted", entryNotes: "Beware of the dog" }],
    ["what a tenant rang up about", { source: "tenant", requestedAt: "2026-05-01T12:00:00.000Z", chargeableTo: "owner" }],
    ["a visit that ends when it starts", { scheduledStart: "2026-05-01T12:00:00.000Z", scheduledEnd: "2026-05-01T12:00:00.000Z" }],
    ["a due date that has passed", { dueOn: "2026-05-01" }],
    ["an estimate of nothing", { estimateCents: 0 }],
    ["nothing where nothing may be", { unitId: null, leaseId: null, tenantId: null, vendorId: null, assignedUserId: null, description: null, dueOn: null }],
  ])("takes %s", async (_, terms) => {
    const { status, body } = await create(terms);
    expect([status, body.workOrder]).toMatchObject([200, terms]);
  });

  test.each([
    ["no title", { title: " " }, "title", "too_short"],
    ["a title of 161 characters", { title: "x".repeat(161) }, "title", "too_long"],
    ["a description of 8001 characters", { description: "x".repeat(8001) }, "description", "too_long"],
    ["a category nobody knows", { category: "magic" }, "category", "enum"],
    ["a priority nobody knows", { priority: "urgent" }, "priority", "enum"],
    ["a source that only we are", { source: "inspection" }, "source", "enum"],
    ["a due date that is no day", { dueOn: "2026-02-30" }, "dueOn", "format"],
    ["a negative estimate", { estimateCents: -1 }, "estimateCents", "min"],
    ["half a cent", { estimateCents: 0.5 }, "estimateCents", "type"],
    ["a visit that ends before it starts", { scheduledStart: "2026-05-01T12:00:00Z", scheduledEnd: "2026-05-01T11:59:59Z" }, "scheduledEnd", "before_start"],
    ["a property nobody has", { propertyId: unknownId() }, "propertyId", "not_found"],
    ["a unit nobody has", { unitId: unknownId() }, "unitId", "not_found"],
    ["a lease nobody has", { leaseId: unknownId() }, "leaseId", "not_found"],
    ["a tenant nobody has", { tenantId: unknownId() }, "tenantId", "not_found"],
    ["a vendor nobody has", { vendorId: unknownId() }, "vendorId", "not_found"],
    ["a colleague nobody has", { assignedUserId: unknownId() }, "assignedUserId", "not_found"],
    ["a status", { status: "completed" }, "status", "unrecognized_key"],
    ["a number", { number: 7 }, "number", "unrecognized_key"],
  ])("refuses %s", async (_, terms, path, code) => {
    const { status, body } = await create(terms);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("names every thing that is not there", async () => {
    const { body } = await create({ unitId: unknownId(), vendorId: unknownId() });
    expect(body.errors).toMatchObject([
      { path: "unitId", code: "not_found" },
      { path: "vendorId", code: "not_found" },
    ]);
  });

  test("takes unit and tenant from the lease, and refuses what does not belong together", async () => {
    const home = await createLeaseParties(office);
    const lease = await aLease(office, home);
    const [neighbour, elsewhere, passerBy] = await Promise.all([aUnit(office, home.propertyId), createLeaseParties(office), aTenant(office)]);
    const of = (terms: object) => create({ propertyId: home.propertyId, ...terms });
    expect((await of({ leaseId: lease.id })).body.workOrder).toMatchObject({ ...home, leaseId: lease.id });
    expect((await of({ leaseId: lease.id, tenantId: null })).body.workOrder).toMatchObject({ unitId: home.unitId, tenantId: null });
    const mismatches = async (terms: object) => (await of(terms)).body.errors?.map(({ path, code }) => `${path} ${code}`);
    expect(await mismatches({ unitId: elsewhere.unitId })).toEqual(["unitId mismatch"]);
    expect(await mismatches({ propertyId: elsewhere.propertyId, leaseId: lease.id, unitId: null })).toEqual(["leaseId mismatch"]);
    expect(await mismatches({ unitId: neighbour.id, leaseId: lease.id })).toEqual(["leaseId mismatch"]);
    expect(await mismatches({ leaseId: lease.id, tenantId: passerBy.id })).toEqual(["tenantId mismatch"]);
  });

  test("numbers them from 1 in each organization, without a gap or a repeat, however many come at once", async () => {
    const mine = await anOffice();
    const property = await aProperty(mine);
    const tooLate = { scheduledStart: "2026-12-02T00:00:00Z", scheduledEnd: "2026-12-01T00:00:00Z" };
    const attempts = await Promise.all(
      Array.from({ length: 20 }, (_, n) => mine.attempt("createWorkOrder", { body: { propertyId: property.id, title: "Tap", ...(n % 4 === 3 && tooLate) } })),
    );
    const made = attempts.filter(({ status }) => status === 200).map(({ body }) => body.workOrder.number);
    expect(made.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 15 }, (_, n) => n + 1));
  });

  test("is repeated without a second effect under one Idempotency-Key", async () => {
    const headers = { "Idempotency-Key": unknownId() };
    const again = () => office.attempt("createWorkOrder", { body: { propertyId, title: "Once" }, headers });
    const [first, second] = [await again(), await again()];
    expect(second.body).toEqual(first.body);
    expect(second.headers.get("Idempotent-Replayed")).toBe("true");
  });

  test("has whom it is assigned to notified", async () => {
    const vendor = await aVendor(office);
    const { id } = await aWorkOrder(office, { propertyId, vendorId: vendor.id, assignedUserId: office.userId });
    expect(await findOutboxEvents(office, id)).toMatchObject([
      { type: "work_order.created" },
      { type: "work_order.assigned", data: { vendorId: vendor.id, assignedUserId: office.userId, notifies: ["vendor", "user"] } },
    ]);
  });

  test("is for the whole office, about what the organization has", async () => {
    const staff = await office.colleague("staff");
    expect((await staff.attempt("createWorkOrder", { body: { propertyId, title: "Tap" } })).status).toBe(200);
    expect((await stranger.attempt("createWorkOrder", { body: { propertyId, title: "Tap" } })).body.errors).toMatchObject([
      { path: "propertyId", code: "not_found" },
    ]);
  });

  test("never leaves an open work order on a property that is deleted at the same moment", async () => {
    const attempts = Array.from({ length: 8 }, async () => {
      const { id } = await aProperty(office);
      const [created, deleted] = await Promise.all([create({ propertyId: id }), office.attempt("deleteProperty", { params: { id } })]);
      expect([
        [200, 409],
        [400, 200],
      ]).toContainEqual([created.status, deleted.status]);
    });
    await Promise.all(attempts);
  });
});

describe("getWorkOrder", () => {
  test("shows the notes that were written about it", async () => {
    const { id } = await aWorkOrder(office, { propertyId });
    const about = { entityType: "work_order" as const, entityId: id, visibility: "vendor_shared" as const };
    const { note } = await office.call("createNote", { body: { ...about, body: "The valve is behind the wall." } });
    expect((await read(id)).notes).toEqual([note]);
    const foreign = await stranger.attempt("createNote", { body: { ...about, body: "Hello" } });
    expect([foreign.status, foreign.body.errors]).toMatchObject([
      400,
      [{ path: "entityId", code: "not_found", message: expect.stringContaining("no work order") }],
    ]);
  });

  test("does not know another organization's", async () => {
    const { id } = await aWorkOrder(stranger);
    expect((await office.attempt("getWorkOrder", { params: { id } })).status).toBe(404);
  });
});

describe("updateWorkOrder", () => {
  test("changes what is sent and nothing else, and keeps what it was", async () => {
    const before = await aWorkOrder(office, { propertyId, description: "Since Monday", dueOn: inDays(3) });
    const staff = await office.colleague("staff");
    const changes = { title: "The tap runs", description: null, scheduledStart: "2026-12-01T15:00:00.000Z", actualCents: 4_200 };
    const { workOrder } = await staff.call("updateWorkOrder", { params: { id: before.id }, body: changes });
    expect(workOrder).toEqual({ ...before, ...changes, updatedAt: workOrder.updatedAt });
    const { history } = await read(before.id);
    const made = { at: history[0]!.at, actorUserId: staff.userId, actor: { id: staff.userId, fullName: "A staff" } };
    expect(history.slice(0, 4).toSorted((a, b) => (a.field < b.field ? -1 : 1))).toEqual([
      { ...made, field: "actualCents", from: "0", to: "4200" },
      { ...made, field: "description", from: "Since Monday", to: null },
      { ...made, field: "scheduledStart", from: null, to: "2026-12-01T15:00:00.000Z" },
      { ...made, field: "title", from: "The tap drips", to: "The tap runs" },
    ]);
    expect(history).toHaveLength(5);
    expect((await findOutboxEvents(office, before.id)).at(-1)).toMatchObject({ type: "work_order.updated", actorUserId: staff.userId });
  });

  test("checks the work order as a whole, not what was sent of it", async () => {
    const elsewhere = await createLeaseParties(office);
    const { id } = await aWorkOrder(office, { propertyId, unitId: place.unitId, scheduledStart: "2026-12-01T15:00:00Z" });
    expect((await update(id, { propertyId: elsewhere.propertyId })).body.errors).toMatchObject([{ path: "unitId", code: "mismatch" }]);
    expect((await update(id, { propertyId: elsewhere.propertyId, unitId: elsewhere.unitId })).status).toBe(200);
    expect((await update(id, { scheduledEnd: "2026-12-01T14:00:00Z" })).body.errors).toMatchObject([{ path: "scheduledEnd", code: "before_start" }]);
    expect((await update(id, { tenantId: unknownId() })).body.errors).toMatchObject([{ path: "tenantId", code: "not_found" }]);
    expect((await update(id, { status: "completed" })).body.errors).toMatchObject([{ path: "status", code: "unrecognized_key" }]);
    expect((await update(id, { title: null })).body.errors).toMatchObject([{ path: "title", code: "type" }]);
  });

  test("still changes the rest of one whose tenant has been deleted since", async () => {
    const tenant = await aTenant(office);
    const { id } = await aWorkOrder(office, { propertyId, tenantId: tenant.id });
    await office.call("deleteTenant", { params: { id: tenant.id } });
    expect((await update(id, { title: "The tap runs" })).status).toBe(200);
  });

  test("still changes the rest of one whose tenant was taken off the lease since, but not the place", async () => {
    const home = await createLeaseParties(office);
    const [lease, coTenant] = await Promise.all([aDraftLease(office, home), aTenant(office)]);
    const { occupant } = await office.call("createOccupant", { params: { leaseId: lease.id }, body: { tenantId: coTenant.id, role: "co_tenant" } });
    const { id } = await aWorkOrder(office, { propertyId: home.propertyId, leaseId: lease.id, tenantId: coTenant.id });
    await office.call("deleteOccupant", { params: { id: occupant.id } });
    expect((await update(id, { title: "The tap runs" })).status).toBe(200);
    expect((await update(id, { unitId: null })).body.errors).toMatchObject([{ path: "tenantId", code: "mismatch" }]);
  });

  test.each(["completed", "cancelled"] as const)("refuses one that is %s", async (status) => {
    const { id } = await aWorkOrder(office, { propertyId });
    for (const next of status === "completed" ? (["in_progress", "completed"] as const) : (["cancelled"] as const))
      await office.call("transitionWorkOrder", { params: { id }, body: { status: next } });
    const { body, status: answered } = await update(id, { title: "The tap runs" });
    expect([answered, body.code, body.message]).toEqual([409, "invalid_transition", expect.stringContaining(status)]);
  });

  test("refuses a change of what has changed since it was read", async () => {
    const { id } = await aWorkOrder(office, { propertyId });
    const { headers } = await office.attempt("getWorkOrder", { params: { id } });
    const change = () => update(id, { title: "The tap runs" }, { "If-Match": headers.get("ETag")! });
    expect((await change()).status).toBe(200);
    const late = await change();
    expect([late.status, late.body.code]).toEqual([412, "version_conflict"]);
  });

  test("announces an assignment that was changed, and notifies nobody", async () => {
    const vendor = await aVendor(office);
    const { id } = await aWorkOrder(office, { propertyId });
    expect((await update(id, { vendorId: vendor.id, assignedUserId: office.userId })).body.workOrder).toMatchObject({
      vendorId: vendor.id,
      vendorName: "Pipes & Co",
      assignedUserId: office.userId,
    });
    expect((await findOutboxEvents(office, id)).at(-1)).toMatchObject({ type: "work_order.assigned", data: { vendorId: vendor.id, notifies: [] } });
    await update(id, { priority: "high" });
    expect((await findOutboxEvents(office, id)).at(-1)!.type).toBe("work_order.updated");
  });
});

describe("what is deleted", () => {
  test("is no property with work to do", async () => {
    const property = await aProperty(office);
    const { id } = await aWorkOrder(office, { propertyId: property.id });
    const count = async () => (await office.call("getProperty", { params: { id: property.id } })).property.openWorkOrderCount;
    expect(await count()).toBe(1);
    const remove = () => office.attempt("deleteProperty", { params: { id: property.id } });
    const refused = await remove();
    expect([refused.status, refused.body.code, refused.body.message]).toEqual([409, "resource_in_use", expect.stringContaining("work order")]);
    await office.call("transitionWorkOrder", { params: { id }, body: { status: "cancelled" } });
    expect(await count()).toBe(0);
    expect((await remove()).status).toBe(200);
  });

  test("is no vendor with work to do", async () => {
    const vendor = await aVendor(office);
    const { id } = await aWorkOrder(office, { propertyId, vendorId: vendor.id });
    const remove = () => office.attempt("deleteVendor", { params: { id: vendor.id } });
    await office.call("transitionWorkOrder", { params: { id }, body: { status: "in_progress" } });
    expect((await remove()).body.code).toBe("resource_in_use");
    await office.call("transitionWorkOrder", { params: { id }, body: { status: "completed" } });
    expect((await remove()).status).toBe(200);
    expect((await read(id)).workOrder.vendorName).toBe("Pipes & Co");
  });
});
