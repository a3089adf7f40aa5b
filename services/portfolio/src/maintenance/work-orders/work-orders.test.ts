import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents } from "../../../test/database.ts";
import { aDraftLease, aLease, createLeaseReferences, aProperty, aTenant, aUnit, aVendor, aWorkOrder, inDays, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const stranger = await anOffice();
const place = await createLeaseReferences(office);
const { propertyId } = place;
const create = (terms: object) => office.attempt("createWorkOrder", { body: { propertyId, title: "The tap drips", ...terms } });
const update = (id: string, body: object, headers: Record<string, string> = {}) => office.attempt("updateWorkOrder", { params: { id }, body, headers });
const read = (id: string) => office.call("getWorkOrder", { params: { id } });

describe("createWorkOrder", () => {
  test("returns an open work order with defaults", async () => {
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
    ["a request by phone", { source: "tenant", requestedAt: "2026-05-01T12:00:00.000Z", chargeableTo: "owner" }],
    ["a schedule that ends when it starts", { scheduledStart: "2026-05-01T12:00:00.000Z", scheduledEnd: "2026-05-01T12:00:00.000Z" }],
    ["a due date that has passed", { dueOn: "2026-05-01" }],
    ["an estimate of zero", { estimateCents: 0 }],
    ["null for every nullable member", { unitId: null, leaseId: null, tenantId: null, vendorId: null, assignedUserId: null, description: null, dueOn: null }],
  ])("accepts %s", async (_, terms) => {
    const { status, body } = await create(terms);
    expect([status, body.workOrder]).toMatchObject([200, terms]);
  });

  test.each([
    ["no title", { title: " " }, "title", "too_short"],
    ["a title of 161 characters", { title: "x".repeat(161) }, "title", "too_long"],
    ["a description of 8001 characters", { description: "x".repeat(8001) }, "description", "too_long"],
    ["an unknown category", { category: "magic" }, "category", "enum"],
    ["an unknown priority", { priority: "urgent" }, "priority", "enum"],
    ["a reserved source", { source: "inspection" }, "source", "enum"],
    ["an invalid due date", { dueOn: "2026-02-30" }, "dueOn", "format"],
    ["a negative estimate", { estimateCents: -1 }, "estimateCents", "min"],
    ["a fraction of a cent", { estimateCents: 0.5 }, "estimateCents", "type"],
    ["a scheduled end before the start", { scheduledStart: "2026-05-01T12:00:00Z", scheduledEnd: "2026-05-01T11:59:59Z" }, "scheduledEnd", "before_start"],
    ["an unknown property", { propertyId: unknownId() }, "propertyId", "not_found"],
    ["an unknown unit", { unitId: unknownId() }, "unitId", "not_found"],
    ["an unknown lease", { leaseId: unknownId() }, "leaseId", "not_found"],
    ["an unknown tenant", { tenantId: unknownId() }, "tenantId", "not_found"],
    ["an unknown vendor", { vendorId: unknownId() }, "vendorId", "not_found"],
    ["an unknown user", { assignedUserId: unknownId() }, "assignedUserId", "not_found"],
    ["a status", { status: "completed" }, "status", "unrecognized_key"],
    ["a number", { number: 7 }, "number", "unrecognized_key"],
  ])("rejects %s", async (_, terms, path, code) => {
    const { status, body } = await create(terms);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("reports every unknown reference", async () => {
    const { body } = await create({ unitId: unknownId(), vendorId: unknownId() });
    expect(body.errors).toMatchObject([
      { path: "unitId", code: "not_found" },
      { path: "vendorId", code: "not_found" },
    ]);
  });

  test("takes unit and tenant from the lease and rejects inconsistent references", async () => {
    const home = await createLeaseReferences(office);
    const lease = await aLease(office, home);
    const [neighbour, elsewhere, passerBy] = await Promise.all([aUnit(office, home.propertyId), createLeaseReferences(office), aTenant(office)]);
    const of = (terms: object) => create({ propertyId: home.propertyId, ...terms });
    expect((await of({ leaseId: lease.id })).body.workOrder).toMatchObject({ ...home, leaseId: lease.id });
    expect((await of({ leaseId: lease.id, tenantId: null })).body.workOrder).toMatchObject({ unitId: home.unitId, tenantId: null });
    const mismatches = async (terms: object) => (await of(terms)).body.errors?.map(({ path, code }) => `${path} ${code}`);
    expect(await mismatches({ unitId: elsewhere.unitId })).toEqual(["unitId mismatch"]);
    expect(await mismatches({ propertyId: elsewhere.propertyId, leaseId: lease.id, unitId: null })).toEqual(["leaseId mismatch"]);
    expect(await mismatches({ unitId: neighbour.id, leaseId: lease.id })).toEqual(["leaseId mismatch"]);
    expect(await mismatches({ leaseId: lease.id, tenantId: passerBy.id })).toEqual(["tenantId mismatch"]);
  });

  test("numbers work orders from 1 per organization without gaps or duplicates, also concurrently", async () => {
    const mine = await anOffice();
    const property = await aProperty(mine);
    const tooLate = { scheduledStart: "2026-12-02T00:00:00Z", scheduledEnd: "2026-12-01T00:00:00Z" };
    const attempts = await Promise.all(
      Array.from({ length: 20 }, (_, n) => mine.attempt("createWorkOrder", { body: { propertyId: property.id, title: "Tap", ...(n % 4 === 3 && tooLate) } })),
    );
    const made = attempts.filter(({ status }) => status === 200).map(({ body }) => body.workOrder.number);
    expect(made.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 15 }, (_, n) => n + 1));
  });

  test("is idempotent under the same Idempotency-Key", async () => {
    const headers = { "Idempotency-Key": unknownId() };
    const again = () => office.attempt("createWorkOrder", { body: { propertyId, title: "Once" }, headers });
    const [first, second] = [await again(), await again()];
    expect(second.body).toEqual(first.body);
    expect(second.headers.get("Idempotent-Replayed")).toBe("true");
  });

  test("notifies the assignee", async () => {
    const vendor = await aVendor(office);
    const { id } = await aWorkOrder(office, { propertyId, vendorId: vendor.id, assignedUserId: office.userId });
    expect(await findOutboxEvents(office, id)).toMatchObject([
      { type: "work_order.created" },
      { type: "work_order.assigned", data: { vendorId: vendor.id, assignedUserId: office.userId, notifies: ["vendor", "user"] } },
    ]);
  });

  test("is allowed for the office, on its own properties", async () => {
    const staff = await office.colleague("staff");
    expect((await staff.attempt("createWorkOrder", { body: { propertyId, title: "Tap" } })).status).toBe(200);
    expect((await stranger.attempt("createWorkOrder", { body: { propertyId, title: "Tap" } })).body.errors).toMatchObject([
      { path: "propertyId", code: "not_found" },
    ]);
  });

  test("never leaves an open work order on a property deleted concurrently", async () => {
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
  test("returns its notes", async () => {
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

  test("answers 404 to another organization", async () => {
    const { id } = await aWorkOrder(stranger);
    expect((await office.attempt("getWorkOrder", { params: { id } })).status).toBe(404);
  });
});

describe("updateWorkOrder", () => {
  test("updates only the members that are sent and records the history", async () => {
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

  test("checks the resulting work order as a whole", async () => {
    const elsewhere = await createLeaseReferences(office);
    const { id } = await aWorkOrder(office, { propertyId, unitId: place.unitId, scheduledStart: "2026-12-01T15:00:00Z" });
    expect((await update(id, { propertyId: elsewhere.propertyId })).body.errors).toMatchObject([{ path: "unitId", code: "mismatch" }]);
    expect((await update(id, { propertyId: elsewhere.propertyId, unitId: elsewhere.unitId })).status).toBe(200);
    expect((await update(id, { scheduledEnd: "2026-12-01T14:00:00Z" })).body.errors).toMatchObject([{ path: "scheduledEnd", code: "before_start" }]);
    expect((await update(id, { tenantId: unknownId() })).body.errors).toMatchObject([{ path: "tenantId", code: "not_found" }]);
    expect((await update(id, { status: "completed" })).body.errors).toMatchObject([{ path: "status", code: "unrecognized_key" }]);
    expect((await update(id, { title: null })).body.errors).toMatchObject([{ path: "title", code: "type" }]);
  });

  test("updates other members after the tenant was deleted", async () => {
    const tenant = await aTenant(office);
    const { id } = await aWorkOrder(office, { propertyId, tenantId: tenant.id });
    await office.call("deleteTenant", { params: { id: tenant.id } });
    expect((await update(id, { title: "The tap runs" })).status).toBe(200);
  });

  test("updates other members after the tenant left the lease, but not the location", async () => {
    const home = await createLeaseReferences(office);
    const [lease, coTenant] = await Promise.all([aDraftLease(office, home), aTenant(office)]);
    const { occupant } = await office.call("createOccupant", { params: { leaseId: lease.id }, body: { tenantId: coTenant.id, role: "co_tenant" } });
    const { id } = await aWorkOrder(office, { propertyId: home.propertyId, leaseId: lease.id, tenantId: coTenant.id });
    await office.call("deleteOccupant", { params: { id: occupant.id } });
    expect((await update(id, { title: "The tap runs" })).status).toBe(200);
    expect((await update(id, { unitId: null })).body.errors).toMatchObject([{ path: "tenantId", code: "mismatch" }]);
  });

  test.each(["completed", "cancelled"] as const)("rejects a %s work order", async (status) => {
    const { id } = await aWorkOrder(office, { propertyId });
    for (const next of status === "completed" ? (["in_progress", "completed"] as const) : (["cancelled"] as const))
      await office.call("transitionWorkOrder", { params: { id }, body: { status: next } });
    const { body, status: answered } = await update(id, { title: "The tap runs" });
    expect([answered, body.code, body.message]).toEqual([409, "invalid_transition", expect.stringContaining(status)]);
  });

  test("rejects an outdated If-Match", async () => {
    const { id } = await aWorkOrder(office, { propertyId });
    const { headers } = await office.attempt("getWorkOrder", { params: { id } });
    const change = () => update(id, { title: "The tap runs" }, { "If-Match": headers.get("ETag")! });
    expect((await change()).status).toBe(200);
    const late = await change();
    expect([late.status, late.body.code]).toEqual([412, "version_conflict"]);
  });

  test("publishes a changed assignment without notifications", async () => {
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

describe("deletion", () => {
  test("of a property with open work is rejected", async () => {
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

  test("of a vendor with open work is rejected", async () => {
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
