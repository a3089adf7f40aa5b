import { createHash } from "node:crypto";
import { crc32, inflateRawSync } from "node:zlib";
import { request } from "node:http";
import { describe, expect, test } from "@jest/globals";
import { Client } from "../../../../test/support/client.ts";
import { anOffice } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { documentLinks } from "./document-link.rules.ts";
import { aPdf } from "../../test/files.ts";
import { aProperty, unknownId } from "../../test/fixtures.ts";

const office = await anOffice();
const anybody = new Client(running().baseUrl);
const property = await aProperty(office);
const about = { entityType: "property" as const, entityId: property.id };
const file = aPdf("Grüße.pdf", 5_000);
const bytes = Buffer.from(await file.arrayBuffer());
const { document } = await office.call("uploadDocument", { body: { file, ...about } });
const path = `/api/documents/${document.id}/download`;
const { url } = await office.call("createDocumentLink", { params: { id: document.id }, body: { expiresInSeconds: 60 } });

const downloads: [string, Client, string][] = [
  ["downloadDocument", office, path],
  ["followDocumentLink", anybody, new URL(url).pathname],
];

describe.each(downloads)("%s", (_, client, path) => {
  const get = (headers: Record<string, string> = {}) => client.raw("GET", path, undefined, headers);
  const etag = `"${createHash("sha256").update(bytes).digest("hex")}"`;

  test("sends the file as an attachment with a restrictive policy", async () => {
    const answer = await get();
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "application/pdf",
      "content-length": String(bytes.length),
      "content-disposition": `attachment; filename="Gr??e.pdf"; filename*=UTF-8''Gr%C3%BC%C3%9Fe.pdf`,
      "x-content-type-options": "nosniff",
      "content-security-policy": expect.stringContaining("sandbox"),
      "cache-control": "private, no-cache",
      "accept-ranges": "bytes",
      etag,
    });
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test.each([
    ["bytes=0-9", 0, 9],
    ["bytes=100-", 100, bytes.length - 1],
    ["bytes=-20", bytes.length - 20, bytes.length - 1],
    ["bytes=10-999999", 10, bytes.length - 1],
  ])("sends the range %s", async (range, start, end) => {
    const answer = await get({ Range: range });
    expect([answer.status, answer.headers.get("content-range")]).toEqual([206, `bytes ${start}-${end}/${bytes.length}`]);
    expect(answer.headers.get("content-length")).toBe(String(end - start + 1));
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes.subarray(start, end + 1))).toBe(true);
  });

  test.each(["bytes=999999-", "bytes=-0"])("rejects the range %s and returns the file's length", async (range) => {
    const answer = await get({ Range: range });
    expect([answer.status, answer.headers.get("content-range")]).toEqual([416, `bytes */${bytes.length}`]);
    expect(await answer.json()).toEqual({ message: `The file has ${bytes.length} bytes. Ask for a range within them.` });
  });

  test.each(["bytes=0-1,5-6", "lines=1-2", "nonsense"])("ignores the range %s", async (range) => {
    const answer = await get({ Range: range });
    expect([answer.status, (await answer.arrayBuffer()).byteLength]).toEqual([200, bytes.length]);
  });

  test("resumes an unchanged file and restarts a changed one with If-Range", async () => {
    expect((await get({ Range: "bytes=5-9", "If-Range": etag })).status).toBe(206);
    expect((await get({ Range: "bytes=5-9", "If-Range": '"another"' })).status).toBe(200);
  });

  test("answers 304 to a matching If-None-Match", async () => {
    const answer = await get({ "If-None-Match": etag });
    expect([answer.status, await answer.text(), answer.headers.get("etag")]).toEqual([304, "", etag]);
    expect((await get({ "If-None-Match": '"another"' })).status).toBe(200);
  });

  test("answers HEAD with the headers only", async () => {
    const answer = await client.raw("HEAD", path);
    expect([answer.status, answer.headers.get("content-length"), await answer.text()]).toEqual([200, String(bytes.length), ""]);
  });

  test("survives clients that disconnect during the download", async () => {
    const { document: big } = await office.call("uploadDocument", { body: { file: aPdf("big.pdf", 5_000_000), ...about } });
    for (let times = 0; times < 5; times++) {
      await new Promise<void>((resolve, reject) => {
        const asking = request(`${running().baseUrl}/api/documents/${big.id}/download`, { headers: { Authorization: `Bearer ${office.token}` } }, (answer) => {
          answer.once("data", () => answer.destroy()).once("close", resolve);
        });
        asking.once("error", reject).end();
      });
    }
    expect((await get()).status).toBe(200);
  });
});

describe("createDocumentLink", () => {
  const link = (expiresInSeconds: unknown) => office.attempt("createDocumentLink", { params: { id: document.id }, body: { expiresInSeconds } as never });

  test("returns a URL of this service and its expiry", async () => {
    const from = Date.now();
    const { body } = await link(86_400);
    expect(body.url).toMatch(new RegExp(`^${running().baseUrl}/api/document-links/[\\w-]{72}$`));
    expect(Date.parse(body.expiresAt) - from).toBeGreaterThanOrEqual(86_400_000);
    expect(Date.parse(body.expiresAt) - from).toBeLessThan(86_410_000);
    expect((await link(60)).status).toBe(200);
  });

  test.each([
    [59, "min"],
    [86_401, "max"],
    ["3600", "type"],
    [60.5, "type"],
    [undefined, "required"],
  ])("refuses %s seconds", async (seconds, code) => {
    const { status, body } = await link(seconds);
    expect([status, body.errors]).toMatchObject([400, [{ path: "expiresInSeconds", code }]]);
  });
});

describe("a link", () => {
  const token = new URL(url).pathname.split("/").at(-1)!;

  test("answers 404 after any modification", async () => {
    for (let at = 0; at < token.length; at += 5) {
      const changed = `${token.slice(0, at)}${token[at] === "A" ? "B" : "A"}${token.slice(at + 1)}`;
      expect([at, (await anybody.raw("GET", `/api/document-links/${changed}`)).status]).toEqual([at, 404]);
    }
    for (const wrong of [`${token}A`, token.slice(0, -1), `${token}=`, "nobodys-token"])
      expect((await anybody.raw("GET", `/api/document-links/${wrong}`)).status).toBe(404);
  });

  test("expires exactly at expiresAt", () => {
    const links = documentLinks("a secret");
    const expiresAt = new Date("2026-11-21T12:00:00.000Z");
    const linked = { organizationId: office.organizationId, documentId: document.id, expiresAt };
    const made = links.tokenOf(linked);
    expect(links.verify(made, new Date("2026-11-21T11:59:59.999Z"))).toEqual(linked);
    expect(links.verify(made, expiresAt)).toBeUndefined();
    expect(documentLinks("another secret").verify(made, new Date("2026-11-21T11:00:00.000Z"))).toBeUndefined();
  });
});

/** Returns the name and CRC-32 of each entry in the central directory of a ZIP, after comparing the CRC with the entry's bytes. */
function entriesOf(zip: Buffer): [string, number][] {
  const end = zip.lastIndexOf(Buffer.from("504b0506", "hex"));
  const entries: [string, number][] = [];
  for (let at = zip.readUInt32LE(end + 16); at < end;) {
    const [method, sum, length, nameLength, extraLength] = [10, 16, 20, 28, 30].map((offset) =>
      offset === 16 || offset === 20 ? zip.readUInt32LE(at + offset) : zip.readUInt16LE(at + offset),
    ) as [number, number, number, number, number];
    const from = zip.readUInt32LE(at + 42);
    const data = from + 30 + zip.readUInt16LE(from + 26) + zip.readUInt16LE(from + 28);
    const stored = zip.subarray(data, data + length);
    expect(crc32(method === 8 ? inflateRawSync(stored) : stored)).toBe(sum);
    entries.push([zip.toString("utf8", at + 46, at + 46 + nameLength), sum]);
    at += 46 + nameLength + extraLength + zip.readUInt16LE(at + 32);
  }
  return entries;
}

const crcOf = async (file: File) => crc32(Buffer.from(await file.arrayBuffer()));

describe("downloadDocumentsArchive", () => {
  test("returns a ZIP of all files of an entity under unique names", async () => {
    const house = await aProperty(office);
    const files = [aPdf("a.pdf", 300_000), aPdf("A.pdf"), aPdf("a.pdf"), new File(["Text\n".repeat(1_000)], "a (2).pdf.txt"), new File(["x"], "b.csv")];
    for (const file of files) await office.call("uploadDocument", { body: { file, entityType: "property", entityId: house.id } });
    const answer = await office.raw("GET", `/api/documents/archive?entityType=property&entityId=${house.id}`);
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("content-disposition")]).toEqual([
      200,
      "application/zip",
      "attachment; filename=documents.zip",
    ]);
    const names = ["a.pdf", "A (2).pdf", "a (3).pdf", "a (2).pdf.txt", "b.csv"];
    expect(entriesOf(Buffer.from(await answer.arrayBuffer()))).toEqual(await Promise.all(files.map(async (file, index) => [names[index], await crcOf(file)])));
  });

  test("answers 404 without documents", async () => {
    for (const entityId of [unknownId(), (await aProperty(office)).id])
      expect((await office.attempt("downloadDocumentsArchive", { query: { entityType: "property", entityId } })).status).toBe(404);
    expect((await office.attempt("downloadDocumentsArchive", { query: { entityType: "property" } })).body.errors).toMatchObject([
      { path: "entityId", code: "required" },
    ]);
  });
});
