/** Compression of responses by the gateway, as a client sees the bytes on the wire. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { MIN_COMPRESSED_BYTES } from "../gateway/src/compression.ts";
import { anOffice, type Office } from "./support/office.ts";
import { running } from "./support/running.ts";

const { baseUrl } = running();
const TENANTS = 60;
let office: Office;
beforeAll(async () => {
  office = await anOffice();
  for (let index = 0; index < TENANTS; index++) await office.call("createTenant", { body: { fullName: `Tenant ${index}` } });
});

/** Sends a GET and returns the response, whose bytes are as they are; `fetch` would decompress them. */
async function open(path: string, headers: Record<string, string>): Promise<IncomingMessage> {
  const sent = request(`${baseUrl}${path}`, { headers: { Authorization: `Bearer ${office.token}`, ...headers } }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return response;
}

async function send(path: string, headers: Record<string, string>) {
  const response = await open(path, headers);
  return { status: response.statusCode, headers: response.headers, bytes: await buffer(response) };
}

const list = `/api/tenants?pageSize=${TENANTS}`;

describe("a list", () => {
  test.each([
    ["gzip", gunzipSync],
    ["br", brotliDecompressSync],
  ] as const)("is compressed with %s for a client that accepts it, and has the same content", async (encoding, decompress) => {
    const plain = await send(list, {});
    const compressed = await send(list, { "Accept-Encoding": encoding });
    expect([plain.headers["content-encoding"], plain.headers["content-length"]]).toEqual([undefined, String(plain.bytes.length)]);
    expect(plain.bytes.length).toBeGreaterThan(MIN_COMPRESSED_BYTES);
    expect(compressed.headers["content-encoding"]).toBe(encoding);
    expect(decompress(compressed.bytes).equals(plain.bytes)).toBe(true);
    expect(compressed.bytes.length).toBeLessThan(plain.bytes.length / 5);
  });

  test("varies by Accept-Encoding also where it is too short to be compressed", async () => {
    const short = await send("/api/tenants?pageSize=1", { "Accept-Encoding": "gzip" });
    expect([short.headers["content-encoding"], short.headers["vary"]]).toEqual([undefined, expect.stringContaining("Accept-Encoding")]);
  });

  test("is compressed as CSV too, which begins before its length is known", async () => {
    const plain = await send("/api/tenants", { Accept: "text/csv" });
    const compressed = await send("/api/tenants", { Accept: "text/csv", "Accept-Encoding": "gzip" });
    expect(compressed.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(compressed.bytes).equals(plain.bytes)).toBe(true);
  });
});

describe("not compressed, for a client that accepts it,", () => {
  const accepting = { "Accept-Encoding": "gzip, br" };

  test("are tokens, whose length would otherwise depend on what stands beside them", async () => {
    const { status, headers, bytes } = await send("/api/dev/outbox", accepting);
    expect(bytes.length).toBeGreaterThan(MIN_COMPRESSED_BYTES);
    expect([status, headers["content-encoding"]]).toEqual([200, undefined]);
  });

  test("is the event stream, whose events would wait for more", async () => {
    const stream = await open(`/api/events/stream?token=${office.token}`, accepting);
    const { headers } = stream;
    expect([headers["content-type"], headers["content-encoding"]]).toEqual([expect.stringContaining("text/event-stream"), undefined]);
    stream.destroy();
  });
});
