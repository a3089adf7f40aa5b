/** Cross-origin requests of web applications, from an origin that `CORS_ORIGINS` allows and from one that it does not. */
import { describe, expect, test } from "@jest/globals";
import { readConfig } from "@freehold/kit/config";
import type { Request, Response as ExpressResponse } from "express";
import { z } from "zod";
import { crossOrigin, originList } from "../gateway/src/cors.ts";
import { readSettings } from "../deploy/system/settings.ts";
import { Client } from "./support/client.ts";
import { anOffice, password } from "./support/office.ts";
import { running } from "./support/running.ts";
import { allowedOrigin } from "./support/settings.ts";

const { baseUrl } = running();
const anonymous = new Client(baseUrl);
const fromApp = { Origin: allowedOrigin };
const preflight = { "Access-Control-Request-Method": "PATCH", "Access-Control-Request-Headers": "authorization,content-type,if-match" };
const allowedOriginOf = ({ headers }: Response) => [headers.get("Access-Control-Allow-Origin"), headers.get("Access-Control-Allow-Credentials")];

describe("a page of an allowed origin", () => {
  test("gets the response to a preflight request without authentication, and its browser keeps it", async () => {
    const response = await anonymous.raw("OPTIONS", "/api/leases/01974b2e-7c1a-7e3f-9b5d-2a6c8e0f4d13", undefined, { ...fromApp, ...preflight });
    expect(response.status).toBe(204);
    expect(allowedOriginOf(response)).toEqual([allowedOrigin, "true"]);
    expect(response.headers.get("Access-Control-Allow-Methods")).toContain("PATCH");
    expect(response.headers.get("Access-Control-Allow-Headers")).toBe("authorization,content-type,if-match");
    expect(Number(response.headers.get("Access-Control-Max-Age"))).toBeGreaterThan(600);
    expect(response.headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("may read responses, also errors, with the headers that the OpenAPI document describes", async () => {
    const office = await anOffice();
    for (const [client, status] of [
      [office, 200],
      [anonymous, 401],
    ] as const) {
      const response = await client.raw("GET", "/api/properties", undefined, fromApp);
      expect(response.status).toBe(status);
      expect(allowedOriginOf(response)).toEqual([allowedOrigin, "true"]);
      expect(response.headers.get("Vary")).toMatch(/\bOrigin\b/);
      const exposed = response.headers.get("Access-Control-Expose-Headers")!.split(",");
      const expected = ["X-Request-Id", "RateLimit", "RateLimit-Policy", "Retry-After", "ETag", "Link", "Deprecation", "Sunset", "Idempotent-Replayed"];
      expect(exposed).toEqual(expect.arrayContaining(expected));
    }
  });

  test("may read a 304, whose Vary keeps Origin beside Accept-Encoding", async () => {
    const etag = (await anonymous.raw("GET", "/api/openapi.json")).headers.get("ETag")!;
    const response = await anonymous.raw("GET", "/api/openapi.json", undefined, { ...fromApp, "If-None-Match": etag });
    expect(response.status).toBe(304);
    expect(allowedOriginOf(response)).toEqual([allowedOrigin, "true"]);
    expect(response.headers.get("Vary")).toBe("Origin, Accept-Encoding");
  });

  test("may open the event stream", async () => {
    const office = await anOffice();
    const abort = new AbortController();
    const response = await fetch(`${baseUrl}/api/events/stream?token=${office.token}`, { headers: fromApp, signal: abort.signal });
    expect([response.status, ...allowedOriginOf(response)]).toEqual([200, allowedOrigin, "true"]);
    abort.abort();
  });

  test("of the same site as the API can renew its access with the refresh cookie, one of another site cannot", async () => {
    const { email } = await anOffice();
    const client = new Client(baseUrl);
    await client.call("login", { body: { email, password }, headers: fromApp });
    const renew = (site: string) => client.raw("POST", "/api/auth/token", { grantType: "refresh_token" }, { ...fromApp, "Sec-Fetch-Site": site });
    const refused = await renew("cross-site");
    expect([refused.status, ...allowedOriginOf(refused)]).toEqual([403, allowedOrigin, "true"]);
    const renewed = await renew("same-site");
    expect([renewed.status, ...allowedOriginOf(renewed)]).toEqual([200, allowedOrigin, "true"]);
  });
});

describe("a page of another origin", () => {
  test.each(["https://evil.example", "http://app.freehold.example", "https://app.freehold.example.evil.example", "null"])(
    "%s may read nothing, and caches are told that the response depends on the origin",
    async (Origin) => {
      for (const [method, headers] of [
        ["GET", { Origin }],
        ["OPTIONS", { Origin, ...preflight }],
      ] as const) {
        const response = await anonymous.raw(method, "/api/properties", undefined, headers);
        expect(response.headers.get("Access-Control-Allow-Origin")).toBeNull();
        expect(response.headers.get("Vary")).toMatch(/\bOrigin\b/);
      }
    },
  );
});

test("an OPTIONS request that is no preflight request is refused like any other method that a path does not have", async () => {
  expect((await anonymous.raw("OPTIONS", "/api/properties", undefined, fromApp)).status).toBe(405);
});

describe("CORS_ORIGINS", () => {
  const read = (CORS_ORIGINS: string) => () => readConfig(z.object({ CORS_ORIGINS: originList }), { CORS_ORIGINS });

  test("is unset by default, and then responses have no headers for pages of other origins", () => {
    expect(readSettings({}).environment).not.toHaveProperty("CORS_ORIGINS");
    let isPassedOn = false;
    crossOrigin(undefined)({} as Request, {} as ExpressResponse, () => (isPassedOn = true));
    expect(isPassedOn).toBe(true);
  });

  test.each([
    ["*", /^CORS_ORIGINS is wrong: \* cannot be combined with credentials such as the refresh cookie; list the origins/],
    ["https://app.example.com/", /^CORS_ORIGINS is wrong: write https:\/\/app\.example\.com instead of https:\/\/app\.example\.com\//],
    ["https://a.example, app.example.com", /^CORS_ORIGINS is wrong: app\.example\.com is not an origin such as https:/],
  ])("is refused at the start as %s, with the remedy", (list, sentence) => {
    expect(read(list)).toThrow(sentence);
    expect(() => readSettings({ CORS_ORIGINS: list })).toThrow(sentence);
  });

  test("takes several origins", () => {
    expect(read("https://app.example.com, http://localhost:5173")).not.toThrow();
  });
});
