import { beforeAll, describe, expect, test } from "@jest/globals";
import { argon2Sync, randomBytes } from "node:crypto";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { Client } from "../../../../test/support/client.ts";
import { anEmail, anOffice, password, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { setPasswordHash, readTableAsJson } from "../../test/database.ts";
import { anInvitedUser } from "../../test/invite.ts";
import { addressHeader } from "../../test/assertion.ts";
import { startIdentity } from "../../test/process.ts";

const anonymousClient = () => new Client(running().baseUrl);
let office: Office;
beforeAll(async () => {
  office = await anOffice();
});

describe("login", () => {
  test("returns a token with the user, organization and role, and sets the cookie", async () => {
    const { status, body, headers } = await anonymousClient().attempt("login", { body: { email: office.email.toUpperCase(), password } });
    expect(status).toBe(200);
    expect(headers.getSetCookie()[0]).toMatch(/^service_refresh_token=[^;]+; Max-Age=604800; HttpOnly; SameSite=Lax; Path=\/api\/auth$/);
    expect(decodeProtectedHeader(body.accessToken)).toMatchObject({ alg: "EdDSA", typ: "at+jwt", kid: expect.any(String) });
    const claims = decodeJwt(body.accessToken);
    expect(claims).toEqual({
      sub: office.userId,
      organizationId: office.organizationId,
      role: "admin",
      subjectType: null,
      subjectId: null,
      timezone: "America/New_York",
      sid: expect.any(String),
      accessVersion: 0,
      jti: expect.any(String),
      iss: running().baseUrl,
      aud: "freehold",
      iat: expect.any(Number),
      exp: claims.iat! + 900,
    });
    expect(body.user.lastLoginAt).not.toBeNull();
  });

  test("responds the same to a wrong password, an unknown address, a pending invite and another organization", async () => {
    const invited = await anInvitedUser(office);
    const responses = await Promise.all([
      anonymousClient().attempt("login", { body: { email: office.email, password: "not the password" } }),
      anonymousClient().attempt("login", { body: { email: anEmail(), password } }),
      anonymousClient().attempt("login", { body: { email: invited.email, password } }),
      anonymousClient().attempt("login", { body: { email: office.email, password, organizationId: invited.user.id } }),
    ]);
    for (const { status, text, headers } of responses) {
      expect(status).toBe(401);
      expect(text).toBe('{"message":"The e-mail address or the password is not right.","code":"credentials_invalid"}');
      expect(headers.getSetCookie()).toEqual([]);
    }
  });

  test("verifies a hash also for an unknown address", async () => {
    const identity = await startIdentity({});
    try {
      // Processor time, since the duration depends on other processes of the machine.
      const cost = async (nextEmail: () => string) => {
        const before = await identity.cpuSeconds();
        for (let attempt = 0; attempt < 20; attempt++) await identity.client.attempt("login", { body: { email: nextEmail(), password: "not the password" } });
        return (await identity.cpuSeconds()) - before;
      };
      await cost(anEmail);
      const [known, unknown] = [await cost(() => office.email), await cost(anEmail)];
      // Without a hash to verify, an unknown address would cost a fraction.
      expect(unknown).toBeGreaterThan(known / 2);
    } finally {
      await identity.stop();
    }
  });

  test("requires organizationId only when the password matches in several organizations", async () => {
    const email = anEmail();
    const signUp = () => anonymousClient().call("signUp", { body: { organizationName: "Two Houses", fullName: "Ada", email, password } });
    const [first, second] = [await signUp(), await signUp()];
    const { status, body } = await anonymousClient().attempt("login", { body: { email, password } });
    expect(status).toBe(409);
    expect(body.code).toBe("duplicate");
    expect(body.errors).toHaveLength(2);
    for (const { organization } of [first, second])
      expect(body.errors).toContainEqual({ path: "organizationId", code: "not_allowed", message: `Two Houses: ${organization.id}` });
    expect((await anonymousClient().attempt("login", { body: { email, password: "not the password" } })).status).toBe(401);

    const chosen = await anonymousClient().call("login", { body: { email, password, organizationId: second.organization.id } });
    expect(chosen.organization.id).toBe(second.organization.id);
  });

  test("refuses deactivated and deleted users", async () => {
    const [deactivated, deleted] = [await office.colleague("staff"), await office.colleague("staff")];
    await office.call("updateUser", { params: { id: deactivated.userId }, body: { isActive: false } });
    await office.call("deleteUser", { params: { id: deleted.userId } });
    for (const { email } of [deactivated, deleted]) expect((await anonymousClient().attempt("login", { body: { email, password } })).status).toBe(401);

    await office.call("updateUser", { params: { id: deactivated.userId }, body: { isActive: true } });
    expect((await anonymousClient().attempt("login", { body: { email: deactivated.email, password } })).status).toBe(200);
  });

  test("allows concurrent sign-ins of one user", async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, () => anonymousClient().attempt("login", { body: { email: office.email, password } })));
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  });

  test.each([
    [{ email: "x@example.com" }, "password", "required"],
    [{ email: "x", password }, "email", "format"],
    [{ email: "x@example.com", password: "short" }, "password", "too_short"],
    [{ email: "x@example.com", password, organizationId: "x" }, "organizationId", "format"],
    [{ email: "x@example.com", password, admin: true }, "admin", "unrecognized_key"],
  ])("refuses %j, naming %s", async (body, path, code) => {
    const response = await anonymousClient().attempt("login", { body: body as never });
    expect(response.status).toBe(400);
    expect(response.body.errors).toMatchObject([{ path, code }]);
  });
});

describe("a password hashed with other cost parameters", () => {
  test("is rehashed at the next sign-in and stays valid", async () => {
    const user = await office.colleague("staff");
    const cost = { memory: 8_192, passes: 1, parallelism: 1 };
    const nonce = randomBytes(16);
    const tag = argon2Sync("argon2id", { message: password, nonce, tagLength: 32, ...cost });
    const base64 = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");
    await setPasswordHash(user.organizationId, user.userId, `$argon2id$v=19$m=8192,t=1,p=1$${base64(nonce)}$${base64(tag)}`);
    const signIn = async () => (await anonymousClient().attempt("login", { body: { email: user.email, password } })).status;
    expect(await signIn()).toBe(200);
    expect(await readTableAsJson(user.organizationId, "app_user")).not.toContain("m=8192,t=1");
    expect(await signIn()).toBe(200);
  });
});

describe("the limits of sign-in attempts", () => {
  test("limits an account with too many wrong passwords but no other account, and limits a client address", async () => {
    const identity = await startIdentity({ SIGN_IN_ATTEMPTS: "3" });
    try {
      const [first, second, third] = await Promise.all(["192.0.2.1", "192.0.2.2", "192.0.2.3"].map(addressHeader));
      const wrong = () => identity.client.attempt("login", { body: { email: office.email, password: "not the password" }, headers: first! });
      const guesses = await Promise.all(Array.from({ length: 30 }, wrong));
      const verified = guesses.filter(({ status }) => status === 401);
      // Three failures reach the limit; verifications already running then still finish.
      expect(verified.length).toBeGreaterThanOrEqual(3);
      expect(verified.length).toBeLessThanOrEqual(6);

      const correct = await identity.client.attempt("login", { body: { email: office.email, password }, headers: second! });
      expect(correct.status).toBe(429);
      expect(correct.body.code).toBe("rate_limited");
      expect(Number(correct.headers.get("retry-after"))).toBeGreaterThan(800);

      const other = await office.colleague("staff");
      expect((await identity.client.attempt("login", { body: { email: other.email, password }, headers: second! })).status).toBe(200);

      for (let attempt = 0; attempt < 48; attempt++) await identity.client.attempt("login", { body: { email: office.email, password }, headers: third! });
      const signInToOther = () => identity.client.attempt("login", { body: { email: other.email, password }, headers: third! });
      expect([(await signInToOther()).status, (await signInToOther()).status, (await signInToOther()).status]).toEqual([200, 200, 429]);
    } finally {
      await identity.stop();
    }
  });
});
