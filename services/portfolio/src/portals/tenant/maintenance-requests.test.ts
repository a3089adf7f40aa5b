import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents, queryRows } from "../../../test/database.ts";
import {
  aDraftLease,
  aLease,
  aLeaseInStatus,
  createLeaseReferences,
  aTenant,
  aVendor,
  aWorkOrder,
  inDays,
  currentDate,
  unknownId,
} from "../../../test/fixtures.ts";

const office = await anOffice();
const references = await createLeaseReferences(office);
const coTenant = await aTenant(office);
const lease = await aLease(office, references, { occupants: [{ tenantId: coTenant.id, role: "co_tenant" }] });
const [tenantUser, coTenantUser, neighbour] = await Promise.all([
  office.tenantUser(references.tenantId),
  office.tenantUser(coTenant.id),
  aTenant(office).then(({ id }) => office.tenantUser(id)),
]);

const requestBody = { title: "No hot water", description: "Since this morning." };
const createRequest = async (terms: object = {}, client = tenantUser) =>
  (await client.call("createMaintenanceRequest", { body: { ...requestBody, ...terms } })).workOrder;

describe("createMaintenanceRequest", () => {
  test("creates a work order for the tenant's unit, without costs in the response", async () => {
    const created = await createRequest({ category: "plumbing", priority: "high", entryPermitted: true, entryNotes: "The dog is friendly." });
    expect(created).toMatchObject({
      ...requestBody,
      propertyId: references.propertyId,
      unitId: references.unitId,
      leaseId: lease.id,
      status: "open",
      source: "tenant",
      category: "plumbing",
      priority: "high",
      entryPermission: "granted",
      entryNotes: "The dog is friendly.",
    });
    for (const member of ["estimateCents", "approvedEstimateCents", "actualCents", "chargeableTo", "assignedUserId", "dueOn", "visibility"])
      expect(created).not.toHaveProperty(member);
    const { workOrder } = await office.call("getWorkOrder", { params: { id: created.id } });
    expect(workOrder).toMatchObject({ ...created, tenantId: references.tenantId, createdByUserId: tenantUser.userId });
    expect(await findOutboxEvents(office, created.id)).toMatchObject([{ type: "work_order.created", audience: { tenantIds: [references.tenantId] } }]);
  });

  test("applies defaults", async () => {
    expect(await createRequest()).toMatchObject({ category: "other", priority: "normal", entryPermission: "unknown", entryNotes: null });
    expect(await createRequest({ entryPermitted: false })).toMatchObject({ entryPermission: "denied" });
  });

  test.each([
    ["no title", { title: undefined }, "title", "required"],
    ["an empty title", { title: " " }, "title", "too_short"],
    ["a title of 161 characters", { title: "x".repeat(161) }, "title", "too_long"],
    ["no description", { description: undefined }, "description", "required"],
    ["a description of 8001 characters", { description: "x".repeat(8_001) }, "description", "too_long"],
    ["an unknown category", { category: "magic" }, "category", "enum"],
    ["an unknown priority", { priority: "urgent" }, "priority", "enum"],
    ["notes of 2001 characters", { entryNotes: "x".repeat(2_001) }, "entryNotes", "too_long"],
    ["another tenant", { tenantId: coTenant.id }, "tenantId", "unrecognized_key"],
    ["a vendor", { vendorId: unknownId() }, "vendorId", "unrecognized_key"],
    ["an unknown lease", { leaseId: unknownId() }, "leaseId", "not_found"],
  ])("rejects %s", async (_, terms, path, code) => {
    const { status, body } = await tenantUser.attempt("createMaintenanceRequest", { body: { ...requestBody, ...(terms as object) } });
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("rejects another tenant's lease as unknown", async () => {
    const { status, body } = await neighbour.attempt("createMaintenanceRequest", { body: { ...requestBody, leaseId: lease.id } });
    expect([status, body.errors]).toMatchObject([400, [{ path: "leaseId", code: "not_found" }]]);
  });

  test("rejects tenants without a current lease", async () => {
    const ownReferences = await createLeaseReferences(office);
    const user = await office.tenantUser(ownReferences.tenantId);
    const attempt = async (terms: object = {}) => (await user.attempt("createMaintenanceRequest", { body: { ...requestBody, ...terms } })).body.code;
    expect(await attempt()).toBe("lease_not_active");
    const draft = await aDraftLease(office, ownReferences);
    expect(await attempt({ leaseId: draft.id })).toBe("validation_failed");
    await office.call("activateLease", { params: { id: draft.id }, body: {} });
    await office.call("terminateLease", { params: { id: draft.id }, body: { terminationDate: inDays(-1), finalRent: "none" } });
    expect(await attempt()).toBe("lease_not_active");
  });

  test("is for tenants who live in the unit or are going to, whatever the lease is called", async () => {
    const [ownReferences, leaving, arriving] = await Promise.all([createLeaseReferences(office), aTenant(office), aTenant(office)]);
    const { id, occupants } = await aLease(office, ownReferences, {
      occupants: [
        { tenantId: leaving.id, role: "co_tenant" },
        { tenantId: arriving.id, role: "co_tenant", moveInDate: inDays(5) },
      ],
    });
    const occupantId = occupants.find(({ tenantId }) => tenantId === leaving.id)!.id;
    const users = await Promise.all([ownReferences.tenantId, leaving.id, arriving.id].map((tenantId) => office.tenantUser(tenantId)));
    const attempt = () =>
      Promise.all(users.map(async (user) => (await user.attempt("createMaintenanceRequest", { body: { ...requestBody, leaseId: id } })).status));
    await office.call("updateOccupant", { params: { id: occupantId }, body: { moveOutDate: inDays(1) } });
    expect(await attempt()).toEqual([200, 200, 200]);
    await office.call("updateOccupant", { params: { id: occupantId }, body: { moveOutDate: currentDate() } });
    expect(await attempt()).toEqual([200, 409, 200]);
    await office.call("terminateLease", { params: { id }, body: { terminationDate: inDays(3), finalRent: "none" } });
    expect((await attempt()).slice(0, 2)).toEqual([200, 409]);
  });

  test("requires leaseId with several leases", async () => {
    const [first, second] = await Promise.all([createLeaseReferences(office), createLeaseReferences(office)]);
    const user = await office.tenantUser(first.tenantId);
    await aLease(office, first);
    const secondLease = await aLease(office, { ...second, tenantId: first.tenantId });
    const { status, body } = await user.attempt("createMaintenanceRequest", { body: requestBody });
    expect([status, body.errors]).toMatchObject([400, [{ path: "leaseId", code: "required" }]]);
    expect((await createRequest({ leaseId: secondLease.id }, user)).unitId).toBe(second.unitId);
  });

  test("is idempotent under the same Idempotency-Key, with the same response", async () => {
    const send = () => tenantUser.attempt("createMaintenanceRequest", { body: requestBody, headers: { "Idempotency-Key": "request-1" } });
    const responses = [await send(), ...(await Promise.all([send(), send()]))];
    expect(responses.map(({ status, body }) => [status, body])).toEqual(responses.map(() => [200, responses[0]!.body]));
  });
});

describe("listMaintenanceRequests", () => {
  test("returns the tenant's own requests and shared work orders only", async () => {
    const ownReferences = await createLeaseReferences(office);
    const [user, { id: leaseId }] = await Promise.all([office.tenantUser(ownReferences.tenantId), aLease(office, ownReferences)]);
    const created = await createRequest({}, user);
    const shared = await aWorkOrder(office, { propertyId: ownReferences.propertyId, leaseId, visibility: "tenant_shared" });
    const unshared = await aWorkOrder(office, { propertyId: ownReferences.propertyId, leaseId });
    const { workOrders, total } = await user.call("listMaintenanceRequests", { query: { sortBy: "number", sortDirection: "asc" } });
    expect([workOrders.map(({ id }) => id), total]).toEqual([[created.id, shared.id], 2]);
    expect((await user.call("listMaintenanceRequests", { query: { status: "completed,cancelled" } })).total).toBe(0);
    expect((await user.attempt("getMaintenanceRequest", { params: { id: unshared.id } })).status).toBe(404);
    expect((await neighbour.call("listMaintenanceRequests")).workOrders).toEqual([]);
    expect((await neighbour.attempt("getMaintenanceRequest", { params: { id: created.id } })).status).toBe(404);
  });
});

describe("commentOnMaintenanceRequest", () => {
  const comment = (id: string, body: string, client = tenantUser) => client.attempt("commentOnMaintenanceRequest", { params: { id }, body: { body } });

  test("adds a note visible to the office and the tenant, not to the vendor", async () => {
    const vendor = await aVendor(office);
    const [{ id }, user] = await Promise.all([createRequest(), office.vendorUser(vendor.id)]);
    await office.call("assignWorkOrder", { params: { id }, body: { vendorId: vendor.id } });
    const { body } = await comment(id, "It drips faster now.");
    expect(body.note).toMatchObject({ body: "It drips faster now.", visibility: "tenant_shared", createdByUserId: tenantUser.userId });
    expect(body.workOrder).toMatchObject({ id, vendorName: vendor.name });
    const internal = { entityType: "work_order", entityId: id, visibility: "organization_only" } as const;
    await office.call("createNote", { body: { ...internal, body: "This tenant calls daily." } });
    const { note: reply } = await office.call("createNote", { body: { ...internal, visibility: "tenant_shared", body: "We are on our way." } });
    const { notes } = await tenantUser.call("getMaintenanceRequest", { params: { id } });
    expect(notes.map((note) => note.body)).toEqual(["We are on our way.", "It drips faster now."]);
    expect((await office.call("getWorkOrder", { params: { id } })).notes).toHaveLength(3);
    expect((await user.call("getAssignedWorkOrder", { params: { id } })).notes).toEqual([]);
    for (const noteId of [body.note.id, reply.id])
      expect(await findOutboxEvents(office, noteId)).toMatchObject([{ type: "note.created", audience: { tenantIds: [references.tenantId], vendorIds: [] } }]);
  });

  test("is allowed on finished requests, and rejected on another tenant's request, empty, or with 4001 characters", async () => {
    const { id } = await createRequest();
    await tenantUser.call("cancelMaintenanceRequest", { params: { id } });
    expect((await comment(id, "It was the fuse.")).status).toBe(200);
    expect((await comment(id, "Hello", coTenantUser)).status).toBe(404);
    expect((await comment(id, " ")).body.errors).toMatchObject([{ path: "body", code: "too_short" }]);
    expect((await comment(id, "x".repeat(4_001))).body.errors).toMatchObject([{ path: "body", code: "too_long" }]);
  });
});

describe("cancelMaintenanceRequest", () => {
  const cancel = (id: string, client = tenantUser, headers: Record<string, string> = {}) =>
    client.attempt("cancelMaintenanceRequest", { params: { id }, headers });

  test("cancels an open request once", async () => {
    const { id } = await createRequest();
    const responses = await Promise.all([cancel(id), cancel(id), cancel(id)]);
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    const rejected = responses.find(({ status }) => status === 409)!;
    expect([rejected.body.code, rejected.body.message]).toEqual([
      "invalid_transition",
      "The maintenance request is cancelled and cannot become cancelled. Only an open one can be cancelled.",
    ]);
    const { workOrder, history } = await office.call("getWorkOrder", { params: { id } });
    expect([workOrder.status, workOrder.cancelledAt]).toEqual(["cancelled", expect.any(String)]);
    expect(history[0]).toMatchObject({ actorUserId: tenantUser.userId });
    const [, event] = await findOutboxEvents(office, id);
    expect(event).toMatchObject({
      type: "work_order.transitioned",
      data: { from: "open", status: "cancelled" },
      audience: { tenantIds: [references.tenantId] },
    });
  });

  test("is rejected for started requests and the office's work orders, and returns 404 for requests of other tenants", async () => {
    const [started, shared] = await Promise.all([
      createRequest(),
      aWorkOrder(office, { propertyId: references.propertyId, leaseId: lease.id, visibility: "tenant_shared" }),
    ]);
    await office.call("transitionWorkOrder", { params: { id: started.id }, body: { status: "in_progress" } });
    const responses = await Promise.all([cancel(started.id), cancel(shared.id), cancel(started.id, coTenantUser), cancel(unknownId())]);
    expect(responses.map(({ status, body }) => [status, body.code])).toEqual([
      [409, "invalid_transition"],
      [403, "scope_forbidden"],
      [404, "not_found"],
      [404, "not_found"],
    ]);
  });

  test("rejects an outdated If-Match", async () => {
    const { id } = await createRequest();
    const { headers } = await tenantUser.attempt("getMaintenanceRequest", { params: { id } });
    await office.call("updateWorkOrder", { params: { id }, body: { priority: "emergency" } });
    expect((await cancel(id, tenantUser, { "If-Match": headers.get("etag")! })).body.code).toBe("version_conflict");
    expect((await cancel(id)).status).toBe(200);
  });
});

describe("uploadMaintenanceRequestDocument", () => {
  test("adds a document to the tenant's request that the office reads, and neither the vendor nor another tenant of the work order", async () => {
    const vendor = await aVendor(office);
    const [{ id }, vendorUser] = await Promise.all([createRequest(), office.vendorUser(vendor.id)]);
    const upload = (client: typeof tenantUser) =>
      client.attempt("uploadMaintenanceRequestDocument", { params: { id }, body: { file: new File(["A leak.\n"], "leak.txt"), title: "The leak" } });
    const { document } = (await upload(tenantUser)).body;
    expect(document).toMatchObject({ title: "The leak", visibility: "tenant_shared", uploadedByUserId: tenantUser.userId });
    expect((await upload(coTenantUser)).status).toBe(404);
    expect((await tenantUser.call("getMaintenanceRequest", { params: { id } })).documents).toMatchObject([{ id: document.id }]);
    expect((await office.call("getDocument", { params: { id: document.id } })).document.entityId).toBe(id);
    await office.call("updateWorkOrder", { params: { id }, body: { vendorId: vendor.id, tenantId: coTenant.id } });
    expect((await vendorUser.call("getAssignedWorkOrder", { params: { id } })).documents).toEqual([]);
    expect((await coTenantUser.call("getMaintenanceRequest", { params: { id } })).documents).toEqual([]);
  });
});

describe("a request that was reassigned to another tenant", () => {
  test("shows none of the former tenant's comments, and is not cancelled by the other tenant", async () => {
    const { id } = await createRequest();
    await tenantUser.call("commentOnMaintenanceRequest", { params: { id }, body: { body: "My spare key is under the mat." } });
    await office.call("updateWorkOrder", { params: { id }, body: { tenantId: coTenant.id } });
    expect((await coTenantUser.call("getMaintenanceRequest", { params: { id } })).notes).toEqual([]);
    expect((await coTenantUser.attempt("cancelMaintenanceRequest", { params: { id } })).body.code).toBe("scope_forbidden");
    expect((await tenantUser.attempt("getMaintenanceRequest", { params: { id } })).status).toBe(404);
    await coTenantUser.call("commentOnMaintenanceRequest", { params: { id }, body: { body: "Please come on Friday." } });
    expect((await coTenantUser.call("getMaintenanceRequest", { params: { id } })).notes).toMatchObject([{ body: "Please come on Friday." }]);
    await office.call("updateWorkOrder", { params: { id }, body: { tenantId: references.tenantId } });
    expect((await tenantUser.call("getMaintenanceRequest", { params: { id } })).notes).toMatchObject([{ body: "My spare key is under the mat." }]);
    expect((await tenantUser.attempt("cancelMaintenanceRequest", { params: { id } })).status).toBe(200);
  });
});

describe("a request of a released tenant", () => {
  test("stays readable with what was shared before the release, without later plans, and is no longer steered by the tenant", async () => {
    const [ownReferences, leaving] = await Promise.all([createLeaseReferences(office), aTenant(office)]);
    const { occupants } = await aLease(office, ownReferences, { occupants: [{ tenantId: leaving.id, role: "co_tenant" }] });
    const user = await office.tenantUser(leaving.id);
    const { id } = await createRequest({ entryNotes: "Ring twice." }, user);
    const share = (body: string) => office.call("createNote", { body: { entityType: "work_order", entityId: id, visibility: "tenant_shared", body } });
    await share("We come on Monday.");
    const settings = [office.organizationId, `${inDays(-9)}T16:00:00Z`, id];
    await queryRows(office.organizationId, "update note set shared_with_tenants_at = $2 where organization_id = $1 and entity_id = $3", settings);
    await queryRows(office.organizationId, "update work_order set updated_at = $2 where organization_id = $1 and id = $3", settings);
    const occupantId = occupants.find(({ tenantId }) => tenantId === leaving.id)!.id;
    await office.call("releaseOccupant", { params: { id: occupantId }, body: { releasedOn: inDays(-5) } });
    const read = () => user.call("getMaintenanceRequest", { params: { id } });
    expect((await read()).workOrder).toMatchObject({ entryNotes: "Ring twice.", status: "open" });
    const appointment = { scheduledStart: "2027-01-05T14:00:00.000Z", scheduledEnd: "2027-01-05T15:00:00.000Z", entryNotes: "The code is 4711." };
    await office.call("assignWorkOrder", { params: { id }, body: { vendorId: (await aVendor(office, { name: "Bright Plumbing" })).id } });
    await office.call("updateWorkOrder", { params: { id }, body: { ...appointment, entryPermission: "granted" } });
    const { note } = await share("The neighbour lets you in.");
    const search = async (name: string) => (await user.call("listMaintenanceRequests", { query: { search: name } })).workOrders.map((each) => each.id);
    expect([await search("No hot"), await search("Bright")]).toEqual([[id], []]);
    const { workOrder, notes } = await read();
    expect(workOrder).toMatchObject({ title: requestBody.title, scheduledStart: null, scheduledEnd: null, entryNotes: null, entryPermission: "unknown" });
    expect(notes.map(({ body }) => body)).toEqual(["We come on Monday."]);
    const attempts = [
      await user.attempt("cancelMaintenanceRequest", { params: { id } }),
      await user.attempt("commentOnMaintenanceRequest", { params: { id }, body: { body: "Hello?" } }),
    ];
    expect(attempts.map(({ status, body }) => [status, body.code])).toEqual(attempts.map(() => [403, "scope_forbidden"]));
    const lastEvents = [(await findOutboxEvents(office, id)).at(-1)!, (await findOutboxEvents(office, note.id)).at(-1)!];
    expect(lastEvents.map(({ audience }) => audience.tenantIds)).toEqual([[], []]);
  });
});

describe("a request of somebody who was no tenant of the unit after all", () => {
  test.each([
    ["was removed from the lease", "active", (_: string, occupantId: string) => office.call("deleteOccupant", { params: { id: occupantId } })],
    ["was on a pending lease that was cancelled", "pending", (id: string) => office.call("cancelLease", { params: { id } })],
    ["was on a pending lease that was deleted", "pending", (id: string) => office.call("deleteLease", { params: { id } })],
  ] as const)("is no longer steered by the person, who %s", async (_, status, end) => {
    const lease = await aLeaseInStatus(office, status);
    const { id: occupantId, tenantId } = lease.occupants.find(({ role }) => role === "co_tenant")!;
    const user = await office.tenantUser(tenantId!);
    const { workOrder } = await office.call("createWorkOrder", {
      body: {
        title: "A leak",
        category: "plumbing",
        propertyId: lease.propertyId,
        unitId: lease.unitId,
        tenantId: tenantId!,
        visibility: "tenant_shared",
      },
    });
    const comment = () => user.attempt("commentOnMaintenanceRequest", { params: { id: workOrder.id }, body: { body: "Hello?" } });
    expect((await comment()).status).toBe(200);
    await end(lease.id, occupantId);
    expect(await comment()).toMatchObject({ status: 403, body: { code: "scope_forbidden" } });
  });
});
