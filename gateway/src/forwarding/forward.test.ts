/** The forwarding of requests, between real sockets and a server that stands for a service and records its requests. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { operations } from "@freehold/contract";
import { ASSERTION_HEADER, REQUEST_HEADER } from "@freehold/kit/auth/assertion";
import { sendError } from "@freehold/kit/http/respond";
import { createLogger } from "@freehold/kit/observability/log";
import express from "express";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { eventually } from "../../../test/support/eventually.ts";
import { forwarder, type Upstreams } from "./forward.ts";
import { upstream } from "./upstream.ts";

const log = createLogger("test", "silent");
/** Size of a file that does not fit into the buffers of the connections. */
const LARGE_FILE = Buffer.alloc(64 * 1_048_576);
const SMALL_FILE_BYTES = 1_048_576;
const sockets = new Set<Socket>();
let [service, gateway]: Server[] = [];
let upstreams: Upstreams;
let port: number;
/** Headers of the requests that the service has received, by path and query. */
const received = new Map<string, string[]>();
let requestsInProgress = 0;

const portOf = (server: Server) => (server.address() as AddressInfo).port;

function serve(req: IncomingMessage, res: ServerResponse): void {
  received.set(req.url!, req.rawHeaders);
  requestsInProgress++;
  res.once("close", () => requestsInProgress--);
  if (req.url!.startsWith("/large-file")) res.end(LARGE_FILE);
  else if (req.url!.startsWith("/small-file")) res.end(LARGE_FILE.subarray(0, SMALL_FILE_BYTES));
  else if (req.url!.startsWith("/refused")) res.writeHead(400).end("refused");
  else req.resume().once("end", () => res.end("served"));
}

beforeAll(async () => {
  service = createServer(serve).listen(0, "127.0.0.1");
  await once(service, "listening");
  const one = upstream([`http://127.0.0.1:${portOf(service)}`]);
  upstreams = { identity: one, portfolio: one, ledger: one, communications: one, imports: one };
  const forward = forwarder(upstreams);
  // The first path segment selects an operation by its id; `member` names the caller.
  const app = express().set("query parser", "simple");
  app.use((req, res) => {
    const url = new URL(req.url!, "http://gateway");
    const { operation } = operations.find(({ id }) => id === url.searchParams.get("operation"))!;
    const holder = { group: url.searchParams.get("group") ?? "group", member: url.searchParams.get("member") ?? "member" };
    forward("portfolio", req, res, { operation, holder, transferHolder: holder, assertion: "the assertion", requestId: "the request id" }).catch(
      (error: unknown) => sendError(res, error, log),
    );
  });
  gateway = createServer(app).listen(0, "127.0.0.1");
  await once(gateway, "listening");
  port = portOf(gateway);
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  for (const each of Object.values(upstreams)) each.close();
  for (const server of [gateway, service]) {
    server?.closeAllConnections();
    server?.close();
  }
});

function open(text: string): { socket: Socket; response: () => string } {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  sockets.add(socket);
  let response = "";
  socket.on("data", (chunk: Buffer) => (response += chunk.toString("latin1")));
  socket.write(text);
  return { socket, response: () => response };
}

/** Sends raw text on a connection of its own and returns the response. */
async function send(text: string): Promise<string> {
  const { socket, response } = open(text);
  await once(socket, "close");
  sockets.delete(socket);
  return response();
}

const forgedHeaders = ["x-freehold-scope: forged", "X-FREEHOLD-SCOPE: forged", "x-freehold-client-address: 203.0.113.1", "X-Freehold-Anything: forged"];
const otherHeaders = [
  "authorization: Bearer forged",
  "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  "x-forwarded-for: 203.0.113.1",
  "x-request-id: forged",
];
const forged = [...forgedHeaders, ...forgedHeaders, ...otherHeaders];
const chunked = (trailer: string) => `2\r\n{}\r\n0\r\n${trailer}\r\n`;
const framings: Record<string, { headers: string[]; body: string; isUpload?: true }> = {
  plain: { headers: ["Content-Length: 2"], body: "{}" },
  expect: { headers: ["Expect: 100-continue", "Content-Length: 2"], body: "{}" },
  upgrade: { headers: ["Connection: close, Upgrade", "Upgrade: h2c", "Content-Length: 2"], body: "{}" },
  chunked: { headers: ["Transfer-Encoding: chunked"], body: chunked("") },
  trailers: { headers: ["Transfer-Encoding: chunked", "Trailer: x-freehold-scope"], body: chunked("x-freehold-scope: forged\r\n") },
  "named by Connection": { headers: ["Connection: close, x-freehold-scope", "Content-Length: 2"], body: "{}" },
};

describe("internal headers", () => {
  test("of a client reach a service on no operation and in no framing", async () => {
    const violations: string[] = [];
    for (const { id, operation } of operations.filter(({ service: owner }) => owner !== "gateway")) {
      for (const [framing, { headers, body }] of Object.entries(framings)) {
        const path = `/${encodeURIComponent(framing)}?operation=${id}`;
        const text = [`${operation.method} ${path} HTTP/1.1`, "Host: freehold.example", "Connection: close", "X-Period-Override: true", ...headers, ...forged];
        const response = await send(`${text.join("\r\n")}\r\n\r\n${body}`);
        const raw = received.get(path) ?? [];
        const names = raw.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
        const internal = Object.fromEntries(names.map((name, index) => [name, raw[2 * index + 1]]));
        const isRepeated = names.length !== new Set(names).size;
        // The token endpoint reads the credentials of OAuth clients itself.
        if (operation.form) delete internal["authorization"];
        const foreign = Object.entries(internal).filter(([, value]) => /forged|203\.0\.113\.1|0af7651916cd43dd/.test(value!));
        const isOwn = internal[ASSERTION_HEADER] === "the assertion" && internal[REQUEST_HEADER] === "the request id";
        // HTTP/1.1 has no body that a GET could bring to a service.
        const hasBody = operation.method !== "GET" && names.some((name) => name === "content-length" || name === "transfer-encoding");
        const isWhole = operation.method === "GET" || hasBody;
        if (!response.includes("served") || isRepeated || foreign.length > 0 || !isOwn || !isWhole || names.includes("expect") || names.includes("upgrade"))
          violations.push(`${id} ${framing}: ${raw.join(" ")} -> ${response.slice(0, 80)}`);
      }
    }
    expect(violations).toEqual([]);
  });
});

describe("slow clients", () => {
  test("take no connection of a service while their body is incomplete", async () => {
    const announced = (index: number) => `POST /slow/${index}?operation=login&member=${index} HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n{`;
    const slow = Array.from({ length: 300 }, (_, index) => open(announced(index)));
    const response = await send("POST /other?operation=login&member=other HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}");
    expect(response).toMatch(/^HTTP\/1\.1 200 .*served$/s);
    expect([...received.keys()].filter((path) => path.startsWith("/slow/"))).toEqual([]);
    slow[7]!.socket.write("x".repeat(99));
    await eventually("response to a completed body", () => slow[7]!.response().includes("served"));
    for (const { socket } of slow) socket.destroy();
  });

  test("that do not read their downloads delay neither the other members of their organization nor other organizations", async () => {
    const download = (file: string, group: string, member: string) =>
      open(`GET /${file}?operation=downloadDocument&group=${group}&member=${member} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`);
    const unread = Array.from({ length: 60 }, () => download("large-file", "first", "hostile"));
    for (const { socket } of unread) socket.pause();
    await eventually("downloads in progress", () => requestsInProgress >= 32);
    for (const [group, member] of [
      ["first", "other"],
      ["second", "other"],
    ] as const) {
      const { response } = download("small-file", group, member);
      await eventually("the whole file", () => response().length > SMALL_FILE_BYTES);
    }
    // The hostile member has no more connections to the service than before.
    expect(requestsInProgress).toBe(32);
    for (const { socket } of unread) socket.destroy();
    await eventually("the connections are free again", () => requestsInProgress === 0);
  });

  test("with bodies of more than 16 MiB in progress are refused with 503, and only they", async () => {
    const size = 1_048_576;
    const announced = (member: string) =>
      `POST /large?operation=createVendor&member=${member} HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: ${size}\r\n\r\n`;
    const bodies = Array.from({ length: 20 }, () => open(announced("hostile") + "x".repeat(size - 1)));
    await eventually("refused", () => bodies.filter(({ response }) => response().startsWith("HTTP/1.1 503")).length >= 4);
    expect(await send(announced("other") + "x".repeat(size))).toMatch(/^HTTP\/1\.1 200/);
    for (const { socket } of bodies) socket.destroy();
  });
});

test("the response to an upload that a service refuses early reaches the client, and the connection serves further requests", async () => {
  const upload = (path: string, size: number) =>
    `POST ${path}?operation=uploadDocument HTTP/1.1\r\nHost: h\r\nContent-Length: ${size}\r\n\r\n${"x".repeat(size)}`;
  const { response, socket } = open(upload("/refused", 5_000_000));
  await eventually("refusal", () => response().includes("refused"));
  socket.write(upload("/accepted", 10));
  await eventually("next response", () => response().includes("served"));
  socket.destroy();
});

test("an upload to a service that refuses the connection is answered with 503, and nothing else fails when its client leaves", async () => {
  const closed = createServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const unreachable = upstream([`http://127.0.0.1:${portOf(closed)}`]);
  closed.close();
  const reachable = upstreams.portfolio;
  upstreams.portfolio = unreachable;
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  process.on("uncaughtException", onError);
  try {
    const { response, socket } = open(`POST /upload?operation=uploadDocument HTTP/1.1\r\nHost: h\r\nContent-Length: 900000\r\n\r\n${"x".repeat(500_000)}`);
    await eventually("refusal", () => response().startsWith("HTTP/1.1 503"));
    socket.destroy();
    await once(socket, "close");
    upstreams.portfolio = reachable;
    expect(await send("POST /next?operation=login HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}")).toContain("served");
  } finally {
    upstreams.portfolio = reachable;
    process.off("uncaughtException", onError);
    unreachable.close();
  }
  expect(errors).toEqual([]);
});
