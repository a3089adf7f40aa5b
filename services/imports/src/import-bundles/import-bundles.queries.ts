import type { ImportBundle as ImportBundleView, importBundles } from "@freehold/contract/imports/import-bundles";
import type { QueryOf } from "@freehold/contract/operation";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { containsPattern } from "@freehold/kit/like-pattern";
import { sql } from "@freehold/kit/db/statement";
import { withVersion } from "@freehold/kit/http/etag";
import { listFiles } from "../import-files/import-files.queries.ts";
import { speedColumns } from "./progress.queries.ts";

type BundleRow = Omit<ImportBundleView, "files" | "progress"> & ImportBundleView["progress"] & { version: number };

const columns = sql`b.id, b.organization_id, b.name, b.provider, b.source_namespace, b.source_account_label, b.status, b.phase, b.processed, b.total, b.counts,
  b.created_by_user_id, b.created_at, b.updated_at, b.validated_at, b.started_at, b.completed_at, b.error, b.version, ${speedColumns}`;

function bundleView(
  { version, phase, processed, total, rowsPerSecond, estimatedEndAt, ...bundle }: BundleRow,
  files: ImportBundleView["files"],
): ImportBundleView {
  return withVersion(
    { ...bundle, progress: { phase, processed, total, rowsPerSecond, estimatedEndAt }, files: files.filter(({ bundleId }) => bundleId === bundle.id) },
    version,
  );
}

/** Returns a bundle with its files. Throws 404 for an unknown id and for a bulk import. */
export async function getImportBundle(db: StatementRunner, id: string): Promise<ImportBundleView> {
  const row = await db.first(
    sql<BundleRow>`select ${columns} from import_bundle b where b.organization_id = ${db.organizationId} and b.id = ${id} and b.mode is null`,
  );
  if (!row) throw notFound("Import bundle");
  return bundleView(row, await listFiles(db, [id]));
}

/** Returns a page of bundles with their files. The search covers names and account labels. */
export async function listImportBundles(db: OrgDb, query: QueryOf<(typeof importBundles)["operations"]["listImportBundles"]>): Promise<Page<ImportBundleView>> {
  const { search, status, provider, sourceNamespace } = query;
  const pattern = search !== undefined ? containsPattern(search) : "";
  const page = await listPage<BundleRow>(db, query, {
    select: columns,
    from: sql`import_bundle b`,
    table: "b",
    where: [
      ...listConditions(db, "b", query, false),
      sql`b.mode is null`,
      search !== undefined && sql`(b.name ilike ${pattern} or b.source_account_label ilike ${pattern})`,
      status !== undefined && sql`b.status = any(${status})`,
      provider !== undefined && sql`b.provider = any(${provider})`,
      sourceNamespace !== undefined && sql`b.source_namespace = ${sourceNamespace}`,
    ],
    sorts: { createdAt: sql`b.created_at`, name: sql`b.name`, status: sql`b.status` },
  });
  const files = await listFiles(
    db,
    page.rows.map(({ id }) => id),
  );
  return { ...page, rows: page.rows.map((row) => bundleView(row, files)) };
}
