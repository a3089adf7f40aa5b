import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import type { Request } from "../../../../test/support/client.ts";
import { Client } from "../../../../test/support/client.ts";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { expireServiceKeys, storedIn } from "../../test/database.ts";
import { startIdentity } from "../../test/process.ts";

let office: Office;
beforeAll(async () => {
  office = await anOffice();
});
type Terms = NonNullable<Request<"createServiceKey">["body"]>;
const aKey = (terms: Partial<Terms> = {}, of: Office = office) => of.call("createServiceKey", { body: { name: "Nightly sync", role: "manager", ...terms } });
const exchange = (clientId: string, clientSecret: string) =>
  new Client(running().baseUrl).attempt("refreshToken", { body: { grantType: "client_credentials", clientId, clientSecret } });
type Made = Awaited<ReturnType<typeof aKey>>;
const statusOf = async ({ serviceKey, clientSecret }: Made) => (await exchange(serviceKey.clientId, clientSecret)).status;
/** A program that holds an access token of a key. */
async function program(terms: Partial<Terms> = {}): Promise<Client> {
  const { serviceKey, clientSecret } = await aKey(terms);
  return new Client(running().baseUrl, (await exchange(serviceKey.clientId, clientSecret)).body.accessToken);
}
const aVendor = (by: Client) => by.attempt("createVendor", { body: { name: "Vera Vendor" } });

describe("createServiceKey", () => {
  test("shows the secret once, and keeps its digest only", async () => {
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
    for (const table of ["service_key", "audit_entry"]) expect(await storedIn(office.organizationId, table)).not.toContain(clientSecret);
    const { auditEntries } = await office.call("listAuditEntries", { query: { entityId: serviceKey.id } });
    expect(auditEntries).toMatchObject([{ action: "service_key.created", actorUserId: office.userId, before: null, after: { name: "Nightly sync" } }]);
    expect(await storedIn(office.organizationId, "audit_entry")).not.toContain("secretHash");
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
  test("is for admins, and a key itself is none", async () => {
    const manager = await office.colleague("manager");
    for (const who of [manager, await program()]) {
      const { status, body } = await who.attempt("createServiceKey", { body: { name: "Mine", role: "manager" } });
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
    expect((await aVendor(client)).status).toBe(200);
    const [shown] = (await office.call("listServiceKeys")).serviceKeys.filter(({ id }) => id === serviceKey.id);
    expect(Date.parse(shown!.lastUsedAt!)).toBeGreaterThan(Date.now() - 60_000);
  });
  test("understands grant_type as well, and needs both halves", async () => {
    const { serviceKey, clientSecret } = await aKey();
    const ask = (body: object) => new Client(running().baseUrl).attempt("refreshToken", { body: body as never });
    const { clientId } = serviceKey;
    expect((await ask({ grant_type: "client_credentials", clientId, clientSecret })).status).toBe(200);
    for (const [body, path] of [
      [{ grantType: "client_credentials", clientSecret }, "clientId"],
      [{ grantType: "client_credentials", clientId }, "clientSecret"],
    ] as const)
      expect((await ask(body)).body.errors).toMatchObject([{ path, code: "required" }]);
  });
  test("is nobody of the people: it has no phone, password or sessions", async () => {
    const client = await program();
    const answers = [
      await client.attempt("updateMe", { body: { fullName: "Another" } }),
      await client.attempt("changeMyPhone", { body: { phone: "2125550123" } }),
      await client.attempt("changeMyPassword", { body: { currentPassword: "12345678", newPassword: "eight or more" } }),
      await client.attempt("completeOnboarding"),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(await client.call("listSessions")).toEqual({ sessions: [] });
  });
  test("answers the same to every wrong credential", async () => {
    const [key, other] = [await aKey(), await aKey()];
    const elsewhere = await anOffice();
    const [foreign, expired] = [await aKey({}, elsewhere), await aKey({ expiresAt: "2100-01-01T00:00:00.000Z" }, elsewhere)];
    expect(await statusOf(expired)).toBe(200);
    await expireServiceKeys(elsewhere.organizationId);
    const wrong: [string, string][] = [
      [key.serviceKey.clientId, other.clientSecret],
      [key.serviceKey.clientId, "nonsense"],
      [foreign.serviceKey.clientId, key.clientSecret],
      [`fk_${"A".repeat(43)}`, key.clientSecret],
      ["nonsense", key.clientSecret],
      [expired.serviceKey.clientId, expired.clientSecret],
    ];
    const answers = await Promise.all(wrong.map((each) => exchange(...each)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect([answers[0]!.status, answers[0]!.body.code]).toEqual([401, "credentials_invalid"]);
  });
});

describe("what a key may do", () => {
  test("is no more than reading where it is read-only", async () => {
    const client = await program({ isReadOnly: true });
    expect((await client.attempt("listVendors")).status).toBe(200);
    const { status, body } = await aVendor(client);
    expect([status, body.code, body.message]).toEqual([403, "scope_forbidden", "This service key can only read. Use one that may write."]);
    expect((await client.raw("DELETE", `/api/properties/${randomUUID()}`)).status).toBe(403);
  });
  test("is said by its scopes: reading one service does not write it, nor read another", async () => {
    const client = await program({ scopes: ["portfolio:read"] });
    const answers = [await client.attempt("listVendors"), await aVendor(client), await client.attempt("listCategories"), await client.attempt("getMe")];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [200, undefined],
      [403, "scope_forbidden"],
      [403, "scope_forbidden"],
      [403, "scope_forbidden"],
    ]);
    expect(answers[1]!.body.message).toBe("This service key does not have the scope portfolio:write. Use one that has it.");
  });
  test("includes reading where it includes writing", async () => {
    const client = await program({ scopes: ["portfolio:write", "ledger:read"] });
    expect([(await client.attempt("listVendors")).status, (await aVendor(client)).status, (await client.attempt("listCategories")).status]).toEqual([
      200, 200, 200,
    ]);
  });
  test("is never more than its role", async () => {
    const client = await program({ role: "staff", scopes: ["portfolio:write"] });
    const { status, body } = await client.attempt("createProperty");
    expect([status, body.code]).toEqual([403, "role_forbidden"]);
  });
  test("is refused before anything of the request is read", async () => {
    const client = await program({ isReadOnly: true });
    expect((await client.raw("PATCH", "/api/properties/no-id?surprise=1", "{")).status).toBe(403);
  });
  test("opens the event stream only where no scope limits it", async () => {
    const limited = await program({ scopes: ["portfolio:read"] });
    const refused = await limited.raw("GET", `/api/events/stream?token=${limited.token}`);
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([403, "scope_forbidden"]);
    const whole = await program({ isReadOnly: true });
    const stream = await fetch(`${running().baseUrl}/api/events/stream?token=${whole.token}`);
    expect(stream.status).toBe(200);
    await stream.body!.cancel();
  });
});

describe("rotateServiceKey", () => {
  const rotate = (id: string) => office.call("rotateServiceKey", { params: { id } });
  test("ends the old secret at once", async () => {
    const first = await aKey();
    const second = await rotate(first.serviceKey.id);
    expect(second.serviceKey).toEqual(first.serviceKey);
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
  });
  test("of twenty at once leaves exactly one secret that works", async () => {
    const first = await aKey();
    const rotated = await Promise.all(Array.from({ length: 20 }, () => rotate(first.serviceKey.id)));
    const statuses = await Promise.all([first, ...rotated].map(statusOf));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses[0]).toBe(401);
  });
  test("refuses one that was revoked, and does not know another organization's", async () => {
    const { serviceKey } = await aKey();
    await office.call("deleteServiceKey", { params: { id: serviceKey.id } });
    const { status, body } = await office.attempt("rotateServiceKey", { params: { id: serviceKey.id } });
    expect([status, body.code]).toEqual([409, "invalid_transition"]);
    const foreign = await aKey({}, await anOffice());
    expect((await office.attempt("rotateServiceKey", { params: { id: foreign.serviceKey.id } })).status).toBe(404);
  });
  test("refuses a version that is not the current one", async () => {
    const { serviceKey } = await aKey();
    const answer = await office.attempt("rotateServiceKey", { params: { id: serviceKey.id }, headers: { "If-Match": '"999"' } });
    expect([answer.status, answer.body.code]).toEqual([412, "version_conflict"]);
  });
});

describe("deleteServiceKey", () => {
  test("gives it no more tokens; it stays in the list as revoked", async () => {
    const key = await aKey();
    const params = { id: key.serviceKey.id };
    const { serviceKey } = await office.call("deleteServiceKey", { params });
    expect(serviceKey).toMatchObject({ id: params.id, revokedAt: expect.any(String) });
    expect(await statusOf(key)).toBe(401);
    expect((await office.call("listServiceKeys")).serviceKeys.at(-1)?.revokedAt).toEqual(expect.any(String));
    expect((await office.attempt("deleteServiceKey", { params })).status).toBe(404);
  });
  test("and an exchange at once: whichever comes first, there is no token afterwards", async () => {
    for (let round = 0; round < 5; round++) {
      const key = await aKey();
      const [gone] = await Promise.all([office.attempt("deleteServiceKey", { params: { id: key.serviceKey.id } }), statusOf(key)]);
      expect([gone.status, await statusOf(key)]).toEqual([200, 401]);
    }
  });
});

describe("what a service key is told that it may call", () => {
  const permissions = async (terms: Partial<Terms>) => (await (await program(terms)).call("getMe")).permissions;

  test("is what its role may, where nothing limits it", async () => {
    const manager = await office.colleague("manager");
    expect(await permissions({})).toEqual((await manager.call("getMe")).permissions);
  });
  test.each([
    [{ isReadOnly: true }, ["listVendors", "listPayments"], ["createVendor", "recordPayment", "rotateServiceKey"]],
    [{ scopes: ["portfolio:read" as const] }, ["listVendors"], ["createVendor", "listPayments"]],
    [{ scopes: ["ledger:write" as const] }, ["listPayments", "recordPayment"], ["listVendors"]],
    [{ scopes: ["portfolio:write" as const], isReadOnly: true }, ["listVendors"], ["createVendor", "listPayments"]],
  ])("with %j names no more than it may", async (terms, within, beyond) => {
    const named = await permissions({ ...terms, ...("scopes" in terms && { scopes: [...terms.scopes, "identity:read"] }) });
    expect(named).toEqual(expect.arrayContaining([...within, "getMe", "login"]));
    for (const id of beyond) expect(named).not.toContain(id);
  });
});

describe("with tries limited", () => {
  test("a key that got too many wrong secrets waits, and no other key does; so does an address", async () => {
    const identity = await startIdentity({ SIGN_IN_ATTEMPTS: "3" });
    try {
      const [guessed, other] = await Promise.all([aKey(), aKey()]);
      const ask = async ({ serviceKey: { clientId } }: Made, clientSecret: string, address: string) => {
        const body = { grantType: "client_credentials" as const, clientId, clientSecret };
        return identity.client.attempt("refreshToken", { body, headers: { "x-freehold-client-address": address } });
      };
      for (let tries = 0; tries < 3; tries++) expect((await ask(guessed, "not the secret", "192.0.2.11")).status).toBe(401);
      const right = await ask(guessed, guessed.clientSecret, "192.0.2.12");
      expect([right.status, right.body.code, Number(right.headers.get("retry-after")) > 800]).toEqual([429, "rate_limited", true]);
      expect((await ask(other, other.clientSecret, "192.0.2.12")).status).toBe(200);
      const many = [];
      for (let tries = 0; tries < 51; tries++) many.push((await ask(other, other.clientSecret, "192.0.2.13")).status);
      expect([many.slice(0, 50).every((status) => status === 200), many[50]]).toEqual([true, 429]);
    } finally {
      await identity.stop();
    }
  });
});
