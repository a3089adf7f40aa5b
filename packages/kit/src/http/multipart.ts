/** Multipart bodies: fields as text, files streamed to disk while their size and SHA-256 are computed. */
import { Busboy, type BusboyFileStream, type BusboyHeaders } from "@fastify/busboy";
import type { Request } from "express";
import { createHash } from "node:crypto";
import { mkdir, open, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { addAbortSignal } from "node:stream";
import { newId } from "../db/entity.ts";
import { ApiError, fileTooLarge, invalid, unavailable } from "../errors.ts";
import { countTransferred } from "./transferred-bytes.ts";

/** A completely received file. It is deleted at the end of the operation unless the handler moves it away from `path`. */
export class ReceivedFile extends File {
  /** Hex digest of the content. */
  readonly sha256: string;
  readonly #path: string;
  readonly #size: number;
  constructor(fileName: string, path: string, size: number, sha256: string) {
    super([], fileName);
    this.sha256 = sha256;
    this.#path = path;
    this.#size = size;
  }
  get path(): string {
    return this.#path;
  }
  override get size(): number {
    return this.#size;
  }
}

/** Type of a multipart body as the handler receives it. */
export type Received<B> = { [K in keyof B]: B[K] extends File ? ReceivedFile : B[K] extends readonly File[] ? ReceivedFile[] : B[K] };

/** Bytes that the files of an upload may have together, besides the limit of each. */
export interface UploadCapacity {
  bytes: number;
  /** Creates the error of an upload with more bytes. */
  exceeded(): ApiError;
}

export interface UploadOptions {
  /** Directory of received files. */
  dir: string;
  maxBytes: number;
  /** Maximum number of files, which then form an array. By default the body has a single file. */
  maxFiles?: number | undefined;
  /** Undefined for no limit. */
  capacity?: UploadCapacity | undefined;
}

const LIMITS = { fields: 20, parts: 50, fieldSize: 16_384, fieldNameSize: 100, headerPairs: 20, headerSize: 8_192 };
const UPLOAD_TIMEOUT_MS = 120_000;
/** Bytes of a body besides those of its files, at most. */
const MAX_FORM_BYTES = 1_048_576;
const WRITE_BUFFER_BYTES = 131_072;

const malformed = (maxFiles: number, cause?: unknown) =>
  new ApiError(400, `The body is not well-formed multipart/form-data with at most ${maxFiles === 1 ? "one file" : `${maxFiles} files`}.`, {
    code: "malformed_json",
    cause,
  });
const duplicateMember = (name: string) => invalid([{ path: name, code: "unique", message: `${name} is sent twice. Send it once.` }]);

/** Reads a whole body into members and files. An error leaves no file on disk. `discard` deletes the files that the handler has not moved. */
export async function receiveMultipart(
  req: Request,
  { dir, maxBytes, maxFiles, capacity }: UploadOptions,
): Promise<{ members: Record<string, unknown>; discard(): Promise<void> }> {
  if (!req.is("multipart/form-data")) throw new ApiError(400, "Send the body as multipart/form-data.", { code: "malformed_json" });
  requireCapacityForBody(req, capacity);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const paths: string[] = [];
  const discard = async () => {
    await Promise.all(paths.map((path) => rm(path, { force: true })));
  };
  const abort = new AbortController();
  const writes: Promise<void>[] = [];
  const countBytes = byteCounter(capacity);
  try {
    const members = new Map<string, unknown>();
    const addMember = (name: string, value: unknown) => {
      if (members.has(name)) throw duplicateMember(name);
      members.set(name, value);
    };
    await readParts(req, maxBytes, maxFiles ?? 1, {
      member: addMember,
      file: (name, stream, fileName, fail) => {
        if (!Array.isArray(members.get(name))) addMember(name, maxFiles === undefined ? undefined : []);
        const path = join(dir, newId());
        paths.push(path);
        const fileIndex = writes.length;
        const written = writeToDisk(stream, { path, fileName: fileName ?? "", signal: abort.signal, countBytes: (bytes) => countBytes(bytes, fail) }).then(
          (file) => {
            if (maxFiles === undefined) members.set(name, file);
            else (members.get(name) as ReceivedFile[])[fileIndex] = file;
          },
        );
        writes.push(written);
        written.catch(fail);
      },
    });
    await Promise.all(writes);
    return { members: Object.fromEntries([...members].map(([name, value]) => [name, Array.isArray(value) ? value.filter(Boolean) : value])), discard };
  } catch (error) {
    abort.abort();
    await Promise.allSettled(writes);
    await discard();
    throw error;
  }
}

/** Throws for a body whose length tells that its files exceed the capacity, before the body is read. */
function requireCapacityForBody(req: Request, capacity: UploadCapacity | undefined): void {
  if (!capacity) return;
  const bodyBytes = Number(req.headers["content-length"] ?? 0);
  if (capacity.bytes === 0 || bodyBytes > capacity.bytes + MAX_FORM_BYTES) throw capacity.exceeded();
}

/** Creates a function that adds up the bytes of an upload. Once they exceed the capacity, it fails the upload and throws. */
function byteCounter(capacity: UploadCapacity | undefined): (bytes: number, fail: (error: unknown) => void) => void {
  let received = 0;
  return (bytes, fail) => {
    received += bytes;
    if (!capacity || received <= capacity.bytes) return;
    const error = capacity.exceeded();
    // Before the parser fails because its stream is closed.
    fail(error);
    throw error;
  };
}

interface PartHandlers {
  member(name: string, value: string): void;
  file(name: string, stream: BusboyFileStream, fileName: string | undefined, fail: (error: unknown) => void): void;
}

/** Resolves when all parts have been read; rejects at the first error. */
function readParts(req: Request, maxBytes: number, maxFiles: number, parts: PartHandlers): Promise<void> {
  let timeout: NodeJS.Timeout | undefined;
  return new Promise<void>((resolve, reject) => {
    const attempt = (work: () => void) => {
      try {
        work();
      } catch (error) {
        reject(error as Error);
      }
    };
    const parser = new Busboy({ headers: req.headers as BusboyHeaders, limits: { ...LIMITS, files: maxFiles, fileSize: maxBytes } });
    parser.on("field", (name, value, isNameCut, isValueCut) =>
      attempt(() => {
        if (isNameCut || isValueCut)
          throw new ApiError(
            400,
            `The name of a member is longer than ${LIMITS.fieldNameSize} bytes, or its value is longer than ${LIMITS.fieldSize / 1024} KiB.`,
            { code: "payload_too_large" },
          );
        parts.member(name, value);
      }),
    );
    parser.on("file", (name, stream, fileName) => {
      stream.once("limit", () => reject(fileTooLarge(maxBytes, maxFiles > 1 ? fileName : undefined)));
      // The parser emits a truncated body on the file's stream as well.
      stream.on("error", reject);
      attempt(() => parts.file(name, stream, fileName, reject));
    });
    for (const limit of ["filesLimit", "fieldsLimit", "partsLimit"] as const) parser.once(limit, () => reject(malformed(maxFiles)));
    parser.on("error", (error) => reject(malformed(maxFiles, error)));
    parser.once("finish", resolve);
    // A body without its final boundary can leave the parser waiting.
    timeout = setTimeout(() => reject(malformed(maxFiles)), UPLOAD_TIMEOUT_MS);
    req.once("close", () => req.complete || reject(malformed(maxFiles)));
    // The caller may have left before, so that there is no event.
    if (req.destroyed && !req.complete) reject(malformed(maxFiles));
    req.pipe(parser);
  })
    .catch((error: unknown) => {
      throw error instanceof ApiError ? error : malformed(maxFiles, error);
    })
    .finally(() => {
      clearTimeout(timeout);
      // The rest of a refused body is drained without being parsed.
      req.unpipe();
      req.resume();
    });
}

interface FileWrite {
  path: string;
  fileName: string;
  signal: AbortSignal;
  countBytes(bytes: number): void;
}

/** Writes a file to disk. Throws 503 when the disk fails. */
async function writeToDisk(stream: BusboyFileStream, { path, fileName, signal, countBytes }: FileWrite): Promise<ReceivedFile> {
  addAbortSignal(signal, stream);
  const hash = createHash("sha256");
  let size = 0;
  try {
    await using file = await open(path, "wx", 0o600);
    const writer = bufferedWriter(file);
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      hash.update(chunk);
      size += chunk.length;
      countTransferred(chunk);
      countBytes(chunk.length);
      await writer.add(chunk);
    }
    await writer.flush();
    await file.sync();
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall ? unavailable(error) : error;
  }
  return new ReceivedFile(fileName, path, size, hash.digest("hex"));
}

/** Creates a writer that copies chunks into one reused buffer, so that the network buffers can be garbage-collected immediately. */
function bufferedWriter(file: FileHandle) {
  const buffer = Buffer.allocUnsafeSlow(WRITE_BUFFER_BYTES);
  let length = 0;
  const flush = async () => {
    for (let offset = 0; offset < length;) offset += (await file.write(buffer, offset, length - offset)).bytesWritten;
    length = 0;
  };
  const add = async (chunk: Buffer): Promise<void> => {
    for (let offset = 0; offset < chunk.length;) {
      const copied = chunk.copy(buffer, length, offset);
      offset += copied;
      length += copied;
      if (length === buffer.length) await flush();
    }
  };
  return { add, flush };
}
