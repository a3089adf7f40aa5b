import { describe, expect, test } from "@jest/globals";
import { anEmail, anOffice, password } from "../../../../../test/support/office.ts";
import { Client } from "../../../../../test/support/client.ts";
import { aCharge } from "../../../../../test/support/tenancy.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { findOutboxEvents, queryRows } from "../../../test/database.ts";
import { aDraftLease, aLease, createLeaseReferences, aTenant, aWorkOrder, currentDate, inDays, unknownId } from "../../../test/fixtures.ts";

const office = await anOffice();
const otherOffice = await anOffice();

const merge = (id: string, duplicateTenantId: string) => office.attempt("mergeTenants", { params: { id }, body: { duplicateTenantId } });
const read = async (id: string) => (await office.call("getTenant", { params: { id } })).tenant;

describe("mergeTenants", () => {
  test("reassigns the duplicate's records and fills empty fields", async () => {
    const references = await createLeaseReferences(office);
    const survivor = await aTenant(office, { email: "survivor@example.com" });
    await office.call("updateTenant", {
      params: { id: references.tenantId },
      body: { email: "duplicate@example.com", phone: "2175550188", companyName: "Tina Inc" },
    });
    const lease = await aLease(office, references, { createRecurringRent: false });
    const workOrder = await aWorkOrder(office, { propertyId: references.propertyId, leaseId: lease.id });
    expect(workOrder.tenantId).toBe(references.tenantId);
    const entity = { entityType: "tenant" as const, entityId: references.tenantId };
    const { note } = await office.call("createNote", { body: { ...entity, body: "Pays in cash.", visibility: "organization_only" } });
    const { document } = await office.call("uploadDocument", { body: { ...entity, file: new File(["Pass\n"], "pass.txt") } });

    const { tenant } = (await merge(survivor.id, references.tenantId)).body as { tenant: Awaited<ReturnType<typeof read>> };
    expect(tenant).toMatchObject({
      id: survivor.id,
      fullName: survivor.fullName,
      email: "survivor@example.com",
      phone: "+12175550188",
      companyName: "Tina Inc",
    });
    expect(tenant).toMatchObject({ currentLeaseId: lease.id, balanceCents: 0, deletedAt: null, mergedIntoTenantId: null });
    const merged = await office.call("getTenant", { params: { id: survivor.id } });
    expect(merged.leases).toMatchObject([{ id: lease.id, tenantId: survivor.id, occupants: [{ tenantId: survivor.id, isPrimary: true }] }]);
    expect(merged.notes.map(({ id }) => id)).toEqual([note.id]);
    expect((await office.call("getWorkOrder", { params: { id: workOrder.id } })).workOrder.tenantId).toBe(survivor.id);
    expect((await office.call("getDocument", { params: { id: document.id } })).document.entityId).toBe(survivor.id);
  });

  test("deletes the duplicate, whose 404 names the survivor", async () => {
    const [survivor, duplicate] = await Promise.all([aTenant(office), aTenant(office)]);
    await office.call("mergeTenants", { params: { id: survivor.id }, body: { duplicateTenantId: duplicate.id } });
    const deleted = await office.attempt("getTenant", { params: { id: duplicate.id } });
    expect([deleted.status, deleted.body.message]).toEqual([404, `The tenant was merged into the tenant ${survivor.id}.`]);
    const { tenants } = await office.call("listTenants", { query: { search: duplicate.fullName, includeDeleted: "true" } });
    expect(tenants).toMatchObject([{ id: duplicate.id, mergedIntoTenantId: survivor.id, deletedAt: expect.any(String) }]);
    expect(await findOutboxEvents(office, duplicate.id)).toMatchObject([
      { type: "tenant.created" },
      { type: "tenant.merged", data: { mergedIntoTenantId: survivor.id } },
    ]);
    const { results } = await office.call("search", { query: { q: duplicate.fullName } });
    expect(results).toEqual([]);
  });

  test("clamps the sum of balances to the largest safe integer", async () => {
    const largestCents = Number.MAX_SAFE_INTEGER;
    const [one, other] = await Promise.all([createLeaseReferences(office), createLeaseReferences(office)]);
    for (const references of [one, other]) await aCharge(office, (await aLease(office, references, { createRecurringRent: false })).id, largestCents);
    const { tenant } = await office.call("mergeTenants", { params: { id: one.tenantId }, body: { duplicateTenantId: other.tenantId } });
    expect([tenant.balanceCents, (await read(one.tenantId)).balanceCents]).toEqual([largestCents, largestCents]);
  });

  test("points the tenants that were merged into the duplicate to the survivor", async () => {
    const [first, second, third] = await Promise.all([aTenant(office), aTenant(office), aTenant(office)]);
    await office.call("mergeTenants", { params: { id: second.id }, body: { duplicateTenantId: first.id } });
    await office.call("mergeTenants", { params: { id: third.id }, body: { duplicateTenantId: second.id } });
    const rows = await queryRows(office.organizationId, "select merged_into_id from tenant where id = any($1::uuid[])", [[first.id, second.id]]);
    expect(rows).toEqual([{ merged_into_id: third.id }, { merged_into_id: third.id }]);
    const repeated = await merge(third.id, first.id);
    expect([repeated.status, repeated.body.errors]).toMatchObject([400, [{ path: "duplicateTenantId", code: "not_found" }]]);
  });

  test("rejects the same, an unknown and a deleted tenant, a tenant of another organization, and staff", async () => {
    const [tenant, foreign, deleted] = await Promise.all([aTenant(office), aTenant(otherOffice), aTenant(office)]);
    await office.call("deleteTenant", { params: { id: deleted.id } });
    const errors = async (duplicateId: string) => (await merge(tenant.id, duplicateId)).body.errors;
    expect(await errors(tenant.id)).toMatchObject([{ path: "duplicateTenantId", code: "not_allowed" }]);
    for (const id of [unknownId(), foreign.id, deleted.id]) expect(await errors(id)).toMatchObject([{ path: "duplicateTenantId", code: "not_found" }]);
    for (const id of [unknownId(), foreign.id, deleted.id]) expect((await merge(id, tenant.id)).status).toBe(404);
    const staff = await office.colleague("staff");
    expect((await staff.attempt("mergeTenants", { params: { id: tenant.id }, body: { duplicateTenantId: tenant.id } })).status).toBe(403);
  });

  test("rejects an If-Match of another version and replays the response of an Idempotency-Key", async () => {
    const [survivor, duplicate] = await Promise.all([aTenant(office), aTenant(office)]);
    const request = { params: { id: survivor.id }, body: { duplicateTenantId: duplicate.id } };
    expect((await office.attempt("mergeTenants", { ...request, headers: { "If-Match": '"7"' } })).body.code).toBe("version_conflict");
    const headers = { "Idempotency-Key": unknownId() };
    const first = await office.attempt("mergeTenants", { ...request, headers });
    const second = await office.attempt("mergeTenants", { ...request, headers });
    expect([first.status, second.status, second.headers.get("Idempotent-Replayed")]).toEqual([200, 200, "true"]);
    expect(second.body).toEqual(first.body);
  });

  test("rejects tenants on the same active lease, and merges occupants of an ended lease", async () => {
    const references = await createLeaseReferences(office);
    const coTenant = await aTenant(office);
    const lease = await aLease(office, references, { occupants: [{ tenantId: coTenant.id, role: "co_tenant" }] });
    for (const [id, other] of [[references.tenantId, coTenant.id] as const, [coTenant.id, references.tenantId] as const]) {
      const { status, body } = await merge(id, other);
      expect([status, body.code]).toEqual([409, "resource_in_use"]);
      expect(body.message).toContain(lease.id);
    }
    await office.call("terminateLease", { params: { id: lease.id }, body: { terminationDate: currentDate(), finalRent: "none" } });
    expect((await merge(coTenant.id, references.tenantId)).status).toBe(200);
    const { lease: ended } = await office.call("getLease", { params: { id: lease.id } });
    expect(ended).toMatchObject({ tenantId: coTenant.id, occupants: [{ tenantId: coTenant.id, isPrimary: true, role: "primary" }] });
    expect(ended.occupants).toHaveLength(1);
  });

  test("rejects two tenants who live together until the last day of a terminated lease", async () => {
    const [references, coTenant] = await Promise.all([createLeaseReferences(office), aTenant(office)]);
    const lease = await aLease(office, references, { occupants: [{ tenantId: coTenant.id, role: "co_tenant" }] });
    await office.call("terminateLease", { params: { id: lease.id }, body: { terminationDate: inDays(20), finalRent: "none" } });
    const { status, body } = await merge(coTenant.id, references.tenantId);
    expect([status, body.code, body.message]).toEqual([409, "resource_in_use", expect.stringContaining(`${lease.id}, which is terminated`)]);
  });

  test.each([1, 2, 3])("accepts one of two opposite concurrent merges, round %i", async () => {
    const [one, other] = await Promise.all([aTenant(office), aTenant(office)]);
    const responses = await Promise.all([merge(one.id, other.id), merge(other.id, one.id)]);
    expect(responses.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
    const remaining = await queryRows(office.organizationId, "select id from tenant where id = any($1::uuid[]) and deleted_at is null", [[one.id, other.id]]);
    expect(remaining).toHaveLength(1);
  });

  test("leaves no lease to the duplicate when a lease is created for it concurrently", async () => {
    const references = await createLeaseReferences(office);
    const survivor = await aTenant(office);
    const [merged, leaseCreation] = await Promise.all([
      merge(survivor.id, references.tenantId),
      office.attempt("createLease", { body: { ...references, startDate: currentDate(), termType: "month_to_month", rentCents: 100 } }),
    ]);
    expect(merged.status).toBe(200);
    expect([200, 400]).toContain(leaseCreation.status);
    const leasesOfDuplicate = await queryRows(office.organizationId, "select id from lease where tenant_id = $1", [references.tenantId]);
    expect(leasesOfDuplicate).toEqual([]);
  });

  test("lets a draft lease of the duplicate be activated for the survivor", async () => {
    const references = await createLeaseReferences(office);
    const survivor = await aTenant(office);
    const draft = await aDraftLease(office, references);
    await office.call("mergeTenants", { params: { id: survivor.id }, body: { duplicateTenantId: references.tenantId } });
    const { lease } = await office.call("activateLease", { params: { id: draft.id }, body: {} });
    expect(lease.tenantId).toBe(survivor.id);
  });
});

describe("mergeTenants with portal accounts", () => {
  test("moves the account to the survivor, whom the next token names", async () => {
    const references = await createLeaseReferences(office);
    const duplicate = await aTenant(office);
    const user = await office.tenantUser(duplicate.id);
    const lease = await aLease(office, references);
    await office.call("mergeTenants", { params: { id: references.tenantId }, body: { duplicateTenantId: duplicate.id } });
    expect(await read(references.tenantId)).toMatchObject({ userId: user.userId, portalStatus: "active" });
    const survivorsUser = await eventually("survivor as the user's subject", async () => {
      const client = new Client(user.baseUrl);
      const { user: signedIn, accessToken } = await client.call("login", { body: { email: user.email, password } });
      return signedIn.subjectId === references.tenantId ? new Client(user.baseUrl, accessToken) : undefined;
    });
    expect((await survivorsUser.call("listTenantPortalLeases")).leases.map(({ id }) => id)).toEqual([lease.id]);
  });

  test("rejects two accounts, and names both users", async () => {
    const [one, other] = await Promise.all([aTenant(office), aTenant(office)]);
    const users = await Promise.all([office.tenantUser(one.id), office.tenantUser(other.id)]);
    const { status, body } = await merge(one.id, other.id);
    expect([status, body.code]).toEqual([409, "resource_in_use"]);
    for (const { userId } of users) expect(body.message).toContain(userId);
    expect((await read(other.id)).deletedAt).toBeNull();
  });

  test("prefers an invite that has not expired; an expired one does not make the survivor invited", async () => {
    const invite = async (tenantId: string) => (await office.call("createTenantInvite", { body: { tenantId, channels: ["email"], email: anEmail() } })).invite;
    const expire = (id: string) => queryRows(office.organizationId, "update invite set expires_at = now() - interval '1 minute' where id = $1", [id]);
    const [survivor, firstDuplicate, secondDuplicate] = await Promise.all([aTenant(office), aTenant(office), aTenant(office)]);
    const expired = await invite(firstDuplicate.id);
    await expire(expired.id);
    await office.call("mergeTenants", { params: { id: survivor.id }, body: { duplicateTenantId: firstDuplicate.id } });
    expect((await read(survivor.id)).portalStatus).toBe("none");
    const live = await invite(secondDuplicate.id);
    await office.call("mergeTenants", { params: { id: survivor.id }, body: { duplicateTenantId: secondDuplicate.id } });
    expect((await read(survivor.id)).portalStatus).toBe("invited");
    expect((await office.call("getTenantInvite", { params: { id: live.id } })).invite.status).toBe("pending");
  });

  test("moves a pending invite and revokes a second one", async () => {
    const invite = async (tenantId: string) => (await office.call("createTenantInvite", { body: { tenantId, channels: ["email"], email: anEmail() } })).invite;
    const [survivor, firstDuplicate, secondDuplicate] = await Promise.all([aTenant(office), aTenant(office), aTenant(office)]);
    const [firstInvite, secondInvite] = [await invite(firstDuplicate.id), await invite(secondDuplicate.id)];
    await office.call("mergeTenants", { params: { id: survivor.id }, body: { duplicateTenantId: firstDuplicate.id } });
    expect((await read(survivor.id)).portalStatus).toBe("invited");
    await office.call("mergeTenants", { params: { id: survivor.id }, body: { duplicateTenantId: secondDuplicate.id } });
    const { invites } = await office.call("listTenantInvites", { query: { tenantId: survivor.id } });
    expect(new Map(invites.map(({ id, status }) => [id, status]))).toEqual(
      new Map([
        [firstInvite.id, "pending"],
        [secondInvite.id, "revoked"],
      ]),
    );
  });
});
