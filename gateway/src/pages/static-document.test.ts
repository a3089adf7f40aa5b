import { afterAll, beforeAll, expect, test } from "@jest/globals";
import express from "express";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { request } from "undici";
import { gunzipSync } from "node:zlib";
import { staticDocument } from "./static-document.ts";

const text = "a document of many slices ".repeat(10_000);
let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer(express().get("/", staticDocument("text/plain; charset=utf-8", text))).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test("a static document is compressed for clients that accept it, and only for them", async () => {
  const plain = await request(url);
  expect([plain.headers["content-encoding"], plain.headers["content-length"], await plain.body.text()]).toEqual([undefined, String(text.length), text]);
  const compressed = await request(url, { headers: { "Accept-Encoding": "gzip" } });
  const bytes = Buffer.from(await compressed.body.arrayBuffer());
  expect([compressed.headers["content-encoding"], compressed.headers["content-length"]]).toEqual(["gzip", String(bytes.length)]);
  expect(gunzipSync(bytes).toString()).toBe(text);
  expect(bytes.length).toBeLessThan(text.length / 10);
});

test("a static document is not sent to a client that has it, nor to a request for its headers", async () => {
  const etag = (await request(url, { method: "HEAD" })).headers["etag"] as string;
  const unchanged = await request(url, { headers: { "If-None-Match": etag } });
  expect([unchanged.statusCode, await unchanged.body.text()]).toEqual([304, ""]);
  const other = await request(url, { headers: { "If-None-Match": '"another"' } });
  expect([other.statusCode, await other.body.text()]).toEqual([200, text]);
});
