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
const propertiesOf = async (who: Colleague, query = {}) => (await who.call("listOwnedProperties", { query })).properties.map(({ id }) => id);

describe("getOwnerPortalMe", () => {
  test("answers who the owner is and who manages for it", async () => {
    const me = await user.call("getOwnerPortalMe");
    expect(me.owner).toMatchObject({ id: owner.id, userId: user.userId, portalStatus: "active" });
    expect(me.organization).toEqual({ id: office.organizationId, name: "Elm Street Management", timezone: "America/New_York" });
  });
});

describe("an owner who was deleted", () => {
  test("has no account any more", async () => {
    const leaving = await anOwner(office);
    const who = await office.ownerUser(leaving.id);
    await office.call("deleteOwner", { params: { id: leaving.id } });
    expect((await who.attempt("getOwnerPortalMe")).status).toBe(404);
  });
});

describe("listOwnedProperties", () => {
  test("has the owner's own, without who else owns them", async () => {
    expect([await propertiesOf(user), await propertiesOf(strangerUser)]).toEqual([[property.id], [foreign.id]]);
    const { property: seen } = await user.call("getOwnedProperty", { params: { id: property.id } });
    expect(seen).toMatchObject({ id: property.id, name: property.name, maintenanceLimitCents: 50_000, shareBps: null });
    expect(JSON.stringify(seen)).not.toContain(partner.id);
    expect((await strangerUser.attempt("getOwnedProperty", { params: { id: property.id } })).status).toBe(404);
    expect((await user.attempt("getOwnedProperty", { params: { id: unknownId() } })).status).toBe(404);
    expect([await propertiesOf(user, { search: property.name }), await propertiesOf(user, { search: "Nowhere" })]).toEqual([[property.id], []]);
  });

  test("is by who owns them today, not before and not later", async () => {
    const changing = await aProperty(office);
    const own = (effectiveDate: string, shares: { ownerId: string; shareBps: number }[]) =>
      office.call("replaceOwnership", { params: { id: changing.id }, body: { effectiveDate, shares } });
    const whoSees = async () => {
      const seen = await Promise.all([user, partnerUser].map((who) => who.attempt("getOwnedProperty", { params: { id: changing.id } })));
      return seen.map(({ status, body }) => (status === 200 ? body.property.shareBps : status));
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
  test("has what was ever agreed on for the owner's properties, without the people who live there", async () => {
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
  test("has the work on the owner's properties with its costs, without how tenants arrange it", async () => {
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
  test("has what is shared with owners about what is the owner's", async () => {
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
  const approvalsOf = async (who: Colleague, query = {}) => (await who.call("listOwnerApprovals", { query })).approvals.map(({ id }) => id);
  const approve = (id: string, by: Colleague = user, headers: Record<string, string> = {}) =>
    by.attempt("approveOwnerApproval", { params: { id }, body: { note: "Go on." }, headers });
  const reject = (id: string, by: Colleague = user) => by.attempt("rejectOwnerApproval", { params: { id }, body: {} });

  test("has the estimates beyond the limit of the owner's properties, and says what is decided of them", async () => {
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
    for (const [id, by] of [[within.id, user] as const, [beyond.id, strangerUser] as const, [unknownId(), user] as const])
      expect([(await approve(id, by)).status, (await reject(id, by)).status]).toEqual([404, 404]);
    const { body } = await approve(beyond.id);
    expect(body.approval).toMatchObject({ id: beyond.id, status: "approved", decisionNote: "Go on.", decidedByUserId: user.userId, limitCents: 50_000 });
    expect(await approvalsOf(user, { status: "submitted" })).toEqual([]);
    expect(await approvalsOf(user, { status: "approved" })).toEqual([beyond.id]);
    const { workOrder } = await office.call("getWorkOrder", { params: { id: beyond.workOrderId } });
    expect(workOrder.approvedEstimateCents).toBe(50_001);
  });

  test("is decided once: of two owners who do it at the same time one is heard", async () => {
    const { id } = await estimateOf(90_000);
    const answers = await Promise.all([approve(id), reject(id, partnerUser), approve(id, partnerUser), reject(id)]);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)!.body.code).toBe("invalid_transition");
  });

  test("is refused to whoever sold the property, and for work that is finished", async () => {
    const sold = await aProperty(office, { ownerIds: [owner.id] });
    await office.call("updateProperty", { params: { id: sold.id }, body: { maintenanceLimitCents: 1 } });
    const [{ id }, finished] = [await estimateOf(60_000, sold.id), await estimateOf(60_000)];
    await office.call("updateProperty", { params: { id: sold.id }, body: { ownerIds: [stranger.id] } });
    expect([(await approve(id)).status, (await approve(id, strangerUser)).status]).toEqual([404, 200]);
    await office.call("transitionWorkOrder", { params: { id: finished.workOrderId }, body: { status: "cancelled" } });
    const { status, body } = await approve(finished.id);
    expect([status, body.code]).toEqual([409, "invalid_transition"]);
  });

  test("heeds the version that was read, and the length of what is said", async () => {
    const { id } = await estimateOf(70_000);
    expect((await approve(id, user, { "If-Match": '"99"' })).body.code).toBe("version_conflict");
    const long = await user.attempt("rejectOwnerApproval", { params: { id }, body: { note: "x".repeat(501) } });
    expect(long.body.errors).toMatchObject([{ path: "note", code: "too_long" }]);
    expect((await reject(id)).body.approval).toMatchObject({ status: "rejected", decisionNote: null });
  });
});
