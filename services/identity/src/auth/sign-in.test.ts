import { beforeAll, describe, expect, test } from "@jest/globals";
import { argon2Sync, randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { Client } from "../../../../test/support/client.ts";
import { eventually } from "../../../../test/support/eventually.ts";
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
      expect(text).toBe('{"message":"The e-mail address or the password is wrong. Check both, or reset the password.","code":"credentials_invalid"}');
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

describe("a refused sign-in", () => {
  test("is in the logs with its operation and status, and neither the address nor the password is", async () => {
    const requestId = randomUUID();
    const [email, wrongPassword] = [anEmail(), `guessed-${randomUUID()}`];
    await anonymousClient().attempt("login", { body: { email, password: wrongPassword }, headers: { "X-Request-Id": requestId } });
    const logOf = (process: string) => readFileSync(join(running().dataDir, "logs", `${process}.log`), "utf8");
    for (const process of ["gateway", "identity"]) {
      const line = await eventually(`line of ${process}`, () =>
        logOf(process)
          .split("\n")
          .find((text) => text.includes(requestId)),
      );
      expect(JSON.parse(line)).toMatchObject({ operation: "login", status: 401, requestId, time: expect.stringMatching(/Z$/) });
    }
    for (const process of ["gateway", "identity"]) expect([email, wrongPassword].filter((text) => logOf(process).includes(text))).toEqual([]);
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
  const from = async (address: string, cookie?: string) => ({ ...(await addressHeader(address)), ...(cookie && { Cookie: cookie }) });

  test("limits an account from one address after too many wrong passwords, but neither its owner elsewhere nor another account", async () => {
    const identity = await startIdentity({ SIGN_IN_ATTEMPTS: "3" });
    const signIn = async (email: string, secret: string, address: string) =>
      identity.client.attempt("login", { body: { email, password: secret }, headers: await from(address) });
    try {
      const guesses = await Promise.all(Array.from({ length: 30 }, () => signIn(office.email, "not the password", "192.0.2.1")));
      const verified = guesses.filter(({ status }) => status === 401);
      // Three failures reach the limit; verifications already running then still finish.
      expect(verified.length).toBeGreaterThanOrEqual(3);
      expect(verified.length).toBeLessThanOrEqual(6);

      const correct = await signIn(office.email, password, "192.0.2.1");
      expect([correct.status, correct.body.code, Number(correct.headers.get("retry-after")) > 800]).toEqual([429, "rate_limited", true]);
      expect((await signIn(office.email, password, "192.0.2.2")).status).toBe(200);
      const other = await office.colleague("staff");
      expect((await signIn(other.email, password, "192.0.2.1")).status).toBe(200);

      for (let attempt = 0; attempt < 48; attempt++) await signIn(office.email, password, "192.0.2.3");
      const signInToOther = () => signIn(other.email, password, "192.0.2.3");
      expect([(await signInToOther()).status, (await signInToOther()).status, (await signInToOther()).status]).toEqual([200, 200, 429]);
    } finally {
      await identity.stop();
    }
  });

  test("limits an account from all addresses together, but not a device on which its owner has signed in", async () => {
    const [owner, stranger] = [await office.colleague("staff"), await office.colleague("staff")];
    const deviceOf = async ({ email }: { email: string }) => {
      const { headers } = await anonymousClient().attempt("login", { body: { email, password } });
      const cookie = headers.getSetCookie().find((header) => header.startsWith("service_device="))!;
      expect(cookie).toMatch(/^service_device=[\w-]{94}; Max-Age=15552000; HttpOnly; SameSite=Lax; Path=\/api\/auth$/);
      return cookie.split(";")[0]!;
    };
    const [device, strangersDevice] = [await deviceOf(owner), await deviceOf(stranger)];
    const identity = await startIdentity({ SIGN_IN_ATTEMPTS: "1" });
    const signIn = async (secret: string, address: string, cookie?: string) =>
      (await identity.client.attempt("login", { body: { email: owner.email, password: secret }, headers: await from(address, cookie) })).status;
    try {
      for (let attempt = 0; attempt < 10; attempt++) expect(await signIn("not the password", `203.0.113.${attempt}`)).toBe(401);
      const altered = `${device.slice(0, -2)}${device.endsWith("AA") ? "BB" : "AA"}`;
      for (const cookie of [undefined, strangersDevice, altered]) expect(await signIn(password, "203.0.113.20", cookie)).toBe(429);
      expect(await signIn(password, "203.0.113.20", device)).toBe(200);
      expect([await signIn("not the password", "203.0.113.20", device), await signIn(password, "203.0.113.21", device)]).toEqual([401, 429]);
    } finally {
      await identity.stop();
    }
  });

  test("lets a known device sign in when other clients of its address have used up the attempts", async () => {
    const [owner, address] = [await anOffice(), "203.0.113.70"];
    const { headers } = await anonymousClient().attempt("login", { body: { email: owner.email, password } });
    const device = headers
      .getSetCookie()
      .find((header) => header.startsWith("service_device="))!
      .split(";")[0]!;
    const identity = await startIdentity({ SIGN_IN_ATTEMPTS: "100" });
    try {
      const signIn = async (email: string, cookie?: string) =>
        (await identity.client.attempt("login", { body: { email, password }, headers: await from(address, cookie) })).status;
      for (let attempt = 0; attempt < 50; attempt++) expect(await signIn("nobody@neighbours.example")).toBe(401);
      expect([await signIn(owner.email), await signIn(owner.email, device)]).toEqual([429, 200]);
    } finally {
      await identity.stop();
    }
  });

  test("ends the exemption of all devices with a new password, except for the one that changed it", async () => {
    const owner = await office.colleague("staff");
    const { headers } = await anonymousClient().attempt("login", { body: { email: owner.email, password } });
    const device = headers
      .getSetCookie()
      .find((header) => header.startsWith("service_device="))!
      .split(";")[0]!;
    const changed = await owner.attempt("changeMyPassword", { body: { currentPassword: password, newPassword: "another good one" } });
    const ownDevice = changed.headers
      .getSetCookie()
      .find((header) => header.startsWith("service_device="))!
      .split(";")[0]!;
    const identity = await startIdentity({ SIGN_IN_ATTEMPTS: "1" });
    const signIn = async (secret: string, address: string, cookie = device) =>
      (await identity.client.attempt("login", { body: { email: owner.email, password: secret }, headers: await from(address, cookie) })).status;
    try {
      // Counted by the address, not by the device.
      expect([await signIn(password, "203.0.113.1"), await signIn("another good one", "203.0.113.1")]).toEqual([401, 429]);
      // The device on which the password was changed stays known.
      expect(await signIn("another good one", "203.0.113.1", ownDevice)).toBe(200);
      expect(await signIn("another good one", "203.0.113.2")).toBe(200);
    } finally {
      await identity.stop();
    }
  });

  test("leaves room for a sign-in while three hundred wait from sixty addresses, which are refused with 503 beyond the queue", async () => {
    const identity = await startIdentity({});
    const signIn = async (address: string) => identity.client.attempt("login", { body: { email: office.email, password }, headers: await from(address) });
    try {
      const flood = Array.from({ length: 300 }, (_, index) => signIn(`192.0.2.${index % 60}`));
      const owner = signIn("198.51.100.1");
      expect((await owner).status).toBe(200);
      const responses = await Promise.all(flood);
      const refused = responses.filter(({ status }) => status !== 200);
      expect(refused.length).toBeGreaterThan(0);
      for (const { status, body, headers } of refused) expect([status, body.code, headers.get("retry-after")]).toEqual([503, "service_unavailable", "1"]);
    } finally {
      await identity.stop();
    }
  });
});
