import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { grpcClient } from "@freehold/kit/rpc/grpc";
import { newId } from "@freehold/kit/db/entity";
import { createAssertions } from "@freehold/kit/auth/assertion";
import { readProcessKeys } from "@freehold/kit/auth/keys";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { IdentityServiceClient } from "@freehold/proto/identity/v1/identity";
import { anOffice, type Colleague, type Office } from "../../../test/support/office.ts";
import { running } from "../../../test/support/running.ts";
import { anInvitedUser } from "../test/invite.ts";

const { ASSERTION_KEY, ASSERTION_PUBLIC_KEYS, IDENTITY_GRPC } = running().ledgerEnvironment as Record<string, string>;
const keys = JSON.parse(ASSERTION_PUBLIC_KEYS!) as Record<string, string>;
const identity = grpcClient(IdentityServiceClient, IDENTITY_GRPC!, createAssertions(readProcessKeys("ledger", ASSERTION_KEY!, keys)));
const callFrom = (organizationId: string) => ({ principal: systemPrincipal(organizationId), requestId: null });

let office: Office;
let manager: Colleague;
let staff: Colleague;
beforeAll(async () => {
  office = await anOffice();
  [manager, staff] = await Promise.all([office.colleague("manager"), office.colleague("staff")]);
});
afterAll(() => identity.close());

describe("getUsers", () => {
  test("returns names and addresses, also of deleted users, and omits other organizations' users", async () => {
    const { user } = await anInvitedUser(office);
    await office.call("deleteUser", { params: { id: user.id } });
    const otherOfficeUserId = (await anOffice()).userId;
    const { users } = await identity.getUsers(callFrom(office.organizationId), { ids: [office.userId, user.id, otherOfficeUserId, newId()] });
    expect(users.map(({ id }) => id).sort()).toEqual([office.userId, user.id].sort());
    expect(users).toContainEqual({ id: office.userId, fullName: "Ada Admin", email: office.email, role: "admin" });
    expect(users.find(({ id }) => id === user.id)).toMatchObject({ isDeleted: true });
  });
  test("returns no users for no ids", async () => expect((await identity.getUsers(callFrom(office.organizationId), { ids: [] })).users).toEqual([]));
});

describe("listRecipients", () => {
  const ids = async (roles: string[]) =>
    (await identity.listRecipients(callFrom(office.organizationId), { roles, subjectIds: [newId()], userIds: [] })).users.map(({ id }) => id).sort();
  test("returns the users with one of the roles", async () => {
    expect(await ids(["manager", "staff"])).toEqual([manager.userId, staff.userId].sort());
    expect(await ids([])).toEqual([]);
  });
  test("omits inactive users", async () => {
    const deactivated = await office.colleague("staff");
    await office.call("updateUser", { params: { id: deactivated.userId }, body: { isActive: false } });
    expect(await ids(["staff"])).toEqual([staff.userId]);
  });
});

describe("the recipients of a tenant", () => {
  test("have the record that they represent, and their phone number with the last decision on text messages", async () => {
    const { tenant } = await office.call("createTenant", { body: { fullName: "Tess Tenant" } });
    const user = await office.tenantUser(tenant.id);
    const read = async () =>
      (await identity.listRecipients(callFrom(office.organizationId), { roles: [], subjectIds: [tenant.id, newId()], userIds: [] })).users;
    expect(await read()).toEqual([{ id: user.userId, fullName: "Tess Tenant", email: user.email, role: "tenant", subjectId: tenant.id }]);
    await user.call("changeMyPhone", { body: { phone: "2125550123" } });
    await user.call("changeMyConsent", { body: { smsConsent: true } });
    expect(await read()).toMatchObject([{ phone: "+12125550123", smsConsent: { isGranted: true, decidedAt: expect.any(String) } }]);
    await user.call("changeMyConsent", { body: { smsConsent: false } });
    expect(await read()).toMatchObject([{ smsConsent: { isGranted: false } }]);
  });
});

describe("shortenLinks", () => {
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  test("returns one URL per path, also concurrently, in the order of the request", async () => {
    const [path, otherPath] = [`/invites/t.${newId()}`, `/invites/t.${newId()}`];
    const shorten = (...paths: string[]) => identity.shortenLinks(callFrom(office.organizationId), { links: paths.map((path) => ({ path, expiresAt })) });
    const [first, ...rest] = await Promise.all(Array.from({ length: 10 }, () => shorten(path, otherPath)));
    expect(new Set(first!.urls).size).toBe(2);
    for (const { urls } of rest) expect(urls).toEqual(first!.urls);
    expect((await shorten(otherPath, path)).urls).toEqual(first!.urls.toReversed());
  });
  test.each(["https://example.com/", "//example.com", "/api/auth/me", "/invites/../api", "/invites/"])("refuses paths other than invites: %s", async (path) => {
    await expect(identity.shortenLinks(callFrom(office.organizationId), { links: [{ path, expiresAt }] })).rejects.toMatchObject({ status: 400 });
  });
});

describe("getOrganization", () => {
  test("returns the name, the start of the fiscal year and all policies", async () => {
    await office.call("updateOrganization", { body: { fiscalYearStartMonth: 7, policies: { nsfFeeCents: 2500 } } });
    const organization = await identity.getOrganization(callFrom(office.organizationId), {});
    expect(organization).toMatchObject({ id: office.organizationId, name: "Elm Street Management", timezone: "America/New_York", defaultBasis: "accrual" });
    expect(organization.fiscalYearStartMonth).toBe(7);
    expect(JSON.parse(organization.policies)).toMatchObject({ nsfFeeCents: 2500, trustOverdraft: "block" });
  });
  test("responds 404 for an unknown organization", async () => {
    await expect(identity.getOrganization(callFrom(newId()), {})).rejects.toMatchObject({ status: 404 });
  });
});

test("refuses a call with an assertion signed with an unknown key", async () => {
  const { privateKey } = await import("node:crypto").then(({ generateKeyPairSync }) => generateKeyPairSync("ed25519"));
  const unknownClient = grpcClient(
    IdentityServiceClient,
    IDENTITY_GRPC!,
    createAssertions(readProcessKeys("ledger", privateKey.export({ format: "der", type: "pkcs8" }).toString("base64"), keys)),
  );
  await expect(unknownClient.getOrganization(callFrom(office.organizationId), {})).rejects.toMatchObject({ status: 500 });
  unknownClient.close();
});
