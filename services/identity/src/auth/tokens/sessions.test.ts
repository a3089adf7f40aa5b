import { describe, expect, test } from "@jest/globals";
import { Client } from "../../../../../test/support/client.ts";
import { anOffice, password } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { ageTokens } from "../../../test/database.ts";

const grant = { grantType: "refresh_token" } as const;
const DAY = 86_400;

/** A client that holds a cookie and nothing else. */
function holding(cookie: string | undefined): Client {
  const client = new Client(running().baseUrl);
  client.cookie = cookie;
  return client;
}
const refresh = (client: Client) => client.attempt("refreshToken", { body: grant });

async function signedIn() {
  const office = await anOffice();
  const client = holding(undefined);
  await client.call("login", { body: { email: office.email, password } });
  return { office, client, cookie: client.cookie };
}

describe("refreshToken", () => {
  test("answers as signing in does, and puts another token into the cookie", async () => {
    const { office, client, cookie } = await signedIn();
    const { status, body, headers } = await refresh(client);
    expect(status).toBe(200);
    expect(body).toMatchObject({ tokenType: "Bearer", expiresIn: 900, user: { id: office.userId }, organization: { id: office.organizationId } });
    expect(headers.getSetCookie()[0]).toMatch(/; Max-Age=604800; HttpOnly; SameSite=Lax; Path=\/api\/auth$/);
    expect(client.cookie).not.toBe(cookie);
    expect((await refresh(client)).status).toBe(200);
  });

  test("understands grant_type as well", async () => {
    const { client } = await signedIn();
    expect((await client.attempt("refreshToken", { body: { grant_type: "refresh_token" } })).status).toBe(200);
  });

  test.each([
    [{}, "grantType", "required"],
    [{ grantType: "password" }, "grantType", "enum"],
    [{ grantType: "refresh_token", scope: "all" }, "scope", "unrecognized_key"],
  ])("refuses %j, naming %s", async (body, path, code) => {
    const answer = await holding(undefined).attempt("refreshToken", { body: body as never });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ path, code }]);
  });

  test.each([undefined, "service_refresh_token=", "service_refresh_token=abc", `service_refresh_token=01a1fe1e-13e2-7a3a-a04b-326092ff614d.${"A".repeat(43)}`])(
    "answers refresh_invalid to the cookie %s",
    async (cookie) => {
      const { status, body } = await refresh(holding(cookie));
      expect(status).toBe(401);
      expect(body.code).toBe("refresh_invalid");
    },
  );

  test("refuses a page of another site, and a body that is no JSON", async () => {
    const { client } = await signedIn();
    const foreign = await client.attempt("refreshToken", { body: grant, headers: { "Sec-Fetch-Site": "cross-site" } });
    expect(foreign.status).toBe(403);
    const form = await client.raw("POST", "/api/auth/token", "grantType=refresh_token", { "Content-Type": "application/x-www-form-urlencoded" });
    expect(form.status).toBe(400);
    expect((await refresh(client)).status).toBe(200);
  });

  test("tells the loser of a race so, and keeps the session", async () => {
    const { client, cookie } = await signedIn();
    await refresh(client);
    const late = await refresh(holding(cookie));
    expect(late.status).toBe(401);
    expect(late.body.code).toBe("refresh_recently_rotated");
    expect(late.headers.getSetCookie()).toEqual([]);
    expect((await refresh(client)).status).toBe(200);
  });

  test("ends the session when a used token comes back later than ten seconds", async () => {
    const { office, client, cookie } = await signedIn();
    const other = holding(undefined);
    await other.call("login", { body: { email: office.email, password } });
    await refresh(client);
    await ageTokens(office.organizationId, 11);
    const copy = await refresh(holding(cookie));
    expect(copy.status).toBe(401);
    expect(copy.body.code).toBe("refresh_reused");
    expect((await refresh(client)).body.code).toBe("refresh_invalid");
    expect((await refresh(other)).status).toBe(200);
  });

  test("ends after seven days without a refresh", async () => {
    const { office, client } = await signedIn();
    await ageTokens(office.organizationId, 7 * DAY);
    expect((await refresh(client)).body.code).toBe("refresh_invalid");
  });

  test("slides with each refresh, but not beyond thirty days", async () => {
    const { office, client } = await signedIn();
    for (let week = 1; week <= 4; week++) {
      await ageTokens(office.organizationId, 7 * DAY - 60);
      expect((await refresh(client)).status).toBe(200);
    }
    await ageTokens(office.organizationId, 3 * DAY);
    expect((await refresh(client)).body.code).toBe("refresh_invalid");
  });

  test("of 500 who race with one token exactly one gets a successor", async () => {
    const { cookie } = await signedIn();
    const answers = await Promise.all(Array.from({ length: 500 }, () => refresh(holding(cookie))));
    const winners = answers.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    const rest = answers.filter(({ status }) => status !== 200).map(({ body }) => body.code);
    expect(new Set(rest)).toEqual(new Set(["refresh_recently_rotated"]));
    const successor = winners[0]!.headers.getSetCookie()[0]!.split(";")[0];
    expect((await refresh(holding(successor))).status).toBe(200);
  });

  test("ends with the user's role, activity or existence", async () => {
    const office = await anOffice();
    const changes = [{ role: "manager" }, { isActive: false }, undefined] as const;
    for (const change of changes) {
      const colleague = await office.colleague("staff");
      const params = { id: colleague.userId };
      await (change ? office.call("updateUser", { params, body: change }) : office.call("deleteUser", { params }));
      expect((await refresh(holding(colleague.cookie))).body.code).toBe("refresh_invalid");
    }
    const renamed = await office.colleague("staff");
    await office.call("updateUser", { params: { id: renamed.userId }, body: { fullName: "Another Name", role: "staff", isActive: true } });
    expect((await refresh(holding(renamed.cookie))).status).toBe(200);
  });
});

describe("logout", () => {
  test("ends the session and clears the cookie; the access token lives on", async () => {
    const { client, cookie } = await signedIn();
    const { accessToken } = (await refresh(client)).body;
    const current = client.cookie;
    const { status, body, headers } = await client.attempt("logout");
    expect(status).toBe(200);
    expect(body).toEqual({ loggedOut: true });
    expect(headers.getSetCookie()[0]).toMatch(/^service_refresh_token=; Max-Age=0; .*Path=\/api\/auth/);
    for (const each of [cookie, current]) expect((await refresh(holding(each))).body.code).toBe("refresh_invalid");
    client.token = accessToken;
    expect((await client.attempt("getMe")).status).toBe(200);
  });

  test("needs no access token, and not even a session", async () => {
    for (const cookie of [undefined, "service_refresh_token=gone", (await signedIn()).cookie]) {
      const client = holding(cookie);
      client.token = "expired";
      expect((await client.attempt("logout")).body).toEqual({ loggedOut: true });
    }
  });

  test("ends no other session of the user", async () => {
    const { office, client } = await signedIn();
    const other = holding(undefined);
    await other.call("login", { body: { email: office.email, password } });
    await client.call("logout");
    expect((await refresh(other)).status).toBe(200);
  });

  test("refuses a page of another site", async () => {
    const { client, cookie } = await signedIn();
    expect((await client.attempt("logout", { headers: { "Sec-Fetch-Site": "cross-site" } })).status).toBe(403);
    expect((await refresh(holding(cookie))).status).toBe(200);
  });
});
