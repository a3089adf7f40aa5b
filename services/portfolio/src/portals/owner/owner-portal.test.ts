import { describe, expect, test } from "@jest/globals";
import { anOffice, type Colleague } from "../../../../../test/support/office.ts";
import {
  aDraftLease,
  aLease,
  anOwner,
  aProperty,
  aTenant,
  aUnit,
  aVendor,
  aWorkOrder,
  followingYearTerms,
  inDays,
  currentDate,
  unknownId,
} from "../../../test/fixtures.ts";

const office = await anOffice();
const [owner, coOwner, otherOwner] = await Promise.all([anOwner(office), anOwner(office), anOwner(office)]);
const property = await aProperty(office, { ownerIds: [owner.id, coOwner.id] });
const otherProperty = await aProperty(office, { ownerIds: [otherOwner.id] });
await office.call("updateProperty", { params: { id: property.id }, body: { maintenanceLimitCents: 50_000 } });
const [user, coOwnerUser, otherOwnerUser] = await Promise.all([office.ownerUser(owner.id), office.ownerUser(coOwner.id), office.ownerUser(otherOwner.id)]);

const createReferences = async (propertyId: string) => {
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
    const deletedOwner = await anOwner(office);
    const deletedOwnerUser = await office.ownerUser(deletedOwner.id);
    await office.call("deleteOwner", { params: { id: deletedOwner.id } });
    expect((await deletedOwnerUser.attempt("getOwnerPortalMe")).status).toBe(404);
  });
});

describe("listOwnedProperties", () => {
  test("returns the owner's properties without co-owners", async () => {
    expect([await propertiesOf(user), await propertiesOf(otherOwnerUser)]).toEqual([[property.id], [otherProperty.id]]);
    const { property: ownedProperty } = await user.call("getOwnedProperty", { params: { id: property.id } });
    expect(ownedProperty).toMatchObject({ id: property.id, name: property.name, maintenanceLimitCents: 50_000, shareBps: null });
    expect(JSON.stringify(ownedProperty)).not.toContain(coOwner.id);
    expect((await otherOwnerUser.attempt("getOwnedProperty", { params: { id: property.id } })).status).toBe(404);
    expect((await user.attempt("getOwnedProperty", { params: { id: unknownId() } })).status).toBe(404);
    expect([await propertiesOf(user, { search: property.name }), await propertiesOf(user, { search: "Nowhere" })]).toEqual([[property.id], []]);
  });

  test("uses today's ownership", async () => {
    const transferred = await aProperty(office);
    const replaceShares = (effectiveDate: string, shares: { ownerId: string; shareBps: number }[]) =>
      office.call("replaceOwnership", { params: { id: transferred.id }, body: { effectiveDate, shares } });
    const visibleShares = async () => {
      const responses = await Promise.all([user, coOwnerUser].map((client) => client.attempt("getOwnedProperty", { params: { id: transferred.id } })));
      return responses.map(({ status, body }) => (status === 200 ? body.property.shareBps : status));
    };
    await replaceShares(inDays(-10), [{ ownerId: owner.id, shareBps: 10_000 }]);
    expect(await visibleShares()).toEqual([10_000, 404]);
    await replaceShares(inDays(7), [{ ownerId: coOwner.id, shareBps: 10_000 }]);
    expect(await visibleShares()).toEqual([10_000, 404]);
    await replaceShares(currentDate(), [
      { ownerId: coOwner.id, shareBps: 7_500 },
      { ownerId: owner.id, shareBps: 2_500 },
    ]);
    expect(await visibleShares()).toEqual([2_500, 7_500]);
    await replaceShares(currentDate(), [{ ownerId: coOwner.id, shareBps: 10_000 }]);
    expect(await visibleShares()).toEqual([404, 10_000]);
  });
});

describe("listOwnedLeases", () => {
  test("returns the leases of the owner's properties except drafts, without occupants", async () => {
    const [ours, theirs] = await Promise.all([createReferences(property.id), createReferences(otherProperty.id)]);
    const [active] = await Promise.all([aLease(office, ours), aLease(office, theirs)]);
    await aDraftLease(office, await createReferences(property.id));
    const cancelled = await aDraftLease(office, await createReferences(property.id));
    await office.call("cancelLease", { params: { id: cancelled.id } });
    expect((await office.call("listLeases", { query: { propertyId: property.id } })).total).toBe(3);
    const { leases, total } = await user.call("listOwnedLeases");
    expect([leases.map(({ id }) => id), total]).toEqual([[active.id], 1]);
    expect(leases[0]).toMatchObject({ tenantName: active.tenantName, rentCents: 150_000, status: "active" });
    for (const member of ["occupants", "balanceCents", "terminationReason"]) expect(leases[0]).not.toHaveProperty(member);
    expect((await user.call("listOwnedLeases", { query: { status: "pending,expired" } })).total).toBe(0);
    expect((await user.attempt("listOwnedLeases", { query: { status: "draft" } })).body.errors).toMatchObject([{ code: "enum" }]);
    expect((await user.call("listOwnedLeases", { query: { propertyId: otherProperty.id } })).total).toBe(0);
  });
});

describe("a drafted renewal", () => {
  test("is not named to the owner before its activation", async () => {
    const { id } = await aLease(office, await createReferences(property.id));
    const { lease: renewal } = await office.call("renewLease", { params: { id }, body: followingYearTerms() });
    const renewedTo = async () => (await user.call("listOwnedLeases")).leases.find((lease) => lease.id === id)!.renewedToLeaseId;
    expect(await renewedTo()).toBeNull();
    await office.call("activateLease", { params: { id: renewal.id }, body: {} });
    expect(await renewedTo()).toBe(renewal.id);
  });
});

describe("listOwnedWorkOrders", () => {
  test("returns the work orders of the owner's properties with costs, without the tenant's entry notes", async () => {
    const [work] = await Promise.all([
      aWorkOrder(office, { propertyId: property.id, estimateCents: 12_300, entryNotes: "The key is under the mat." }),
      aWorkOrder(office, { propertyId: otherProperty.id }),
    ]);
    const { workOrders } = await user.call("listOwnedWorkOrders", { query: { propertyId: property.id } });
    expect(workOrders).toMatchObject([{ id: work.id, estimateCents: 12_300, actualCents: 0 }]);
    for (const member of ["entryNotes", "tenantName", "assignedUserId", "visibility"]) expect(workOrders[0]).not.toHaveProperty(member);
    expect((await user.call("listOwnedWorkOrders", { query: { propertyId: otherProperty.id } })).workOrders).toEqual([]);
  });
});

describe("listOwnerPortalDocuments", () => {
  test("returns documents shared with owners for the owner's records", async () => {
    const upload = async (entityId: string, visibility: "owner_shared" | "tenant_shared") => {
      const file = new File(["Roof.\n"], "roof.txt");
      return (await office.call("uploadDocument", { body: { file, entityType: "property", entityId, visibility } })).document.id;
    };
    const sharedId = await upload(property.id, "owner_shared");
    await Promise.all([upload(property.id, "tenant_shared"), upload(otherProperty.id, "owner_shared")]);
    const { documents } = await user.call("listOwnerPortalDocuments");
    expect(documents.map(({ id }) => id)).toEqual([sharedId]);
  });

  test("returns no document about a draft, cancelled or deleted lease, or about a deleted unit", async () => {
    const newOwner = await anOwner(office);
    const [newUser, ownProperty] = await Promise.all([office.ownerUser(newOwner.id), aProperty(office, { ownerIds: [newOwner.id] })]);
    const upload = async (entityType: "lease" | "unit", entityId: string) => {
      const file = new File(["Terms.\n"], "terms.txt");
      return (await office.call("uploadDocument", { body: { file, entityType, entityId, visibility: "owner_shared" } })).document.id;
    };
    const list = async () => (await newUser.call("listOwnerPortalDocuments")).documents.map(({ id }) => id).toSorted();
    const [draft, cancelled, deleted] = [
      await aDraftLease(office, await createReferences(ownProperty.id)),
      await aDraftLease(office, await createReferences(ownProperty.id)),
      await aDraftLease(office, await createReferences(ownProperty.id)),
    ];
    const emptyUnit = await aUnit(office, ownProperty.id);
    const ofDraft = await upload("lease", draft.id);
    await Promise.all([upload("lease", cancelled.id), upload("lease", deleted.id)]);
    const ofUnit = await upload("unit", emptyUnit.id);
    await office.call("cancelLease", { params: { id: cancelled.id } });
    await office.call("deleteLease", { params: { id: deleted.id } });
    expect(await list()).toEqual([ofUnit]);
    await office.call("activateLease", { params: { id: draft.id }, body: {} });
    expect(await list()).toEqual([ofDraft, ofUnit].toSorted());
    await office.call("deleteUnit", { params: { id: emptyUnit.id } });
    expect(await list()).toEqual([ofDraft]);
  });
});

describe("owner approvals", () => {
  const vendorPromise = aVendor(office);
  const createEstimate = async (amountCents: number, propertyId = property.id) => {
    const { id } = await aWorkOrder(office, { propertyId, vendorId: (await vendorPromise).id });
    return (await office.call("createWorkOrderEstimate", { params: { id }, body: { amountCents } })).estimate;
  };
  const approvalsOf = async (client: Colleague, query = {}) => (await client.call("listOwnerApprovals", { query })).approvals.map(({ id }) => id);
  const approve = (id: string, client: Colleague = user, headers: Record<string, string> = {}) =>
    client.attempt("approveOwnerApproval", { params: { id }, body: { note: "Go on." }, headers });
  const reject = (id: string, client: Colleague = user) => client.attempt("rejectOwnerApproval", { params: { id }, body: {} });

  test("are the estimates above the maintenance limit of the owner's properties, with their decisions", async () => {
    const [aboveLimit, atLimit] = [await createEstimate(50_001), await createEstimate(50_000)];
    expect(await approvalsOf(user)).toEqual([aboveLimit.id]);
    expect(await approvalsOf(otherOwnerUser)).toEqual([]);
    const { approvals } = await coOwnerUser.call("listOwnerApprovals", { query: { status: "submitted" } });
    expect(approvals).toMatchObject([
      {
        id: aboveLimit.id,
        amountCents: 50_001,
        limitCents: 50_000,
        needsOwnerApproval: true,
        vendorName: "Pipes & Co",
        workOrder: {
          id: aboveLimit.workOrderId,
          title: "The tap drips",
          propertyId: property.id,
          propertyName: property.name,
          unitNumber: null,
          status: "open",
        },
      },
    ]);
    for (const [id, client] of [[atLimit.id, user] as const, [aboveLimit.id, otherOwnerUser] as const, [unknownId(), user] as const])
      expect([(await approve(id, client)).status, (await reject(id, client)).status]).toEqual([404, 404]);
    const { body } = await approve(aboveLimit.id);
    expect(body.approval).toMatchObject({ id: aboveLimit.id, status: "approved", decisionNote: "Go on.", decidedByUserId: user.userId, limitCents: 50_000 });
    expect(await approvalsOf(user, { status: "submitted" })).toEqual([]);
    expect(await approvalsOf(user, { status: "approved" })).toEqual([aboveLimit.id]);
    const { workOrder } = await office.call("getWorkOrder", { params: { id: aboveLimit.workOrderId } });
    expect(workOrder.approvedEstimateCents).toBe(50_001);
  });

  test("accept one of several concurrent decisions", async () => {
    const { id } = await createEstimate(90_000);
    const responses = await Promise.all([approve(id), reject(id, coOwnerUser), approve(id, coOwnerUser), reject(id)]);
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    expect(responses.find(({ status }) => status === 409)!.body.code).toBe("invalid_transition");
  });

  test("are not found for former owners, and reject a decision on finished work", async () => {
    const soldProperty = await aProperty(office, { ownerIds: [owner.id] });
    await office.call("updateProperty", { params: { id: soldProperty.id }, body: { maintenanceLimitCents: 1 } });
    const [{ id }, finished] = [await createEstimate(60_000, soldProperty.id), await createEstimate(60_000)];
    await office.call("updateProperty", { params: { id: soldProperty.id }, body: { ownerIds: [otherOwner.id] } });
    expect([(await approve(id)).status, (await approve(id, otherOwnerUser)).status]).toEqual([404, 200]);
    await office.call("transitionWorkOrder", { params: { id: finished.workOrderId }, body: { status: "cancelled" } });
    const { status, body } = await approve(finished.id);
    expect([status, body.code]).toEqual([409, "invalid_transition"]);
    expect(await approvalsOf(user, { status: "submitted" })).not.toContain(finished.id);
    expect(await approvalsOf(user, { status: "expired" })).toContain(finished.id);
    const { estimates } = await office.call("listWorkOrderEstimates", { params: { id: finished.workOrderId } });
    expect(estimates.map(({ status: each }) => each)).toEqual(["expired"]);
  });

  test("reject an If-Match of another version and a note of 501 characters", async () => {
    const { id } = await createEstimate(70_000);
    expect((await approve(id, user, { "If-Match": '"99"' })).body.code).toBe("version_conflict");
    const rejected = await user.attempt("rejectOwnerApproval", { params: { id }, body: { note: "x".repeat(501) } });
    expect(rejected.body.errors).toMatchObject([{ path: "note", code: "too_long" }]);
    expect((await reject(id)).body.approval).toMatchObject({ status: "rejected", decisionNote: null });
  });
});
