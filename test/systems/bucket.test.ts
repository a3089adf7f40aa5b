/** System that stores files in an S3 bucket: documents and import files are stored and deleted there, and orphaned documents are swept. */
import { readdirSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Client as Postgres } from "pg";
import { startSystem, type System } from "../../deploy/system/system.ts";
import { anOffice, type Office } from "../support/office.ts";
import { startTestBucket, type TestBucket } from "../support/s3.ts";
import { testSettings } from "../support/settings.ts";
import { aTenancy } from "../support/tenancy.ts";
import { eventually } from "../support/eventually.ts";

const dataDir = mkdtempSync(join(tmpdir(), "freehold-bucket-"));
let bucket: TestBucket;
let system: System;
let office: Office;
let propertyId: string;
beforeAll(async () => {
  bucket = await startTestBucket();
  system = await startSystem({ dataDir, host: "127.0.0.1", port: 0, fsync: "off", environment: { ...testSettings, ...bucket.settings } });
  office = await anOffice(system.baseUrl);
  ({ propertyId } = await aTenancy(office));
});
afterAll(async () => {
  await system?.stop();
  await bucket?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const storedKeysIn = (folder: string) => [...bucket.files.keys()].filter((key) => key.startsWith(`${folder}/${office.organizationId}/`));
const PART_BYTES = 8_388_608;
const documentKey = (id: string) => `documents/${office.organizationId}/${id}`;
const aTextFile = (length: number) => new File(["x".repeat(length)], "notice.txt");
const upload = (file: File) => office.attempt("uploadDocument", { body: { file, entityType: "property", entityId: propertyId } });
const download = (id: string, headers: Record<string, string> = {}) => office.raw("GET", `/api/documents/${id}/download`, undefined, headers);

/** Makes the sweep of document files due and waits until it has completed. A completed sweep schedules the next one an hour later. */
async function sweepDocuments(): Promise<void> {
  const client = new Postgres({ connectionString: system.databaseUrls.portfolio.owner });
  await client.connect();
  try {
    await client.query("update scheduled_work set next_run_at = now() where job = 'sweepDocuments'");
    await eventually("sweep", async () => {
      const scheduled = "select from scheduled_work where job = 'sweepDocuments' and next_run_at > now() + interval '30 minutes'";
      return (await client.query(scheduled)).rowCount === 1;
    });
  } finally {
    await client.end();
  }
}

/** Runs the work while the bucket responds 503 to every request. */
async function whileBucketUnavailable(work: () => Promise<void>): Promise<void> {
  bucket.injectFailure = () => 503;
  try {
    await work();
  } finally {
    bucket.injectFailure = () => undefined;
  }
}

describe("documents stored in a bucket", () => {
  test("are uploaded in parts, downloaded whole and in ranges, and deleted from the bucket", async () => {
    const content = Buffer.from(Array.from({ length: 2_000_000 }, (_, index) => `${index % 10_000}\n`).join(""));
    expect(Math.ceil(content.length / PART_BYTES)).toBe(2);
    const partNumbers = new Set<string>();
    // Records the part numbers of the uploads; `undefined` injects no failure.
    bucket.injectFailure = (_method, query) => {
      const partNumber = query.get("partNumber");
      if (partNumber !== null) partNumbers.add(partNumber);
      return undefined;
    };
    const { document } = (await upload(new File([content], "long.txt"))).body;
    expect(partNumbers).toEqual(new Set(["1", "2"]));
    expect(document.sizeBytes).toBe(content.length);
    expect(storedKeysIn("documents")).toEqual([documentKey(document.id)]);
    expect(bucket.uploads.size).toBe(0);
    const documentsDir = join(dataDir, "documents");
    expect([existsSync(join(documentsDir, "files")), readdirSync(join(documentsDir, "incoming"))]).toEqual([false, []]);

    expect(Buffer.from(await (await download(document.id)).arrayBuffer()).equals(content)).toBe(true);
    const range = await download(document.id, { Range: "bytes=9000000-9000009" });
    expect([range.status, range.headers.get("content-range")]).toEqual([206, `bytes 9000000-9000009/${content.length}`]);
    expect(Buffer.from(await range.arrayBuffer()).equals(content.subarray(9_000_000, 9_000_010))).toBe(true);
    await office.call("deleteDocument", { params: { id: document.id } });
    expect(storedKeysIn("documents")).toEqual([]);
  });

  test("are neither created nor downloaded while the bucket is unavailable, and are readable once it recovers", async () => {
    const { document } = (await upload(aTextFile(10))).body;
    await whileBucketUnavailable(async () => {
      expect(await upload(aTextFile(20))).toMatchObject({ status: 503, body: { code: "service_unavailable" } });
      expect((await download(document.id)).status).toBe(503);
    });
    expect((await download(document.id)).status).toBe(200);
    expect((await office.call("listDocuments")).documents.map(({ id }) => id)).toEqual([document.id]);
    expect(storedKeysIn("documents")).toEqual([documentKey(document.id)]);
  });

  test("are kept by the sweep, which deletes only files that are old, of a known organization and without a document", async () => {
    const { document } = (await upload(aTextFile(30))).body;
    const [orphanKey, recentKey, unknownOrganizationKey] = [documentKey(randomUUID()), documentKey(randomUUID()), `documents/${randomUUID()}/${randomUUID()}`];
    const twoHoursAgo = new Date(Date.now() - 2 * 3_600_000);
    for (const key of [orphanKey, unknownOrganizationKey]) bucket.files.set(key, { bytes: Buffer.from("x"), modified: twoHoursAgo });
    bucket.files.set(recentKey, { bytes: Buffer.from("x"), modified: new Date() });
    bucket.files.get(documentKey(document.id))!.modified = twoHoursAgo;
    await sweepDocuments();
    expect([orphanKey, recentKey, unknownOrganizationKey, documentKey(document.id)].map((key) => bucket.files.has(key))).toEqual([false, true, true, true]);
  });
});

describe("import files stored in a bucket", () => {
  test("are validated from the bucket and deleted when the bundle is cancelled", async () => {
    const { importBundle } = await office.call("createImportBundle", {
      body: { name: "Migration", provider: "generic", sourceNamespace: "old", sourceAccountLabel: "Main account" },
    });
    const params = { id: importBundle.id };
    const file = new File(["source_id,full_name,email\nT-1,Tess Tenant,tess@example.com\n"], "tenants.csv");
    const { files } = await office.call("uploadImportFiles", { params, body: { file: [file] } });
    expect(storedKeysIn("imports")).toEqual([`imports/${office.organizationId}/${files[0]!.id}`]);
    await office.call("validateImportBundle", { params });
    await eventually("validated bundle", async () => (await office.call("getImportBundle", { params })).importBundle.status === "ready");
    expect((await office.call("listImportCandidates", { params })).candidates).toHaveLength(1);
    await office.call("cancelImportBundle", { params });
    expect(storedKeysIn("imports")).toEqual([]);
  });
});
