import { beforeAll, describe, expect, test } from "@jest/globals";
import { Client } from "../../../../../test/support/client.ts";
import { anOffice, password, type Office } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { basicCredentials } from "./token-form.ts";

const FORM = "application/x-www-form-urlencoded";
let office: Office;
let clientId: string;
let clientSecret: string;

beforeAll(async () => {
  office = await anOffice();
  const key = await office.call("createServiceKey", { body: { name: "Nightly sync", role: "manager" } });
  [clientId, clientSecret] = [key.serviceKey.clientId, key.clientSecret];
});

const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString("base64")}`;

/** Requests a token as an OAuth client does. */
async function requestToken(members: Record<string, string> | string[][], client = new Client(running().baseUrl), headers: Record<string, string> = {}) {
  const response = await client.raw("POST", "/api/auth/token", new URLSearchParams(members).toString(), { "Content-Type": FORM, ...headers });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, string> };
}

/** Signs the admin in and returns a client with the refresh cookie, and the refresh token in it. */
async function signIn() {
  const client = new Client(running().baseUrl);
  await client.call("login", { body: { email: office.email, password } });
  return { client, refreshToken: client.cookie!.split("=")[1]! };
}

describe("refreshToken with a form", () => {
  test("exchanges the client id and secret of a service key for an access token, with the members of RFC 6749", async () => {
    const { status, headers, body } = await requestToken({ grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret });
    expect([status, body["access_token"], headers.getSetCookie()]).toEqual([200, body["accessToken"], []]);
    expect(body).toMatchObject({ token_type: "Bearer", expires_in: 900, organization: { id: office.organizationId } });
    expect((await new Client(running().baseUrl, body["access_token"]).attempt("listProperties")).status).toBe(200);
  });

  test("ignores a member that it does not know, as the standard requires", async () => {
    const request = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret, scope: "portfolio:read" };
    expect((await requestToken(request)).status).toBe(200);
  });

  test.each([
    ["a grant type that it does not know", { grant_type: "password", username: "ada", password: "secret" }, "unsupported_grant_type"],
    ["no grant type", { client_id: "key" }, "invalid_request"],
    ["a client id that is too long", { grant_type: "client_credentials", client_id: "x".repeat(101), client_secret: "y" }, "invalid_request"],
  ])("responds 400 with the error of RFC 6749 to %s", async (_, members, error) => {
    const { status, body } = await requestToken(members as unknown as Record<string, string>);
    expect([status, body["code"], body["error"], body["error_description"]]).toEqual([400, "validation_failed", error, body["message"]]);
  });

  test("has the members of RFC 6749 in the response to a form only", async () => {
    const { body } = await new Client(running().baseUrl).attempt("refreshToken", { body: { grantType: "client_credentials", clientId, clientSecret } });
    expect(Object.keys(body).toSorted()).toEqual(["accessToken", "expiresIn", "organization", "tokenType", "user"]);
  });

  test.each([
    ["a wrong secret", () => ({ client_id: clientId, client_secret: "wrong" })],
    ["no secret", () => ({ client_id: clientId })],
    ["no client id", () => ({})],
  ])("responds invalid_client to %s", async (_, credentials) => {
    const { status, body } = await requestToken({ grant_type: "client_credentials", ...credentials() } as Record<string, string>);
    expect([status, body["code"], body["error"], body["error_description"]]).toEqual([401, "credentials_invalid", "invalid_client", body["message"]]);
  });

  test.each([
    ["an unknown grant type", [["grant_type", "password"]], "grant_type"],
    ["no grant type", [["grantType", "client_credentials"]], "grant_type"],
    [
      "a repeated member",
      [
        ["grant_type", "client_credentials"],
        ["client_id", "a"],
        ["client_id", "b"],
      ],
      "client_id",
    ],
  ])("refuses %s, naming the member", async (_, members, path) => {
    const { status, body } = await requestToken(members);
    expect([status, body["errors"]]).toEqual([400, [expect.objectContaining({ path })]]);
  });

  test("rotates the refresh token in the form, and returns the next one instead of a cookie", async () => {
    const { refreshToken } = await signIn();
    const first = await requestToken({ grant_type: "refresh_token", refresh_token: refreshToken });
    expect([first.status, first.headers.getSetCookie()]).toEqual([200, []]);
    expect(first.body["refresh_token"]).not.toBe(refreshToken);
    expect((await requestToken({ grant_type: "refresh_token", refresh_token: first.body["refresh_token"]! })).status).toBe(200);
    const { status, body } = await requestToken({ grant_type: "refresh_token", refresh_token: refreshToken });
    expect([status, body["code"], body["error"]]).toEqual([401, "refresh_recently_rotated", "invalid_grant"]);
  });

  test("neither uses nor changes the refresh cookie, because a page of another site can send a form", async () => {
    const { client, refreshToken } = await signIn();
    const { status, headers, body } = await requestToken({ grant_type: "refresh_token" }, client);
    expect([status, body["error"], headers.getSetCookie()]).toEqual([400, "invalid_request", []]);
    const crossSite = await requestToken({ grant_type: "refresh_token", refresh_token: refreshToken }, client, { "Sec-Fetch-Site": "cross-site" });
    expect(crossSite.status).toBe(403);
    expect((await client.attempt("refreshToken", { body: { grantType: "refresh_token" } })).status).toBe(200);
  });
});

describe("refreshToken with HTTP Basic", () => {
  /** Requests a token with the credentials in the header. */
  const requestWithBasic = (secret: string, members: Record<string, string> = {}) =>
    requestToken({ grant_type: "client_credentials", ...members }, undefined, { Authorization: basic(`${clientId}:${secret}`) });

  test("exchanges the credentials for an access token", async () => {
    const { status, body } = await requestWithBasic(clientSecret);
    expect([status, body["token_type"], body["access_token"]]).toEqual([200, "Bearer", body["accessToken"]]);
    expect((await requestWithBasic(clientSecret, { client_id: clientId })).status).toBe(200);
  });

  test("responds invalid_client to a wrong secret, and names the scheme", async () => {
    const { status, headers, body } = await requestWithBasic("wrong");
    expect([status, body["error"], headers.get("www-authenticate")]).toEqual([401, "invalid_client", 'Basic realm="Freehold"']);
  });

  test("names the scheme Bearer in a 401 to a client that has not used Basic, whatever the form of its request", async () => {
    const credentials = { client_id: clientId, client_secret: "wrong" };
    const inForm = await requestToken({ grant_type: "client_credentials", ...credentials });
    const withToken = await requestToken({ grant_type: "client_credentials", ...credentials }, undefined, { Authorization: "Bearer abc" });
    const inJson = await new Client(running().baseUrl).attempt("refreshToken", {
      body: { grantType: "client_credentials", clientId, clientSecret: "wrong" },
    });
    for (const { status, headers } of [inForm, withToken, inJson]) expect([status, headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  });

  test("refuses credentials in the form as well", async () => {
    for (const members of [{ client_secret: clientSecret }, { client_id: "another" }]) {
      const { status, body } = await requestWithBasic(clientSecret, members as Record<string, string>);
      expect([status, body["error"]]).toEqual([400, "invalid_request"]);
    }
  });
});

describe("the credentials of HTTP Basic", () => {
  test.each([
    [basic("fk_id:secret"), { clientId: "fk_id", clientSecret: "secret" }],
    [basic("fk_id:a%3Ab+c:d&e"), { clientId: "fk_id", clientSecret: "a:b c:d&e" }],
    [basic("fk_id:"), { clientId: "fk_id", clientSecret: "" }],
    [basic("no colon"), undefined],
    ["Bearer abc", undefined],
    ["Basic", undefined],
    [undefined, undefined],
  ])("of %j are %j", (authorization, credentials) => expect(basicCredentials(authorization)).toEqual(credentials));
});
