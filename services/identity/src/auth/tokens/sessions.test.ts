import { describe, expect, test } from "@jest/globals";
import { Client } from "../../../../../test/support/client.ts";
import { anOffice, password } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { ageTokens } from "../../../test/database.ts";

const grant = { grantType: "refresh_token" } as const;
const DAY_SECONDS = 86_400;

/** Creates a client with a cookie and without an access token. */
function clientWithCookie(cookie: string | undefined): Client {
  const client = new Client(running().baseUrl);
  client.cookie = cookie;
  return client;
}
const refresh = (client: Client) => client.attempt("refreshToken", { body: grant });

async function signIn() {
  const office = await anOffice();
  const client = clientWithCookie(undefined);
  await client.call("login", { body: { email: office.email, password } });
  return { office, client, cookie: client.cookie };
}

describe("refreshToken", () => {
  test("returns the sign-in response and rotates the cookie", async () => {
    const { office, client, cookie } = await signIn();
    const { status, body, headers } = await refresh(client);
    expect(status).toBe(200);
    expect(body).toMatchObject({ tokenType: "Bearer", expiresIn: 900, user: { id: office.userId }, organization: { id: office.organizationId } });
    expect(headers.getSetCookie()[0]).toMatch(/; Max-Age=604800; HttpOnly; SameSite=Lax; Path=\/api\/auth$/);
    expect(client.cookie).not.toBe(cookie);
    expect((await refresh(client)).status).toBe(200);
  });

  test("accepts grant_type as an alias", async () => {
    const { client } = await signIn();
    expect((await client.attempt("refreshToken", { body: { grant_type: "refresh_token" } })).status).toBe(200);
  });

  test.each([
    [{}, "grantType", "required"],
    [{ grantType: "password" }, "grantType", "enum"],
    [{ grantType: "refresh_token", scope: "all" }, "scope", "unrecognized_key"],
  ])("refuses %j, naming %s", async (body, path, code) => {
    const response = await clientWithCookie(undefined).attempt("refreshToken", { body: body as never });
    expect(response.status).toBe(400);
    expect(response.body.errors).toMatchObject([{ path, code }]);
  });

  test.each([undefined, "service_refresh_token=", "service_refresh_token=abc", `service_refresh_token=01a1fe1e-13e2-7a3a-a04b-326092ff614d.${"A".repeat(43)}`])(
    "responds refresh_invalid to the cookie %s",
    async (cookie) => {
      const { status, body } = await refresh(clientWithCookie(cookie));
      expect(status).toBe(401);
      expect(body.code).toBe("refresh_invalid");
    },
  );

  test("refuses a cross-site request and a body other than JSON without using the token", async () => {
    const { client } = await signIn();
    const crossSite = await client.attempt("refreshToken", { body: grant, headers: { "Sec-Fetch-Site": "cross-site" } });
    expect(crossSite.status).toBe(403);
    for (const form of ["grantType=refresh_token", "grant_type=refresh_token"]) {
      const { status } = await client.raw("POST", "/api/auth/token", form, { "Content-Type": "application/x-www-form-urlencoded" });
      expect(status).toBe(400);
    }
    expect((await refresh(client)).status).toBe(200);
  });

  test("responds refresh_recently_rotated to the previous token within ten seconds and keeps the session", async () => {
    const { client, cookie } = await signIn();
    await refresh(client);
    const repeated = await refresh(clientWithCookie(cookie));
    expect(repeated.status).toBe(401);
    expect(repeated.body.code).toBe("refresh_recently_rotated");
    expect(repeated.headers.getSetCookie()).toEqual([]);
    expect((await refresh(client)).status).toBe(200);
  });

  test("ends the session on reuse of a token after ten seconds", async () => {
    const { office, client, cookie } = await signIn();
    const other = clientWithCookie(undefined);
    await other.call("login", { body: { email: office.email, password } });
    await refresh(client);
    await ageTokens(office.organizationId, 11);
    const reused = await refresh(clientWithCookie(cookie));
    expect(reused.status).toBe(401);
    expect(reused.body.code).toBe("refresh_reused");
    expect((await refresh(client)).body.code).toBe("refresh_invalid");
    expect((await refresh(other)).status).toBe(200);
    const { auditEntries } = await office.call("listAuditEntries", { query: { action: "session.ended" } });
    expect(auditEntries).toMatchObject([{ after: { userId: office.userId, reason: "refresh_reused" } }]);
  });

  test("refuses a token after seven days", async () => {
    const { office, client } = await signIn();
    await ageTokens(office.organizationId, 7 * DAY_SECONDS);
    expect((await refresh(client)).body.code).toBe("refresh_invalid");
  });

  test("extends the session with each refresh, up to thirty days", async () => {
    const { office, client } = await signIn();
    for (let week = 1; week <= 4; week++) {
      await ageTokens(office.organizationId, 7 * DAY_SECONDS - 60);
      expect((await refresh(client)).status).toBe(200);
    }
    await ageTokens(office.organizationId, 3 * DAY_SECONDS);
    expect((await refresh(client)).body.code).toBe("refresh_invalid");
  });

  test("rotates a token once among 500 concurrent requests", async () => {
    const { cookie } = await signIn();
    const responses = await Promise.all(Array.from({ length: 500 }, () => refresh(clientWithCookie(cookie))));
    const winners = responses.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    const loserCodes = responses.filter(({ status }) => status !== 200).map(({ body }) => body.code);
    expect(new Set(loserCodes)).toEqual(new Set(["refresh_recently_rotated"]));
    const successor = winners[0]!.headers.getSetCookie()[0]!.split(";")[0];
    expect((await refresh(clientWithCookie(successor))).status).toBe(200);
  });

  test("refuses the token after a role change, deactivation or deletion of the user", async () => {
    const office = await anOffice();
    const changes = [{ role: "manager" }, { isActive: false }, undefined] as const;
    for (const change of changes) {
      const colleague = await office.colleague("staff");
      const params = { id: colleague.userId };
      await (change ? office.call("updateUser", { params, body: change }) : office.call("deleteUser", { params }));
      expect((await refresh(clientWithCookie(colleague.cookie))).body.code).toBe("refresh_invalid");
    }
    const renamed = await office.colleague("staff");
    await office.call("updateUser", { params: { id: renamed.userId }, body: { fullName: "Another Name", role: "staff", isActive: true } });
    expect((await refresh(clientWithCookie(renamed.cookie))).status).toBe(200);
  });
});

describe("logout", () => {
  test("ends the session and clears the cookie; the access token stays valid", async () => {
    const { client, cookie } = await signIn();
    const { accessToken } = (await refresh(client)).body;
    const current = client.cookie;
    const { status, body, headers } = await client.attempt("logout");
    expect(status).toBe(200);
    expect(body).toEqual({ loggedOut: true });
    expect(headers.getSetCookie()[0]).toMatch(/^service_refresh_token=; Max-Age=0; .*Path=\/api\/auth/);
    for (const each of [cookie, current]) expect((await refresh(clientWithCookie(each))).body.code).toBe("refresh_invalid");
    client.token = accessToken;
    expect((await client.attempt("getMe")).status).toBe(200);
  });

  test("requires neither an access token nor a session", async () => {
    for (const cookie of [undefined, "service_refresh_token=gone", (await signIn()).cookie]) {
      const client = clientWithCookie(cookie);
      client.token = "expired";
      expect((await client.attempt("logout")).body).toEqual({ loggedOut: true });
    }
  });

  test("keeps the user's other sessions", async () => {
    const { office, client } = await signIn();
    const other = clientWithCookie(undefined);
    await other.call("login", { body: { email: office.email, password } });
    await client.call("logout");
    expect((await refresh(other)).status).toBe(200);
  });

  test("refuses a cross-site request", async () => {
    const { client, cookie } = await signIn();
    expect((await client.attempt("logout", { headers: { "Sec-Fetch-Site": "cross-site" } })).status).toBe(403);
    expect((await refresh(clientWithCookie(cookie))).status).toBe(200);
  });
});
