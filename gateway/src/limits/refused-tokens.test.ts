/** Limit of refused access tokens, in a gateway with a stub authenticator and a stub service. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { unauthorized } from "@freehold/kit/errors";
import { createLogger } from "@freehold/kit/observability/log";
import type { RequestHandler } from "express";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Caller } from "../auth/authenticate.ts";
import { createPeers } from "../events/peers.ts";
import { eventStreams } from "../events/stream.ts";
import { gateway } from "../gateway.ts";
import { rateLimiters } from "./rate-limit.ts";
import { trustedProxies } from "./trusted-proxies.ts";

const BURST = 3;
const caller = { principal: { organizationId: "o", userId: "u", role: "admin", subjectId: null, timezone: "UTC" }, expiresAtMs: Infinity } as Caller;
const pass: RequestHandler = (_req, _res, next) => next();
const authenticate = (token: string | undefined): Promise<Caller> =>
  token === "valid" ? Promise.resolve(caller) : Promise.reject(unauthorized("The access token is not valid.", "token_invalid"));
let server: Server;

beforeAll(async () => {
  const log = createLogger("test", "silent");
  const limits = { perUser: 0, perOrganization: 0 };
  const streams = eventStreams({ authenticator: { authenticate }, events: () => undefined, limits, rateLimiter: undefined, peers: createPeers(), log });
  const app = gateway({
    log,
    logRequest: () => undefined,
    assertions: { sign: () => Promise.resolve("assertion") } as never,
    authenticator: { authenticate },
    // The bucket refills so slowly that it does not during the test, however long this takes.
    rateLimiters: rateLimiters({ perSecond: 0.000_1, burst: BURST, webhooksPerSecond: 1 }, createPeers()),
    forward: async (_service, _req, res) => void res.end("{}"),
    localHandlers: { streamEvents: streams.handler },
    pages: pass,
    crossOrigin: pass,
    life: { probes: pass, closeWhileDraining: pass } as never,
    trustedProxies: trustedProxies.parse("127.0.0.1"),
  });
  server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => void server.close());

/** Sends a request from a network address and returns the status. */
async function send(address: string, token: string, path = "/api/properties"): Promise<number> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const response = await fetch(url, { headers: { "X-Forwarded-For": address, Authorization: `Bearer ${token}` } });
  await response.body?.cancel();
  return response.status;
}

test("refused tokens count by network address, which then is answered 429; its valid tokens and other addresses are not limited", async () => {
  const statuses: number[] = [];
  for (let count = 0; count < BURST + 2; count++) statuses.push(await send("192.0.2.9", `forged${count}`));
  expect(statuses).toEqual([401, 401, 401, 429, 429]);
  expect(await send("192.0.2.9", "valid")).toBe(200);
  expect(await send("192.0.2.10", "forged")).toBe(401);
});

test("refused tokens of the event stream count as well", async () => {
  const statuses: number[] = [];
  for (let count = 0; count < BURST + 1; count++) statuses.push(await send("192.0.2.20", "", "/api/events/stream?token=forged"));
  expect(statuses).toEqual([401, 401, 401, 429]);
});
