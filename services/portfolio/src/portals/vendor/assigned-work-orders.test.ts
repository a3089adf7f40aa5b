import { describe, expect, test } from "@jest/globals";
import { anOffice, type Colleague } from "../../../../../test/support/office.ts";
import { findOutboxEvents, queryRows } from "../../../test/database.ts";
import { address, aProperty, aVendor, aWorkOrder, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const [vendor, otherVendor] = await Promise.all([aVendor(office, { notes: "Always late.", paymentTermsDays: 30, trade: "Plumbing" }), aVendor(office)]);
const [user, otherVendorUser] = await Promise.all([office.vendorUser(vendor.id), office.vendorUser(otherVendor.id)]);
const property = await aProperty(office);

const createWorkOrder = async (fields: object = {}) => (await aWorkOrder(office, { propertyId: property.id, vendorId: vendor.id, ...fields })).id;
const getAsOffice = async (id: string) => (await office.call("getWorkOrder", { params: { id } })).workOrder;
const lastEvent = async (id: string) => (await findOutboxEvents(office, id)).at(-1)!;

describe("listAssignedWorkOrders", () => {
  test("returns the assigned work orders with the address, without the members that only the office reads", async () => {
    const [assigned, foreign] = [await createWorkOrder({ estimateCents: 99_900, chargeableTo: "tenant" }), await createWorkOrder({ vendorId: otherVendor.id })];
    const { workOrders } = await user.call("listAssignedWorkOrders", { query: { status: "open", pageSize: 100 } });
    const ids = workOrders.map(({ id }) => id);
    expect([ids.includes(assigned), ids.includes(foreign)]).toEqual([true, false]);
    expect(workOrders[0]).toMatchObject({ id: assigned, address: { ...address, streetLine2: null }, estimateCents: null, acceptedAt: null });
    for (const member of ["chargeableTo", "assignedUserId", "tenantId", "visibility"]) expect(workOrders[0]).not.toHaveProperty(member);
    expect((await user.attempt("getAssignedWorkOrder", { params: { id: foreign } })).status).toBe(404);
    expect((await user.call("listAssignedWorkOrders", { query: { status: "cancelled" } })).workOrders).toEqual([]);
  });
});

describe("acceptAssignedWorkOrder", () => {
  const accept = (id: string, client: Colleague = user) => client.attempt("acceptAssignedWorkOrder", { params: { id } });

  test("accepts a work order only once, and leaves its status unchanged", async () => {
    const id = await createWorkOrder();
    const responses = await Promise.all([accept(id), accept(id), accept(id)]);
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect(responses.find(({ status }) => status === 200)!.body.workOrder).toMatchObject({ id, status: "open", acceptedAt: expect.any(String) });
    expect(responses.find(({ status }) => status === 409)!.body.message).toBe("The work order has already been accepted. No further step is needed.");
    expect(await lastEvent(id)).toMatchObject({ type: "work_order.updated", audience: { vendorIds: [vendor.id] } });
    expect((await getAsOffice(id)).acceptedAt).toEqual(expect.any(String));
  });

  test("lets another vendor accept the work order again after reassignment", async () => {
    const id = await createWorkOrder();
    await accept(id);
    const { workOrder } = await office.call("assignWorkOrder", { params: { id }, body: { vendorId: otherVendor.id } });
    expect(workOrder.acceptedAt).toBeNull();
    expect([(await accept(id)).status, (await accept(id, otherVendorUser)).status]).toEqual([404, 200]);
    const { workOrder: updated } = await office.call("updateWorkOrder", { params: { id }, body: { vendorId: otherVendor.id, priority: "high" } });
    expect(updated.acceptedAt).toEqual(expect.any(String));
  });

  test("is rejected for finished work orders and for other vendors", async () => {
    const id = await createWorkOrder();
    await office.call("transitionWorkOrder", { params: { id }, body: { status: "cancelled" } });
    const responses = await Promise.all([accept(id), accept(id, otherVendorUser), accept(unknownId())]);
    expect(responses.map(({ status, body }) => [status, body.code])).toEqual([
      [409, "invalid_transition"],
      [404, "not_found"],
      [404, "not_found"],
    ]);
  });
});

describe("declineAssignedWorkOrder", () => {
  const decline = (id: string, body: object = {}, client: Colleague = user) => client.attempt("declineAssignedWorkOrder", { params: { id }, body });

  test("unassigns the vendor, publishes the event and stores the reason", async () => {
    const id = await createWorkOrder({ scheduledStart: "2027-01-05T14:00:00.000Z", scheduledEnd: "2027-01-05T15:00:00.000Z" });
    await user.call("acceptAssignedWorkOrder", { params: { id } });
    const responses = await Promise.all([decline(id, { reason: "Booked out." }), decline(id, { reason: "Booked out." })]);
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
    expect(responses.find(({ status }) => status === 200)!.body.workOrder).toMatchObject({ id, acceptedAt: null, scheduledStart: null });
    const { workOrder, notes, history } = await office.call("getWorkOrder", { params: { id } });
    expect(workOrder).toMatchObject({ status: "open", vendorId: null, acceptedAt: null, scheduledStart: null, scheduledEnd: null });
    expect(notes).toMatchObject([{ body: "Booked out.", visibility: "organization_only", createdByUserId: user.userId }]);
    expect(history).toContainEqual(expect.objectContaining({ field: "vendorId", from: vendor.id, to: null, actorUserId: user.userId }));
    expect(await lastEvent(id)).toMatchObject({ type: "work_order.assigned", data: { vendorId: null, notifies: [] }, audience: { vendorIds: [vendor.id] } });
    expect((await user.attempt("getAssignedWorkOrder", { params: { id } })).status).toBe(404);
  });

  test("is rejected for a finished work order and for one that the vendor has started, but not for one that an earlier vendor has started", async () => {
    const [started, finished, handedOver] = await Promise.all([createWorkOrder(), createWorkOrder(), createWorkOrder({ vendorId: otherVendor.id })]);
    await user.call("transitionAssignedWorkOrder", { params: { id: started }, body: { status: "in_progress" } });
    await office.call("transitionWorkOrder", { params: { id: finished }, body: { status: "cancelled" } });
    await otherVendorUser.call("transitionAssignedWorkOrder", { params: { id: handedOver }, body: { status: "in_progress" } });
    await office.call("assignWorkOrder", { params: { id: handedOver }, body: { vendorId: vendor.id } });
    const responses = await Promise.all([decline(started), decline(finished), decline(handedOver), decline(started, {}, otherVendorUser)]);
    expect(responses.map(({ status }) => status)).toEqual([409, 409, 200, 404]);
    expect(responses[0]!.body).toMatchObject({ code: "invalid_transition", message: expect.stringContaining("is in progress and can no longer be declined") });
  });
});

describe("transitionAssignedWorkOrder", () => {
  const transition = (id: string, body: object, client: Colleague = user) =>
    client.attempt("transitionAssignedWorkOrder", { params: { id }, body: body as { status: "completed" } });

  test("starts a work order, which also accepts it, and then completes it", async () => {
    const id = await createWorkOrder();
    expect((await transition(id, { status: "completed" })).body.code).toBe("invalid_transition");
    const started = await transition(id, { status: "in_progress", note: "On site." });
    expect(started.body.workOrder).toMatchObject({ status: "in_progress", acceptedAt: expect.any(String), address });
    const completed = await transition(id, { status: "completed", actualCents: 12_345 });
    expect(completed.body.workOrder).toMatchObject({ status: "completed", actualCents: 12_345, completedAt: expect.any(String) });
    expect((await user.call("getAssignedWorkOrder", { params: { id } })).notes).toMatchObject([{ body: "On site.", visibility: "vendor_shared" }]);
    expect((await transition(id, { status: "in_progress" })).body.code).toBe("invalid_transition");
  });

  test.each([
    ["a status that is unknown", { status: "open" }, "status", "enum"],
    ["a completion time without a completion", { status: "in_progress", completedAt: "2026-01-01T00:00:00.000Z" }, "completedAt", "not_allowed"],
    ["a completion in the future", { status: "completed", completedAt: "2199-01-01T00:00:00.000Z" }, "completedAt", "max"],
    ["a negative cost", { status: "completed", actualCents: -1 }, "actualCents", "min"],
  ])("rejects %s", async (_, request, path, code) => {
    const { status, body } = await transition(await createWorkOrder(), request);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("leaves the cancellation to the office", async () => {
    const id = await createWorkOrder();
    const responses = await Promise.all([transition(id, { status: "cancelled" }), transition(id, { status: "cancelled" }, otherVendorUser)]);
    expect(responses.map(({ status, body }) => [status, body.code])).toEqual([
      [403, "scope_forbidden"],
      [404, "not_found"],
    ]);
    expect((await getAsOffice(id)).status).toBe("open");
  });

  test("is rejected for other vendors", async () => {
    expect((await transition(await createWorkOrder(), { status: "in_progress" }, otherVendorUser)).status).toBe(404);
  });
});

describe("scheduleAssignedWorkOrder", () => {
  const schedule = (id: string, body: object) => user.attempt("scheduleAssignedWorkOrder", { params: { id }, body: body as { scheduledStart: string } });
  const start = "2027-01-05T14:00:00.000Z";
  const end = "2027-01-05T15:30:00.000Z";

  test("sets, changes and removes the appointment", async () => {
    const id = await createWorkOrder();
    expect((await schedule(id, { scheduledStart: start, scheduledEnd: end })).body.workOrder).toMatchObject({ scheduledStart: start, scheduledEnd: end });
    expect((await schedule(id, { scheduledStart: end })).body.workOrder).toMatchObject({ scheduledStart: end, scheduledEnd: null });
    expect((await schedule(id, { scheduledStart: null })).body.workOrder).toMatchObject({ scheduledStart: null, scheduledEnd: null });
    expect(await lastEvent(id)).toMatchObject({ type: "work_order.updated", audience: { vendorIds: [vendor.id] } });
  });

  test.each([
    ["a body without a start", {}, "scheduledStart", "required"],
    ["an end before the start", { scheduledStart: end, scheduledEnd: start }, "scheduledEnd", "before_start"],
    ["an end without a start", { scheduledStart: null, scheduledEnd: end }, "scheduledEnd", "not_allowed"],
    ["a date without a time", { scheduledStart: "2027-01-05" }, "scheduledStart", "format"],
  ])("rejects %s", async (_, request, path, code) => {
    const { status, body } = await schedule(await createWorkOrder(), request);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("is rejected for a finished work order", async () => {
    const id = await createWorkOrder();
    await office.call("transitionWorkOrder", { params: { id }, body: { status: "cancelled" } });
    expect((await schedule(id, { scheduledStart: start })).body.code).toBe("invalid_transition");
  });
});

describe("a reassigned work order", () => {
  const share = async (id: string, body: string, visibility: "vendor_shared" | "organization_only" = "vendor_shared") =>
    (await office.call("createNote", { body: { entityType: "work_order", entityId: id, visibility, body } })).note.id;
  const assign = (id: string, vendorId: string) => office.call("assignWorkOrder", { params: { id }, body: { vendorId } });
  const read = async (id: string, client: Colleague) => {
    const [{ workOrder, notes }, list] = await Promise.all([
      client.call("getAssignedWorkOrder", { params: { id } }),
      client.call("listNotes", { query: { entityType: "work_order", entityId: id } }),
    ]);
    expect(list.notes.map((note) => note.id)).toEqual(notes.map((note) => note.id));
    return { texts: notes.map(({ body }) => body).toSorted(), actualCents: workOrder.actualCents };
  };

  test("shows a vendor neither the conversation nor the price of the former vendor, but what is shared since", async () => {
    const id = await createWorkOrder({ vendorId: null });
    await share(id, "The key is at the office.");
    const internalId = await share(id, "The valve is behind the oven.", "organization_only");
    await assign(id, vendor.id);
    await user.call("transitionAssignedWorkOrder", { params: { id }, body: { status: "in_progress", note: "I charge 900.", actualCents: 90_000 } });
    await share(id, "Agreed.");
    expect(await read(id, user)).toEqual({ texts: ["Agreed.", "I charge 900.", "The key is at the office."], actualCents: 90_000 });
    await assign(id, otherVendor.id);
    expect(await read(id, otherVendorUser)).toEqual({ texts: [], actualCents: 0 });
    await office.call("updateNote", { params: { id: internalId }, body: { visibility: "vendor_shared" } });
    await otherVendorUser.call("commentOnAssignedWorkOrder", { params: { id }, body: { body: "On my way." } });
    expect(await read(id, otherVendorUser)).toEqual({ texts: ["On my way.", "The valve is behind the oven."], actualCents: 0 });
    await otherVendorUser.call("transitionAssignedWorkOrder", { params: { id }, body: { status: "completed", actualCents: 1_200 } });
    expect((await read(id, otherVendorUser)).actualCents).toBe(1_200);
    expect((await getAsOffice(id)).actualCents).toBe(1_200);
  });

  test("shows a vendor who is assigned again the own comments, and those of nobody in between", async () => {
    const id = await createWorkOrder();
    await user.call("commentOnAssignedWorkOrder", { params: { id }, body: { body: "No parking there." } });
    await user.call("declineAssignedWorkOrder", { params: { id }, body: {} });
    await assign(id, otherVendor.id);
    await otherVendorUser.call("commentOnAssignedWorkOrder", { params: { id }, body: { body: "I charge 700." } });
    await assign(id, vendor.id);
    expect((await read(id, user)).texts).toEqual(["No parking there."]);
  });
});

describe("commentOnAssignedWorkOrder", () => {
  test("adds a note visible to the office and the vendor, once per Idempotency-Key", async () => {
    const id = await createWorkOrder();
    const send = () =>
      user.attempt("commentOnAssignedWorkOrder", { params: { id }, body: { body: "Nobody opened." }, headers: { "Idempotency-Key": "comment-1" } });
    const [first, second] = [await send(), await send()];
    expect(second.body).toEqual(first.body);
    expect(first.body.note).toMatchObject({ body: "Nobody opened.", visibility: "vendor_shared", createdByUserId: user.userId });
    expect(first.body.workOrder).not.toHaveProperty("chargeableTo");
    expect(await findOutboxEvents(office, first.body.note.id)).toMatchObject([{ type: "note.created", audience: { vendorIds: [vendor.id], tenantIds: [] } }]);
    expect((await office.call("getWorkOrder", { params: { id } })).notes).toHaveLength(1);
    expect((await otherVendorUser.attempt("commentOnAssignedWorkOrder", { params: { id }, body: { body: "Hello" } })).status).toBe(404);
  });
});

describe("uploadAssignedWorkOrderDocument", () => {
  const upload = (id: string, client: Colleague = user, file = new File(["The pipe.\n"], "pipe.txt")) =>
    client.attempt("uploadAssignedWorkOrderDocument", { params: { id }, body: { file } });
  const documentsOf = async (id: string, client: Colleague) =>
    (await client.call("getAssignedWorkOrder", { params: { id } })).documents.map((document) => document.id);

  test("adds a document that the office and the vendor read and download, and no later vendor", async () => {
    const id = await createWorkOrder();
    const { body } = await upload(id);
    const { document } = body;
    expect(document).toMatchObject({
      entityType: "work_order",
      entityId: id,
      visibility: "vendor_shared",
      category: "photo",
      title: "pipe.txt",
      uploadedByUserId: user.userId,
    });
    expect((await office.call("getWorkOrder", { params: { id } })).documents.map((each) => each.id)).toEqual([document.id]);
    expect([await documentsOf(id, user), (await user.attempt("downloadDocument", { params: { id: document.id } })).text]).toEqual([
      [document.id],
      "The pipe.\n",
    ]);
    await office.call("assignWorkOrder", { params: { id }, body: { vendorId: otherVendor.id } });
    expect(await documentsOf(id, otherVendorUser)).toEqual([]);
    expect((await otherVendorUser.attempt("getDocument", { params: { id: document.id } })).status).toBe(404);
    await office.call("updateDocument", { params: { id: document.id }, body: { visibility: "tenant_vendor_shared" } });
    expect(await documentsOf(id, otherVendorUser)).toEqual([document.id]);
  });

  test("is rejected for other vendors, for files of other types, and for more than fifty files", async () => {
    const id = await createWorkOrder();
    expect((await upload(id, otherVendorUser)).status).toBe(404);
    expect((await upload(id, user, new File(["<html><body>Hi</body></html>"], "page.html"))).body.code).toBe("unsupported_file");
    await upload(id);
    await queryRows(
      office.organizationId,
      `insert into document (organization_id, id, created_at, updated_at, entity_type, entity_id, title, file_name, content_type, size_bytes, sha256, category, visibility, portal_uploader_id)
        select organization_id, gen_random_uuid(), created_at, updated_at, entity_type, entity_id, title, file_name, content_type, size_bytes, sha256, category, visibility, portal_uploader_id
        from document, generate_series(1, 49) where entity_id = $1`,
      [id],
    );
    const { status, body } = await upload(id);
    expect([status, body.errors]).toMatchObject([400, [{ path: "file", code: "max" }]]);
  });
});

describe("estimateAssignedWorkOrder", () => {
  test("submits the vendor's estimate once per Idempotency-Key, and returns no estimate of another vendor", async () => {
    const id = await createWorkOrder({ vendorId: otherVendor.id });
    await otherVendorUser.call("estimateAssignedWorkOrder", { params: { id }, body: { amountCents: 77_700 } });
    await office.call("assignWorkOrder", { params: { id }, body: { vendorId: vendor.id } });
    const estimate = () =>
      user.attempt("estimateAssignedWorkOrder", { params: { id }, body: { amountCents: 30_000 }, headers: { "Idempotency-Key": "estimate-1" } });
    const [first, second] = [await estimate(), await estimate()];
    expect(first.body).toMatchObject({
      workOrder: { id, estimateCents: 30_000, approvedEstimateCents: null },
      estimate: { amountCents: 30_000, vendorId: vendor.id, status: "submitted" },
    });
    expect(second.body).toEqual(first.body);
    const response = await user.call("getAssignedWorkOrder", { params: { id } });
    expect(response.estimates.map(({ amountCents }) => amountCents)).toEqual([30_000]);
    expect(JSON.stringify(response)).not.toMatch(/\b77700\b/);
  });

  test("never tells a vendor whether an estimate needs an owner's approval, in no response, list, CSV or event", async () => {
    const { id: propertyId } = await aProperty(office);
    await office.call("updateProperty", { params: { id: propertyId }, body: { maintenanceLimitCents: 50_000 } });
    const id = await createWorkOrder({ propertyId });
    const body = { amountCents: 50_001 };
    const portalResponses = [
      await user.call("estimateAssignedWorkOrder", { params: { id }, body }),
      await user.call("createWorkOrderEstimate", { params: { id }, body }),
      await user.call("listWorkOrderEstimates", { params: { id } }),
      await user.call("getAssignedWorkOrder", { params: { id } }),
      await user.call("listAssignedWorkOrders"),
    ];
    const { text: csv } = await user.attempt("listWorkOrderEstimates", { params: { id }, headers: { Accept: "text/csv" } });
    expect(JSON.stringify(portalResponses)).toContain("50001");
    expect(JSON.stringify([portalResponses, await findOutboxEvents(office, id)])).not.toMatch(/needsOwnerApproval/i);
    expect(csv).toContain("50001");
    expect(csv).not.toMatch(/true|false/);
    const { estimates } = await office.call("listWorkOrderEstimates", { params: { id } });
    expect(estimates.map(({ needsOwnerApproval }) => needsOwnerApproval)).toEqual([true, true]);
  });

  test("rejects lines that do not add up to the amount, and work orders of other vendors", async () => {
    const lines = [{ description: "Labour", quantity: 1, unitPriceCents: 29_999 }];
    const id = await createWorkOrder();
    const { body } = await user.attempt("estimateAssignedWorkOrder", { params: { id }, body: { amountCents: 30_000, lines } });
    expect(body.errors).toMatchObject([{ path: "amountCents", code: "mismatch" }]);
    expect((await otherVendorUser.attempt("estimateAssignedWorkOrder", { params: { id }, body: { amountCents: 1 } })).status).toBe(404);
  });
});
