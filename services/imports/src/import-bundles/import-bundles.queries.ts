import type { ImportBundle as ImportBundleView, importBundles } from "@freehold/contract/import-bundles";
import type { QueryOf } from "@freehold/contract/operation";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { containsPattern } from "@freehold/kit/like-pattern";
import { sql } from "@freehold/kit/db/statement";
import { withVersion } from "@freehold/kit/http/etag";
import { filesOf } from "../import-files/import-files.queries.ts";

type BundleRow = Omit<ImportBundleView, "files" | "progress"> & { phase: string | null; processed: number; total: number; version: number };

const columns = sql`b.id, b.organization_id, b.name, b.provider, b.source_namespace, b.source_account_label, b.status, b.phase, b.processed, b.total, b.counts,
  b.created_by_user_id, b.created_at, b.updated_at, b.validated_at, b.started_at, b.completed_at, b.error, b.version`;

function bundleView({ version, phase, processed, total, ...bundle }: BundleRow, files: ImportBundleView["files"]): ImportBundleView {
  return withVersion({ ...bundle, progress: { phase, processed, total }, files: files.filter(({ bundleId }) => bundleId === bundle.id) }, version);
}

/** One bundle with its files, or 404. */
export async function findBundle(db: StatementRunner, id: string): Promise<ImportBundleView> {
  const row = await db.first(
    sql<BundleRow>`select ${columns} from import_bundle b where b.organization_id = ${db.organizationId} and b.id = ${id} and b.mode is null`,
  );
  if (!row) throw notFound("Import bundle");
  return bundleView(row, await filesOf(db, [id]));
}

/** A page of bundles with their files. Search looks at names and labels. */
export async function pageOfBundles(db: OrgDb, query: QueryOf<(typeof importBundles)["operations"]["listImportBundles"]>): Promise<Page<ImportBundleView>> {
  const { search, status, provider, sourceNamespace } = query;
  const like = search !== undefined ? containsPattern(search) : "";
  const found = await listPage<BundleRow>(db, query, {
    select: columns,
    from: sql`import_bundle b`,
    table: "b",
    where: [
      ...listConditions(db, "b", query, false),
      sql`b.mode is null`,
      search !== undefined && sql`(b.name ilike ${like} or b.source_account_label ilike ${like})`,
      status !== undefined && sql`b.status = any(${status})`,
      provider !== undefined && sql`b.provider = any(${provider})`,
      sourceNamespace !== undefined && sql`b.source_namespace = ${sourceNamespace}`,
    ],
    sorts: { createdAt: sql`b.created_at`, name: sql`b.name`, status: sql`b.status` },
  });
  const files = await filesOf(
    db,
    found.rows.map(({ id }) => id),
  );
  return { ...found, rows: found.rows.map((row) => bundleView(row, files)) };
}
