/** The CSV files of a ZIP, written to the disk as they inflate, and counted on the way: nothing that a ZIP says of itself is believed. */
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { newId } from "@freehold/kit/db/entity";
import yauzl, { type Entry, type ZipFile } from "yauzl";
import { Unreadable } from "./unreadable-file.ts";

/** A file that lies on the disk. */
export interface Unpacked {
  name: string;
  path: string;
  size: number;
  sha256: string;
}

interface Limits {
  /** Where the files go. */
  dir: string;
  fileBytes: number;
  files: number;
}

const ENTRIES = 1_000;
const TOTAL_BYTES = 262_144_000;
const RATIO = 100;
/** What so little inflates to is no bomb, whatever the ratio. */
const HARMLESS_BYTES = 1_048_576;
const LINK = 0o120000;

/** Whether a file begins as a ZIP does; an Excel workbook begins so too. */
export async function isZip(path: string): Promise<boolean> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && buffer.readUInt32BE() === 0x504b0304;
  } finally {
    await handle.close();
  }
}

/** What programs leave in a ZIP besides what was put there, and texts for people. */
const isPassedOver = (name: string): boolean => name.endsWith("/") || /(?:^|\/)(?:__MACOSX\/|\.|thumbs\.db$|desktop\.ini$)|\.(?:txt|md)$/i.test(name);

function check(entry: Entry): void {
  const { fileName } = entry;
  if (/\.(?:zip|gz|tgz|7z|rar|xz|bz2)$/i.test(fileName)) throw new Unreadable(`${fileName} is packed once more. Unpack it and send the CSV files.`);
  if (!/\.(?:csv|tsv|tab)$/i.test(fileName)) throw new Unreadable(`${fileName} is no CSV file. Take it out, or save the sheet as CSV.`);
  if (((entry.externalFileAttributes >>> 16) & 0o170000) === LINK) throw new Unreadable(`${fileName} is a link. Put the file itself into the ZIP.`);
  if (entry.isEncrypted()) throw new Unreadable(`${fileName} is encrypted. Send a ZIP without a password.`);
}

/** Unpacks a ZIP of CSV files. What it wrote is in `unpacked`, also when it throws. */
export async function unzip(path: string, { dir, fileBytes, files }: Limits, unpacked: Unpacked[]): Promise<void> {
  const zip = await openZip(path);
  const spent = { bytes: 0, packed: 0 };
  const seen: [start: number, end: number][] = [];
  try {
    if (zip.entryCount > ENTRIES) throw new Unreadable(`The ZIP has ${zip.entryCount} entries. At most ${ENTRIES} are taken.`);
    for await (const entry of zip.eachEntry()) {
      refuseOverlap(seen, entry);
      if (isPassedOver(entry.fileName)) continue;
      check(entry);
      if (unpacked.length === files) throw new Unreadable(`There are more than ${files} CSV files in it.`);
      spent.packed += entry.compressedSize;
      const file: Unpacked = { name: entry.fileName, path: join(dir, newId()), size: 0, sha256: "" };
      unpacked.push(file);
      await inflate(zip, entry, file, fileBytes, spent);
    }
  } catch (error) {
    throw error instanceof Unreadable || (error as NodeJS.ErrnoException).syscall !== undefined
      ? error
      : new Unreadable(`The ZIP cannot be read: ${sentence(error)}`);
  } finally {
    zip.close();
  }
}

const sentence = (error: unknown): string => {
  const { message } = error as Error;
  return /relative path|absolute path|characters in fileName/.test(message) ? `${message}. A name in it leads out of the ZIP.` : `${message}.`;
};

const openZip = async (path: string): Promise<ZipFile> => {
  try {
    return await yauzl.openPromise(path, { autoClose: false, lazyEntries: true, strictFileNames: true, validateEntrySizes: true });
  } catch (error) {
    throw new Unreadable(`The ZIP cannot be read: ${sentence(error)}`);
  }
};

/** Two entries that share bytes are the trick of a bomb, and of nothing else. */
function refuseOverlap(seen: [number, number][], { relativeOffsetOfLocalHeader: start, compressedSize, fileName }: Entry): void {
  const end = start + 30 + compressedSize;
  if (seen.some(([from, to]) => start < to && from < end)) throw new Unreadable(`${fileName} shares its bytes with another entry.`);
  seen.push([start, end]);
}

async function inflate(zip: ZipFile, entry: Entry, file: Unpacked, fileBytes: number, spent: { bytes: number; packed: number }): Promise<void> {
  const hash = createHash("sha256");
  const count = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      file.size += chunk.length;
      spent.bytes += chunk.length;
      if (file.size > fileBytes) throw new Unreadable(`${entry.fileName} is larger than ${fileBytes / 1_048_576} MiB unpacked.`);
      if (spent.bytes > TOTAL_BYTES) throw new Unreadable(`The ZIP holds more than ${TOTAL_BYTES / 1_048_576} MiB.`);
      if (spent.bytes > HARMLESS_BYTES && spent.bytes > RATIO * spent.packed)
        throw new Unreadable(`${entry.fileName} is packed more than ${RATIO}-fold. That is no CSV of real data.`);
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(await zip.openReadStreamPromise(entry), count, createWriteStream(file.path, { flags: "wx", mode: 0o600, flush: true }));
  file.sha256 = hash.digest("hex");
}
