import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import {
  aDraftLease,
  followingYearTerms,
  aLease,
  aLeaseInStatus,
  anOwner,
  createLeaseReferences,
  aTenant,
  inDays,
  currentDate,
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

const leasesOf = async (client = tenantUser) => (await client.call("listTenantPortalLeases")).leases.map(({ id }) => id);

describe("getTenantPortalMe", () => {
  test("returns the tenant, organization, leases and features", async () => {
    const me = await tenantUser.call("getTenantPortalMe");
    expect(me.tenant).toMatchObject({ id: references.tenantId, userId: tenantUser.userId, portalStatus: "active" });
    expect(me.organization).toEqual({ id: office.organizationId, name: "Elm Street Management", timezone: "America/New_York" });
    expect(me.leases.map(({ id }) => id)).toEqual([lease.id]);
    expect(me.features).toEqual({ onlinePayments: false, autopay: false, maintenance: true });
  });

  test("omits balances and the members that only the office reads", async () => {
    const { tenant, leases } = await tenantUser.call("getTenantPortalMe");
    for (const member of ["dateOfBirth", "balanceCents", "deletedAt"]) expect(tenant).not.toHaveProperty(member);
    for (const member of ["balanceCents", "depositHeldCents", "terminationReason", "version"]) expect(leases[0]).not.toHaveProperty(member);
    for (const member of ["notes", "providerRole"]) expect(leases[0]!.occupants[0]).not.toHaveProperty(member);
  });
});

describe("listTenantPortalLeases", () => {
  test("returns the leases of primary occupants and co-tenants only", async () => {
    const [child, guarantor] = await Promise.all([aTenant(office), aTenant(office)]);
    const add = (tenantId: string, role: "occupant" | "guarantor") =>
      office.call("createOccupant", { params: { leaseId: lease.id }, body: { tenantId, role } });
    await Promise.all([add(child.id, "occupant"), add(guarantor.id, "guarantor")]);
    const others = await Promise.all([office.tenantUser(child.id), office.tenantUser(guarantor.id)]);
    expect(await Promise.all([tenantUser, coTenantUser, neighbour, ...others].map(leasesOf))).toEqual([[lease.id], [lease.id], [], [], []]);
    for (const client of [neighbour, ...others]) expect((await client.attempt("getTenantPortalLease", { params: { id: lease.id } })).status).toBe(404);
  });

  test("returns pending and terminated leases too, newest first, but neither drafts nor cancelled leases", async () => {
    const ownReferences = await createLeaseReferences(office);
    const [user, earlier] = await Promise.all([office.tenantUser(ownReferences.tenantId), aLease(office, ownReferences)]);
    await office.call("terminateLease", { params: { id: earlier.id }, body: { terminationDate: inDays(-1), finalRent: "none" } });
    const next = await aDraftLease(office, ownReferences, { startDate: inDays(1) });
    expect(await leasesOf(user)).toEqual([earlier.id]);
    expect((await user.attempt("getTenantPortalLease", { params: { id: next.id } })).status).toBe(404);
    await office.call("activateLease", { params: { id: next.id }, body: {} });
    expect(await leasesOf(user)).toEqual([next.id, earlier.id]);
    await office.call("cancelLease", { params: { id: next.id } });
    expect(await leasesOf(user)).toEqual([earlier.id]);
  });

  test("omits a lease from the day of the release", async () => {
    const releaseDate = inDays(7);
    const ownLease = await aLeaseInStatus(office, "active");
    const occupant = ownLease.occupants.find(({ role }) => role === "co_tenant")!;
    const user = await office.tenantUser(occupant.tenantId!);
    const released = await office.call("releaseOccupant", { params: { id: occupant.id }, body: { releasedOn: releaseDate } });
    expect([released.occupant.releasedOn, await leasesOf(user)]).toEqual([releaseDate, [ownLease.id]]);
    const otherLease = await aLeaseInStatus(office, "active");
    const releasedToday = otherLease.occupants.find(({ role }) => role === "co_tenant")!;
    const releasedUser = await office.tenantUser(releasedToday.tenantId!);
    await office.call("releaseOccupant", { params: { id: releasedToday.id }, body: { releasedOn: currentDate() } });
    expect(await leasesOf(releasedUser)).toEqual([]);
    expect((await releasedUser.attempt("getTenantPortalLease", { params: { id: otherLease.id } })).status).toBe(404);
  });
});

describe("getTenantPortalLease", () => {
  test("returns the lease with recurring charges and parking rights", async () => {
    const parking = { parkingType: "reserved", effectiveStart: inDays(-30), rateBasis: "included", spaceCount: 1, notes: "Give way on Fridays." } as const;
    const { parkingRight } = await office.call("createParkingRight", { params: { leaseId: lease.id }, body: parking });
    const response = await coTenantUser.call("getTenantPortalLease", { params: { id: lease.id } });
    expect(response.lease).toMatchObject({ id: lease.id, rentCents: 150_000, status: "active", tenantId: references.tenantId });
    expect(response.recurringChargeRules).toMatchObject([{ leaseId: lease.id, amountCents: 150_000, status: "active" }]);
    expect(response.parkingRights).toMatchObject([{ id: parkingRight.id, parkingType: "reserved", spaceCount: 1 }]);
    expect(response.parkingRights[0]).not.toHaveProperty("notes");
  });
});

describe("the drafts of the office", () => {
  test("a tenant sees neither a drafted renewal nor a drafted recurring charge, and no account of the books", async () => {
    const ownReferences = await createLeaseReferences(office);
    const [user, { id }] = await Promise.all([office.tenantUser(ownReferences.tenantId), aLease(office, ownReferences)]);
    const category = (await office.call("listCategories")).categories.find(({ code }) => code === "4010");
    const [{ recurringChargeRule: rule }, { lease: renewal }] = [
      await office.call("createRecurringCharge", {
        body: {
          categoryId: category!.id,
          dayOfMonth: 1,
          kind: "fee",
          leaseId: id,
          amountCents: 7_700,
          label: "Storage",
          startDate: inDays(30),
          status: "draft",
        },
      }),
      await office.call("renewLease", { params: { id }, body: followingYearTerms() }),
    ];
    const read = async () => {
      const [me, { leases }, ofLease] = await Promise.all([
        user.call("getTenantPortalMe"),
        user.call("listTenantPortalLeases"),
        user.call("getTenantPortalLease", { params: { id } }),
      ]);
      const shown = [...me.leases, ...leases, ofLease.lease].filter((ownLease) => ownLease.id === id);
      return { renewals: shown.map(({ renewedToLeaseId }) => renewedToLeaseId), rules: ofLease.recurringChargeRules };
    };
    const before = await read();
    expect(before.renewals).toEqual([null, null, null]);
    expect(before.rules.map(({ status }) => status)).toEqual(["active"]);
    expect(before.rules[0]).not.toHaveProperty("categoryId");
    expect((await office.call("getLease", { params: { id } })).recurringChargeRules.map((one) => one.id)).toContain(rule.id);
    await office.call("activateLease", { params: { id: renewal.id }, body: {} });
    expect((await read()).renewals).toEqual([renewal.id, renewal.id, renewal.id]);
  });
});

describe("listTenantPortalDocuments", () => {
  test("returns documents shared with tenants for the tenant's records", async () => {
    const upload = async (entityType: "lease" | "tenant" | "owner", entityId: string, visibility: "tenant_shared" | "organization_only" | "owner_shared") => {
      const file = new File(["Some words.\n"], `${visibility}.txt`);
      return (await office.call("uploadDocument", { body: { file, entityType, entityId, visibility, category: "lease" } })).document.id;
    };
    const owner = await anOwner(office);
    const leaseDocumentId = await upload("lease", lease.id, "tenant_shared");
    const tenantDocumentId = await upload("tenant", references.tenantId, "tenant_shared");
    await Promise.all([upload("lease", lease.id, "organization_only"), upload("lease", lease.id, "owner_shared"), upload("owner", owner.id, "tenant_shared")]);
    const list = async (client: typeof tenantUser, query = {}) => (await client.call("listTenantPortalDocuments", { query })).documents.map(({ id }) => id);
    expect(await list(tenantUser)).toEqual([tenantDocumentId, leaseDocumentId]);
    expect(await list(coTenantUser)).toEqual([leaseDocumentId]);
    expect(await list(neighbour)).toEqual([]);
    expect(await list(tenantUser, { category: "photo" })).toEqual([]);
    expect(await list(tenantUser, { search: "shared" })).toEqual([tenantDocumentId, leaseDocumentId]);
  });
});
