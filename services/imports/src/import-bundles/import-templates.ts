/** The templates of a provider as one ZIP: the same bytes for the same tables, whenever and wherever it is made. */
import type { ImportProvider } from "@freehold/contract/import-bundles";
import { stringify } from "csv-stringify/sync";
import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { ZipFile } from "yazl";
import { generic, type Sheet } from "../providers/generic.ts";
import { readme } from "../templates/readme.ts";
import { sheetsOf } from "../templates/provider-sheets.ts";

export interface ImportTemplate {
  zip: Buffer;
  /** Of the content, quoted. */
  etag: string;
}

const made = new Map<ImportProvider, Promise<ImportTemplate>>();

/** The ZIP of a provider's templates, made once for the life of the process. */
export function getImportTemplate(provider: ImportProvider): Promise<ImportTemplate> {
  let template = made.get(provider);
  if (!template) made.set(provider, (template = makeImportTemplate(provider)));
  return template;
}

/** The earliest moment a ZIP can name, in the calendar of the machine, since that is what the format writes down. */
const FIXED_TIME = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };

export async function makeImportTemplate(provider: ImportProvider): Promise<ImportTemplate> {
  const sheets = provider === "generic" ? generic : sheetsOf(provider);
  const archive = new ZipFile();
  for (const sheet of sheets) archive.addBuffer(Buffer.from(csvOf(sheet)), `${sheet.file}.csv`, FIXED_TIME);
  archive.addBuffer(Buffer.from(readme(sheets, provider)), "README.txt", FIXED_TIME);
  archive.end();
  const zip = await buffer(archive.outputStream);
  return { zip, etag: `"${createHash("sha256").update(zip).digest("base64url")}"` };
}

/** The header and one example row, as spreadsheets like it: a byte order mark and Windows line ends. */
const csvOf = ({ columns }: Sheet): string =>
  stringify([columns.map(({ name }) => name), columns.map(({ example }) => example)], { bom: true, record_delimiter: "windows" });
