import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import { newId } from "@freehold/kit/db/entity";
import { Client } from "../../../../../test/support/client.ts";
import { createEventPublisher } from "../../../../../test/support/events/messages.ts";
import { EventReader } from "../../../../../test/support/events/stream.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { anEmail, anOffice, password, type Colleague, type Office } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { findPublishedEvents, readRows } from "../../../test/database.ts";

let office: Office;
beforeAll(async () => {
  office = await anOffice();
});
const publisher = createEventPublisher(running());
afterAll(() => publisher.close());
/** Returns an event of portfolio about the end of a subject. */
const aDeletion = (type: "tenant.deleted" | "vendor.deleted" | "tenant.merged", entityId: string) => ({
  id: newId(),
  type,
  organizationId: office.organizationId,
  occurredAt: new Date().toISOString(),
  entityType: type.split(".")[0]!,
  entityId,
  actorUserId: office.userId,
  requestId: null,
  data: {},
  audience: { roles: [], tenantIds: [], ownerIds: [], vendorIds: [], userIds: [] },
});
const anonymousClient = () => new Client(running().baseUrl);
const versionOf = (accessToken: string | undefined) => decodeJwt(accessToken!)["accessVersion"];
const signIn = async ({ email }: Colleague, secret = password) => anonymousClient().attempt("login", { body: { email, password: secret } });
const refresh = async (client: Client) => client.attempt("refreshToken", { body: { grantType: "refresh_token" } });
const change = (id: string, body: object) => office.call("updateUser", { params: { id }, body });
/** Returns the access versions in the events about a user or service key, oldest first. */
const publishedVersions = async (entityId: string) =>
  (await findPublishedEvents(office.organizationId))
    .filter((event) => event.entityId === entityId && "accessVersion" in event.data)
    .map(({ type, data }) => [type, data["accessVersion"]]);

describe("the access version of a user", () => {
  test("is 0 in the first access token", async () => {
    expect(versionOf(office.token)).toBe(0);
  });

  test("grows with a deactivation and a changed role, is published, and is in the next tokens", async () => {
    const user = await office.colleague("manager");
    await change(user.userId, { isActive: false });
    await change(user.userId, { isActive: true });
    expect(versionOf((await signIn(user)).body.accessToken)).toBe(1);
    await change(user.userId, { role: "staff" });
    expect(versionOf((await signIn(user)).body.accessToken)).toBe(2);
    expect(await publishedVersions(user.userId)).toEqual([
      ["user.updated", 1],
      ["user.updated", 1],
      ["user.updated", 2],
    ]);
  });

  test("grows with a deletion and is published with it", async () => {
    const user = await office.colleague("manager");
    await office.call("deleteUser", { params: { id: user.userId } });
    expect(await publishedVersions(user.userId)).toEqual([["user.deleted", 1]]);
  });

  test("grows with a password reset, whose response has the new one", async () => {
    const user = await office.colleague("manager");
    await anonymousClient().call("requestPasswordReset", { body: { email: user.email } });
    const token = await eventually("reset link", async () => {
      const { messages } = await anonymousClient().call("listDevOutbox", { query: { to: user.email } });
      return messages
        .flatMap(({ links }) => links)
        .find((link) => link.includes("/password-reset/"))
        ?.split("/")
        .pop();
    });
    const client = anonymousClient();
    const { accessToken } = await client.call("confirmPasswordReset", { body: { token, newPassword: "another good one" } });
    expect([versionOf(accessToken), versionOf((await refresh(client)).body.accessToken)]).toEqual([1, 1]);
    expect(await publishedVersions(user.userId)).toEqual([["user.updated", 1]]);
  });

  test("does not grow with a logout, a change of the own password or of the profile", async () => {
    const user = await office.colleague("manager");
    await user.call("changeMyPassword", { body: { currentPassword: password, newPassword: "another good one" } });
    await user.call("updateMe", { body: { fullName: "Another Name" } });
    await change(user.userId, { fullName: "A Third Name" });
    await user.call("logout");
    expect(versionOf((await signIn(user, "another good one")).body.accessToken)).toBe(0);
    for (const [, version] of await publishedVersions(user.userId)) expect(version).toBe(0);
  });
});

describe("the access version of a service key", () => {
  test("grows with each rotation and with the revocation, and is published to admins", async () => {
    const { serviceKey, clientSecret } = await office.call("createServiceKey", { body: { name: "Sync", role: "staff" } });
    const { id, clientId } = serviceKey;
    const exchange = (secret: string) => anonymousClient().call("refreshToken", { body: { grantType: "client_credentials", clientId, clientSecret: secret } });
    const first = await exchange(clientSecret);
    const rotated = await office.call("rotateServiceKey", { params: { id } });
    const second = await exchange(rotated.clientSecret);
    expect([decodeJwt(first.accessToken).sub, versionOf(first.accessToken), versionOf(second.accessToken)]).toEqual([id, 0, 1]);
    await office.call("deleteServiceKey", { params: { id } });
    expect(await publishedVersions(id)).toEqual([
      ["service_key.rotated", 1],
      ["service_key.revoked", 2],
    ]);
    const events = (await findPublishedEvents(office.organizationId)).filter(({ entityId }) => entityId === id);
    for (const { audience } of events) expect(audience).toMatchObject({ roles: ["admin"], userIds: [] });
  });

  test("is not needed at its expiry, since its last token expires with it", async () => {
    const expiresAt = new Date(Date.now() + 600_000).toISOString();
    const { serviceKey, clientSecret } = await office.call("createServiceKey", { body: { name: "Sync", role: "staff", expiresAt } });
    const body = { grantType: "client_credentials" as const, clientId: serviceKey.clientId, clientSecret };
    const { accessToken, expiresIn } = await anonymousClient().call("refreshToken", { body });
    expect(expiresIn).toBeLessThanOrEqual(600);
    expect(decodeJwt(accessToken).exp! * 1000).toBeLessThanOrEqual(Date.parse(expiresAt));
  });
});

describe("the portal user of a merged tenant", () => {
  const aMergeableTenant = async () => (await office.call("createTenant", { body: { fullName: "Tess Tenant" } })).tenant.id;

  test("gets tokens of the survivor: earlier ones become invalid, and the session continues", async () => {
    const [survivor, duplicate] = [await aMergeableTenant(), await aMergeableTenant()];
    const user = await office.tenantUser(duplicate);
    const stream = await EventReader.open(running().baseUrl, user.token!);
    await office.call("mergeTenants", { params: { id: survivor }, body: { duplicateTenantId: duplicate } });
    await stream.ended;
    expect((await user.attempt("listTenantPortalLeases")).body.code).toBe("token_expired");
    const { body } = await refresh(user);
    expect(body.user.subjectId).toBe(survivor);
    expect(await publishedVersions(user.userId)).toEqual([["user.updated", 1]]);
  });

  test("follows the survivor into a merge whose event has arrived first", async () => {
    const [last, survivor, duplicate] = [await aMergeableTenant(), await aMergeableTenant(), await aMergeableTenant()];
    const user = await office.tenantUser(duplicate);
    await publisher.publish({ ...aDeletion("tenant.merged", survivor), data: { mergedIntoTenantId: last } });
    await eventually("recorded merge", async () => (await readRows(office.organizationId, "ended_subject")).some(({ id }) => id === survivor));
    await publisher.publish({ ...aDeletion("tenant.merged", duplicate), data: { mergedIntoTenantId: survivor } });
    await eventually("recorded merge", async () => (await readRows(office.organizationId, "ended_subject")).some(({ id }) => id === duplicate));
    expect((await office.call("getUser", { params: { id: user.userId } })).user).toMatchObject({ subjectId: last, isActive: true });
  });

  test("cannot be activated again when the survivor of the survivor was deleted, whichever event has arrived first", async () => {
    const [last, survivor, duplicate] = [await aMergeableTenant(), await aMergeableTenant(), await aMergeableTenant()];
    const params = { id: (await office.tenantUser(duplicate)).userId };
    await publisher.publish(aDeletion("tenant.deleted", last));
    await publisher.publish({ ...aDeletion("tenant.merged", survivor), data: { mergedIntoTenantId: last } });
    await eventually("recorded ends", async () => {
      const ids = (await readRows(office.organizationId, "ended_subject")).map(({ id }) => id);
      return ids.includes(last) && ids.includes(survivor);
    });
    await publisher.publish({ ...aDeletion("tenant.merged", duplicate), data: { mergedIntoTenantId: survivor } });
    await eventually("deactivated user", async () => !(await office.call("getUser", { params })).user.isActive);
    expect((await office.attempt("updateUser", { params, body: { isActive: true } })).body.code).toBe("invalid_transition");
  });

  test("is created for the survivor by an acceptance that portfolio has claimed before the merge", async () => {
    const [survivor, duplicate] = [await aMergeableTenant(), await aMergeableTenant()];
    const { invite } = await office.call("createTenantInvite", { body: { tenantId: duplicate, email: anEmail(), channels: ["email"] } });
    await publisher.publish({ ...aDeletion("tenant.merged", duplicate), data: { mergedIntoTenantId: survivor } });
    await eventually("recorded merge", async () => (await readRows(office.organizationId, "ended_subject")).some(({ id }) => id === duplicate));
    const { user } = await anonymousClient().call("acceptInvite", { params: { token: invite.token! }, body: { password } });
    expect(user.subjectId).toBe(survivor);
  });
});

describe("the portal user of a deleted subject", () => {
  const subjects = {
    tenant: async () => {
      const { tenant } = await office.call("createTenant", { body: { fullName: "Tess Tenant" } });
      return { user: await office.tenantUser(tenant.id), remove: () => office.call("deleteTenant", { params: { id: tenant.id } }) };
    },
    owner: async () => {
      const { owner } = await office.call("createOwner", { body: { fullName: "Olga Owner", email: anEmail() } });
      return { user: await office.ownerUser(owner.id), remove: () => office.call("deleteOwner", { params: { id: owner.id } }) };
    },
    vendor: async () => {
      const { vendor } = await office.call("createVendor", { body: { name: "Vera Vendor" } });
      return { user: await office.vendorUser(vendor.id), remove: () => office.call("deleteVendor", { params: { id: vendor.id } }) };
    },
  };
  test("cannot be activated again, unlike one that the office deactivated", async () => {
    const { user, remove } = await subjects.tenant();
    const params = { id: user.userId };
    const setActive = (isActive: boolean) => office.attempt("updateUser", { params, body: { isActive } });
    expect([(await setActive(false)).status, (await setActive(true)).status]).toEqual([200, 200]);
    await remove();
    await eventually("deactivated user", async () => !(await office.call("getUser", { params })).user.isActive);
    const { status, body } = await setActive(true);
    expect([status, body.code, (await signIn(user)).status]).toEqual([409, "invalid_transition", 401]);
    expect((await office.attempt("updateUser", { params, body: { fullName: "Tess Gone", isActive: false } })).status).toBe(200);
  });

  test("is deactivated also when the deletion cannot be written to the audit log", async () => {
    const { user } = await subjects.vendor();
    const { subjectId } = (await office.call("getUser", { params: { id: user.userId } })).user;
    await publisher.publish({ ...aDeletion("vendor.deleted", subjectId!), actorUserId: "no id" });
    await eventually("deactivated user", async () => !(await office.call("getUser", { params: { id: user.userId } })).user.isActive);
  });

  test("is not created by an acceptance that portfolio has claimed before the deletion", async () => {
    const { tenant } = await office.call("createTenant", { body: { fullName: "Tess Tenant" } });
    const { invite } = await office.call("createTenantInvite", { body: { tenantId: tenant.id, email: anEmail(), channels: ["email"] } });
    // The event alone, as if the deletion had committed between the claim and the commit.
    await publisher.publish(aDeletion("tenant.deleted", tenant.id));
    await eventually("recorded deletion", async () => (await readRows(office.organizationId, "ended_subject")).some(({ id }) => id === tenant.id));
    const { status } = await anonymousClient().attempt("acceptInvite", { params: { token: invite.token! }, body: { password } });
    expect([status, (await office.call("listUsers", { query: { search: invite.email } })).users]).toEqual([404, []]);
  });

  test.each(["tenant", "owner", "vendor"] as const)("of the kind %s is deactivated, with the sessions and the access tokens", async (kind) => {
    const { user, remove } = await subjects[kind]();
    await remove();
    await eventually("deactivated user", async () => !(await office.call("getUser", { params: { id: user.userId } })).user.isActive);
    expect([(await refresh(user)).status, (await signIn(user)).status, (await user.attempt("getMe")).status]).toEqual([401, 401, 401]);
    expect(await publishedVersions(user.userId)).toEqual([["user.updated", 1]]);
  });
});
