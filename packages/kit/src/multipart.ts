/** Bodies of multipart/form-data: members are read as text, a file goes to the disk as it comes, counted and hashed on its way. */
import { Busboy, type BusboyFileStream, type BusboyHeaders } from "@fastify/busboy";
import type { Request } from "express";
import { createHash } from "node:crypto";
import { mkdir, open, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { addAbortSignal } from "node:stream";
import { newId } from "./entity.ts";
import { ApiError, fileTooLarge, invalid, unavailable } from "./errors.ts";
import { wentBy } from "./passing.ts";

/** A file that was received whole. What nobody moves away from `path` is gone when the operation has ended. */
export class ReceivedFile extends File {
  /** Tells it from other files; where it lies and what it is called does not. */
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

/** The members of a multipart body as their operation is given them. */
export type Received<B> = { [K in keyof B]: B[K] extends File ? ReceivedFile : B[K] extends readonly File[] ? ReceivedFile[] : B[K] };

export interface Inbox {
  /** Where files wait for what is done with them. */
  dir: string;
  maxBytes: number;
  /** How many files may come under one name; without it one, by itself. */
  maxFiles?: number | undefined;
}

const LIMITS = { fields: 20, parts: 50, fieldSize: 16_384, fieldNameSize: 100, headerPairs: 20, headerSize: 8_192 };
const LONGEST_MS = 120_000;
const WRITTEN_AT_ONCE = 131_072;

const malformed = (cause?: unknown, maxFiles = 1) =>
  new ApiError(400, `The body is not well-formed multipart/form-data with at most ${maxFiles === 1 ? "one file" : `${maxFiles} files`}.`, {
    code: "malformed_json",
    cause,
  });
const twice = (name: string) => invalid([{ path: name, code: "unique", message: `${name} is sent twice. Send it once.` }]);

/** Reads a whole body, or throws and leaves nothing: the members by name, and how to let go of what is still in the inbox. */
export async function receive(req: Request, { dir, maxBytes, maxFiles }: Inbox): Promise<{ members: Record<string, unknown>; discard(): Promise<void> }> {
  if (!req.is("multipart/form-data")) throw new ApiError(400, "Send the body as multipart/form-data.", { code: "malformed_json" });
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const paths: string[] = [];
  const discard = async () => {
    await Promise.all(paths.map((path) => rm(path, { force: true })));
  };
  const cut = new AbortController();
  const writing: Promise<void>[] = [];
  try {
    const members = new Map<string, unknown>();
    const add = (name: string, value: unknown) => {
      if (members.has(name)) throw twice(name);
      members.set(name, value);
    };
    await readParts(req, maxBytes, maxFiles ?? 1, {
      member: add,
      file: (name, stream, fileName, fail) => {
        const several = members.get(name);
        if (!Array.isArray(several)) add(name, maxFiles === undefined ? undefined : []);
        const path = join(dir, newId());
        paths.push(path);
        const place = writing.length;
        const written = write(stream, path, fileName ?? "", cut.signal).then((file) => {
          if (maxFiles === undefined) members.set(name, file);
          else (members.get(name) as ReceivedFile[])[place] = file;
        });
        writing.push(written);
        written.catch(fail);
      },
    });
    await Promise.all(writing);
    return { members: Object.fromEntries([...members].map(([name, value]) => [name, Array.isArray(value) ? value.filter(Boolean) : value])), discard };
  } catch (error) {
    cut.abort();
    await Promise.allSettled(writing);
    await discard();
    throw error;
  }
}

interface Parts {
  member(name: string, value: string): void;
  file(name: string, stream: BusboyFileStream, fileName: string | undefined, fail: (error: unknown) => void): void;
}

/** Resolves when all parts have been read; rejects at the first thing that is wrong. */
function readParts(req: Request, maxBytes: number, maxFiles: number, parts: Parts): Promise<void> {
  let guard: NodeJS.Timeout | undefined;
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
          throw new ApiError(400, `A member of the body is longer than ${LIMITS.fieldSize / 1024} KiB.`, { code: "payload_too_large" });
        parts.member(name, value);
      }),
    );
    parser.on("file", (name, stream, fileName) => {
      stream.once("limit", () => reject(fileTooLarge(maxBytes, maxFiles > 1 ? fileName : undefined)));
      // The parser tells a file's end in the middle to the file as well.
      stream.on("error", reject);
      attempt(() => parts.file(name, stream, fileName, reject));
    });
    for (const limit of ["filesLimit", "fieldsLimit", "partsLimit"] as const) parser.once(limit, () => reject(malformed(undefined, maxFiles)));
    parser.on("error", (error) => reject(malformed(error)));
    parser.once("finish", resolve);
    // A body that ends where no end was announced may leave the parser waiting.
    guard = setTimeout(() => reject(malformed()), LONGEST_MS);
    req.once("close", () => req.complete || reject(malformed()));
    req.pipe(parser);
  })
    .catch((error: unknown) => {
      throw error instanceof ApiError ? error : malformed(error);
    })
    .finally(() => {
      clearTimeout(guard);
      // What comes after something wrong passes by unread.
      req.unpipe();
      req.resume();
    });
}

/** Writes a file to the disk. A disk that takes no more is no fault of the caller's. */
async function write(stream: BusboyFileStream, path: string, fileName: string, signal: AbortSignal): Promise<ReceivedFile> {
  addAbortSignal(signal, stream);
  const hash = createHash("sha256");
  let size = 0;
  try {
    await using file = await open(path, "wx", 0o600);
    const waiting = gatheredFor(file);
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      hash.update(chunk);
      size += chunk.length;
      wentBy(chunk.length);
      await waiting.add(chunk);
    }
    await waiting.write();
    await file.sync();
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall ? unavailable(error) : error;
  }
  return new ReceivedFile(fileName, path, size, hash.digest("hex"));
}

/** What waits to be written lies in one buffer that is used again and again: what came from the network is let go of at once. */
function gatheredFor(file: FileHandle) {
  const waiting = Buffer.allocUnsafeSlow(WRITTEN_AT_ONCE);
  let length = 0;
  const write = async () => {
    for (let from = 0; from < length;) from += (await file.write(waiting, from, length - from)).bytesWritten;
    length = 0;
  };
  const add = async (chunk: Buffer): Promise<void> => {
    for (let from = 0; from < chunk.length;) {
      const taken = chunk.copy(waiting, length, from);
      from += taken;
      length += taken;
      if (length === waiting.length) await write();
    }
  };
  return { add, write };
}
