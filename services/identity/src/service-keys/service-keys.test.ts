import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import type { Request } from "../../../../test/support/client.ts";
import { Client } from "../../../../test/support/client.ts";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { copyServiceKey, expireServiceKeys, readTableAsJson } from "../../test/database.ts";
import { addressHeader } from "../../test/assertion.ts";
import { startIdentity } from "../../test/process.ts";

let office: Office;
beforeAll(async () => {
  office = await anOffice();
});
type KeyBody = NonNullable<Request<"createServiceKey">["body"]>;
const aKey = (body: Partial<KeyBody> = {}, owner: Office = office) =>
  owner.call("createServiceKey", { body: { name: "Nightly sync", role: "manager", ...body } });
const exchange = (clientId: string, clientSecret: string) =>
  new Client(running().baseUrl).attempt("refreshToken", { body: { grantType: "client_credentials", clientId, clientSecret } });
type CreatedKey = Awaited<ReturnType<typeof aKey>>;
const statusOf = async ({ serviceKey, clientSecret }: CreatedKey) => (await exchange(serviceKey.clientId, clientSecret)).status;
/** Creates a service key and returns a client with an access token of the key. */
async function keyClient(body: Partial<KeyBody> = {}): Promise<Client> {
  const { serviceKey, clientSecret } = await aKey(body);
  return new Client(running().baseUrl, (await exchange(serviceKey.clientId, clientSecret)).body.accessToken);
}
const createVendor = (client: Client) => client.attempt("createVendor", { body: { name: "Vera Vendor" } });

describe("createServiceKey", () => {
  test("returns the secret once and stores only its digest", async () => {
    const { serviceKey, clientSecret } = await aKey({ scopes: ["portfolio:read"], expiresAt: "2100-01-01T00:00:00.000Z" });
    expect(serviceKey).toMatchObject({
      name: "Nightly sync",
      role: "manager",
      isReadOnly: false,
      scopes: ["portfolio:read"],
      expiresAt: "2100-01-01T00:00:00.000Z",
      lastUsedAt: null,
      revokedAt: null,
    });
    const { text, body } = await office.attempt("listServiceKeys");
    expect([body.serviceKeys[0], text.includes(clientSecret)]).toEqual([serviceKey, false]);
    for (const table of ["service_key", "audit_entry"]) expect(await readTableAsJson(office.organizationId, table)).not.toContain(clientSecret);
    const { auditEntries } = await office.call("listAuditEntries", { query: { entityId: serviceKey.id } });
    expect(auditEntries).toMatchObject([{ action: "service_key.created", actorUserId: office.userId, before: null, after: { name: "Nightly sync" } }]);
    expect(await readTableAsJson(office.organizationId, "audit_entry")).not.toContain("secretHash");
  });
  test.each([
    [{ name: "" }, "name", "too_short"],
    [{ name: "x".repeat(81) }, "name", "too_long"],
    [{ role: "admin" }, "role", "enum"],
    [{ role: "tenant" }, "role", "enum"],
    [{ isReadOnly: "yes" }, "isReadOnly", "type"],
    [{ scopes: [] }, "scopes", "too_short"],
    [{ scopes: ["portfolio:all"] }, "scopes.0", "enum"],
    [{ scopes: ["ledger:read", "ledger:read"] }, "scopes", "unique"],
    [{ expiresAt: "2020-01-01T00:00:00.000Z" }, "expiresAt", "min"],
    [{ expiresAt: "tomorrow" }, "expiresAt", "format"],
    [{ clientSecret: "mine" }, "clientSecret", "unrecognized_key"],
  ])("refuses %j, naming %s", async (wrong, path, code) => {
    const { status, body } = await office.attempt("createServiceKey", { body: { name: "Sync", role: "staff", ...(wrong as object) } });
    expect([status, body.errors]).toMatchObject([400, [{ path, code }]]);
  });
  test("is limited to two hundred keys that are not revoked", async () => {
    const newOffice = await anOffice();
    const { serviceKey } = await aKey({}, newOffice);
    await copyServiceKey(newOffice.organizationId, serviceKey.id, 199);
    const create = () => newOffice.attempt("createServiceKey", { body: { name: "One more", role: "staff" } });
    const refused = await create();
    expect([refused.status, refused.body.code]).toEqual([409, "resource_in_use"]);
    await newOffice.call("deleteServiceKey", { params: { id: serviceKey.id } });
    const statuses = (await Promise.all([create(), create(), create()])).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });
  test("is limited to admins; a service key never has that role", async () => {
    const manager = await office.colleague("manager");
    for (const caller of [manager, await keyClient()]) {
      const { status, body } = await caller.attempt("createServiceKey", { body: { name: "Mine", role: "manager" } });
      expect([status, body.message]).toEqual([403, "Only admins can create service keys."]);
    }
  });
});

describe("a service key", () => {
  test("is exchanged for an access token, without a cookie", async () => {
    const { serviceKey, clientSecret } = await aKey({ name: "Accounting" });
    const { status, body, headers } = await exchange(serviceKey.clientId, clientSecret);
    expect([status, headers.getSetCookie()]).toEqual([200, []]);
    expect(body).toMatchObject({ tokenType: "Bearer", expiresIn: 900, organization: { id: office.organizationId } });
    expect(body.user).toMatchObject({ id: serviceKey.id, fullName: "Accounting", role: "manager", organizationId: office.organizationId });
    const client = new Client(running().baseUrl, body.accessToken);
    expect((await client.call("getMe")).user).toMatchObject({ id: serviceKey.id, role: "manager" });
    expect((await createVendor(client)).status).toBe(200);
    const [listed] = (await office.call("listServiceKeys")).serviceKeys.filter(({ id }) => id === serviceKey.id);
    expect(Date.parse(listed!.lastUsedAt!)).toBeGreaterThan(Date.now() - 60_000);
  });
  test("accepts grant_type as an alias, and requires client id and secret", async () => {
    const { serviceKey, clientSecret } = await aKey();
    const requestToken = (body: object) => new Client(running().baseUrl).attempt("refreshToken", { body: body as never });
    const { clientId } = serviceKey;
    expect((await requestToken({ grant_type: "client_credentials", clientId, clientSecret })).status).toBe(200);
    for (const [body, path] of [
      [{ grantType: "client_credentials", clientSecret }, "clientId"],
      [{ grantType: "client_credentials", clientId }, "clientSecret"],
    ] as const)
      expect((await requestToken(body)).body.errors).toMatchObject([{ path, code: "required" }]);
  });
  test("is not a user: it has no phone, password or sessions", async () => {
    const client = await keyClient();
    const responses = [
      await client.attempt("updateMe", { body: { fullName: "Another" } }),
      await client.attempt("changeMyPhone", { body: { phone: "2125550123" } }),
      await client.attempt("changeMyPassword", { body: { currentPassword: "12345678", newPassword: "eight or more" } }),
      await client.attempt("completeOnboarding"),
    ];
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(await client.call("listSessions")).toEqual({ sessions: [] });
  });
  test("responds the same to all invalid credentials", async () => {
    const [key, other] = [await aKey(), await aKey()];
    const otherOffice = await anOffice();
    const [foreign, expired] = [await aKey({}, otherOffice), await aKey({ expiresAt: "2100-01-01T00:00:00.000Z" }, otherOffice)];
    expect(await statusOf(expired)).toBe(200);
    await expireServiceKeys(otherOffice.organizationId);
    const wrong: [string, string][] = [
      [key.serviceKey.clientId, other.clientSecret],
      [key.serviceKey.clientId, "nonsense"],
      [foreign.serviceKey.clientId, key.clientSecret],
      [`fk_${"A".repeat(43)}`, key.clientSecret],
      ["nonsense", key.clientSecret],
      [expired.serviceKey.clientId, expired.clientSecret],
    ];
    const responses = await Promise.all(wrong.map(([clientId, clientSecret]) => exchange(clientId, clientSecret)));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect([responses[0]!.status, responses[0]!.body.code]).toEqual([401, "credentials_invalid"]);
  });
});

describe("the permissions of a service key", () => {
  test("are limited to reading for a read-only key", async () => {
    const client = await keyClient({ isReadOnly: true });
    expect((await client.attempt("listVendors")).status).toBe(200);
    const { status, body } = await createVendor(client);
    expect([status, body.code, body.message]).toEqual([403, "scope_forbidden", "This service key can only read. Use one that may write."]);
    expect((await client.raw("DELETE", `/api/properties/${randomUUID()}`)).status).toBe(403);
  });
  test("are limited to its scopes: reading one service includes neither writing nor other services", async () => {
    const client = await keyClient({ scopes: ["portfolio:read"] });
    const responses = [
      await client.attempt("listVendors"),
      await createVendor(client),
      await client.attempt("listCategories"),
      await client.attempt("listUsers"),
    ];
    expect(responses.map(({ status, body }) => [status, body.code])).toEqual([
      [200, undefined],
      [403, "scope_forbidden"],
      [403, "scope_forbidden"],
      [403, "scope_forbidden"],
    ]);
    const { permissions } = await client.call("getMe");
    expect(["listVendors", "getMe", "createVendor"].map((operation) => permissions.includes(operation))).toEqual([true, true, false]);
    expect(responses[1]!.body.message).toBe("This service key does not have the scope portfolio:write. Use one that has it.");
  });
  test("include the search and the dashboard, which show payments and balances, only with the scope of the ledger as well", async () => {
    const [portfolio, both] = [await keyClient({ scopes: ["portfolio:read"] }), await keyClient({ scopes: ["portfolio:write", "ledger:read"] })];
    const statuses = async (client: typeof both) => [
      (await client.attempt("search", { query: { q: "elm" } })).status,
      (await client.attempt("getDashboard")).status,
    ];
    expect([await statuses(portfolio), await statuses(both)]).toEqual([
      [403, 403],
      [200, 200],
    ]);
    const { body } = await portfolio.attempt("search", { query: { q: "elm" } });
    expect([body.code, body.message]).toEqual(["scope_forbidden", "This service key does not have the scope ledger:read. Use one that has it."]);
  });
  test("include reading with a write scope", async () => {
    const client = await keyClient({ scopes: ["portfolio:write", "ledger:read"] });
    expect([(await client.attempt("listVendors")).status, (await createVendor(client)).status, (await client.attempt("listCategories")).status]).toEqual([
      200, 200, 200,
    ]);
  });
  test("are limited to its role", async () => {
    const client = await keyClient({ role: "staff", scopes: ["portfolio:write"] });
    const { status, body } = await client.attempt("createProperty");
    expect([status, body.code]).toEqual([403, "role_forbidden"]);
  });
  test("are checked before the request is validated", async () => {
    const client = await keyClient({ isReadOnly: true });
    expect((await client.raw("PATCH", "/api/properties/no-id?surprise=1", "{")).status).toBe(403);
  });
  test("include the event stream only without scopes", async () => {
    const limited = await keyClient({ scopes: ["portfolio:read"] });
    const refused = await limited.raw("GET", `/api/events/stream?token=${limited.token}`);
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([403, "scope_forbidden"]);
    const unlimited = await keyClient({ isReadOnly: true });
    const stream = await fetch(`${running().baseUrl}/api/events/stream?token=${unlimited.token}`);
    expect(stream.status).toBe(200);
    await stream.body!.cancel();
  });
});

describe("rotateServiceKey", () => {
  const rotate = (id: string) => office.call("rotateServiceKey", { params: { id } });
  test("invalidates the old secret immediately", async () => {
    const first = await aKey();
    const second = await rotate(first.serviceKey.id);
    expect(second.serviceKey).toEqual(first.serviceKey);
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
  });
  test("leaves one valid secret after twenty concurrent rotations", async () => {
    const first = await aKey();
    const rotated = await Promise.all(Array.from({ length: 20 }, () => rotate(first.serviceKey.id)));
    const statuses = await Promise.all([first, ...rotated].map(statusOf));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses[0]).toBe(401);
  });
  test("refuses a revoked key and responds 404 for another organization's key", async () => {
    const { serviceKey } = await aKey();
    await office.call("deleteServiceKey", { params: { id: serviceKey.id } });
    const { status, body } = await office.attempt("rotateServiceKey", { params: { id: serviceKey.id } });
    expect([status, body.code]).toEqual([409, "invalid_transition"]);
    const foreign = await aKey({}, await anOffice());
    expect((await office.attempt("rotateServiceKey", { params: { id: foreign.serviceKey.id } })).status).toBe(404);
  });
  test("refuses a version that is not the current one", async () => {
    const { serviceKey } = await aKey();
    const response = await office.attempt("rotateServiceKey", { params: { id: serviceKey.id }, headers: { "If-Match": '"999"' } });
    expect([response.status, response.body.code]).toEqual([412, "version_conflict"]);
  });
});

describe("deleteServiceKey", () => {
  test("refuses further exchanges and lists the key as revoked, after the valid keys", async () => {
    const key = await aKey();
    const params = { id: key.serviceKey.id };
    const { serviceKey } = await office.call("deleteServiceKey", { params });
    expect(serviceKey).toMatchObject({ id: params.id, revokedAt: expect.any(String) });
    expect(await statusOf(key)).toBe(401);
    const { serviceKeys } = await office.call("listServiceKeys");
    expect(serviceKeys.find(({ id }) => id === params.id)).toEqual(serviceKey);
    expect(serviceKeys.at(-1)!.revokedAt).toEqual(expect.any(String));
    expect((await office.attempt("deleteServiceKey", { params })).status).toBe(404);
  });
  test("refuses exchanges after a deletion with a concurrent exchange", async () => {
    for (let round = 0; round < 5; round++) {
      const key = await aKey();
      const [deletion] = await Promise.all([office.attempt("deleteServiceKey", { params: { id: key.serviceKey.id } }), statusOf(key)]);
      expect([deletion.status, await statusOf(key)]).toEqual([200, 401]);
    }
  });
});

describe("getMe of a service key", () => {
  const permissions = async (body: Partial<KeyBody>) => (await (await keyClient(body)).call("getMe")).permissions;

  test("returns all permissions of its role without isReadOnly and scopes", async () => {
    const manager = await office.colleague("manager");
    expect(await permissions({})).toEqual((await manager.call("getMe")).permissions);
  });
  test.each([
    [{ isReadOnly: true }, ["listVendors", "listPayments"], ["createVendor", "recordPayment", "rotateServiceKey"]],
    [{ scopes: ["portfolio:read" as const] }, ["listVendors"], ["createVendor", "listPayments"]],
    [{ scopes: ["ledger:write" as const] }, ["listPayments", "recordPayment"], ["listVendors"]],
    [{ scopes: ["portfolio:write" as const], isReadOnly: true }, ["listVendors"], ["createVendor", "listPayments"]],
  ])("returns only the permitted operations with %j", async (body, permitted, forbidden) => {
    const returned = await permissions({ ...body, ...("scopes" in body && { scopes: [...body.scopes, "identity:read"] }) });
    expect(returned).toEqual(expect.arrayContaining([...permitted, "getMe", "login"]));
    for (const id of forbidden) expect(returned).not.toContain(id);
  });
});

describe("the limits of exchange attempts", () => {
  test("limits a key from one address after too many wrong secrets, but neither its program elsewhere nor another key, and no number of correct ones", async () => {
    const identity = await startIdentity({ SIGN_IN_ATTEMPTS: "3" });
    try {
      const [guessed, other] = await Promise.all([aKey(), aKey()]);
      const exchangeFrom = async ({ serviceKey: { clientId } }: CreatedKey, clientSecret: string, address: string) => {
        const body = { grantType: "client_credentials" as const, clientId, clientSecret };
        return identity.client.attempt("refreshToken", { body, headers: await addressHeader(address) });
      };
      for (let attempt = 0; attempt < 3; attempt++) expect((await exchangeFrom(guessed, "not the secret", "192.0.2.11")).status).toBe(401);
      const correct = await exchangeFrom(guessed, guessed.clientSecret, "192.0.2.11");
      expect([correct.status, correct.body.code, Number(correct.headers.get("retry-after")) > 800]).toEqual([429, "rate_limited", true]);
      expect((await exchangeFrom(guessed, guessed.clientSecret, "192.0.2.12")).status).toBe(200);
      expect((await exchangeFrom(other, other.clientSecret, "192.0.2.11")).status).toBe(200);
      const statuses = new Set<number>();
      for (let attempt = 0; attempt < 60; attempt++) statuses.add((await exchangeFrom(other, other.clientSecret, "192.0.2.13")).status);
      expect([...statuses]).toEqual([200]);
    } finally {
      await identity.stop();
    }
  });
});
