import { randomBytes, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, describe, expect, test } from "@jest/globals";
import { startTestBucket } from "../../../../test/support/s3.ts";
import { diskStore, uploadDirIn, type FileStore } from "./file-store.ts";
import { s3Store } from "./s3-store.ts";

const HOUR_MS = 3_600_000;
const dir = await mkdtemp(join(tmpdir(), "freehold-files-"));
const bucket = await startTestBucket();
afterAll(async () => {
  await bucket.close();
  await rm(dir, { recursive: true });
});

const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS);
const [diskDir, uploadsDir] = [join(dir, "disk"), join(dir, "uploads")];
const createS3Store = (settings = bucket.settings) => s3Store(settings, "documents", uploadsDir);
const stores: [string, FileStore, string][] = [
  ["the disk", diskStore(diskDir), uploadDirIn(diskDir)],
  ["the bucket", createS3Store(), uploadsDir],
];

async function writeUpload(uploadDir: string, bytes: Buffer): Promise<string> {
  await mkdir(uploadDir, { recursive: true });
  const path = join(uploadDir, randomUUID());
  await writeFile(path, bytes);
  return path;
}
const readAll = async (store: FileStore, organizationId: string, id: string, range?: { start: number; end: number }) =>
  buffer(await store.read(organizationId, id, range));

describe.each(stores)("%s", (_, store, uploadDir) => {
  const storeFile = async (organizationId: string, bytes: Buffer) => {
    const id = randomUUID();
    const path = await writeUpload(uploadDir, bytes);
    await store.put(organizationId, id, path);
    return { id, path };
  };

  test.each([1, 70_000, 8_388_608, 8_388_609, 20_000_000])("returns a stored file of %d bytes, and a range of it", async (size) => {
    const organizationId = randomUUID();
    const bytes = randomBytes(size);
    const { id, path } = await storeFile(organizationId, bytes);
    expect(existsSync(path)).toBe(false);
    expect((await readAll(store, organizationId, id)).equals(bytes)).toBe(true);
    const [start, end] = [Math.floor(size / 3), Math.floor(size / 2)];
    expect((await readAll(store, organizationId, id, { start, end })).equals(bytes.subarray(start, end + 1))).toBe(true);
  });

  test("stores a file for one organization only", async () => {
    const { id } = await storeFile(randomUUID(), Buffer.from("mine"));
    await expect(readAll(store, randomUUID(), id)).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("deletes a file, also repeatedly", async () => {
    const organizationId = randomUUID();
    const { id } = await storeFile(organizationId, Buffer.from("gone"));
    await store.remove(organizationId, id);
    await store.remove(organizationId, id);
    await expect(readAll(store, organizationId, id)).rejects.toMatchObject({ code: "ENOENT" });
    expect(await store.list(organizationId)).toEqual([]);
  });

  test("lists the files of an organization with their times, and the organizations with files", async () => {
    const [one, other, none] = [randomUUID(), randomUUID(), randomUUID()];
    const storedFiles = await Promise.all(Array.from({ length: 7 }, () => storeFile(one, Buffer.from("a"))));
    await storeFile(other, Buffer.from("b"));
    const listed = await store.list(one);
    expect(listed.map(({ id }) => id).toSorted()).toEqual(storedFiles.map(({ id }) => id).toSorted());
    for (const { storedAt } of listed) expect(Math.abs(storedAt.getTime() - Date.now())).toBeLessThan(60_000);
    expect(await store.list(none)).toEqual([]);
    const organizations = await store.listOrganizations();
    expect(organizations).toEqual(expect.arrayContaining([one, other]));
    expect(organizations).not.toContain(none);
  });

  test("deletes old uploads that were never stored, and keeps recent ones", async () => {
    const [oldUpload, recentUpload] = [await writeUpload(uploadDir, Buffer.from("old")), await writeUpload(uploadDir, Buffer.from("recent"))];
    await utimes(oldUpload, new Date(), ago(2));
    await store.deleteStaleUploads(ago(1));
    expect([existsSync(oldUpload), existsSync(recentUpload)]).toEqual([false, true]);
  });

  test("refuses a missing upload and stores nothing", async () => {
    const organizationId = randomUUID();
    await expect(store.put(organizationId, randomUUID(), join(uploadDir, randomUUID()))).rejects.toMatchObject({ status: 503 });
    expect(await store.list(organizationId)).toEqual([]);
  });
});

describe("a bucket", () => {
  const [store, bytes] = [createS3Store(), randomBytes(9_000_000)];
  /** Runs work while requests to the bucket fail, and returns its result or its error. */
  async function whileFailing<T>(fails: typeof bucket.injectFailure, work: () => Promise<T>): Promise<unknown> {
    bucket.injectFailure = fails;
    try {
      return await work().catch((error: unknown) => error);
    } finally {
      bucket.injectFailure = () => undefined;
    }
  }
  const storeLargeFile = async (organizationId: string) => store.put(organizationId, randomUUID(), await writeUpload(uploadsDir, bytes));

  test.each([
    ["refuses to start the upload", (method: string) => (method === "POST" ? 403 : undefined)],
    ["fails at the second part", (_: string, query: URLSearchParams) => (query.get("partNumber") === "2" ? 500 : undefined)],
    ["is cut off at the second part", (_: string, query: URLSearchParams) => (query.get("partNumber") === "2" ? ("cut" as const) : undefined)],
    ["refuses to complete the upload", (method: string, query: URLSearchParams) => (method === "POST" && query.has("uploadId") ? 400 : undefined)],
  ])("that %s stores nothing of the file", async (_, fails) => {
    const organizationId = randomUUID();
    expect(await whileFailing(fails, () => storeLargeFile(organizationId))).toMatchObject({ status: 503, code: "service_unavailable" });
    expect(await store.list(organizationId)).toEqual([]);
    expect([...bucket.uploads]).toEqual([]);
  });

  test("that fails temporarily receives the request again", async () => {
    const organizationId = randomUUID();
    let failures = 0;
    expect(
      await whileFailing(
        (method) => (method === "PUT" && failures++ === 0 ? 503 : undefined),
        () => storeLargeFile(organizationId),
      ),
    ).toBeUndefined();
    let cuts = 0;
    expect(
      await whileFailing(
        (method) => (method === "GET" && cuts++ === 0 ? "cut" : undefined),
        () => store.list(organizationId),
      ),
    ).toHaveLength(1);
    expect([failures, cuts]).toEqual([3, 2]);
  });

  test("that responds 200 with an error to the completion of an upload stores nothing", async () => {
    const organizationId = randomUUID();
    const dropParts = () => {
      for (const upload of bucket.uploads.values()) upload.parts.clear();
      return undefined;
    };
    const fails: typeof bucket.injectFailure = (method, query) => (method === "POST" && query.has("uploadId") ? dropParts() : undefined);
    expect(await whileFailing(fails, () => storeLargeFile(organizationId))).toMatchObject({ status: 503 });
    expect(await store.list(organizationId)).toEqual([]);
    expect([...bucket.uploads]).toEqual([]);
  });

  test("has its old multipart uploads aborted, but neither recent ones nor those of other folders", async () => {
    const upload = (key: string, hours: number) => [randomUUID(), { key, initiated: ago(hours), parts: new Map<number, Buffer>() }] as const;
    const [interrupted, inProgress, inOtherFolder] = [upload("documents/a/b", 2), upload("documents/a/c", 0.5), upload("imports/a/b", 2)];
    for (const [id, each] of [interrupted, inProgress, inOtherFolder]) bucket.uploads.set(id, each);
    await store.deleteStaleUploads(ago(1));
    expect([...bucket.uploads.keys()]).toEqual([inProgress[0], inOtherFolder[0]]);
    bucket.uploads.clear();
    expect(
      await whileFailing(
        (_, query) => (query.has("uploads") ? 501 : undefined),
        () => store.deleteStaleUploads(ago(1)),
      ),
    ).toBeUndefined();
  });

  test("that is unreachable or refuses the signature is reported as unavailable, without the secret or the signed text", async () => {
    const closedBucket = await startTestBucket();
    await closedBucket.close();
    const id = randomUUID();
    const failingStores: [FileStore, string][] = [
      [createS3Store(closedBucket.settings), "ECONNREFUSED"],
      [createS3Store({ ...bucket.settings, S3_SECRET_ACCESS_KEY: "another secret" }), "SignatureDoesNotMatch"],
      [createS3Store({ ...bucket.settings, S3_BUCKET: "another" }), "bucket"],
    ];
    for (const [failingStore, reason] of failingStores) {
      const path = await writeUpload(uploadsDir, Buffer.from("a"));
      const requests = [
        failingStore.put(id, id, path),
        failingStore.read(id, id),
        failingStore.list(id),
        failingStore.listOrganizations(),
        failingStore.deleteStaleUploads(ago(1)),
        failingStore.remove(id, id),
      ];
      for (const error of await Promise.all(requests.map((request: Promise<unknown>) => request.catch((thrown: unknown) => thrown)))) {
        expect(error).toMatchObject({ status: 503, cause: { message: expect.stringMatching(new RegExp(reason, "i")) } });
        expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(/another secret|AWS4-HMAC/);
      }
      expect(existsSync(path)).toBe(true);
    }
  });

  test("that responds to a range with the whole file is reported as unavailable", async () => {
    const organizationId = randomUUID();
    await storeLargeFile(organizationId);
    const { id } = (await store.list(organizationId))[0]!;
    const previous = bucket.ignoresRanges;
    bucket.ignoresRanges = true;
    await expect(readAll(store, organizationId, id, { start: 1, end: 2 })).rejects.toMatchObject({ status: 503 });
    bucket.ignoresRanges = previous;
  });

  test("sends a file in chunks, and closes the stream when the reader stops", async () => {
    const organizationId = randomUUID();
    await storeLargeFile(organizationId);
    const { id } = (await store.list(organizationId))[0]!;
    const stream = await store.read(organizationId, id);
    for await (const chunk of stream) {
      expect((chunk as Buffer).length).toBeLessThan(1_000_000);
      break;
    }
    expect(stream.destroyed).toBe(true);
  });
});
