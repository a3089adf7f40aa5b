import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents } from "../../../test/database.ts";
import { anOwner, aProperty, aVendor, createLeaseReferences, aWorkOrder, unknownId } from "../../../test/fixtures.ts";

type Status = "open" | "in_progress" | "completed" | "cancelled";
const office = await anOffice();
const property = await aProperty(office);
const transition = (id: string, status: Status, terms: object = {}) => office.attempt("transitionWorkOrder", { params: { id }, body: { status, ...terms } });

/** Transitions that lead to a status. */
const transitionPaths: Record<Status, Status[]> = { open: [], in_progress: ["in_progress"], completed: ["in_progress", "completed"], cancelled: ["cancelled"] };
async function aWorkOrderWithStatus(status: Status) {
  const { id } = await aWorkOrder(office, { propertyId: property.id });
  for (const next of transitionPaths[status]) expect((await transition(id, next)).status).toBe(200);
  return id;
}

describe("transitionWorkOrder", () => {
  test.each([
    ["open", "in_progress", "startedAt"],
    ["in_progress", "completed", "completedAt"],
    ["open", "cancelled", "cancelledAt"],
    ["in_progress", "cancelled", "cancelledAt"],
  ] as const)("moves from %s to %s and sets the timestamp", async (from, to, timestampMember) => {
    const id = await aWorkOrderWithStatus(from);
    const { body } = await transition(id, to);
    expect(body.workOrder).toMatchObject({ status: to, [timestampMember]: expect.any(String) });
    expect((await findOutboxEvents(office, id)).at(-1)).toMatchObject({ type: "work_order.transitioned", data: { propertyId: property.id, from, status: to } });
    const { history } = await office.call("getWorkOrder", { params: { id } });
    expect(history.slice(0, 2)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ field: "status", from, to, actorUserId: office.userId }),
        expect.objectContaining({ field: timestampMember }),
      ]),
    );
  });

  test.each([
    ["open", "open"],
    ["open", "completed"],
    ["in_progress", "open"],
    ["in_progress", "in_progress"],
    ["completed", "open"],
    ["completed", "in_progress"],
    ["completed", "completed"],
    ["completed", "cancelled"],
    ["cancelled", "open"],
    ["cancelled", "in_progress"],
    ["cancelled", "completed"],
    ["cancelled", "cancelled"],
  ] as const)("rejects the transition from %s to %s and names both statuses", async (from, to) => {
    const id = await aWorkOrderWithStatus(from);
    const { status, body } = await transition(id, to);
    expect([status, body.code, body.message]).toEqual([409, "invalid_transition", expect.stringContaining(`is ${from} and cannot become ${to}`)]);
    expect((await office.call("getWorkOrder", { params: { id } })).workOrder.status).toBe(from);
  });

  test("accepts one of twenty concurrent starts", async () => {
    const { id } = await aWorkOrder(office, { propertyId: property.id });
    const responses = await Promise.all(Array.from({ length: 20 }, () => transition(id, "in_progress")));
    expect(responses.map(({ status }) => status).toSorted((x, y) => x - y)).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
    const { history } = await office.call("getWorkOrder", { params: { id } });
    expect(history.filter(({ field }) => field === "status")).toHaveLength(2);
    expect((await findOutboxEvents(office, id)).filter(({ type }) => type === "work_order.transitioned")).toHaveLength(1);
  });

  test("accepts either completion or cancellation when both run concurrently", async () => {
    const id = await aWorkOrderWithStatus("in_progress");
    const responses = await Promise.all(Array.from({ length: 20 }, (_, n) => transition(id, n % 2 ? "completed" : "cancelled")));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    const { workOrder } = await office.call("getWorkOrder", { params: { id } });
    expect([workOrder.completedAt, workOrder.cancelledAt].filter((at) => at !== null)).toHaveLength(1);
  });

  test("stores cost, completion time and note; the start is no later than the completion", async () => {
    const id = await aWorkOrderWithStatus("in_progress");
    const completedAt = "2026-05-01T12:00:00.000Z";
    const { body } = await transition(id, "completed", { completedAt, actualCents: 12_345, note: "Replaced the valve." });
    expect(body.workOrder).toMatchObject({ completedAt, startedAt: completedAt, actualCents: 12_345 });
    expect((await office.call("getWorkOrder", { params: { id } })).notes).toMatchObject([
      { entityType: "work_order", entityId: id, body: "Replaced the valve.", visibility: "organization_only", createdByUserId: office.userId },
    ]);
  });

  test.each([
    ["an unknown status", { status: "done" }, "status", "enum"],
    ["no status", { status: undefined }, "status", "required"],
    ["a completion time without a completion", { status: "cancelled", completedAt: "2026-05-01T12:00:00Z" }, "completedAt", "not_allowed"],
    ["a completion in the future", { status: "completed", completedAt: "2199-05-01T12:00:00Z" }, "completedAt", "max"],
    ["a negative cost", { status: "cancelled", actualCents: -1 }, "actualCents", "min"],
    ["an empty note", { status: "cancelled", note: "" }, "note", "too_short"],
    ["a note of 4001 characters", { status: "cancelled", note: "x".repeat(4001) }, "note", "too_long"],
  ])("rejects %s", async (_, terms, path, code) => {
    const id = await aWorkOrderWithStatus("in_progress");
    const { status, body } = await office.attempt("transitionWorkOrder", { params: { id }, body: terms as never });
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("rejects an outdated If-Match", async () => {
    const { id } = await aWorkOrder(office, { propertyId: property.id });
    const { headers } = await office.attempt("getWorkOrder", { params: { id } });
    await office.call("updateWorkOrder", { params: { id }, body: { priority: "high" } });
    const outdated = await office.attempt("transitionWorkOrder", {
      params: { id },
      body: { status: "in_progress" },
      headers: { "If-Match": headers.get("ETag")! },
    });
    expect([outdated.status, outdated.body.code]).toEqual([412, "version_conflict"]);
  });
});

describe("a vendor", () => {
  test("transitions its own work orders and gets 404 for others", async () => {
    const [vendor, other] = await Promise.all([aVendor(office), aVendor(office)]);
    const user = await office.vendorUser(vendor.id);
    const attempt = (id: string, headers: Record<string, string> = {}) =>
      user.attempt("transitionWorkOrder", { params: { id }, body: { status: "in_progress", note: "On my way." }, headers });
    const [own, foreign, unassigned] = await Promise.all(
      [vendor.id, other.id, null].map((vendorId) => aWorkOrder(office, { propertyId: property.id, vendorId })),
    );
    expect((await attempt(own!.id)).body.workOrder).toMatchObject({ id: own!.id, status: "in_progress" });
    expect((await office.call("getWorkOrder", { params: { id: own!.id } })).notes).toMatchObject([
      { visibility: "vendor_shared", createdByUserId: user.userId },
    ]);
    const unknown = await attempt(unknownId());
    for (const { id } of [foreign!, unassigned!]) {
      const { status, text } = await attempt(id);
      expect([status, text]).toEqual([404, unknown.text]);
      expect((await attempt(id, { "If-Match": '"99"' })).status).toBe(404);
    }
  });

  test("cannot cancel a work order and receives no member that only the office reads", async () => {
    const vendor = await aVendor(office);
    const user = await office.vendorUser(vendor.id);
    const attempt = (id: string, status: Status) => user.attempt("transitionWorkOrder", { params: { id }, body: { status } });
    const [own, foreign] = await Promise.all([vendor.id, null].map((vendorId) => aWorkOrder(office, { propertyId: property.id, vendorId })));
    const refusals = await Promise.all([attempt(own!.id, "cancelled"), attempt(foreign!.id, "cancelled")]);
    expect(refusals.map(({ status, body }) => [status, body.code])).toEqual([
      [403, "scope_forbidden"],
      [404, "not_found"],
    ]);
    const [{ body }, view] = [await attempt(own!.id, "in_progress"), await user.call("getAssignedWorkOrder", { params: { id: own!.id } })];
    expect(body.workOrder).toEqual(view.workOrder);
    for (const member of ["tenantId", "leaseId", "assignedUserId", "chargeableTo", "visibility", "createdByUserId", "inspectionId", "expenseIds"])
      expect(body.workOrder).not.toHaveProperty(member);
  });

  test("gets 404 for a transition that runs after a concurrent reassignment", async () => {
    const [vendor, other] = await Promise.all([aVendor(office), aVendor(office)]);
    const user = await office.vendorUser(vendor.id);
    const races = Array.from({ length: 5 }, async () => {
      const { id } = await aWorkOrder(office, { propertyId: property.id, vendorId: vendor.id });
      const [transitioned, assigned] = await Promise.all([
        user.attempt("transitionWorkOrder", { params: { id }, body: { status: "in_progress" } }),
        office.attempt("assignWorkOrder", { params: { id }, body: { vendorId: other.id } }),
      ]);
      expect(assigned.status).toBe(200);
      const { workOrder } = await office.call("getWorkOrder", { params: { id } });
      expect([transitioned.status, workOrder.status]).toEqual(transitioned.status === 200 ? [200, "in_progress"] : [404, "open"]);
      expect((await user.attempt("transitionWorkOrder", { params: { id }, body: { status: "cancelled" } })).status).toBe(404);
    });
    await Promise.all(races);
  });

  test("is in the audience of the events of its work orders, with the property's owners and the tenant that the work order is shared with", async () => {
    const [vendor, owner, references] = await Promise.all([aVendor(office), anOwner(office), createLeaseReferences(office)]);
    await office.call("updateProperty", { params: { id: references.propertyId }, body: { ownerIds: [owner.id] } });
    const { id } = await aWorkOrder(office, { ...references, vendorId: vendor.id, visibility: "tenant_vendor_shared" });
    await transition(id, "in_progress");
    const events = (await findOutboxEvents(office, id)).filter(({ type }) => type === "work_order.created" || type === "work_order.transitioned");
    const audience = { vendorIds: [vendor.id], ownerIds: [owner.id], tenantIds: [references.tenantId] };
    expect(events).toMatchObject([{ audience }, { audience }]);
  });
});
