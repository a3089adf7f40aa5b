/**
 * `npm run export -- --organization <id> --into <directory>`: exports the data of one organization: a file of JSON lines for
 * each table, a manifest with row counts and hashes, and its document files, without secrets and idempotency keys. Row-level
 * security ensures that the export contains no rows of other organizations.
 */
import { bucketSettings, hasBucket, readConfig, requireCompleteBucket } from "@freehold/kit/config";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { z } from "zod";
import { runCommand, say } from "./command.ts";
import { definitions } from "./system/databases/database-definitions.ts";
import { copyBucketFiles, copyDocumentFiles } from "./backup/document-files.ts";
import { defaultDataDir, readSystemState } from "./system/system-state.ts";
import { services, type ServiceName } from "./system/secrets.ts";

const BATCH_SIZE = 1_000;

interface ExportedFile {
  rows: number;
  sha256: string;
}

export interface ExportManifest {
  organizationId: string;
  exportedAt: string;
  /** Last migration of each service's schema, which defines the columns. */
  schemas: Partial<Record<ServiceName, string>>;
  /** Exported files by path, `<service>/<table>.ndjson`. */
  files: Record<string, ExportedFile>;
}

export interface ExportOptions {
  organizationId: string;
  targetDir: string;
  databaseUrls: Record<ServiceName, { service: string }>;
  /** Copies the organization's document files into the directory. */
  copyFiles?: () => void | Promise<void>;
}

/**
 * Exports the tables, from one snapshot per service, and then the document files into a new or empty directory. Writes the
 * manifest last. Deletes the directory on failure.
 */
export async function exportOrganization({ organizationId, targetDir, databaseUrls, copyFiles }: ExportOptions): Promise<ExportManifest> {
  if (existsSync(targetDir) && readdirSync(targetDir).length > 0) throw new Error(`${targetDir} is not empty. Export into a new directory.`);
  const manifest: ExportManifest = { organizationId, exportedAt: new Date().toISOString(), schemas: {}, files: {} };
  try {
    for (const service of services) {
      mkdirSync(join(targetDir, service), { recursive: true, mode: 0o700 });
      const serviceExport = await exportService(service, databaseUrls[service].service, organizationId, targetDir);
      manifest.schemas[service] = serviceExport.schema;
      Object.assign(manifest.files, serviceExport.files);
    }
    if (manifest.files["identity/organization.ndjson"]?.rows !== 1) throw new Error(`There is no organization ${organizationId}.`);
    await copyFiles?.();
    writeFileSync(join(targetDir, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    return manifest;
  } catch (error) {
    rmSync(targetDir, { recursive: true, force: true });
    throw error;
  }
}

async function exportService(
  service: ServiceName,
  url: string,
  organizationId: string,
  targetDir: string,
): Promise<{ schema: string; files: Record<string, ExportedFile> }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("begin isolation level repeatable read read only");
    await client.query("select set_config('app.organization_id', $1, true)", [organizationId]);
    const files: Record<string, ExportedFile> = {};
    for (const table of await listExportedTables(client, service)) {
      const file = `${service}/${table.name}.ndjson`;
      files[file] = await writeTable(client, table, join(targetDir, file));
    }
    const { rows } = await client.query<{ name: string }>("select name from migration order by id desc limit 1");
    return { schema: rows[0]!.name, files };
  } finally {
    await client.end();
  }
}

interface Table {
  name: string;
  keyColumns: string[];
  columns: string[];
}

/** Returns the tables with row-level security, except the idempotency keys, with their primary keys and their columns without secrets. */
async function listExportedTables(client: Client, service: ServiceName): Promise<Table[]> {
  const { secrets = {} } = definitions[service];
  const { rows } = await client.query<Table>(`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns,
      array_agg(a.attname::text order by array_position(i.indkey::int2[], a.attnum)) filter (where a.attnum = any(i.indkey)) as "keyColumns"
    from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_index i on i.indrelid = c.oid and i.indisprimary
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relforcerowsecurity and c.relname <> 'idempotency_key'
      and a.attnum > 0 and not a.attisdropped
    group by c.relname order by c.relname`);
  return rows.flatMap(({ name, keyColumns, columns }) => {
    const secret = secrets[name] ?? [];
    return secret === "all" ? [] : [{ name, keyColumns, columns: columns.filter((column) => !secret.includes(column)) }];
  });
}

async function writeTable(client: Client, { name, keyColumns, columns }: Table, file: string): Promise<ExportedFile> {
  const hash = createHash("sha256");
  const output = await open(file, "wx", 0o600);
  let rows = 0;
  const select = `select ${columns.join(", ")} from ${name} order by ${keyColumns.join(", ")}`;
  await client.query(`declare export_rows no scroll cursor for select row_to_json(row)::text as line from (${select}) row`);
  try {
    for (;;) {
      const batch = await client.query<{ line: string }>(`fetch ${BATCH_SIZE} from export_rows`);
      if (batch.rows.length === 0) break;
      const text = batch.rows.map(({ line }) => `${line}\n`).join("");
      hash.update(text);
      rows += batch.rows.length;
      await output.appendFile(text);
    }
    await output.sync();
  } finally {
    await output.close();
  }
  await client.query("close export_rows");
  return { rows, sha256: hash.digest("hex") };
}

if (import.meta.main) {
  await runCommand(async () => {
    const { values } = parseArgs({ options: { organization: { type: "string" }, into: { type: "string" } } });
    if (!z.guid().safeParse(values.organization).success) throw new Error("Specify the id of the organization: --organization <id>.");
    if (!values.into) throw new Error("Specify a new directory: --into <directory>.");
    const targetDir = resolve(values.into);
    const dataDir = resolve(process.env["DATA_DIR"] ?? defaultDataDir);
    const organizationId = values.organization!.toLowerCase();
    const bucket = readConfig(z.object(bucketSettings).superRefine(requireCompleteBucket()));
    const copyFiles = () => (hasBucket(bucket) ? copyBucketFiles(bucket, targetDir, organizationId) : copyDocumentFiles(dataDir, targetDir, organizationId));
    const { databaseUrls } = readSystemState(dataDir);
    const { files } = await exportOrganization({ organizationId, targetDir, databaseUrls, copyFiles });
    for (const [file, { rows }] of Object.entries(files)) if (rows > 0) say(`${file}  ${rows}`);
    say(`Exported into ${targetDir}. It contains personal data; protect it like the databases.`);
  });
}
