import { afterAll, beforeAll, expect, test } from "@jest/globals";
import express from "express";
import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { eventually } from "../../test/support/eventually.ts";
import { compressResponses } from "./compression.ts";

const JSON_TEXT = JSON.stringify({ text: "Elm Street ".repeat(2_000) });
const ACCEPTING = { "Accept-Encoding": "gzip" };
let server: Server;

beforeAll(async () => {
  const app = express().disable("etag").use(compressResponses());
  // The headers of the response are the parameters of the query.
  app.use((req, res) => {
    for (const [name, value] of Object.entries(req.query)) res.setHeader(name, value as string);
    res.type("json").send(JSON_TEXT);
  });
  server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends a request and returns the encoding of its response, whose body is not read. */
async function encodingOf(path: string, method = "GET"): Promise<string | undefined> {
  const sent = request({ port: (server.address() as AddressInfo).port, path, method, headers: ACCEPTING, agent: false }).end();
  const [response] = (await once(sent, "response")) as [{ headers: Record<string, string>; destroy(): void }];
  response.destroy();
  return response.headers["content-encoding"];
}

test("JSON of twenty kilobytes is compressed", async () => expect(await encodingOf("/api/x")).toBe("gzip"));

test.each([
  ["with an ETag", "/api/x?ETag=1", "GET"],
  ["that can be read in parts", "/api/x?Accept-Ranges=bytes", "GET"],
  ["with tokens", "/api/auth/x", "GET"],
  ["with messages of the outbox", "/api/dev/x", "GET"],
  ["to a change", "/api/x", "POST"],
])("a response %s is not compressed", async (_, path, method) => expect(await encodingOf(path, method)).toBeUndefined());

test("responses beyond 128 at the same time are not compressed", async () => {
  const app = express().disable("etag").use(compressResponses());
  // The response does not end.
  app.use((_req, res) => void res.type("json").write(JSON_TEXT));
  const endless = createServer(app).listen(0, "127.0.0.1");
  await once(endless, "listening");
  const open = async () => {
    const sent = request({ port: (endless.address() as AddressInfo).port, headers: ACCEPTING, agent: false }).end();
    const [response] = (await once(sent, "response")) as [{ headers: Record<string, string>; destroy(): void }];
    return response;
  };
  const encodings: (string | undefined)[] = [];
  const responses = [];
  for (let count = 0; count < 130; count++) {
    const response = await open();
    responses.push(response);
    encodings.push(response.headers["content-encoding"]);
  }
  expect(encodings.filter((encoding) => encoding === "gzip")).toHaveLength(128);
  expect(encodings.slice(128)).toEqual([undefined, undefined]);
  for (const response of responses) response.destroy();
  endless.closeAllConnections();
  endless.close();
});

test("clients that leave before the response begins hold no place", async () => {
  const waiting: (() => void)[] = [];
  const app = express().disable("etag").use(compressResponses());
  app.get("/slow", (_req, res) => void waiting.push(() => res.type("json").send(JSON_TEXT)));
  app.get("/", (_req, res) => void res.type("json").send(JSON_TEXT));
  const local = createServer(app).listen(0, "127.0.0.1");
  await once(local, "listening");
  const { port } = local.address() as AddressInfo;
  const send = (path: string) =>
    request({ port, path, headers: ACCEPTING, agent: false })
      .on("error", () => undefined)
      .end();
  const abandoned = Array.from({ length: 130 }, () => send("/slow"));
  await eventually("the requests", () => waiting.length === abandoned.length);
  for (const sent of abandoned) sent.destroy();
  await eventually("the end of their connections", () => new Promise<boolean>((resolve) => local.getConnections((_, count) => resolve(count === 0))));
  for (const respond of waiting) respond();
  const [response] = (await once(send("/"), "response")) as [{ headers: Record<string, string>; destroy(): void }];
  response.destroy();
  expect(response.headers["content-encoding"]).toBe("gzip");
  local.close();
});
