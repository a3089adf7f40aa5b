/** ZIP archives of CSV templates, byte for byte reproducible. */
import type { ImportProvider } from "@freehold/contract/imports/import-bundles";
import { stringify } from "csv-stringify/sync";
import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { ZipFile } from "yazl";
import type { Sheet } from "../providers/generic.ts";
import { providerSheets } from "../templates/provider-sheets.ts";
import { templateReadme } from "../templates/readme.ts";

export interface ImportTemplate {
  zip: Buffer;
  /** Quoted digest of the content. */
  etag: string;
}

const cache = new Map<ImportProvider, Promise<ImportTemplate>>();

/** Returns the template of a provider, which is built once per process. */
export function getImportTemplate(provider: ImportProvider): Promise<ImportTemplate> {
  let template = cache.get(provider);
  if (!template) cache.set(provider, (template = buildImportTemplate(provider)));
  return template;
}

/** Earliest timestamp of the ZIP format, in local time because ZIP stores local times. */
const FIXED_TIME = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };

export async function buildImportTemplate(provider: ImportProvider): Promise<ImportTemplate> {
  const sheets = providerSheets(provider);
  const archive = new ZipFile();
  for (const sheet of sheets) archive.addBuffer(Buffer.from(csvOf(sheet)), `${sheet.file}.csv`, FIXED_TIME);
  archive.addBuffer(Buffer.from(templateReadme(sheets, provider)), "README.txt", FIXED_TIME);
  archive.end();
  const zip = await buffer(archive.outputStream);
  return { zip, etag: `"${createHash("sha256").update(zip).digest("base64url")}"` };
}

/** Formats the header and one example row, with the byte order mark and the line endings that spreadsheets expect. */
const csvOf = ({ columns }: Sheet): string =>
  stringify([columns.map(({ name }) => name), columns.map(({ example }) => example)], { bom: true, record_delimiter: "windows" });
