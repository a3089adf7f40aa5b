import { describe, expect, test } from "@jest/globals";
import { anOffice, type Colleague } from "../../../../../test/support/office.ts";
import { findOutboxEvents } from "../../../test/database.ts";
import { address, aProperty, aVendor, aWorkOrder, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const [vendor, rival] = await Promise.all([aVendor(office, { notes: "Always late.", paymentTermsDays: 30, trade: "Plumbing" }), aVendor(office)]);
const [user, rivalUser] = await Promise.all([office.vendorUser(vendor.id), office.vendorUser(rival.id)]);
const property = await aProperty(office);

const createWork = async (terms: object = {}) => (await aWorkOrder(office, { propertyId: property.id, vendorId: vendor.id, ...terms })).id;
const getAsOffice = async (id: string) => (await office.call("getWorkOrder", { params: { id } })).workOrder;
const lastEvent = async (id: string) => (await findOutboxEvents(office, id)).at(-1)!;

describe("getVendorPortalMe", () => {
  test("returns the vendor without the office's notes", async () => {
    const me = await user.call("getVendorPortalMe");
    expect(me.vendor).toMatchObject({ id: vendor.id, name: vendor.name, userId: user.userId, portalStatus: "active", paymentTermsDays: 30 });
    for (const member of ["notes", "categoryId", "deletedAt"]) expect(me.vendor).not.toHaveProperty(member);
  });
});

describe("updateVendorPortalMe", () => {
  const change = (body: object, headers: Record<string, string> = {}) => user.attempt("updateVendorPortalMe", { body, headers });
  const insurance = { kind: "liability", provider: "Elm Mutual", policyNumber: "P-1", expiresOn: "2027-01-01" };

  test("updates contact data and certificates only, and publishes the change", async () => {
    const changes = { phone: "2175550199", email: "new@example.com", contactName: "Cora", address: "9 Oak Street", licenseExpiresOn: "2028-02-29" };
    const { body } = await change({ ...changes, insurances: [insurance] });
    expect(body.vendor).toMatchObject({ ...changes, insurances: [{ ...insurance, documentId: null }] });
    const { vendor: seen } = await office.call("getVendor", { params: { id: vendor.id } });
    expect(seen).toMatchObject({ ...changes, name: vendor.name, notes: "Always late.", trade: "Plumbing" });
    expect(await lastEvent(vendor.id)).toMatchObject({ type: "vendor.updated", actorUserId: user.userId });
    expect((await change({ phone: null })).body.vendor).toMatchObject({ phone: null, email: "new@example.com" });
  });

  test.each([
    ["its name", { name: "Better Pipes" }, "name", "unrecognized_key"],
    ["its notes", { notes: "Always on time." }, "notes", "unrecognized_key"],
    ["its terms", { paymentTermsDays: 1 }, "paymentTermsDays", "unrecognized_key"],
    ["its tax id", { taxId: "12-3456789" }, "taxId", "unrecognized_key"],
    ["isActive", { isActive: true }, "isActive", "unrecognized_key"],
    ["a phone of six", { phone: "123456" }, "phone", "too_short"],
    ["an invalid e-mail address", { email: "nowhere" }, "email", "format"],
    ["an invalid date", { licenseExpiresOn: "2027-02-29" }, "licenseExpiresOn", "format"],
    ["an insurance without a provider", { insurances: [{ ...insurance, provider: "" }] }, "insurances.0.provider", "too_short"],
    ["an unknown document", { insurances: [{ ...insurance, documentId: unknownId() }] }, "insurances.0.documentId", "not_found"],
  ])("rejects %s", async (_, terms, path, code) => {
    const { status, body } = await change(terms);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("accepts documents that the vendor sees or its insurances refer to already, and no others", async () => {
    const upload = async (visibility: "vendor_shared" | "organization_only") => {
      const file = new File(["Insured.\n"], "policy.txt");
      return (await office.call("uploadDocument", { body: { file, entityType: "vendor", entityId: vendor.id, visibility } })).document.id;
    };
    const [shared, named, kept] = await Promise.all([upload("vendor_shared"), upload("organization_only"), upload("organization_only")]);
    await office.call("updateVendor", { params: { id: vendor.id }, body: { insurances: [{ ...insurance, kind: "auto", documentId: named }] } });
    expect(
      (
        await change({
          insurances: [
            { ...insurance, documentId: shared },
            { ...insurance, documentId: named },
          ],
        })
      ).status,
    ).toBe(200);
    const { body } = await change({
      insurances: [
        { ...insurance, documentId: shared },
        { ...insurance, documentId: kept },
      ],
    });
    expect(body.errors).toMatchObject([{ path: "insurances.1.documentId", code: "not_found" }]);
    expect((await user.call("listVendorPortalDocuments")).documents.map(({ id }) => id)).toEqual([shared]);
    expect((await rivalUser.call("listVendorPortalDocuments")).documents).toEqual([]);
  });

  test("rejects an outdated If-Match", async () => {
    const { headers } = await user.attempt("getVendorPortalMe");
    await change({ contactName: "Carl" });
    expect((await change({ contactName: "Cleo" }, { "If-Match": headers.get("etag")! })).body.code).toBe("version_conflict");
  });
});

describe("listAssignedWorkOrders", () => {
  test("returns the assigned work orders with the address, without the office's members", async () => {
    const [mine, theirs] = [await createWork({ estimateCents: 99_900, chargeableTo: "tenant" }), await createWork({ vendorId: rival.id })];
    const { workOrders } = await user.call("listAssignedWorkOrders", { query: { status: "open", pageSize: 100 } });
    const ids = workOrders.map(({ id }) => id);
    expect([ids.includes(mine), ids.includes(theirs)]).toEqual([true, false]);
    expect(workOrders[0]).toMatchObject({ id: mine, address: { ...address, streetLine2: null }, estimateCents: null, acceptedAt: null });
    for (const member of ["chargeableTo", "assignedUserId", "tenantId", "visibility"]) expect(workOrders[0]).not.toHaveProperty(member);
    expect((await user.attempt("getAssignedWorkOrder", { params: { id: theirs } })).status).toBe(404);
    expect((await user.call("listAssignedWorkOrders", { query: { status: "cancelled" } })).workOrders).toEqual([]);
  });
});

describe("acceptAssignedWorkOrder", () => {
  const accept = (id: string, client: Colleague = user) => client.attempt("acceptAssignedWorkOrder", { params: { id } });

  test("accepts once without changing the status", async () => {
    const id = await createWork();
    const answers = await Promise.all([accept(id), accept(id), accept(id)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect(answers.find(({ status }) => status === 200)!.body.workOrder).toMatchObject({ id, status: "open", acceptedAt: expect.any(String) });
    expect(answers.find(({ status }) => status === 409)!.body.message).toBe("The work order has already been accepted.");
    expect(await lastEvent(id)).toMatchObject({ type: "work_order.updated", audience: { vendorIds: [vendor.id] } });
    expect((await getAsOffice(id)).acceptedAt).toEqual(expect.any(String));
  });

  test("can be accepted again by another vendor after reassignment", async () => {
    const id = await createWork();
    await accept(id);
    const { workOrder } = await office.call("assignWorkOrder", { params: { id }, body: { vendorId: rival.id } });
    expect(workOrder.acceptedAt).toBeNull();
    expect([(await accept(id)).status, (await accept(id, rivalUser)).status]).toEqual([404, 200]);
    const { workOrder: kept } = await office.call("updateWorkOrder", { params: { id }, body: { vendorId: rival.id, priority: "high" } });
    expect(kept.acceptedAt).toEqual(expect.any(String));
  });

  test("is rejected for finished work and other vendors", async () => {
    const id = await createWork();
    await office.call("transitionWorkOrder", { params: { id }, body: { status: "cancelled" } });
    const answers = await Promise.all([accept(id), accept(id, rivalUser), accept(unknownId())]);
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [409, "invalid_transition"],
      [404, "not_found"],
      [404, "not_found"],
    ]);
  });
});

describe("declineAssignedWorkOrder", () => {
  const decline = (id: string, body: object = {}, client: Colleague = user) => client.attempt("declineAssignedWorkOrder", { params: { id }, body });

  test("unassigns the vendor, publishes the event and stores the reason", async () => {
    const id = await createWork({ scheduledStart: "2027-01-05T14:00:00.000Z", scheduledEnd: "2027-01-05T15:00:00.000Z" });
    await user.call("acceptAssignedWorkOrder", { params: { id } });
    const answers = await Promise.all([decline(id, { reason: "Booked out." }), decline(id, { reason: "Booked out." })]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
    expect(answers.find(({ status }) => status === 200)!.body.workOrder).toMatchObject({ id, acceptedAt: null, scheduledStart: null });
    const { workOrder, notes, history } = await office.call("getWorkOrder", { params: { id } });
    expect(workOrder).toMatchObject({ status: "open", vendorId: null, acceptedAt: null, scheduledStart: null, scheduledEnd: null });
    expect(notes).toMatchObject([{ body: "Booked out.", visibility: "organization_only", createdByUserId: user.userId }]);
    expect(history).toContainEqual(expect.objectContaining({ field: "vendorId", from: vendor.id, to: null, actorUserId: user.userId }));
    expect(await lastEvent(id)).toMatchObject({ type: "work_order.assigned", data: { vendorId: null, notifies: [] }, audience: { vendorIds: [] } });
    expect((await user.attempt("getAssignedWorkOrder", { params: { id } })).status).toBe(404);
  });

  test("is rejected after the vendor's start or the end; work started by another vendor can be declined", async () => {
    const [begun, finished, handedOver] = await Promise.all([createWork(), createWork(), createWork({ vendorId: rival.id })]);
    await user.call("transitionAssignedWorkOrder", { params: { id: begun }, body: { status: "in_progress" } });
    await office.call("transitionWorkOrder", { params: { id: finished }, body: { status: "cancelled" } });
    await rivalUser.call("transitionAssignedWorkOrder", { params: { id: handedOver }, body: { status: "in_progress" } });
    await office.call("assignWorkOrder", { params: { id: handedOver }, body: { vendorId: vendor.id } });
    const answers = await Promise.all([decline(begun), decline(finished), decline(handedOver), decline(begun, {}, rivalUser)]);
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 200, 404]);
    expect(answers[0]!.body).toMatchObject({ code: "invalid_transition", message: expect.stringContaining("is in progress and can no longer be declined") });
  });
});

describe("transitionAssignedWorkOrder", () => {
  const move = (id: string, body: object, client: Colleague = user) =>
    client.attempt("transitionAssignedWorkOrder", { params: { id }, body: body as { status: "completed" } });

  test("starts the work, which accepts it, and completes it", async () => {
    const id = await createWork();
    expect((await move(id, { status: "completed" })).body.code).toBe("invalid_transition");
    const started = await move(id, { status: "in_progress", note: "On site." });
    expect(started.body.workOrder).toMatchObject({ status: "in_progress", acceptedAt: expect.any(String), address });
    const done = await move(id, { status: "completed", actualCents: 12_345 });
    expect(done.body.workOrder).toMatchObject({ status: "completed", actualCents: 12_345, completedAt: expect.any(String) });
    expect((await user.call("getAssignedWorkOrder", { params: { id } })).notes).toMatchObject([{ body: "On site.", visibility: "vendor_shared" }]);
    expect((await move(id, { status: "in_progress" })).body.code).toBe("invalid_transition");
  });

  test.each([
    ["cancelling", { status: "cancelled" }, "status", "enum"],
    ["a completion time without a completion", { status: "in_progress", completedAt: "2026-01-01T00:00:00.000Z" }, "completedAt", "not_allowed"],
    ["a completion in the future", { status: "completed", completedAt: "2199-01-01T00:00:00.000Z" }, "completedAt", "max"],
    ["a negative cost", { status: "completed", actualCents: -1 }, "actualCents", "min"],
  ])("rejects %s", async (_, terms, path, code) => {
    const { status, body } = await move(await createWork(), terms);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("is rejected for other vendors", async () => {
    expect((await move(await createWork(), { status: "in_progress" }, rivalUser)).status).toBe(404);
  });
});

describe("scheduleAssignedWorkOrder", () => {
  const schedule = (id: string, body: object) => user.attempt("scheduleAssignedWorkOrder", { params: { id }, body: body as { scheduledStart: string } });
  const from = "2027-01-05T14:00:00.000Z";
  const until = "2027-01-05T15:30:00.000Z";

  test("sets, changes and removes the appointment", async () => {
    const id = await createWork();
    expect((await schedule(id, { scheduledStart: from, scheduledEnd: until })).body.workOrder).toMatchObject({ scheduledStart: from, scheduledEnd: until });
    expect((await schedule(id, { scheduledStart: until })).body.workOrder).toMatchObject({ scheduledStart: until, scheduledEnd: null });
    expect((await schedule(id, { scheduledStart: null })).body.workOrder).toMatchObject({ scheduledStart: null, scheduledEnd: null });
    expect(await lastEvent(id)).toMatchObject({ type: "work_order.updated", audience: { vendorIds: [vendor.id] } });
  });

  test.each([
    ["nothing", {}, "scheduledStart", "required"],
    ["an end before the start", { scheduledStart: until, scheduledEnd: from }, "scheduledEnd", "before_start"],
    ["an end without a start", { scheduledStart: null, scheduledEnd: until }, "scheduledEnd", "not_allowed"],
    ["a date without a time", { scheduledStart: "2027-01-05" }, "scheduledStart", "format"],
  ])("rejects %s", async (_, terms, path, code) => {
    const { status, body } = await schedule(await createWork(), terms);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("is rejected for finished work", async () => {
    const id = await createWork();
    await office.call("transitionWorkOrder", { params: { id }, body: { status: "cancelled" } });
    expect((await schedule(id, { scheduledStart: from })).body.code).toBe("invalid_transition");
  });
});

describe("commentOnAssignedWorkOrder", () => {
  test("adds a note visible to the office and the vendor, once per Idempotency-Key", async () => {
    const id = await createWork();
    const send = () =>
      user.attempt("commentOnAssignedWorkOrder", { params: { id }, body: { body: "Nobody opened." }, headers: { "Idempotency-Key": "comment-1" } });
    const [first, second] = [await send(), await send()];
    expect(second.body).toEqual(first.body);
    expect(first.body.note).toMatchObject({ body: "Nobody opened.", visibility: "vendor_shared", createdByUserId: user.userId });
    expect(first.body.workOrder).not.toHaveProperty("chargeableTo");
    expect(await findOutboxEvents(office, first.body.note.id)).toMatchObject([{ type: "note.created", audience: { vendorIds: [vendor.id], tenantIds: [] } }]);
    expect((await office.call("getWorkOrder", { params: { id } })).notes).toHaveLength(1);
    expect((await rivalUser.attempt("commentOnAssignedWorkOrder", { params: { id }, body: { body: "Hello" } })).status).toBe(404);
  });
});

describe("estimateAssignedWorkOrder", () => {
  test("submits the vendor's estimate, and returns no other's", async () => {
    const id = await createWork({ vendorId: rival.id });
    await rivalUser.call("estimateAssignedWorkOrder", { params: { id }, body: { amountCents: 77_700 } });
    await office.call("assignWorkOrder", { params: { id }, body: { vendorId: vendor.id } });
    const estimate = () =>
      user.attempt("estimateAssignedWorkOrder", { params: { id }, body: { amountCents: 30_000 }, headers: { "Idempotency-Key": "estimate-1" } });
    const [first, second] = [await estimate(), await estimate()];
    expect(first.body).toMatchObject({
      workOrder: { id, estimateCents: 30_000, approvedEstimateCents: null },
      estimate: { amountCents: 30_000, vendorId: vendor.id, status: "submitted" },
    });
    expect(second.body).toEqual(first.body);
    const seen = await user.call("getAssignedWorkOrder", { params: { id } });
    expect(seen.estimates.map(({ amountCents }) => amountCents)).toEqual([30_000]);
    expect(JSON.stringify(seen)).not.toMatch(/\b77700\b/);
  });

  test("rejects lines with another total and other vendors' work orders", async () => {
    const lines = [{ description: "Labour", quantity: 1, unitPriceCents: 29_999 }];
    const id = await createWork();
    const { body } = await user.attempt("estimateAssignedWorkOrder", { params: { id }, body: { amountCents: 30_000, lines } });
    expect(body.errors).toMatchObject([{ path: "amountCents", code: "mismatch" }]);
    expect((await rivalUser.attempt("estimateAssignedWorkOrder", { params: { id }, body: { amountCents: 1 } })).status).toBe(404);
  });
});
