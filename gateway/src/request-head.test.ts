/** Request targets, preferences and methods that only unusual clients send, over raw connections. */
import { expect, test } from "@jest/globals";
import { once } from "node:events";
import { connect } from "node:net";
import { anOffice } from "../../test/support/office.ts";
import { running } from "../../test/support/running.ts";
import { normalizeHead } from "./request-head.ts";

const { hostname, port } = new URL(running().baseUrl);

/** Sends a request on a connection of its own and returns the response. */
async function send(method: string, target: string, headers: readonly string[] = []): Promise<string> {
  const socket = connect(Number(port), hostname);
  let response = "";
  socket.on("data", (chunk: Buffer) => (response += chunk.toString("latin1")));
  socket.setTimeout(5_000, () => socket.destroy());
  socket.write([`${method} ${target} HTTP/1.1`, "Host: freehold.example", "Connection: close", ...headers, "\r\n"].join("\r\n"));
  await once(socket, "close");
  return response;
}

test.each(["http://freehold.example", "HTTP://freehold.example:8080", "ftp://user:password@freehold.example"])(
  "a target in absolute form is served like its path, whatever its origin: %s",
  async (origin) => {
    const office = await anOffice();
    const response = await send("GET", `${origin}/api/properties?page=1`, [`Authorization: Bearer ${office.token}`]);
    expect(response).toMatch(/^HTTP\/1\.1 200 .*"properties":\[\]/s);
  },
);

test("a target without a path has the response of the root", async () => {
  for (const target of ["foo://freehold.example", "http://freehold.example?page=1"])
    expect(await send("GET", target)).toMatch(/^HTTP\/1\.1 200 .*X-Request-Id: .*<title>Freehold<\/title>/s);
});

test("preferences longer than those of browsers are ignored", async () => {
  const office = await anOffice();
  const headersOf = (accept: string) => [`Authorization: Bearer ${office.token}`, `Accept: ${accept}`];
  const csv = await send("GET", "/api/properties", headersOf("text/csv"));
  expect(csv).toMatch(/^HTTP\/1\.1 200 .*text\/csv/s);
  const long = await send("GET", "/api/properties", headersOf(`text/csv${",a/b".repeat(3_500)}`));
  expect(long).toMatch(/^HTTP\/1\.1 200 .*application\/json/s);
  const headers = { accept: "a/b,".repeat(3_500), "accept-encoding": "gzip" };
  normalizeHead({ url: "/", headers });
  expect(headers).toEqual({ "accept-encoding": "gzip" });
});

test("a request for the headers of the event stream is answered at once, and opens no stream", async () => {
  const office = await anOffice();
  for (let round = 0; round < 6; round++)
    expect(await send("HEAD", `/api/events/stream?token=${office.token}`)).toMatch(/^HTTP\/1\.1 200 .*Content-Type: text\/event-stream/s);
  expect(await send("HEAD", "/api/events/stream?token=forged")).toMatch(/^HTTP\/1\.1 401 /);
});
