import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents } from "../../../test/database.ts";
import { aDraftLease, aLease, createLeaseReferences, aProperty, aTenant, aUnit, aVendor, aWorkOrder, inDays, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const { propertyId, unitId } = await createLeaseReferences(office);
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
    ["an emergency with entry notes", { category: "plumbing", priority: "emergency", entryPermission: "granted", entryNotes: "Beware of the dog" }],
    ["a request of a tenant at the owner's expense", { source: "tenant", requestedAt: "2026-05-01T12:00:00.000Z", chargeableTo: "owner" }],
    ["a schedule that ends when it starts", { scheduledStart: "2026-05-01T12:00:00.000Z", scheduledEnd: "2026-05-01T12:00:00.000Z" }],
    ["a due date that has passed", { dueOn: inDays(-1) }],
    ["an estimate of zero", { estimateCents: 0 }],
    ["null for every nullable reference", { unitId: null, leaseId: null, tenantId: null, vendorId: null, assignedUserId: null }],
    [
      "null for every other nullable member",
      { description: null, entryNotes: null, dueOn: null, scheduledStart: null, scheduledEnd: null, estimateCents: null },
    ],
    ["null as the party that bears the cost", { chargeableTo: null }],
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
    ["a work order number", { number: 7 }, "number", "unrecognized_key"],
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

  test("takes unit and tenant from the lease unless they are sent", async () => {
    const leaseReferences = await createLeaseReferences(office);
    const lease = await aLease(office, leaseReferences);
    const createForLease = (terms: object) => create({ propertyId: leaseReferences.propertyId, leaseId: lease.id, ...terms });
    expect((await createForLease({})).body.workOrder).toMatchObject({ ...leaseReferences, leaseId: lease.id });
    expect((await createForLease({ tenantId: null })).body.workOrder).toMatchObject({ unitId: leaseReferences.unitId, tenantId: null });
  });

  test("rejects references that do not belong together", async () => {
    const leaseReferences = await createLeaseReferences(office);
    const [lease, otherUnit, otherReferences, otherTenant] = await Promise.all([
      aLease(office, leaseReferences),
      aUnit(office, leaseReferences.propertyId),
      createLeaseReferences(office),
      aTenant(office),
    ]);
    const createErrors = async (terms: object) => {
      const { body } = await create({ propertyId: leaseReferences.propertyId, ...terms });
      return body.errors?.map(({ path, code }) => `${path} ${code}`);
    };
    expect(await createErrors({ unitId: otherReferences.unitId })).toEqual(["unitId mismatch"]);
    expect(await createErrors({ propertyId: otherReferences.propertyId, leaseId: lease.id, unitId: null })).toEqual(["leaseId mismatch"]);
    expect(await createErrors({ unitId: otherUnit.id, leaseId: lease.id })).toEqual(["leaseId mismatch"]);
    expect(await createErrors({ leaseId: lease.id, tenantId: otherTenant.id })).toEqual(["tenantId mismatch"]);
  });

  test("numbers work orders from 1 per organization without gaps or duplicates, also concurrently", async () => {
    const newOffice = await anOffice();
    const property = await aProperty(newOffice);
    const endBeforeStart = { scheduledStart: "2026-12-02T00:00:00Z", scheduledEnd: "2026-12-01T00:00:00Z" };
    const attempts = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        newOffice.attempt("createWorkOrder", { body: { propertyId: property.id, title: "Tap", ...(n % 4 === 3 && endBeforeStart) } }),
      ),
    );
    const numbers = attempts.filter(({ status }) => status === 200).map(({ body }) => body.workOrder.number);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 15 }, (_, n) => n + 1));
  });

  test("replays a request with the same Idempotency-Key", async () => {
    const headers = { "Idempotency-Key": unknownId() };
    const createWithKey = () => office.attempt("createWorkOrder", { body: { propertyId, title: "Once" }, headers });
    const [first, second] = [await createWithKey(), await createWithKey()];
    expect(first.status).toBe(200);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get("Idempotent-Replayed")).toBe("true");
  });

  test("publishes the vendor and the user to notify", async () => {
    const vendor = await aVendor(office);
    const { id } = await aWorkOrder(office, { propertyId, vendorId: vendor.id, assignedUserId: office.userId });
    expect(await findOutboxEvents(office, id)).toMatchObject([
      { type: "work_order.created" },
      { type: "work_order.assigned", data: { vendorId: vendor.id, assignedUserId: office.userId, notifies: ["vendor", "user"] } },
    ]);
  });

  test.each(["manager", "staff"] as const)("is allowed for a %s", async (role) => {
    const colleague = await office.colleague(role);
    expect((await colleague.attempt("createWorkOrder", { body: { propertyId, title: "Tap" } })).status).toBe(200);
  });

  test("rejects a property of another organization", async () => {
    expect((await otherOffice.attempt("createWorkOrder", { body: { propertyId, title: "Tap" } })).body.errors).toMatchObject([
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
  test("returns the notes of the work order, to which another organization cannot add a note", async () => {
    const { id } = await aWorkOrder(office, { propertyId });
    const noteTerms = { entityType: "work_order" as const, entityId: id, visibility: "vendor_shared" as const };
    const { note } = await office.call("createNote", { body: { ...noteTerms, body: "The valve is behind the wall." } });
    const { status, body } = await otherOffice.attempt("createNote", { body: { ...noteTerms, body: "Hello" } });
    expect([status, body.errors]).toMatchObject([400, [{ path: "entityId", code: "not_found", message: expect.stringContaining("no work order") }]]);
    expect((await read(id)).notes).toEqual([note]);
  });

  test("returns 404 to another organization", async () => {
    const { id } = await aWorkOrder(otherOffice);
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
    const changeByStaff = { at: history[0]!.at, actorUserId: staff.userId, actor: { id: staff.userId, fullName: "A staff" } };
    expect(history.slice(0, 4).toSorted((a, b) => (a.field < b.field ? -1 : 1))).toEqual([
      { ...changeByStaff, field: "actualCents", from: "0", to: "4200" },
      { ...changeByStaff, field: "description", from: "Since Monday", to: null },
      { ...changeByStaff, field: "scheduledStart", from: null, to: "2026-12-01T15:00:00.000Z" },
      { ...changeByStaff, field: "title", from: "The tap drips", to: "The tap runs" },
    ]);
    expect(history).toHaveLength(5);
    expect((await findOutboxEvents(office, before.id)).at(-1)).toMatchObject({ type: "work_order.updated", actorUserId: staff.userId });
  });

  test("checks the sent members together with the stored ones", async () => {
    const otherReferences = await createLeaseReferences(office);
    const { id } = await aWorkOrder(office, { propertyId, unitId, scheduledStart: "2026-12-01T15:00:00Z" });
    expect((await update(id, { propertyId: otherReferences.propertyId })).body.errors).toMatchObject([{ path: "unitId", code: "mismatch" }]);
    expect((await update(id, { propertyId: otherReferences.propertyId, unitId: otherReferences.unitId })).status).toBe(200);
    expect((await update(id, { scheduledEnd: "2026-12-01T14:00:00Z" })).body.errors).toMatchObject([{ path: "scheduledEnd", code: "before_start" }]);
  });

  test.each([
    ["an unknown tenant", { tenantId: unknownId() }, "tenantId", "not_found"],
    ["a status", { status: "completed" }, "status", "unrecognized_key"],
    ["null as title", { title: null }, "title", "type"],
  ])("rejects %s", async (_, changes, path, code) => {
    const { id } = await aWorkOrder(office, { propertyId });
    const { status, body } = await update(id, changes);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("updates members other than the tenant after the tenant was deleted", async () => {
    const tenant = await aTenant(office);
    const { id } = await aWorkOrder(office, { propertyId, tenantId: tenant.id });
    await office.call("deleteTenant", { params: { id: tenant.id } });
    expect((await update(id, { title: "The tap runs" })).status).toBe(200);
  });

  test("after the tenant left the lease, updates the title but rejects a change of the location", async () => {
    const leaseReferences = await createLeaseReferences(office);
    const [lease, coTenant] = await Promise.all([aDraftLease(office, leaseReferences), aTenant(office)]);
    const { occupant } = await office.call("createOccupant", { params: { leaseId: lease.id }, body: { tenantId: coTenant.id, role: "co_tenant" } });
    const { id } = await aWorkOrder(office, { propertyId: leaseReferences.propertyId, leaseId: lease.id, tenantId: coTenant.id });
    await office.call("deleteOccupant", { params: { id: occupant.id } });
    expect((await update(id, { title: "The tap runs" })).status).toBe(200);
    expect((await update(id, { unitId: null })).body.errors).toMatchObject([{ path: "tenantId", code: "mismatch" }]);
  });

  test.each([
    ["completed", ["in_progress", "completed"]],
    ["cancelled", ["cancelled"]],
  ] as const)("rejects a %s work order", async (finalStatus, transitions) => {
    const { id } = await aWorkOrder(office, { propertyId });
    for (const nextStatus of transitions) await office.call("transitionWorkOrder", { params: { id }, body: { status: nextStatus } });
    const { body, status } = await update(id, { title: "The tap runs" });
    expect([status, body.code, body.message]).toEqual([409, "invalid_transition", expect.stringContaining(finalStatus)]);
  });

  test("rejects an outdated If-Match", async () => {
    const { id } = await aWorkOrder(office, { propertyId });
    const { headers } = await office.attempt("getWorkOrder", { params: { id } });
    const change = () => update(id, { title: "The tap runs" }, { "If-Match": headers.get("ETag")! });
    expect((await change()).status).toBe(200);
    const { status, body } = await change();
    expect([status, body.code]).toEqual([412, "version_conflict"]);
  });

  test("publishes an assignment without notifications, and no assignment when the assignees are unchanged", async () => {
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

describe("deleteProperty", () => {
  test("is rejected until the work orders of the property are finished", async () => {
    const property = await aProperty(office);
    const { id } = await aWorkOrder(office, { propertyId: property.id });
    const count = async () => (await office.call("getProperty", { params: { id: property.id } })).property.openWorkOrderCount;
    expect(await count()).toBe(1);
    const remove = () => office.attempt("deleteProperty", { params: { id: property.id } });
    const { status, body } = await remove();
    expect([status, body.code, body.message]).toEqual([409, "resource_in_use", expect.stringContaining("work order")]);
    await office.call("transitionWorkOrder", { params: { id }, body: { status: "cancelled" } });
    expect(await count()).toBe(0);
    expect((await remove()).status).toBe(200);
  });
});

describe("deleteVendor", () => {
  test("is rejected until the vendor's work orders are finished; finished work orders keep the vendor's name", async () => {
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
