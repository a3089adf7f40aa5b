import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents } from "../../../test/database.ts";
import {
  aDraftLease,
  aLease,
  aLeaseInStatus,
  anOwner,
  createLeaseParties,
  aTenant,
  aVendor,
  aWorkOrder,
  inDays,
  currentDate,
  unknownId,
} from "../../../test/fixtures.ts";

const office = await anOffice();
const place = await createLeaseParties(office);
const coTenant = await aTenant(office);
const lease = await aLease(office, place, { occupants: [{ tenantId: coTenant.id, role: "co_tenant" }] });
const [tenant, co, neighbour] = await Promise.all([
  office.tenantUser(place.tenantId),
  office.tenantUser(coTenant.id),
  aTenant(office).then(({ id }) => office.tenantUser(id)),
]);

const request = { title: "No hot water", description: "Since this morning." };
const clients = async (terms: object = {}, by = tenant) => (await by.call("createMaintenanceRequest", { body: { ...request, ...terms } })).workOrder;
const leasesOf = async (who = tenant) => (await who.call("listTenantPortalLeases")).leases.map(({ id }) => id);

describe("getTenantPortalMe", () => {
  test("answers who the tenant is, at whose, under which leases and what it can do", async () => {
    const me = await tenant.call("getTenantPortalMe");
    expect(me.tenant).toMatchObject({ id: place.tenantId, userId: tenant.userId, portalStatus: "active" });
    expect(me.organization).toEqual({ id: office.organizationId, name: "Elm Street Management", timezone: "America/New_York" });
    expect(me.leases.map(({ id }) => id)).toEqual([lease.id]);
    expect(me.features).toEqual({ onlinePayments: false, autopay: false, maintenance: true });
  });

  test("says nothing that is the office's, nor what changes with the books", async () => {
    const { tenant: person, leases } = await tenant.call("getTenantPortalMe");
    for (const member of ["dateOfBirth", "balanceCents", "deletedAt"]) expect(person).not.toHaveProperty(member);
    for (const member of ["balanceCents", "depositHeldCents", "terminationReason", "version"]) expect(leases[0]).not.toHaveProperty(member);
    for (const member of ["notes", "providerRole"]) expect(leases[0]!.occupants[0]).not.toHaveProperty(member);
  });
});

describe("listTenantPortalLeases", () => {
  test("has the leases of a primary occupant and of a co-tenant, and of nobody else", async () => {
    const [child, guarantor] = await Promise.all([aTenant(office), aTenant(office)]);
    const add = (tenantId: string, role: "occupant" | "guarantor") =>
      office.call("createOccupant", { params: { leaseId: lease.id }, body: { tenantId, role } });
    await Promise.all([add(child.id, "occupant"), add(guarantor.id, "guarantor")]);
    const others = await Promise.all([office.tenantUser(child.id), office.tenantUser(guarantor.id)]);
    expect(await Promise.all([tenant, co, neighbour, ...others].map(leasesOf))).toEqual([[lease.id], [lease.id], [], [], []]);
    for (const who of [neighbour, ...others]) expect((await who.attempt("getTenantPortalLease", { params: { id: lease.id } })).status).toBe(404);
  });

  test("has leases of every status, newest first", async () => {
    const own = await createLeaseParties(office);
    const [user, earlier] = await Promise.all([office.tenantUser(own.tenantId), aLease(office, own)]);
    await office.call("terminateLease", { params: { id: earlier.id }, body: { terminationDate: inDays(-1), finalRent: "none" } });
    const next = await aDraftLease(office, own, { startDate: inDays(1) });
    expect(await leasesOf(user)).toEqual([next.id, earlier.id]);
  });

  test("loses a lease on the day of the release, not before", async () => {
    const own = await aLeaseInStatus(office, "active");
    const occupant = own.occupants.find(({ role }) => role === "co_tenant")!;
    const user = await office.tenantUser(occupant.tenantId!);
    const shared = await office.call("releaseOccupant", { params: { id: occupant.id }, body: { releasedOn: inDays(1) } });
    expect([shared.occupant.releasedOn, await leasesOf(user)]).toEqual([inDays(1), [own.id]]);
    const again = await aLeaseInStatus(office, "active");
    const leaving = again.occupants.find(({ role }) => role === "co_tenant")!;
    const gone = await office.tenantUser(leaving.tenantId!);
    await office.call("releaseOccupant", { params: { id: leaving.id }, body: { releasedOn: currentDate() } });
    expect(await leasesOf(gone)).toEqual([]);
    expect((await gone.attempt("getTenantPortalLease", { params: { id: again.id } })).status).toBe(404);
  });
});

describe("getTenantPortalLease", () => {
  test("answers the lease with what it charges and where to park", async () => {
    const parking = { parkingType: "reserved", effectiveStart: inDays(-30), rateBasis: "included", spaceCount: 1, notes: "Give way on Fridays." } as const;
    const { parkingRight } = await office.call("createParkingRight", { params: { leaseId: lease.id }, body: parking });
    const answer = await co.call("getTenantPortalLease", { params: { id: lease.id } });
    expect(answer.lease).toMatchObject({ id: lease.id, rentCents: 150_000, status: "active", tenantId: place.tenantId });
    expect(answer.recurringChargeRules).toMatchObject([{ leaseId: lease.id, amountCents: 150_000, status: "active" }]);
    expect(answer.parkingRights).toMatchObject([{ id: parkingRight.id, parkingType: "reserved", spaceCount: 1 }]);
    expect(answer.parkingRights[0]).not.toHaveProperty("notes");
  });
});

describe("createMaintenanceRequest", () => {
  test("opens a work order of the office for the tenant's home, without its costs to the tenant", async () => {
    const asked = await clients({ category: "plumbing", priority: "high", entryPermitted: true, entryNotes: "The dog is friendly." });
    expect(asked).toMatchObject({
      ...request,
      propertyId: place.propertyId,
      unitId: place.unitId,
      leaseId: lease.id,
      status: "open",
      source: "tenant",
      category: "plumbing",
      priority: "high",
      entryPermission: "granted",
      entryNotes: "The dog is friendly.",
    });
    for (const member of ["estimateCents", "approvedEstimateCents", "actualCents", "chargeableTo", "assignedUserId", "dueOn", "visibility"])
      expect(asked).not.toHaveProperty(member);
    const { workOrder } = await office.call("getWorkOrder", { params: { id: asked.id } });
    expect(workOrder).toMatchObject({ ...asked, tenantId: place.tenantId, createdByUserId: tenant.userId });
    expect(await findOutboxEvents(office, asked.id)).toMatchObject([{ type: "work_order.created", audience: { tenantIds: [place.tenantId] } }]);
  });

  test("leaves open what was not said", async () => {
    expect(await clients()).toMatchObject({ category: "other", priority: "normal", entryPermission: "unknown", entryNotes: null });
    expect(await clients({ entryPermitted: false })).toMatchObject({ entryPermission: "denied" });
  });

  test.each([
    ["no title", { title: undefined }, "title", "required"],
    ["an empty title", { title: " " }, "title", "too_short"],
    ["a title of 161", { title: "x".repeat(161) }, "title", "too_long"],
    ["no description", { description: undefined }, "description", "required"],
    ["a description of 8001", { description: "x".repeat(8_001) }, "description", "too_long"],
    ["a category nobody knows", { category: "magic" }, "category", "enum"],
    ["a priority nobody knows", { priority: "urgent" }, "priority", "enum"],
    ["notes of 2001", { entryNotes: "x".repeat(2_001) }, "entryNotes", "too_long"],
    ["somebody else", { tenantId: coTenant.id }, "tenantId", "unrecognized_key"],
    ["a vendor", { vendorId: unknownId() }, "vendorId", "unrecognized_key"],
    ["a lease that nobody has", { leaseId: unknownId() }, "leaseId", "not_found"],
  ])("refuses %s", async (_, terms, path, code) => {
    const { status, body } = await tenant.attempt("createMaintenanceRequest", { body: { ...request, ...(terms as object) } });
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });

  test("refuses another tenant's lease as one that nobody has", async () => {
    const { status, body } = await neighbour.attempt("createMaintenanceRequest", { body: { ...request, leaseId: lease.id } });
    expect([status, body.errors]).toMatchObject([400, [{ path: "leaseId", code: "not_found" }]]);
  });

  test("refuses where there is no lease, or it is over or a draft", async () => {
    const own = await createLeaseParties(office);
    const user = await office.tenantUser(own.tenantId);
    const attempt = async (terms: object = {}) => (await user.attempt("createMaintenanceRequest", { body: { ...request, ...terms } })).body.code;
    expect(await attempt()).toBe("lease_not_active");
    const draft = await aDraftLease(office, own);
    expect(await attempt({ leaseId: draft.id })).toBe("lease_not_active");
    await office.call("activateLease", { params: { id: draft.id }, body: {} });
    await office.call("terminateLease", { params: { id: draft.id }, body: { terminationDate: inDays(-1), finalRent: "none" } });
    expect(await attempt()).toBe("lease_not_active");
  });

  test("asks which lease is meant where there are several", async () => {
    const [first, second] = await Promise.all([createLeaseParties(office), createLeaseParties(office)]);
    const user = await office.tenantUser(first.tenantId);
    await aLease(office, first);
    const meant = await aLease(office, { ...second, tenantId: first.tenantId });
    const { status, body } = await user.attempt("createMaintenanceRequest", { body: request });
    expect([status, body.errors]).toMatchObject([400, [{ path: "leaseId", code: "required" }]]);
    expect((await clients({ leaseId: meant.id }, user)).unitId).toBe(second.unitId);
  });

  test("sent again with the same key is made once, and answers no more than before", async () => {
    const send = () => tenant.attempt("createMaintenanceRequest", { body: request, headers: { "Idempotency-Key": "request-1" } });
    const answers = [await send(), ...(await Promise.all([send(), send()]))];
    expect(answers.map(({ status, body }) => [status, body])).toEqual(answers.map(() => [200, answers[0]!.body]));
  });
});

describe("listMaintenanceRequests", () => {
  test("has the tenant's own and what is shared with it, and of nobody else", async () => {
    const own = await createLeaseParties(office);
    const [user, { id: leaseId }] = await Promise.all([office.tenantUser(own.tenantId), aLease(office, own)]);
    const asked = await clients({}, user);
    const shared = await aWorkOrder(office, { propertyId: own.propertyId, leaseId, visibility: "tenant_shared" });
    const kept = await aWorkOrder(office, { propertyId: own.propertyId, leaseId });
    const { workOrders, total } = await user.call("listMaintenanceRequests", { query: { sortBy: "number", sortDirection: "asc" } });
    expect([workOrders.map(({ id }) => id), total]).toEqual([[asked.id, shared.id], 2]);
    expect((await user.call("listMaintenanceRequests", { query: { status: "completed,cancelled" } })).total).toBe(0);
    expect((await user.attempt("getMaintenanceRequest", { params: { id: kept.id } })).status).toBe(404);
    expect((await neighbour.call("listMaintenanceRequests")).workOrders).toEqual([]);
    expect((await neighbour.attempt("getMaintenanceRequest", { params: { id: asked.id } })).status).toBe(404);
  });
});

describe("commentOnMaintenanceRequest", () => {
  const comment = (id: string, body: string, by = tenant) => by.attempt("commentOnMaintenanceRequest", { params: { id }, body: { body } });

  test("writes a note that the office and the tenant see, and the vendor does not", async () => {
    const vendor = await aVendor(office);
    const [{ id }, user] = await Promise.all([clients(), office.vendorUser(vendor.id)]);
    await office.call("assignWorkOrder", { params: { id }, body: { vendorId: vendor.id } });
    const { body } = await comment(id, "It drips faster now.");
    expect(body.note).toMatchObject({ body: "It drips faster now.", visibility: "tenant_shared", createdByUserId: tenant.userId });
    expect(body.workOrder).toMatchObject({ id, vendorName: vendor.name });
    const internal = { entityType: "work_order", entityId: id, visibility: "organization_only" } as const;
    await office.call("createNote", { body: { ...internal, body: "This tenant calls daily." } });
    const { note: answered } = await office.call("createNote", { body: { ...internal, visibility: "tenant_shared", body: "We are on our way." } });
    const { notes } = await tenant.call("getMaintenanceRequest", { params: { id } });
    expect(notes.map((note) => note.body)).toEqual(["We are on our way.", "It drips faster now."]);
    expect((await office.call("getWorkOrder", { params: { id } })).notes).toHaveLength(3);
    expect((await user.call("getAssignedWorkOrder", { params: { id } })).notes).toEqual([]);
    for (const noteId of [body.note.id, answered.id])
      expect(await findOutboxEvents(office, noteId)).toMatchObject([{ type: "note.created", audience: { tenantIds: [place.tenantId], vendorIds: [] } }]);
  });

  test("is possible on finished work, and not on another's or with nothing to say", async () => {
    const { id } = await clients();
    await tenant.call("cancelMaintenanceRequest", { params: { id } });
    expect((await comment(id, "It was the fuse.")).status).toBe(200);
    expect((await comment(id, "Hello", co)).status).toBe(404);
    expect((await comment(id, " ")).body.errors).toMatchObject([{ path: "body", code: "too_short" }]);
    expect((await comment(id, "x".repeat(4_001))).body.errors).toMatchObject([{ path: "body", code: "too_long" }]);
  });
});

describe("cancelMaintenanceRequest", () => {
  const cancel = (id: string, by = tenant, headers: Record<string, string> = {}) => by.attempt("cancelMaintenanceRequest", { params: { id }, headers });

  test("takes back what is open, once", async () => {
    const { id } = await clients();
    const answers = await Promise.all([cancel(id), cancel(id), cancel(id)]);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409, 409]);
    const refused = answers.find(({ status }) => status === 409)!;
    expect([refused.body.code, refused.body.message]).toEqual([
      "invalid_transition",
      "The maintenance request is cancelled and cannot become cancelled. Only an open one can be cancelled.",
    ]);
    const { workOrder, history } = await office.call("getWorkOrder", { params: { id } });
    expect([workOrder.status, workOrder.cancelledAt]).toEqual(["cancelled", expect.any(String)]);
    expect(history[0]).toMatchObject({ actorUserId: tenant.userId });
    const [, event] = await findOutboxEvents(office, id);
    expect(event).toMatchObject({ type: "work_order.transitioned", data: { from: "open", status: "cancelled" }, audience: { tenantIds: [place.tenantId] } });
  });

  test("is refused once somebody has begun, and of what the office asked for", async () => {
    const [begun, shared] = await Promise.all([
      clients(),
      aWorkOrder(office, { propertyId: place.propertyId, leaseId: lease.id, visibility: "tenant_shared" }),
    ]);
    await office.call("transitionWorkOrder", { params: { id: begun.id }, body: { status: "in_progress" } });
    const answers = await Promise.all([cancel(begun.id), cancel(shared.id), cancel(begun.id, co), cancel(unknownId())]);
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [409, "invalid_transition"],
      [403, "scope_forbidden"],
      [404, "not_found"],
      [404, "not_found"],
    ]);
  });

  test("heeds the version that was read", async () => {
    const { id } = await clients();
    const { headers } = await tenant.attempt("getMaintenanceRequest", { params: { id } });
    await office.call("updateWorkOrder", { params: { id }, body: { priority: "emergency" } });
    expect((await cancel(id, tenant, { "If-Match": headers.get("etag")! })).body.code).toBe("version_conflict");
    expect((await cancel(id)).status).toBe(200);
  });
});

describe("listTenantPortalDocuments", () => {
  test("has what is shared with tenants about what is the tenant's", async () => {
    const upload = async (entityType: "lease" | "tenant" | "owner", entityId: string, visibility: "tenant_shared" | "organization_only" | "owner_shared") => {
      const file = new File(["Some words.\n"], `${visibility}.txt`);
      return (await office.call("uploadDocument", { body: { file, entityType, entityId, visibility, category: "lease" } })).document.id;
    };
    const owner = await anOwner(office);
    const ofLease = await upload("lease", lease.id, "tenant_shared");
    const ofTenant = await upload("tenant", place.tenantId, "tenant_shared");
    await Promise.all([upload("lease", lease.id, "organization_only"), upload("lease", lease.id, "owner_shared"), upload("owner", owner.id, "tenant_shared")]);
    const list = async (who: typeof tenant, query = {}) => (await who.call("listTenantPortalDocuments", { query })).documents.map(({ id }) => id);
    expect(await list(tenant)).toEqual([ofTenant, ofLease]);
    expect(await list(co)).toEqual([ofLease]);
    expect(await list(neighbour)).toEqual([]);
    expect(await list(tenant, { category: "photo" })).toEqual([]);
    expect(await list(tenant, { search: "shared" })).toEqual([ofTenant, ofLease]);
  });
});
