import { describe, expect, test } from "@jest/globals";
import { anEmail, anOffice } from "../../../../../test/support/office.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { findOutboxEvents } from "../../../test/database.ts";
import { aProperty, aVendor, aWorkOrder, createLeaseReferences, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();
const property = await aProperty(office);
const assign = (id: string, body: object, headers: Record<string, string> = {}) => office.attempt("assignWorkOrder", { params: { id }, body, headers });
const createWorkOrder = async () => (await aWorkOrder(office, { propertyId: property.id })).id;

describe("assignWorkOrder", () => {
  test("assigns a vendor and a user with a schedule, and unassigns them", async () => {
    const [vendor, id] = await Promise.all([aVendor(office), createWorkOrder()]);
    const schedule = { scheduledStart: "2026-12-01T15:00:00.000Z", scheduledEnd: "2026-12-01T17:00:00.000Z" };
    expect((await assign(id, { vendorId: vendor.id, assignedUserId: office.userId, ...schedule })).body.workOrder).toMatchObject({
      vendorId: vendor.id,
      vendorName: "Pipes & Co",
      assignedUserId: office.userId,
      status: "open",
      ...schedule,
    });
    expect((await findOutboxEvents(office, id)).at(-1)).toMatchObject({
      type: "work_order.assigned",
      data: { vendorId: vendor.id, assignedUserId: office.userId, notifies: ["vendor", "user"] },
      audience: { vendorIds: [vendor.id] },
    });
    expect((await assign(id, { vendorId: null })).body.workOrder).toMatchObject({
      vendorId: null,
      vendorName: null,
      assignedUserId: office.userId,
      ...schedule,
    });
    expect((await findOutboxEvents(office, id)).at(-1)).toMatchObject({ data: { vendorId: null, notifies: [] }, audience: { vendorIds: [vendor.id] } });
    const { history } = await office.call("getWorkOrder", { params: { id } });
    expect(history.filter(({ field }) => field === "vendorId")).toMatchObject([
      { from: vendor.id, to: null },
      { from: null, to: vendor.id },
    ]);
  });

  test("tells the vendor who loses the work order, and no one who had lost it before", async () => {
    const [former, next, id] = await Promise.all([aVendor(office), aVendor(office), createWorkOrder()]);
    const readAudience = async () => (await findOutboxEvents(office, id)).at(-1)!.audience;
    await assign(id, { vendorId: former.id });
    await assign(id, { vendorId: next.id });
    expect(await readAudience()).toMatchObject({ vendorIds: [next.id, former.id] });
    await assign(id, { vendorId: next.id });
    expect(await readAudience()).toMatchObject({ vendorIds: [next.id] });
  });

  test("like updateWorkOrder, tells the vendor and the tenant who no longer see the work order", async () => {
    const [vendor, references] = await Promise.all([aVendor(office), createLeaseReferences(office)]);
    const { id } = await aWorkOrder(office, { ...references, vendorId: vendor.id, visibility: "tenant_vendor_shared" });
    await office.call("updateWorkOrder", { params: { id }, body: { vendorId: null, visibility: "organization_only" } });
    const events = await findOutboxEvents(office, id);
    const audienceOf = (name: string) => events.findLast(({ type }) => type === name)!.audience;
    expect(audienceOf("work_order.updated")).toMatchObject({ vendorIds: [vendor.id], tenantIds: [references.tenantId] });
    expect(audienceOf("work_order.assigned")).toMatchObject({ vendorIds: [], tenantIds: [] });
  });

  test.each([
    ["no assignee", {}, "vendorId", "required"],
    ["an unknown vendor", { vendorId: unknownId() }, "vendorId", "not_found"],
    ["an unknown user", { assignedUserId: unknownId() }, "assignedUserId", "not_found"],
    [
      "a scheduled end before the start",
      { vendorId: null, scheduledStart: "2026-12-02T00:00:00Z", scheduledEnd: "2026-12-01T00:00:00Z" },
      "scheduledEnd",
      "before_start",
    ],
  ])("rejects %s", async (_, terms, path, code) => {
    const { status, body } = await assign(await createWorkOrder(), terms);
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("rejects an inactive vendor and keeps the current one", async () => {
    const [active, inactive] = await Promise.all([aVendor(office), aVendor(office, { isActive: false })]);
    const { id } = await aWorkOrder(office, { propertyId: property.id, vendorId: active.id });
    const { status, body } = await assign(id, { vendorId: inactive.id });
    expect([status, body.errors]).toMatchObject([400, [{ path: "vendorId", code: "not_allowed" }]]);
    expect((await office.call("getWorkOrder", { params: { id } })).workOrder.vendorId).toBe(active.id);
    const created = await office.attempt("createWorkOrder", { body: { propertyId: property.id, title: "Tap", vendorId: inactive.id } });
    expect(created.body.errors).toMatchObject([{ path: "vendorId", code: "not_allowed" }]);
  });

  test("rejects deleted users, portal users and users of another organization", async () => {
    const vendor = await aVendor(office);
    const [deletedUser, portalUser] = await Promise.all([office.colleague("staff"), office.vendorUser(vendor.id)]);
    await office.call("deleteUser", { params: { id: deletedUser.userId } });
    const id = await createWorkOrder();
    for (const userId of [deletedUser.userId, portalUser.userId, otherOffice.userId])
      expect((await assign(id, { assignedUserId: userId })).body.errors).toMatchObject([{ path: "assignedUserId", code: "not_found" }]);
  });

  test("rejects a finished work order", async () => {
    const id = await createWorkOrder();
    await office.call("transitionWorkOrder", { params: { id }, body: { status: "cancelled" } });
    const { status, body } = await assign(id, { assignedUserId: office.userId });
    expect([status, body.code, body.message]).toEqual([409, "invalid_transition", expect.stringContaining("cancelled")]);
  });

  test("never leaves a work order with a concurrently deleted vendor", async () => {
    const races = Array.from({ length: 8 }, async () => {
      const [vendor, id] = await Promise.all([aVendor(office), createWorkOrder()]);
      const [assigned, deleted] = await Promise.all([assign(id, { vendorId: vendor.id }), office.attempt("deleteVendor", { params: { id: vendor.id } })]);
      expect([
        [200, 409],
        [400, 200],
      ]).toContainEqual([assigned.status, deleted.status]);
    });
    await Promise.all(races);
  });

  test("is idempotent under the same Idempotency-Key and rejects an outdated If-Match", async () => {
    const id = await createWorkOrder();
    const headers = { "Idempotency-Key": unknownId() };
    const [first, replay] = [await assign(id, { assignedUserId: office.userId }, headers), await assign(id, { assignedUserId: office.userId }, headers)];
    expect([replay.headers.get("Idempotent-Replayed"), replay.body]).toEqual(["true", first.body]);
    expect((await findOutboxEvents(office, id)).filter(({ type }) => type === "work_order.assigned")).toHaveLength(1);
    expect((await assign(id, { assignedUserId: null }, { "If-Match": '"1"' })).status).toBe(412);
  });

  test("sends the vendor one e-mail, and none when notify is false", async () => {
    const email = anEmail();
    const vendor = await aVendor(office, { email, contactName: "Vera" });
    const [withoutNotify, withNotify] = [
      await createWorkOrder(),
      await aWorkOrder(office, { propertyId: property.id, title: "The roof leaks", dueOn: "2026-12-01" }),
    ];
    await assign(withoutNotify, { vendorId: vendor.id, notify: false });
    await assign(withNotify.id, { vendorId: vendor.id });
    const receivedEmails = async () => (await office.call("listDevOutbox", { query: { to: email } })).messages;
    await eventually("e-mail to the vendor", async () => (await receivedEmails()).length > 0);
    const [assignmentEmail, ...others] = await receivedEmails();
    expect([assignmentEmail!.subject, others]).toEqual([`Work order ${withNotify.number}: The roof leaks`, []]);
    expect(assignmentEmail!.text).toContain("Hello Vera,");
    expect(assignmentEmail!.text).toContain("Elm Street Management assigned");
    expect(assignmentEmail!.text).toContain("Elm Court, 12 Elm Street, Springfield and should be done by 2026-12-01.");
  });

  test("notifies the vendor's users and the assigned user, unless notify is false", async () => {
    const vendor = await aVendor(office);
    const [staff, user] = await Promise.all([office.colleague("staff"), office.vendorUser(vendor.id)]);
    const notifiedWorkOrders = async (client: typeof staff) =>
      (await client.call("listNotifications", { query: { type: "work_order.assigned" } })).notifications.map(({ entityId }) => entityId);
    const [withoutNotify, withNotify] = [await createWorkOrder(), await createWorkOrder()];
    await assign(withoutNotify, { vendorId: vendor.id, assignedUserId: staff.userId, notify: false });
    await assign(withNotify, { vendorId: vendor.id, assignedUserId: staff.userId });
    for (const client of [staff, user]) {
      await eventually("notification of the assignment", async () => (await notifiedWorkOrders(client)).length > 0);
      expect(await notifiedWorkOrders(client)).toEqual([withNotify]);
    }
    expect(await notifiedWorkOrders(office)).toEqual([]);
  });
});
