/** Connections of hostile clients, against a server with the gateway's guards and small limits. */
import { afterEach, describe, expect, test } from "@jest/globals";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { eventually } from "../../../test/support/eventually.ts";
import { limitConnections } from "./connection-limit.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { slowClients, type SlowClients } from "./slow-clients.ts";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

async function listen(handle: RequestListener): Promise<{ server: Server; port: number }> {
  const server = createServer(handle).listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push({
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
  return { server, port: (server.address() as AddressInfo).port };
}

function connectTo(port: number): { socket: Socket; received: () => string; isClosed: () => boolean } {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  let [received, isClosed] = ["", false];
  socket.on("data", (chunk: Buffer) => (received += chunk.toString()));
  socket.once("close", () => (isClosed = true));
  open.push({ close: () => socket.destroy() });
  return { socket, received: () => received, isClosed: () => isClosed };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: freehold.example\r\n\r\n`;

describe("pipelined requests", () => {
  test("are answered in their order, and none is handled before the response to the one before is sent", async () => {
    const events: string[] = [];
    const { port } = await listen(
      oneAtATime((req, res) => {
        events.push(`start ${req.url}`);
        setImmediate(() => res.end(`response to ${req.url}.`, () => events.push(`sent ${req.url}`)));
      }),
    );
    const { socket, received } = connectTo(port);
    socket.write(get("/1") + get("/2") + get("/3"));
    await eventually("all responses", () => received().includes("response to /3."));
    expect(received().match(/response to \/\d/g)).toEqual(["response to /1", "response to /2", "response to /3"]);
    expect(events.slice(0, 5)).toEqual(["start /1", "sent /1", "start /2", "sent /2", "start /3"]);
  });

  test("hold one response of a connection whose client does not read, and too many of them close it", async () => {
    const response = Buffer.alloc(8 * 1_048_576);
    let handled = 0;
    const { port } = await listen(
      oneAtATime((_req, res) => {
        handled++;
        res.end(response);
      }),
    );
    const unread = connectTo(port);
    unread.socket.pause();
    unread.socket.write(get("/").repeat(10));
    const tooMany = connectTo(port);
    tooMany.socket.write(get("/").repeat(500));
    await eventually("the connection with 500 requests is closed", () => tooMany.isClosed());
    // A response of eight megabytes does not fit into the buffers of a connection.
    expect(handled).toBeLessThanOrEqual(2);
    expect(unread.isClosed()).toBe(false);
  });
});

describe("slow clients", () => {
  async function listenToSlowClients(handle: RequestListener) {
    const slow: SlowClients = slowClients((res) => res.writeHead(408).end("too slow"), {
      bodyWindowMs: 300,
      minBodyBytes: 1_000,
      readWindowMs: 300,
      minReadBytes: 1_000,
    });
    open.push({ close: () => slow.stop() });
    return listen((req, res) => {
      slow.watch(req, res);
      handle(req, res);
    });
  }
  const post = "POST / HTTP/1.1\r\nHost: freehold.example\r\nContent-Length: 100000\r\n\r\n";

  test("that send a body too slowly are told so and disconnected", async () => {
    const { port } = await listenToSlowClients((req) => req.resume());
    const { socket, received, isClosed } = connectTo(port);
    socket.write(`${post}x`);
    await eventually("disconnected", () => isClosed());
    expect(received()).toMatch(/^HTTP\/1\.1 408 .*too slow/s);
  });

  test("are not those that wait for the server to read, or whose response takes its time", async () => {
    let finish: () => void = () => undefined;
    // The first request's body is left unread, and the second has none.
    const { port } = await listenToSlowClients((req, res) => {
      if (req.method === "GET") finish = () => res.end("done");
    });
    const [uploading, waiting, control] = [connectTo(port), connectTo(port), connectTo(port)];
    uploading.socket.write(post + "x".repeat(50_000));
    waiting.socket.write(get("/"));
    const { port: slowPort } = await listenToSlowClients((req) => req.resume());
    const slow = connectTo(slowPort);
    slow.socket.write(`${post}x`);
    await eventually("the slow client is disconnected", () => slow.isClosed());
    finish();
    await eventually("response", () => waiting.received().includes("done"));
    expect([uploading.isClosed(), control.isClosed()]).toEqual([false, false]);
  });

  test("that stop reading a response are disconnected", async () => {
    let isCut = false;
    const { port } = await listenToSlowClients((_req, res) => {
      res.once("close", () => (isCut = !res.writableFinished));
      res.end(Buffer.alloc(64 * 1_048_576));
    });
    const { socket } = connectTo(port);
    socket.pause();
    socket.write(get("/"));
    await eventually("the response is cut off", () => isCut);
  });
});

test("a network has a maximum of open connections, which trusted proxies do not count for", async () => {
  const { server, port } = await listen((_req, res) => res.end("served"));
  let isProxy = false;
  limitConnections(server, 2, () => isProxy);
  const [first, second] = [connectTo(port), connectTo(port)];
  for (const { socket } of [first, second]) socket.write(get("/"));
  await eventually("two are served", () => [first, second].every(({ received }) => received().includes("served")));
  const third = connectTo(port);
  await eventually("the third is closed", () => third.isClosed());
  first.socket.destroy();
  await eventually("another is served after the first has left", async () => {
    const next = connectTo(port);
    next.socket.write(get("/"));
    await eventually("a response or the end", () => next.isClosed() || next.received() !== "");
    return next.received().includes("served");
  });
  isProxy = true;
  const ofProxy = connectTo(port);
  ofProxy.socket.write(get("/"));
  await eventually("that of the proxy is served", () => ofProxy.received().includes("served"));
});
