import type { BundleFile, ImportProvider } from "@freehold/contract/import-bundles";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { withVersion } from "@freehold/kit/http/etag";
import { findForm, missingIn } from "../providers/forms.ts";

type Kept = Omit<BundleFile, "entityType" | "entityTypes" | "unmappedColumns" | "missingRequired">;
export type FileRow = Kept & { version: number; provider: ImportProvider };

const columns = sql`f.id, f.bundle_id, f.file_name, f.size_bytes, f.sha256, f.encoding, f.delimiter, f.header_row, f.form, f.row_count, f.skipped_rows, f.warnings,
  f.header, f.mapping, f.mapping_confidence, f.column_confidence, f.mapping_profile_id, f.created_at, f.updated_at, f.version, b.provider`;

/** A file as callers see it: what its mapping leaves open is found from its form. */
export function fileView({ version, provider, ...file }: FileRow): BundleFile {
  const form = file.form === null ? undefined : findForm(provider, file.form);
  const entityTypes = [...new Set((form?.feeds ?? []).map(({ entityType }) => entityType))];
  return withVersion(
    {
      ...file,
      entityType: entityTypes[0] ?? null,
      entityTypes,
      unmappedColumns: file.header.filter((name) => !file.mapping[name]),
      missingRequired: form ? missingIn(form, file.mapping) : [],
    },
    version,
  );
}

/** The files of these bundles, in the order they came. */
export async function filesOf(db: StatementRunner, bundleIds: readonly string[]): Promise<BundleFile[]> {
  if (bundleIds.length === 0) return [];
  const rows = await db.all(sql<FileRow>`select ${columns} from import_file f
    join import_bundle b on b.organization_id = f.organization_id and b.id = f.bundle_id
    where f.organization_id = ${db.organizationId} and f.bundle_id = any(${[...bundleIds]}::uuid[]) order by f.bundle_id, f.position`);
  return rows.map(fileView);
}

/** Whether the organization has or had a file: it has a bundle. */
export const hasFiles = async (db: StatementRunner): Promise<boolean> =>
  (await db.first(sql`select 1 from import_bundle where organization_id = ${db.organizationId} limit 1`)) !== undefined;

/** Which of these are ids of files whose bundle may still be read. */
export async function liveFiles(db: StatementRunner, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.all(sql<{ id: string }>`select f.id from import_file f
    join import_bundle b on b.organization_id = f.organization_id and b.id = f.bundle_id
    where f.organization_id = ${db.organizationId} and f.id = any(${[...ids]}::uuid[]) and b.status <> all('{cancelled,completed,completed_with_errors}')`);
  return new Set(rows.map(({ id }) => id));
}
