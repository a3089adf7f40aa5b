import { describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { Client } from "../../../../test/support/client.ts";
import { anOffice, password } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { ageTokens } from "../../test/database.ts";

async function signIn(email: string, userAgent = "a test") {
  const client = new Client(running().baseUrl);
  const { body } = await client.attempt("login", { body: { email, password }, headers: { "User-Agent": userAgent } });
  client.token = body.accessToken;
  return client;
}
const refresh = (client: Client) => client.attempt("refreshToken", { body: { grantType: "refresh_token" } });
const sessionsOf = async (client: Client) => (await client.call("listSessions")).sessions;
const currentSessionId = async (client: Client) => (await sessionsOf(client)).find(({ current }) => current)!.id;

describe("listSessions", () => {
  test("returns the IP address and user agent of each session, and marks the current one", async () => {
    const office = await anOffice();
    const phone = await signIn(office.email, "a phone");
    const sessions = await sessionsOf(phone);
    expect(sessions).toHaveLength(2);
    expect(sessions[0]).toMatchObject({ current: true, ip: "127.0.0.1", userAgent: "a phone", revokedAt: null });
    expect(sessions[1]!).toMatchObject({ current: false, ip: "127.0.0.1", revokedAt: null });
    expect((await sessionsOf(office)).filter(({ current }) => current).map(({ id }) => id)).toEqual([sessions[1]!.id]);
  });
  test("sorts by last use, which a refresh updates", async () => {
    const office = await anOffice();
    const [first, second] = [await signIn(office.email, "first"), await signIn(office.email, "second")];
    const before = (await sessionsOf(second)).find(({ userAgent }) => userAgent === "first")!;
    await first.raw("POST", "/api/auth/token", { grantType: "refresh_token" }, { "User-Agent": "first, newer" });
    const [latest] = await sessionsOf(second);
    expect([latest!.id, latest!.userAgent]).toEqual([before.id, "first, newer"]);
    expect(Date.parse(latest!.lastUsedAt)).toBeGreaterThan(Date.parse(before.lastUsedAt));
  });
  test("omits expired sessions and those of other users", async () => {
    const office = await anOffice();
    const colleague = await office.colleague("staff");
    expect(await sessionsOf(colleague)).toHaveLength(1);
    await ageTokens(office.organizationId, 7 * 86_400);
    expect(await sessionsOf(colleague)).toEqual([]);
  });
});

describe("endSession", () => {
  test("ends one session: its token cannot be refreshed, the others can", async () => {
    const office = await anOffice();
    const [ended, active] = [await signIn(office.email), await signIn(office.email)];
    const id = await currentSessionId(ended);
    const { session } = await active.call("endSession", { params: { id } });
    expect(session).toMatchObject({ id, current: false, revokedAt: expect.any(String) });
    expect([(await refresh(ended)).body.code, (await refresh(active)).status]).toEqual(["refresh_invalid", 200]);
    expect((await sessionsOf(active)).map((each) => each.id)).not.toContain(id);
    expect((await active.attempt("endSession", { params: { id } })).status).toBe(404);
  });
  test("can end the current session, whose access token stays valid and whose cookie is not cleared", async () => {
    const client = await signIn((await anOffice()).email);
    const { headers, body } = await client.attempt("endSession", { params: { id: await currentSessionId(client) } });
    expect([body.session.current, headers.getSetCookie()]).toEqual([true, []]);
    expect((await client.attempt("getMe")).status).toBe(200);
    expect((await refresh(client)).body.code).toBe("refresh_invalid");
  });
  test("responds 404 for sessions of other users and unknown ids", async () => {
    const office = await anOffice();
    const [colleague, otherOffice] = [await office.colleague("staff"), await anOffice()];
    for (const id of [await currentSessionId(colleague), await currentSessionId(otherOffice), randomUUID()])
      expect((await office.attempt("endSession", { params: { id } })).status).toBe(404);
    expect((await refresh(colleague)).status).toBe(200);
  });
  test("ends the session despite a concurrent refresh", async () => {
    const office = await anOffice();
    for (let round = 0; round < 5; round++) {
      const client = await signIn(office.email);
      const id = await currentSessionId(client);
      const [ended, refreshed] = await Promise.all([office.attempt("endSession", { params: { id } }), refresh(client)]);
      expect([ended.status, [200, 401].includes(refreshed.status)]).toEqual([200, true]);
      expect((await refresh(client)).body.code).toBe("refresh_invalid");
    }
  });
});
