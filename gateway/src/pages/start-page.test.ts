/** Start page and reference page without the demo and the outbox, as in production. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import express from "express";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { apiDocumentRoutes } from "./api-documents.ts";
import { startPageRoutes } from "./start-page.ts";

const features = { hasDemo: false, hasOutbox: false };
const publicUrl = "https://freehold.example";
let server: Server;
beforeAll(async () => {
  const app = express().use(startPageRoutes(publicUrl, features), apiDocumentRoutes(publicUrl, features));
  server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function get(path: string): Promise<{ policy: string; html: string }> {
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
  return { policy: response.headers.get("Content-Security-Policy")!, html: await response.text() };
}

describe.each(["/", "/api/docs"])("the page %s in production", (path) => {
  test("shows no logins, no events and no outbox", async () => {
    const { html } = await get(path);
    expect(html).not.toMatch(/demo\.example|freehold-demo|sign-in|id="events"|<h2>E-mails and text|id="mails"/i);
    expect(html).toContain('"demo":null');
  });

  test("permits scripts of the gateway only, and none in the page itself", async () => {
    const { policy, html } = await get(path);
    expect(policy).toMatch(/script-src 'self';|default-src 'self';/);
    expect(policy).not.toMatch(/script-src[^;]*unsafe|default-src[^;]*unsafe/);
    expect(html).not.toMatch(/<script(?![^>]*(?: src="|type="application\/json"))|\son\w+="/);
  });
});

test("the start page in production has links to the reference and to the OpenAPI document", async () => {
  const { html } = await get("/");
  expect([...html.matchAll(/<a href="([^"]+)"/g)].map((match) => match[1])).toEqual(["api/docs", "api/openapi.json", "llms.txt"]);
});
