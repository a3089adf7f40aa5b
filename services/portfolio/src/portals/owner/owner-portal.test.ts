import { describe, expect, test } from "@jest/globals";
import { anOffice, type Colleague } from "../../../../../test/support/office.ts";
import { aDraftLease, aLease, anOwner, aProperty, aTenant, aUnit, aVendor, aWorkOrder, inDays, currentDate, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const [owner, partner, stranger] = await Promise.all([anOwner(office), anOwner(office), anOwner(office)]);
const property = await aProperty(office, { ownerIds: [owner.id, partner.id] });
const foreign = await aProperty(office, { ownerIds: [stranger.id] });
await office.call("updateProperty", { params: { id: property.id }, body: { maintenanceLimitCents: 50_000 } });
const [user, partnerUser, strangerUser] = await Promise.all([office.ownerUser(owner.id), office.ownerUser(partner.id), office.ownerUser(stranger.id)]);

const place = async (propertyId: string) => {
  const [unit, tenant] = await Promise.all([aUnit(office, propertyId), aTenant(office)]);
  return { propertyId, unitId: unit.id, tenantId: tenant.id };
};
const propertiesOf = async (client: Colleague, query = {}) => (await client.call("listOwnedProperties", { query })).properties.map(({ id }) => id);

describe("getOwnerPortalMe", () => {
  test("returns the owner and the organization", async () => {
    const me = await user.call("getOwnerPortalMe");
    expect(me.owner).toMatchObject({ id: owner.id, userId: user.userId, portalStatus: "active" });
    expect(me.organization).toEqual({ id: office.organizationId, name: "Elm Street Management", timezone: "America/New_York" });
  });
});

describe("a deleted owner", () => {
  test("loses the portal account", async () => {
    const leaving = await anOwner(office);
    const client = await office.ownerUser(leaving.id);
    await office.call("deleteOwner", { params: { id: leaving.id } });
    expect((await client.attempt("getOwnerPortalMe")).status).toBe(404);
  });
});

describe("listOwnedProperties", () => {
  test("returns the owner's properties without co-owners", async () => {
    expect([await propertiesOf(user), await propertiesOf(strangerUser)]).toEqual([[property.id], [foreign.id]]);
    const { property: responses } = await user.call("getOwnedProperty", { params: { id: property.id } });
    expect(responses).toMatchObject({ id: property.id, name: property.name, maintenanceLimitCents: 50_000, shareBps: null });
    expect(JSON.stringify(responses)).not.toContain(partner.id);
    expect((await strangerUser.attempt("getOwnedProperty", { params: { id: property.id } })).status).toBe(404);
    expect((await user.attempt("getOwnedProperty", { params: { id: unknownId() } })).status).toBe(404);
    expect([await propertiesOf(user, { search: property.name }), await propertiesOf(user, { search: "Nowhere" })]).toEqual([[property.id], []]);
  });

  test("uses today's ownership", async () => {
    const changing = await aProperty(office);
    const own = (effectiveDate: string, shares: { ownerId: string; shareBps: number }[]) =>
      office.call("replaceOwnership", { params: { id: changing.id }, body: { effectiveDate, shares } });
    const whoSees = async () => {
      const responses = await Promise.all([user, partnerUser].map((client) => client.attempt("getOwnedProperty", { params: { id: changing.id } })));
      return responses.map(({ status, body }) => (status === 200 ? body.property.shareBps : status));
    };
    await own(inDays(-10), [{ ownerId: owner.id, shareBps: 10_000 }]);
    expect(await whoSees()).toEqual([10_000, 404]);
    await own(inDays(1), [{ ownerId: partner.id, shareBps: 10_000 }]);
    expect(await whoSees()).toEqual([10_000, 404]);
    await own(currentDate(), [
      { ownerId: partner.id, shareBps: 7_500 },
      { ownerId: owner.id, shareBps: 2_500 },
    ]);
    expect(await whoSees()).toEqual([2_500, 7_500]);
    await own(currentDate(), [{ ownerId: partner.id, shareBps: 10_000 }]);
    expect(await whoSees()).toEqual([404, 10_000]);
  });
});

describe("listOwnedLeases", () => {
  test("returns the leases of the owner's properties except drafts, without occupants", async () => {
    const [ours, theirs] = await Promise.all([place(property.id), place(foreign.id)]);
    const [active] = await Promise.all([aLease(office, ours), aLease(office, theirs)]);
    const draft = await aDraftLease(office, await place(property.id));
    const cancelled = await aDraftLease(office, await place(property.id));
    await office.call("cancelLease", { params: { id: cancelled.id } });
    const { leases, total } = await user.call("listOwnedLeases");
    expect([leases.map(({ id }) => id), total]).toEqual([[active.id], 1]);
    expect(leases[0]).toMatchObject({ tenantName: active.tenantName, rentCents: 150_000, status: "active" });
    for (const member of ["occupants", "balanceCents", "terminationReason"]) expect(leases[0]).not.toHaveProperty(member);
    expect((await user.call("listOwnedLeases", { query: { status: "pending,expired" } })).total).toBe(0);
    expect((await user.attempt("listOwnedLeases", { query: { status: "draft" } })).body.errors).toMatchObject([{ code: "enum" }]);
    expect((await user.call("listOwnedLeases", { query: { propertyId: foreign.id } })).total).toBe(0);
    expect(draft.status).toBe("draft");
  });
});

describe("listOwnedWorkOrders", () => {
  test("returns the work orders of the owner's properties with costs, without the tenant's entry notes", async () => {
    const [work] = await Promise.all([
      aWorkOrder(office, { propertyId: property.id, estimateCents: 12_300, entryNotes: "The key is under the mat." }),
      aWorkOrder(office, { propertyId: foreign.id }),
    ]);
    const { workOrders } = await user.call("listOwnedWorkOrders", { query: { propertyId: property.id } });
    expect(workOrders).toMatchObject([{ id: work.id, estimateCents: 12_300, actualCents: 0 }]);
    for (const member of ["entryNotes", "tenantName", "assignedUserId", "visibility"]) expect(workOrders[0]).not.toHaveProperty(member);
    expect((await user.call("listOwnedWorkOrders", { query: { propertyId: foreign.id } })).workOrders).toEqual([]);
  });
});

describe("listOwnerPortalDocuments", () => {
  test("returns documents shared with owners for the owner's records", async () => {
    const upload = async (entityId: string, visibility: "owner_shared" | "tenant_shared") => {
      const file = new File(["Roof.\n"], "roof.txt");
      return (await office.call("uploadDocument", { body: { file, entityType: "property", entityId, visibility } })).document.id;
    };
    const shared = await upload(property.id, "owner_shared");
    await Promise.all([upload(property.id, "tenant_shared"), upload(foreign.id, "owner_shared")]);
    const { documents } = await user.call("listOwnerPortalDocuments");
    expect(documents.map(({ id }) => id)).toEqual([shared]);
  });
});

describe("listOwnerApprovals", () => {
  const vendor = aVendor(office);
  const estimateOf = async (amountCents: number, propertyId = property.id) => {
    const { id } = await aWorkOrder(office, { propertyId, vendorId: (await vendor).id });
    return (await office.call("createWorkOrderEstimate", { params: { id }, body: { amountCents } })).estimate;
  };
  const approvalsOf = async (client: Colleague, query = {}) => (await client.call("listOwnerApprovals", { query })).approvals.map(({ id }) => id);
  const approve = (id: string, client: Colleague = user, headers: Record<string, string> = {}) =>
    client.attempt("approveOwnerApproval", { params: { id }, body: { note: "Go on." }, headers });
  const reject = (id: string, client: Colleague = user) => client.attempt("rejectOwnerApproval", { params: { id }, body: {} });

  test("returns estimates above the limit of the owner's properties, with their decisions", async () => {
    const [beyond, within] = [await estimateOf(50_001), await estimateOf(50_000)];
    expect(await approvalsOf(user)).toEqual([beyond.id]);
    expect(await approvalsOf(strangerUser)).toEqual([]);
    const { approvals } = await partnerUser.call("listOwnerApprovals", { query: { status: "submitted" } });
    expect(approvals).toMatchObject([
      {
        id: beyond.id,
        amountCents: 50_001,
        limitCents: 50_000,
        needsOwnerApproval: true,
        vendorName: "Pipes & Co",
        workOrder: { id: beyond.workOrderId, title: "The tap drips", propertyId: property.id, propertyName: property.name, unitNumber: null, status: "open" },
      },
    ]);
    for (const [id, client] of [[within.id, user] as const, [beyond.id, strangerUser] as const, [unknownId(), user] as const])
      expect([(await approve(id, client)).status, (await reject(id, client)).status]).toEqual([404, 404]);
    const { body } = await approve(beyond.id);
    expect(body.approval).toMatchObject({ id: beyond.id, status: "approved", decisionNote: "Go on.", decidedByUserId: user.userId, limitCents: 50_000 });
    expect(await approvalsOf(user, { status: "submitted" })).toEqual([]);
    expect(await approvalsOf(user, { status: "approved" })).toEqual([beyond.id]);
    const { workOrder } = await office.call("getWorkOrder", { params: { id: beyond.workOrderId } });
    expect(workOrder.approvedEstimateCents).toBe(50_001);
  });

  test("accepts one of several concurrent decisions", async () => {
    const { id } = await estimateOf(90_000);
    const answers = await Promise.all([approve(id), reject(id, partnerUser), approve(id, partnerUser), reject(id)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)!.body.code).toBe("invalid_transition");
  });

  test("is rejected for former owners and finished work", async () => {
    const sold = await aProperty(office, { ownerIds: [owner.id] });
    await office.call("updateProperty", { params: { id: sold.id }, body: { maintenanceLimitCents: 1 } });
    const [{ id }, finished] = [await estimateOf(60_000, sold.id), await estimateOf(60_000)];
    await office.call("updateProperty", { params: { id: sold.id }, body: { ownerIds: [stranger.id] } });
    expect([(await approve(id)).status, (await approve(id, strangerUser)).status]).toEqual([404, 200]);
    await office.call("transitionWorkOrder", { params: { id: finished.workOrderId }, body: { status: "cancelled" } });
    const { status, body } = await approve(finished.id);
    expect([status, body.code]).toEqual([409, "invalid_transition"]);
  });

  test("rejects an outdated If-Match and a long note", async () => {
    const { id } = await estimateOf(70_000);
    expect((await approve(id, user, { "If-Match": '"99"' })).body.code).toBe("version_conflict");
    const long = await user.attempt("rejectOwnerApproval", { params: { id }, body: { note: "x".repeat(501) } });
    expect(long.body.errors).toMatchObject([{ path: "note", code: "too_long" }]);
    expect((await reject(id)).body.approval).toMatchObject({ status: "rejected", decisionNote: null });
  });
});
