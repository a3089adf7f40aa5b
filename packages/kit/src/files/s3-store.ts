/** File store in an S3-compatible bucket, which all replicas share without a shared disk. */
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

/** Size of the parts of a multipart upload. Larger files are uploaded in parts, each read from disk while it is sent. */
const PART_BYTES = 8_388_608;
const REQUEST_TIMEOUT_MS = 30_000;
const MAX_ATTEMPTS = 3;
const RETRY_DELAY_MS = 100;
const NOT_IMPLEMENTED = 501;

const MultipartUpload = z.object({ Key: z.string(), UploadId: z.string(), Initiated: z.coerce.date() });
const MultipartUploadList = z.object({
  ListMultipartUploadsResult: z.object({ Upload: z.union([MultipartUpload.array(), MultipartUpload.transform((single) => [single])]).default([]) }),
});

/**
 * Creates a store of files under the keys `<folder>/<organization>/<id>`, which contain no text of a caller. `uploadDir` is
 * the local directory that received files are uploaded from.
 */
export function s3Store(bucket: BucketSettings, folder: string, uploadDir: string): FileStore {
  const s3 = new S3mini({
    endpoint: `${bucket.S3_ENDPOINT.replace(/\/$/, "")}/${bucket.S3_BUCKET}`,
    region: bucket.S3_REGION,
    accessKeyId: bucket.S3_ACCESS_KEY_ID,
    secretAccessKey: bucket.S3_SECRET_ACCESS_KEY,
    fetch: fetchWithRetries,
  });
  const folderOf = (organizationId: string) => `${folder}/${organizationId}/`;
  const keyOf = (organizationId: string, id: string) => `${folderOf(organizationId)}${id}`;
  const listFiles = async (prefix: string, options: Record<string, string> = {}) => {
    const objects = await translateS3Error(s3.listObjects("/", prefix, undefined, options));
    if (!objects) throw unavailable(new Error("The S3 bucket does not exist."));
    return objects
      .map(({ Key, LastModified }) => ({ id: Key.slice(prefix.length).replace(/\/$/, ""), storedAt: LastModified }))
      .filter(({ id }) => isFileId(id));
  };
  return {
    async put(organizationId, id, path) {
      await translateS3Error(uploadFile(s3, keyOf(organizationId, id), path));
      await rm(path, { force: true });
    },
    async read(organizationId, id, range) {
      const key = keyOf(organizationId, id);
      const { status, body } = await translateS3Error(range ? s3.getObjectRaw(key, false, range.start, range.end + 1) : s3.getObjectRaw(key));
      const bytes = body ? Readable.fromWeb(body as ReadableStream) : Readable.from([]);
      if (!range || status === 206) return bytes;
      bytes.destroy();
      throw unavailable(new Error("S3 ignored the range and sent the whole file."));
    },
    async remove(organizationId, id) {
      await translateS3Error(s3.deleteObject(keyOf(organizationId, id)));
    },
    listOrganizations: async () => (await listFiles(`${folder}/`, { delimiter: "/" })).map(({ id }) => id),
    list: (organizationId) => listFiles(folderOf(organizationId)),
    async deleteStaleUploads(until) {
      await deleteFilesOlderThan(uploadDir, until);
      for (const { Key, UploadId, Initiated } of await translateS3Error(listMultipartUploads(s3, `${folder}/`)))
        if (Initiated < until) await translateS3Error(s3.abortMultipartUpload(Key, UploadId));
    },
  };
}

async function uploadFile(s3: S3mini, key: string, path: string): Promise<void> {
  const file = await openAsBlob(path);
  if (file.size > PART_BYTES) await uploadInParts(s3, key, file);
  else await s3.putObject(key, file, undefined, undefined, undefined, file.size);
}

/** Uploads a file in parts. Aborts the upload after an error; if that fails too, `deleteStaleUploads` removes the parts later. */
async function uploadInParts(s3: S3mini, key: string, file: Blob): Promise<void> {
  const uploadId = await s3.getMultipartUploadId(key);
  try {
    const parts = [];
    for (let offset = 0; offset < file.size; offset += PART_BYTES) {
      const part = file.slice(offset, offset + PART_BYTES);
      parts.push(await s3.uploadPart(key, uploadId, part, offset / PART_BYTES + 1));
    }
    const { etag } = await s3.completeMultipartUpload(key, uploadId, parts);
    // S3 may respond with 200 before it has combined the parts, and report a failure in the body.
    if (!etag) throw new Error("S3 did not combine the parts.");
  } catch (error) {
    await s3.abortMultipartUpload(key, uploadId).catch(() => undefined);
    throw error;
  }
}

/** Returns the unfinished multipart uploads. Without support for listing them, the bucket must expire them itself. */
async function listMultipartUploads(s3: S3mini, prefix: string): Promise<z.output<typeof MultipartUpload>[]> {
  try {
    return MultipartUploadList.parse(await s3.listMultipartUploads("/", "", "GET", { prefix })).ListMultipartUploadsResult.Upload;
  } catch (error) {
    if ((error as S3Error).status === NOT_IMPLEMENTED) return [];
    throw error;
  }
}

/** Retries requests after temporary errors, but not after a timeout. The timeout ends with the response headers, so a download may take longer. */
const fetchWithRetries: typeof fetch = async (input, init) => {
  for (let attempt = 1; ; attempt++) {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(new Error("S3 did not respond in time.")), REQUEST_TIMEOUT_MS);
    try {
      const response = await fetch(input, { ...init, redirect: "manual", signal: timeout.signal });
      if (attempt === MAX_ATTEMPTS || (response.status < 500 && response.status !== 429)) return response;
      await response.body?.cancel();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || timeout.signal.aborted) throw error;
    } finally {
      clearTimeout(timer);
    }
    await sleep(RETRY_DELAY_MS * 2 ** attempt);
  }
};

interface S3Error {
  message: string;
  status?: number;
  serviceCode?: string;
  cause?: { code?: string };
}

/**
 * Translates an error of S3 into ENOENT for a missing file, otherwise into 503. The cause has only its message, since the whole
 * error contains signed headers.
 */
async function translateS3Error<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    const { message, serviceCode, cause } = error as S3Error;
    if (serviceCode === "NoSuchKey") throw Object.assign(new Error("The file is not in the bucket."), { code: "ENOENT" });
    throw unavailable(new Error([message, cause?.code].filter(Boolean).join(": ")));
  }
}
