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
const anonymousClient = new Client(running().baseUrl);
const property = await aProperty(office);
const entity = { entityType: "property" as const, entityId: property.id };
const file = aPdf("Grüße.pdf", 5_000);
const bytes = Buffer.from(await file.arrayBuffer());
const { document } = await office.call("uploadDocument", { body: { file, ...entity } });
const downloadPath = `/api/documents/${document.id}/download`;
const { url } = await office.call("createDocumentLink", { params: { id: document.id }, body: { expiresInSeconds: 60 } });

const downloads: [string, Client, string][] = [
  ["downloadDocument", office, downloadPath],
  ["followDocumentLink", anonymousClient, new URL(url).pathname],
];

describe.each(downloads)("%s", (_, client, path) => {
  const get = (headers: Record<string, string> = {}) => client.raw("GET", path, undefined, headers);
  const etag = `"${createHash("sha256").update(bytes).digest("hex")}"`;

  test("sends the file as an attachment with a restrictive Content-Security-Policy", async () => {
    const response = await get();
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/pdf",
      "content-length": String(bytes.length),
      "content-disposition": `attachment; filename="Gr??e.pdf"; filename*=UTF-8''Gr%C3%BC%C3%9Fe.pdf`,
      "x-content-type-options": "nosniff",
      "content-security-policy": expect.stringContaining("sandbox"),
      "cache-control": "private, no-cache",
      "accept-ranges": "bytes",
      etag,
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test.each([
    ["bytes=0-9", 0, 9],
    ["bytes=100-", 100, bytes.length - 1],
    ["bytes=-20", bytes.length - 20, bytes.length - 1],
    ["bytes=10-999999", 10, bytes.length - 1],
  ])("sends the range %s", async (range, start, end) => {
    const response = await get({ Range: range });
    expect([response.status, response.headers.get("content-range")]).toEqual([206, `bytes ${start}-${end}/${bytes.length}`]);
    expect(response.headers.get("content-length")).toBe(String(end - start + 1));
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes.subarray(start, end + 1))).toBe(true);
  });

  test.each(["bytes=999999-", "bytes=-0"])("rejects the range %s and returns the file's length", async (range) => {
    const response = await get({ Range: range });
    expect([response.status, response.headers.get("content-range")]).toEqual([416, `bytes */${bytes.length}`]);
    expect(await response.json()).toEqual({ message: `The file has ${bytes.length} bytes. Ask for a range within them.` });
  });

  test.each(["bytes=0-1,5-6", "lines=1-2", "nonsense"])("ignores the range %s", async (range) => {
    const response = await get({ Range: range });
    expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, bytes.length]);
  });

  test("resumes an unchanged file and restarts a changed one with If-Range", async () => {
    expect((await get({ Range: "bytes=5-9", "If-Range": etag })).status).toBe(206);
    expect((await get({ Range: "bytes=5-9", "If-Range": '"another"' })).status).toBe(200);
  });

  test("returns 304 for a matching If-None-Match", async () => {
    const response = await get({ "If-None-Match": etag });
    expect([response.status, await response.text(), response.headers.get("etag")]).toEqual([304, "", etag]);
    expect((await get({ "If-None-Match": '"another"' })).status).toBe(200);
    expect((await get({ "If-None-Match": etag, Range: "bytes=999999-" })).status).toBe(304);
  });

  test("responds to HEAD with the headers only", async () => {
    const response = await client.raw("HEAD", path);
    expect([response.status, response.headers.get("content-length"), await response.text()]).toEqual([200, String(bytes.length), ""]);
  });

  test("survives clients that disconnect during the download", async () => {
    const { document: bigDocument } = await office.call("uploadDocument", { body: { file: aPdf("big.pdf", 5_000_000), ...entity } });
    for (let times = 0; times < 5; times++) {
      await new Promise<void>((resolve, reject) => {
        const download = request(
          `${running().baseUrl}/api/documents/${bigDocument.id}/download`,
          { headers: { Authorization: `Bearer ${office.token}` } },
          (response) => {
            response.once("data", () => response.destroy()).once("close", resolve);
          },
        );
        download.once("error", reject).end();
      });
    }
    expect((await get()).status).toBe(200);
  });
});

describe("createDocumentLink", () => {
  const createLink = (expiresInSeconds: unknown) => office.attempt("createDocumentLink", { params: { id: document.id }, body: { expiresInSeconds } as never });

  test("returns a URL of this service and its expiry", async () => {
    const earliest = Date.now() + 86_400_000;
    const { body } = await createLink(86_400);
    const latest = Date.now() + 86_400_000;
    expect(body.url).toMatch(new RegExp(`^${running().baseUrl}/api/document-links/[\\w-]{72}$`));
    expect(Date.parse(body.expiresAt)).toBeGreaterThanOrEqual(earliest);
    expect(Date.parse(body.expiresAt)).toBeLessThanOrEqual(latest);
    expect((await createLink(60)).status).toBe(200);
  });

  test.each([
    [59, "min"],
    [86_401, "max"],
    ["3600", "type"],
    [60.5, "type"],
    [undefined, "required"],
  ])("rejects %s seconds", async (seconds, code) => {
    const { status, body } = await createLink(seconds);
    expect([status, body.errors]).toMatchObject([400, [{ path: "expiresInSeconds", code }]]);
  });
});

describe("a document link", () => {
  const token = new URL(url).pathname.split("/").at(-1)!;

  test("returns 404 when its token is modified", async () => {
    for (let index = 0; index < token.length; index += 5) {
      const changed = `${token.slice(0, index)}${token[index] === "A" ? "B" : "A"}${token.slice(index + 1)}`;
      expect([index, (await anonymousClient.raw("GET", `/api/document-links/${changed}`)).status]).toEqual([index, 404]);
    }
    for (const invalidToken of [`${token}A`, token.slice(0, -1), `${token}=`, "unknown-token"])
      expect((await anonymousClient.raw("GET", `/api/document-links/${invalidToken}`)).status).toBe(404);
  });

  test("of an earlier version is valid", () => {
    const [organizationId, documentId] = ["018f2c3a-0000-7000-8000-000000000001", "018f2c3a-0000-7000-8000-000000000002"];
    const issued = documentLinks("YW4gYXNzZXJ0aW9uIGtleQ==").issue({ organizationId, documentId, expiresAt: new Date("2030-01-01T00:00:00Z") });
    expect(issued).toBe("AY8sOgAAcACAAAAAAAAAAQGPLDoAAHAAgAAAAAAAAAIBuNrFtABdyyT4hW6YXpVtw61_4w12");
  });

  test("names the reader to whom it was mailed, who cannot be removed or replaced", () => {
    const links = documentLinks("a secret");
    const [expiresAt, before] = [new Date("2026-11-21T12:00:00.000Z"), new Date("2026-11-21T11:00:00.000Z")];
    const link = { organizationId: office.organizationId, documentId: document.id, expiresAt };
    for (const kind of ["tenant", "vendor"] as const) {
      const mailed = { ...link, reader: { kind, id: document.id } };
      const bytes = Buffer.from(links.issue(mailed), "base64url");
      expect(links.verify(bytes.toString("base64url"), before)).toEqual(mailed);
      const withoutReader = Buffer.concat([bytes.subarray(0, 38), bytes.subarray(-16)]);
      const ofAnother = Buffer.from(bytes);
      ofAnother[38]! ^= 1;
      for (const forged of [withoutReader, ofAnother]) expect(links.verify(forged.toString("base64url"), before)).toBeUndefined();
    }
  });

  test("expires exactly at expiresAt", () => {
    const links = documentLinks("a secret");
    const expiresAt = new Date("2026-11-21T12:00:00.000Z");
    const link = { organizationId: office.organizationId, documentId: document.id, expiresAt };
    const signedToken = links.issue(link);
    expect(links.verify(signedToken, new Date("2026-11-21T11:59:59.999Z"))).toEqual(link);
    expect(links.verify(signedToken, expiresAt)).toBeUndefined();
    expect(documentLinks("another secret").verify(signedToken, new Date("2026-11-21T11:00:00.000Z"))).toBeUndefined();
  });
});

/** Returns the name and CRC-32 of each entry in the central directory of a ZIP, after comparing the CRC with the entry's bytes. */
function readZipEntries(zip: Buffer): [string, number][] {
  const end = zip.lastIndexOf(Buffer.from("504b0506", "hex"));
  const entries: [string, number][] = [];
  for (let header = zip.readUInt32LE(end + 16); header < end;) {
    const [method, expectedCrc, compressedLength, nameLength, extraLength] = [10, 16, 20, 28, 30].map((offset) =>
      offset === 16 || offset === 20 ? zip.readUInt32LE(header + offset) : zip.readUInt16LE(header + offset),
    ) as [number, number, number, number, number];
    const localHeader = zip.readUInt32LE(header + 42);
    const dataOffset = localHeader + 30 + zip.readUInt16LE(localHeader + 26) + zip.readUInt16LE(localHeader + 28);
    const compressed = zip.subarray(dataOffset, dataOffset + compressedLength);
    expect(crc32(method === 8 ? inflateRawSync(compressed) : compressed)).toBe(expectedCrc);
    entries.push([zip.toString("utf8", header + 46, header + 46 + nameLength), expectedCrc]);
    header += 46 + nameLength + extraLength + zip.readUInt16LE(header + 32);
  }
  return entries;
}

const crcOf = async (file: File) => crc32(Buffer.from(await file.arrayBuffer()));

describe("downloadDocumentsArchive", () => {
  test("returns a ZIP of all files of an entity under unique names", async () => {
    const archivedProperty = await aProperty(office);
    const files = [aPdf("a.pdf", 300_000), aPdf("A.pdf"), aPdf("a.pdf"), new File(["Text\n".repeat(1_000)], "a (2).pdf.txt"), new File(["x"], "b.csv")];
    for (const file of files) await office.call("uploadDocument", { body: { file, entityType: "property", entityId: archivedProperty.id } });
    const response = await office.raw("GET", `/api/documents/archive?entityType=property&entityId=${archivedProperty.id}`);
    expect([response.status, response.headers.get("content-type"), response.headers.get("content-disposition")]).toEqual([
      200,
      "application/zip",
      "attachment; filename=documents.zip",
    ]);
    const names = ["a.pdf", "A (2).pdf", "a (3).pdf", "a (2).pdf.txt", "b.csv"];
    expect(readZipEntries(Buffer.from(await response.arrayBuffer()))).toEqual(
      await Promise.all(files.map(async (file, index) => [names[index], await crcOf(file)])),
    );
  });

  test("returns 404 without documents, and requires an entity id", async () => {
    for (const entityId of [unknownId(), (await aProperty(office)).id])
      expect((await office.attempt("downloadDocumentsArchive", { query: { entityType: "property", entityId } })).status).toBe(404);
    expect((await office.attempt("downloadDocumentsArchive", { query: { entityType: "property" } })).body.errors).toMatchObject([
      { path: "entityId", code: "required" },
    ]);
  });
});
