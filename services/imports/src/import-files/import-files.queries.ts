import type { BundleFile, ImportProvider } from "@freehold/contract/imports/import-bundles";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { withVersion } from "@freehold/kit/http/etag";
import { findForm, missingFields } from "../providers/forms.ts";
import { currentWarnings, type FileWarning } from "./file-warnings.rules.ts";

interface StoredFile extends Omit<BundleFile, "entityType" | "entityTypes" | "unmappedColumns" | "missingRequired" | "warnings"> {
  warnings: FileWarning[];
}
export type FileRow = StoredFile & { version: number; provider: ImportProvider };

const columns = sql`f.id, f.bundle_id, f.file_name, f.size_bytes, f.sha256, f.encoding, f.delimiter, f.header_row, f.form, f.row_count, f.skipped_rows, f.warnings,
  f.header, f.mapping, f.mapping_confidence, f.column_confidence, f.mapping_profile_id, f.created_at, f.updated_at, f.version, b.provider`;

/** Converts a row to the API's view; entity types and missing fields derive from the form. */
export function fileView({ version, provider, ...file }: FileRow): BundleFile {
  const form = file.form === null ? undefined : findForm(provider, file.form);
  const entityTypes = [...new Set((form?.outputs ?? []).map(({ entityType }) => entityType))];
  return withVersion(
    {
      ...file,
      entityType: entityTypes[0] ?? null,
      entityTypes,
      warnings: currentWarnings(form, file.mapping, file.warnings),
      unmappedColumns: file.header.filter((name) => !file.mapping[name]),
      missingRequired: form ? missingFields(form, file.mapping) : [],
    },
    version,
  );
}

/** Returns the files of the bundles, those of a bundle in the order of their upload. */
export async function listFiles(db: StatementRunner, bundleIds: readonly string[]): Promise<BundleFile[]> {
  if (bundleIds.length === 0) return [];
  const rows = await db.all(sql<FileRow>`select ${columns} from import_file f
    join import_bundle b on b.organization_id = f.organization_id and b.id = f.bundle_id
    where f.organization_id = ${db.organizationId} and f.bundle_id = any(${[...bundleIds]}::uuid[]) order by f.bundle_id, f.position`);
  return rows.map(fileView);
}

/** Tells whether the organization has or had files; each file has a bundle, and bundles are never deleted. */
export const hasFiles = async (db: StatementRunner): Promise<boolean> =>
  (await db.first(sql`select 1 from import_bundle where organization_id = ${db.organizationId} limit 1`)) !== undefined;

/** Condition that the content of a file is kept: its bundle `b` is neither cancelled nor completed. */
export const isFileKept = sql`b.status <> all('{cancelled,completed,completed_with_errors}')`;

/** Returns the ids of the files whose content is kept. */
export async function findReferencedFiles(db: StatementRunner, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.all(sql<{ id: string }>`select f.id from import_file f
    join import_bundle b on b.organization_id = f.organization_id and b.id = f.bundle_id
    where f.organization_id = ${db.organizationId} and f.id = any(${[...ids]}::uuid[]) and ${isFileKept}`);
  return new Set(rows.map(({ id }) => id));
}
