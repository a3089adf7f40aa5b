/** People who were deleted and are created again with the e-mail address that their former portal user had. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { Client } from "../../../../../test/support/client.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { anEmail, anOffice, password, type Colleague, type Office } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { findPublishedEvents, readRows } from "../../../test/database.ts";

let office: Office;
beforeAll(async () => {
  office = await anOffice();
});
const newPassword = "another good passphrase";
const channels = ["email" as const];
const anonymousClient = () => new Client(running().baseUrl);
const accept = (token: string) => anonymousClient().attempt("acceptInvite", { params: { token }, body: { password: newPassword } });
const signIn = async (email: string, secret: string) => (await anonymousClient().attempt("login", { body: { email, password: secret } })).body.user?.id;

/** Operations on each kind of person. */
const people = {
  tenant: {
    create: async () => (await office.call("createTenant", { body: { fullName: "Pat Person" } })).tenant.id,
    user: (id: string) => office.tenantUser(id),
    remove: (id: string) => office.call("deleteTenant", { params: { id } }),
    invite: (tenantId: string, email: string) => office.call("createTenantInvite", { body: { tenantId, email, channels } }),
  },
  owner: {
    create: async () => (await office.call("createOwner", { body: { fullName: "Pat Person", email: anEmail() } })).owner.id,
    user: (id: string) => office.ownerUser(id),
    remove: (id: string) => office.call("deleteOwner", { params: { id } }),
    invite: (ownerId: string, email: string) => office.call("createOwnerInvite", { body: { ownerId, email, channels } }),
  },
  vendor: {
    create: async () => (await office.call("createVendor", { body: { name: "Pat Person" } })).vendor.id,
    user: (id: string) => office.vendorUser(id),
    remove: (id: string) => office.call("deleteVendor", { params: { id } }),
    invite: (vendorId: string, email: string) => office.call("createVendorInvite", { body: { vendorId, email, channels } }),
  },
};

/** Returns the user of a person who was deleted, after the user was deactivated. */
async function aFormerUser(kind: keyof typeof people): Promise<Colleague> {
  const id = await people[kind].create();
  const user = await people[kind].user(id);
  await people[kind].remove(id);
  await eventually("deactivated user", async () => !(await office.call("getUser", { params: { id: user.userId } })).user.isActive);
  return user;
}

/** Expects that a former user is deleted, opens nothing, and is in the audit log. */
async function expectDeleted({ userId, email, ...client }: Colleague): Promise<void> {
  expect((await office.attempt("getUser", { params: { id: userId } })).status).toBe(404);
  const formerClient = Object.assign(anonymousClient(), { cookie: client.cookie });
  expect((await formerClient.attempt("refreshToken", { body: { grantType: "refresh_token" } })).status).toBe(401);
  expect(await signIn(email, password)).toBeUndefined();
  const actions = (await readRows(office.organizationId, "audit_entry")).filter(({ entity_id }) => entity_id === userId).map(({ action }) => action);
  expect(actions).toEqual(["user.created", "user.updated", "user.deleted"]);
  expect((await findPublishedEvents(office.organizationId)).filter(({ entityId }) => entityId === userId).at(-1)).toMatchObject({ type: "user.deleted" });
}

describe.each(["tenant", "owner", "vendor"] as const)("a %s who was deleted and created again", (kind) => {
  test("accepts an invite to the same address, and the former user stays unusable", async () => {
    const former = await aFormerUser(kind);
    const subjectId = await people[kind].create();
    const { invite } = await people[kind].invite(subjectId, former.email);
    const { status, body } = await accept(invite.token!);
    expect([status, body.user]).toMatchObject([200, { email: former.email, role: kind, subjectId }]);
    expect(await signIn(former.email, newPassword)).toBe(body.user.id);
    await expectDeleted(former);
  });
});

test("a person who was deleted as a vendor can become a user of the office with the same address", async () => {
  const former = await aFormerUser("vendor");
  const { user, inviteLink } = await office.call("createUser", { body: { email: former.email, fullName: "Pat Person", role: "staff" } });
  expect((await accept(inviteLink.split("/").pop()!)).status).toBe(200);
  expect(await signIn(former.email, newPassword)).toBe(user.id);
  await expectDeleted(former);
});

test("a user of the office who was deleted can become a tenant, and a user of the office again, with the same address", async () => {
  const former = await office.colleague("staff");
  await office.call("deleteUser", { params: { id: former.userId } });
  const { invite } = await people.tenant.invite(await people.tenant.create(), former.email);
  const { status, body } = await accept(invite.token!);
  expect([status, body.user]).toMatchObject([200, { email: former.email, role: "tenant" }]);
  await office.call("deleteUser", { params: { id: body.user.id } });
  expect((await office.attempt("createUser", { body: { email: former.email, fullName: "Pat Person", role: "staff" } })).status).toBe(200);
  expect(await signIn(former.email, password)).toBeUndefined();
});

test("the address of a portal user whom the office has deactivated stays that user's", async () => {
  const user = await people.tenant.user(await people.tenant.create());
  await office.call("updateUser", { params: { id: user.userId }, body: { isActive: false } });
  const tenantId = await people.tenant.create();
  expect((await office.attempt("createTenantInvite", { body: { tenantId, email: user.email, channels } })).body.code).toBe("duplicate");
  expect((await office.attempt("createUser", { body: { email: user.email, fullName: "Pat Person", role: "staff" } })).body.code).toBe("duplicate");
  expect((await office.call("getUser", { params: { id: user.userId } })).user.email).toBe(user.email);
});
