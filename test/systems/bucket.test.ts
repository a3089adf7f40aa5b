/** System that stores files in an S3 bucket: documents and imports are stored, deleted and swept as on a disk. */
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
import { eventually } from "../support/world.ts";

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

const keysOf = (folder: string) => [...bucket.files.keys()].filter((key) => key.startsWith(`${folder}/${office.organizationId}/`));
const keyOf = (id: string) => `documents/${office.organizationId}/${id}`;
const text = (length: number) => new File(["x".repeat(length)], "notice.txt");
const upload = (file: File) => office.attempt("uploadDocument", { body: { file, entityType: "property", entityId: propertyId } });
const download = (id: string, headers: Record<string, string> = {}) => office.raw("GET", `/api/documents/${id}/download`, undefined, headers);

/** Makes a job of portfolio due. */
async function makeDue(job: string): Promise<void> {
  const client = new Postgres({ connectionString: system.databaseUrls.portfolio.owner });
  await client.connect();
  await client.query("update scheduled_work set next_run_at = now() where job = $1", [job]);
  await client.end();
}

describe("documents stored in a bucket", () => {
  test("are uploaded in parts, downloaded whole and in ranges, and deleted with their files", async () => {
    const lines = new File(
      Array.from({ length: 1_500_000 }, (_, index) => `${index % 10_000}\n`),
      "long.txt",
    );
    const bytes = Buffer.from(await lines.arrayBuffer());
    expect(bytes.length).toBeLessThan(8_388_608);
    const large = new File([bytes, bytes], "longer.txt");
    const { document } = (await upload(large)).body;
    expect(document.sizeBytes).toBe(2 * bytes.length);
    expect(keysOf("documents")).toEqual([keyOf(document.id)]);
    expect(bucket.uploads.size).toBe(0);
    const folder = join(dataDir, "documents");
    expect([existsSync(join(folder, "files")), readdirSync(join(folder, "incoming"))]).toEqual([false, []]);

    expect(Buffer.from(await (await download(document.id)).arrayBuffer()).equals(Buffer.concat([bytes, bytes]))).toBe(true);
    const part = await download(document.id, { Range: "bytes=9000000-9000009" });
    expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 9000000-9000009/${2 * bytes.length}`]);
    expect(Buffer.from(await part.arrayBuffer()).equals(Buffer.concat([bytes, bytes]).subarray(9_000_000, 9_000_010))).toBe(true);
    await office.call("deleteDocument", { params: { id: document.id } });
    expect(keysOf("documents")).toEqual([]);
  });

  test("are not created while the bucket is unavailable, and are readable once it recovers", async () => {
    const { document } = (await upload(text(10))).body;
    bucket.injectFailure = () => 503;
    expect(await upload(text(20))).toMatchObject({ status: 503, body: { code: "service_unavailable" } });
    expect((await download(document.id)).status).toBe(503);
    bucket.injectFailure = () => undefined;
    expect((await download(document.id)).status).toBe(200);
    expect((await office.call("listDocuments")).documents.map(({ id }) => id)).toEqual([document.id]);
    expect(keysOf("documents")).toEqual([keyOf(document.id)]);
  });

  test("are kept when the bucket is swept of orphaned files", async () => {
    const { document } = (await upload(text(30))).body;
    const [orphan, young, foreign] = [keyOf(randomUUID()), keyOf(randomUUID()), `documents/${randomUUID()}/${randomUUID()}`];
    const longAgo = new Date(Date.now() - 2 * 3_600_000);
    for (const key of [orphan, young, foreign]) bucket.files.set(key, { bytes: Buffer.from("x"), modified: key === young ? new Date() : longAgo });
    bucket.files.get(keyOf(document.id))!.modified = longAgo;
    await makeDue("sweepDocuments");
    await eventually("sweep", () => Promise.resolve(!bucket.files.has(orphan) || undefined));
    for (const key of [young, foreign, keyOf(document.id)]) expect(bucket.files.has(key)).toBe(true);
  });
});

describe("import files stored in a bucket", () => {
  test("are validated from the bucket and deleted with their bundle", async () => {
    const { importBundle } = await office.call("createImportBundle", {
      body: { name: "Migration", provider: "generic", sourceNamespace: "old", sourceAccountLabel: "Main account" },
    });
    const params = { id: importBundle.id };
    const file = new File(["source_id,full_name,email\nT-1,Tess Tenant,tess@example.com\n"], "tenants.csv");
    const { files } = await office.call("uploadImportFiles", { params, body: { file: [file] } });
    expect(keysOf("imports")).toEqual([`imports/${office.organizationId}/${files[0]!.id}`]);
    await office.call("validateImportBundle", { params });
    await eventually("validated bundle", async () => (await office.call("getImportBundle", { params })).importBundle.status === "ready" || undefined, 30_000);
    expect((await office.call("listImportCandidates", { params })).candidates).toHaveLength(1);
    await office.call("cancelImportBundle", { params });
    expect(keysOf("imports")).toEqual([]);
  });
});
