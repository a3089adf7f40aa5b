/** Files in a bucket that is spoken to as S3 is: every replica reaches them, and no disk is shared. */
import { openAsBlob } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { setTimeout as sleep } from "node:timers/promises";
import { S3mini } from "s3mini";
import { z } from "zod";
import type { BucketSettings } from "../config.ts";
import { unavailable } from "../errors.ts";
import { deleteFilesOlderThan, isFileId, type FileStore } from "./file-store.ts";

/** Size of the parts of a multipart upload. Files above it are uploaded in parts, each read from disk as it is sent. */
const PART_BYTES = 8_388_608;
const REQUEST_TIMEOUT_MS = 30_000;
const MAX_ATTEMPTS = 3;
const RETRY_DELAY_MS = 100;
const NOT_IMPLEMENTED = 501;

const Upload = z.object({ Key: z.string(), UploadId: z.string(), Initiated: z.coerce.date() });
const Uploads = z.object({
  ListMultipartUploadsResult: z.object({ Upload: z.union([Upload.array(), Upload.transform((only) => [only])]).default([]) }),
});

/** Files under `<folder>/<organization>/<id>`: nothing in a key was named by a caller. Until they are sent they wait in a directory of this machine. */
export function s3Store(bucket: BucketSettings, folder: string, inbox: string): FileStore {
  const s3 = new S3mini({
    endpoint: `${bucket.S3_ENDPOINT.replace(/\/$/, "")}/${bucket.S3_BUCKET}`,
    region: bucket.S3_REGION,
    accessKeyId: bucket.S3_ACCESS_KEY_ID,
    secretAccessKey: bucket.S3_SECRET_ACCESS_KEY,
    fetch: fetchWithRetries,
  });
  const folderOf = (organizationId: string) => `${folder}/${organizationId}/`;
  const keyOf = (organizationId: string, id: string) => `${folderOf(organizationId)}${id}`;
  const listed = async (prefix: string, options: Record<string, string> = {}) => {
    const found = await translateS3Error(s3.listObjects("/", prefix, undefined, options));
    if (!found) throw unavailable(new Error("S3 knows no such bucket."));
    return found.map(({ Key, LastModified }) => ({ id: Key.slice(prefix.length).replace(/\/$/, ""), storedAt: LastModified })).filter(({ id }) => isFileId(id));
  };
  return {
    async put(organizationId, id, path) {
      await translateS3Error(put(s3, keyOf(organizationId, id), path));
      await rm(path, { force: true });
    },
    async read(organizationId, id, range) {
      const key = keyOf(organizationId, id);
      const { status, body } = await translateS3Error(range ? s3.getObjectRaw(key, false, range.start, range.end + 1) : s3.getObjectRaw(key));
      const bytes = body ? Readable.fromWeb(body as ReadableStream) : Readable.from([]);
      if (!range || status === 206) return bytes;
      bytes.destroy();
      throw unavailable(new Error("S3 answered a range with the whole."));
    },
    async remove(organizationId, id) {
      await translateS3Error(s3.deleteObject(keyOf(organizationId, id)));
    },
    listOrganizations: async () => (await listed(`${folder}/`, { delimiter: "/" })).map(({ id }) => id),
    list: (organizationId) => listed(folderOf(organizationId)),
    async deleteStaleUploads(until) {
      await deleteFilesOlderThan(inbox, until);
      for (const { Key, UploadId, Initiated } of await translateS3Error(uploadsIn(s3, `${folder}/`)))
        if (Initiated < until) await translateS3Error(s3.abortMultipartUpload(Key, UploadId));
    },
  };
}

async function put(s3: S3mini, key: string, path: string): Promise<void> {
  const file = await openAsBlob(path);
  if (file.size > PART_BYTES) await putInParts(s3, key, file);
  else await s3.putObject(key, file, undefined, undefined, undefined, file.size);
}

/** All parts become one file, or none of them stays. */
async function putInParts(s3: S3mini, key: string, file: Blob): Promise<void> {
  const uploadId = await s3.getMultipartUploadId(key);
  try {
    const parts = [];
    for (let at = 0; at < file.size; at += PART_BYTES) parts.push(await s3.uploadPart(key, uploadId, file.slice(at, at + PART_BYTES), at / PART_BYTES + 1));
    const { etag } = await s3.completeMultipartUpload(key, uploadId, parts);
    // S3 may answer 200 before it knows, and say in the body that it failed.
    if (!etag) throw new Error("S3 did not put the parts together.");
  } catch (error) {
    await s3.abortMultipartUpload(key, uploadId).catch(() => undefined);
    throw error;
  }
}

/** Uploads in parts that have not ended. A store that cannot tell them forgets them by itself. */
async function uploadsIn(s3: S3mini, prefix: string): Promise<z.output<typeof Upload>[]> {
  try {
    return Uploads.parse(await s3.listMultipartUploads("/", "", "GET", { prefix })).ListMultipartUploadsResult.Upload;
  } catch (error) {
    if ((error as S3Failure).status === NOT_IMPLEMENTED) return [];
    throw error;
  }
}

/** Sends again what failed in passing. What gets no answer in time is given up; a file that is on its way may take as long as it takes. */
const fetchWithRetries: typeof fetch = async (input, init) => {
  for (let tried = 1; ; tried++) {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error("S3 gave no answer in time.")), REQUEST_TIMEOUT_MS);
    try {
      const answer = await fetch(input, { ...init, signal: late.signal });
      if (tried === MAX_ATTEMPTS || (answer.status < 500 && answer.status !== 429)) return answer;
      await answer.body?.cancel();
    } catch (error) {
      if (tried === MAX_ATTEMPTS || late.signal.aborted) throw error;
    } finally {
      clearTimeout(timer);
    }
    await sleep(RETRY_DELAY_MS * 2 ** tried);
  }
};

interface S3Failure {
  message: string;
  status?: number;
  serviceCode?: string;
  cause?: { code?: string };
}

/** An S3 that is away or refuses is no fault of the caller's. What it said in full stays behind: it holds what was signed. */
async function translateS3Error<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    const { message, serviceCode, cause } = error as S3Failure;
    if (serviceCode === "NoSuchKey") throw Object.assign(new Error("The file is not in the bucket."), { code: "ENOENT" });
    throw unavailable(new Error([message, cause?.code].filter(Boolean).join(": ")));
  }
}
