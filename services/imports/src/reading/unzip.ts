/** Extraction of CSV files from untrusted ZIP archives. Sizes are counted while inflating; declared sizes are not trusted. */
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { newId } from "@freehold/kit/db/entity";
import yauzl, { type Entry, type ZipFile } from "yauzl";
import { UnreadableFileError } from "./unreadable-file.ts";

export interface UnpackedFile {
  name: string;
  path: string;
  size: number;
  sha256: string;
}

interface UnzipOptions {
  /** Directory of the extracted files. */
  dir: string;
  /** Maximum size of a file in bytes. */
  maxFileBytes: number;
  /** Maximum number of files, including those unpacked before. */
  maxFiles: number;
}

const MAX_ENTRIES = 1_000;
const MAX_TOTAL_BYTES = 262_144_000;
const MAX_RATIO = 100;
/** Size up to which the compression ratio is not limited. */
const RATIO_EXEMPT_BYTES = 1_048_576;
const FILE_TYPE_MASK = 0o170000;
const SYMBOLIC_LINK = 0o120000;
const LOCAL_HEADER_BYTES = 30;

/** Tells whether a file starts with the ZIP signature, which Excel workbooks have too. */
export async function isZip(path: string): Promise<boolean> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && buffer.readUInt32BE() === 0x504b0304;
  } finally {
    await handle.close();
  }
}

/** Tells whether an entry is a directory, a metadata file of an operating system or a plain text document. */
const isIgnored = (name: string): boolean => name.endsWith("/") || /(?:^|\/)(?:__MACOSX\/|\.|thumbs\.db$|desktop\.ini$)|\.(?:txt|md)$/i.test(name);

function requireCsvFile(entry: Entry): void {
  const { fileName } = entry;
  if (/\.(?:zip|gz|tgz|7z|rar|xz|bz2)$/i.test(fileName))
    throw new UnreadableFileError(`${fileName} is an archive within the archive. Unpack it and send the CSV files.`);
  if (!/\.(?:csv|tsv|tab)$/i.test(fileName)) throw new UnreadableFileError(`${fileName} is not a CSV file. Remove it, or save the sheet as CSV.`);
  if (((entry.externalFileAttributes >>> 16) & FILE_TYPE_MASK) === SYMBOLIC_LINK)
    throw new UnreadableFileError(`${fileName} is a symbolic link. Put the file itself into the ZIP.`);
  if (entry.isEncrypted()) throw new UnreadableFileError(`${fileName} is encrypted. Send a ZIP without a password.`);
}

/** Extracts the CSV files of a ZIP and appends them to `unpacked`, which includes partly written files when an error is thrown. */
export async function unzip(path: string, { dir, maxFileBytes, maxFiles }: UnzipOptions, unpacked: UnpackedFile[]): Promise<void> {
  const zip = await openZip(path);
  const consumed = { bytes: 0, packedBytes: 0 };
  const ranges: [start: number, end: number][] = [];
  try {
    if (zip.entryCount > MAX_ENTRIES) throw new UnreadableFileError(`The ZIP has ${zip.entryCount} entries. At most ${MAX_ENTRIES} are supported.`);
    for await (const entry of zip.eachEntry()) {
      requireNoOverlap(ranges, entry);
      if (isIgnored(entry.fileName)) continue;
      requireCsvFile(entry);
      if (unpacked.length === maxFiles) throw new UnreadableFileError(`The ZIP contains more than ${maxFiles} CSV files.`);
      consumed.packedBytes += entry.compressedSize;
      const file: UnpackedFile = { name: entry.fileName, path: join(dir, newId()), size: 0, sha256: "" };
      unpacked.push(file);
      await inflate(zip, entry, file, maxFileBytes, consumed);
    }
  } catch (error) {
    throw error instanceof UnreadableFileError || (error as NodeJS.ErrnoException).syscall !== undefined
      ? error
      : new UnreadableFileError(`The ZIP cannot be read: ${describeZipError(error)}`);
  } finally {
    zip.close();
  }
}

const describeZipError = (error: unknown): string => {
  const { message } = error as Error;
  return /relative path|absolute path|characters in fileName/.test(message) ? `${message}. A file name in it leads outside the archive.` : `${message}.`;
};

const openZip = async (path: string): Promise<ZipFile> => {
  try {
    return await yauzl.openPromise(path, { autoClose: false, lazyEntries: true, strictFileNames: true, validateEntrySizes: true });
  } catch (error) {
    throw new UnreadableFileError(`The ZIP cannot be read: ${describeZipError(error)}`);
  }
};

/** Throws when entries share compressed data, which only ZIP bombs do. */
function requireNoOverlap(ranges: [number, number][], { relativeOffsetOfLocalHeader: start, compressedSize, fileName }: Entry): void {
  const end = start + LOCAL_HEADER_BYTES + compressedSize;
  if (ranges.some(([otherStart, otherEnd]) => start < otherEnd && otherStart < end))
    throw new UnreadableFileError(`${fileName} shares its data with another entry.`);
  ranges.push([start, end]);
}

/** Writes an entry to its file, and updates the size and digest of the file and the totals of the archive. */
async function inflate(zip: ZipFile, entry: Entry, file: UnpackedFile, maxFileBytes: number, consumed: { bytes: number; packedBytes: number }): Promise<void> {
  const hash = createHash("sha256");
  const enforceLimits = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      file.size += chunk.length;
      consumed.bytes += chunk.length;
      if (file.size > maxFileBytes) throw new UnreadableFileError(`${entry.fileName} is larger than ${maxFileBytes / 1_048_576} MiB unpacked.`);
      if (consumed.bytes > MAX_TOTAL_BYTES) throw new UnreadableFileError(`The ZIP contains more than ${MAX_TOTAL_BYTES / 1_048_576} MiB.`);
      if (consumed.bytes > RATIO_EXEMPT_BYTES && consumed.bytes > MAX_RATIO * consumed.packedBytes)
        throw new UnreadableFileError(`${entry.fileName} is compressed by more than a factor of ${MAX_RATIO}, which CSV files of real data are not.`);
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(await zip.openReadStreamPromise(entry), enforceLimits, createWriteStream(file.path, { flags: "wx", mode: 0o600, flush: true }));
  file.sha256 = hash.digest("hex");
}
