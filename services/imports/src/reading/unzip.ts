/** Extraction of the CSV files and of the sheets of untrusted ZIP archives and Excel workbooks. */
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { newId } from "@freehold/kit/db/entity";
import type { Entry } from "yauzl";
import { UnreadableFileError } from "./unreadable-file.ts";
import { isWorkbook, readSheets } from "./workbook/workbook.ts";
import { requireRegularEntry, withArchive } from "./zip.ts";

export interface UnpackedFile {
  name: string;
  path: string;
  size: number;
  sha256: string;
}

interface UnzipOptions {
  /** Name of the archive, from which the names of a workbook's sheets are formed. */
  name: string;
  /** Directory of the extracted files. */
  dir: string;
  /** Maximum size of a file in bytes. */
  maxFileBytes: number;
  /** Maximum number of files, including those unpacked before. */
  maxFiles: number;
}

/** Tells whether an entry is a directory, a metadata file of an operating system or a plain text document. */
const isIgnored = (name: string): boolean => name.endsWith("/") || /(?:^|\/)(?:__MACOSX\/|\.|thumbs\.db$|desktop\.ini$)|\.(?:txt|md)$/i.test(name);

function requireCsvFile(entry: Entry): void {
  const { fileName } = entry;
  if (/\.(?:zip|gz|tgz|7z|rar|xz|bz2)$/i.test(fileName))
    throw new UnreadableFileError(`${fileName} is an archive within the archive. Unpack it and send the CSV files.`);
  if (/\.xls[xmb]?$/i.test(fileName)) throw new UnreadableFileError(`${fileName} is not a CSV file. Send the workbook by itself, without a ZIP.`);
  if (!/\.(?:csv|tsv|tab)$/i.test(fileName)) throw new UnreadableFileError(`${fileName} is not a CSV file. Remove it, or save the sheet as CSV.`);
  requireRegularEntry(entry);
}

/**
 * Extracts the CSV files of a ZIP, or each sheet with data of an Excel workbook as a CSV file, and appends them to `unpacked`, which includes
 * partly written files when an error is thrown.
 */
export async function unzip(path: string, options: UnzipOptions, unpacked: UnpackedFile[]): Promise<void> {
  const { dir, maxFileBytes, maxFiles } = options;
  const extract = async (name: string, content: AsyncIterable<Buffer>): Promise<void> => {
    if (unpacked.length === maxFiles) throw new UnreadableFileError(`The file contains more than ${maxFiles} files with data.`);
    const file: UnpackedFile = { name, path: join(dir, newId()), size: 0, sha256: "" };
    unpacked.push(file);
    await write(content, file, maxFileBytes);
  };
  await withArchive(path, async (archive) => {
    if (isWorkbook(archive)) {
      for await (const { name, csv } of readSheets(archive, options.name)) await extract(name, csv);
      return;
    }
    for (const entry of archive.entries) {
      if (isIgnored(entry.fileName)) continue;
      requireCsvFile(entry);
      await extract(entry.fileName, archive.inflate(entry));
    }
  });
}

/** Writes a file, and sets its size and digest. */
async function write(content: AsyncIterable<Buffer>, file: UnpackedFile, maxFileBytes: number): Promise<void> {
  const hash = createHash("sha256");
  const limited = async function* () {
    for await (const chunk of content) {
      file.size += chunk.length;
      if (file.size > maxFileBytes) throw new UnreadableFileError(`${file.name} is larger than ${maxFileBytes / 1_048_576} MiB unpacked.`);
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(Readable.from(limited()), createWriteStream(file.path, { flags: "wx", mode: 0o600, flush: true }));
  file.sha256 = hash.digest("hex");
}
