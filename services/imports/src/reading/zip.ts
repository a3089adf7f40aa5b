/** Reading of untrusted ZIP archives. Sizes are counted while inflating; declared sizes are not trusted. */
import { open } from "node:fs/promises";
import yauzl, { type Entry, type ZipFile } from "yauzl";
import { UnreadableFileError } from "./unreadable-file.ts";

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

/** Archive with a limit on the bytes that its entries inflate to. */
export interface Archive {
  entries: readonly Entry[];
  /** Inflates an entry. Throws `UnreadableFileError` above a limit. */
  inflate: (entry: Entry) => AsyncGenerator<Buffer>;
}

/** Opens a ZIP for the duration of the work. Throws `UnreadableFileError` for an archive that cannot be read, and for entries that share their data. */
export async function withArchive<T>(path: string, work: (archive: Archive) => Promise<T>): Promise<T> {
  const zip = await openZip(path);
  try {
    if (zip.entryCount > MAX_ENTRIES) throw new UnreadableFileError(`The ZIP has ${zip.entryCount} entries. At most ${MAX_ENTRIES} are supported.`);
    const entries: Entry[] = [];
    const ranges: [start: number, end: number][] = [];
    for await (const entry of zip.eachEntry()) {
      requireNoOverlap(ranges, entry);
      entries.push(entry);
    }
    return await work({ entries, inflate: limitedInflater(zip) });
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

/** Throws for a symbolic link and an encrypted entry. */
export function requireRegularEntry(entry: Entry): void {
  const { fileName } = entry;
  if (((entry.externalFileAttributes >>> 16) & FILE_TYPE_MASK) === SYMBOLIC_LINK)
    throw new UnreadableFileError(`${fileName} is a symbolic link. Put the file itself into the ZIP.`);
  if (entry.isEncrypted()) throw new UnreadableFileError(`${fileName} is encrypted. Send a ZIP without a password.`);
}

/** Creates the inflater of an archive, which limits the total size and the compression ratio of what it has inflated. */
function limitedInflater(zip: ZipFile): Archive["inflate"] {
  let [bytes, packedBytes] = [0, 0];
  return async function* (entry) {
    packedBytes += entry.compressedSize;
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      bytes += (chunk as Buffer).length;
      if (bytes > MAX_TOTAL_BYTES) throw new UnreadableFileError(`The ZIP contains more than ${MAX_TOTAL_BYTES / 1_048_576} MiB.`);
      if (bytes > RATIO_EXEMPT_BYTES && bytes > MAX_RATIO * packedBytes)
        throw new UnreadableFileError(`${entry.fileName} is compressed by more than a factor of ${MAX_RATIO}, which files of real data are not.`);
      yield chunk as Buffer;
    }
  };
}
