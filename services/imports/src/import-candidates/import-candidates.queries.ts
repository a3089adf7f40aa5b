import type { Candidate, CandidateStatus, ImportEntityType, importBundles } from "@freehold/contract/imports/import-bundles";
import type { QueryOf } from "@freehold/contract/operation";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { containsPattern } from "@freehold/kit/like-pattern";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { withVersion } from "@freehold/kit/http/etag";
import { importableStatuses } from "../validation/evaluate-candidates.ts";
import type { Match } from "../validation/match.rules.ts";

type CandidateRecord = Omit<Candidate, "data" | "matches"> & { matches: Match[]; data: Record<string, string>; extra: Record<string, string>; version: number };

/** Selects the ids of the candidates that a candidate depends on and that meet the condition, as a JSON array. */
const dependencyIds = (
  condition: RawBuilder<unknown>,
) => sql`(select coalesce(json_agg(d.depends_on_id order by d.depends_on_id), '[]'::json) from import_dependency d
  join import_candidate dependency on dependency.organization_id = d.organization_id and dependency.id = d.depends_on_id
  where d.organization_id = c.organization_id and d.candidate_id = c.id ${condition})`;

const columns = sql`c.id, c.bundle_id, c.file_id, coalesce(f.file_name, '') as file_name, c.row_number, c.entity_type, c.status, c.source_id, c.display_name, c.data, c.extra,
  c.changes, c.matches, c.decision, c.chosen_entity_id, c.merged_into_id, ${dependencyIds(sql``)} as depends_on,
  ${dependencyIds(sql`and dependency.status not in ${importableStatuses} and c.status = 'blocked'`)} as blocked_by, c.errors, c.result_entity_id, c.updated_at, c.version`;
const candidateTables = sql`import_candidate c left join import_file f on f.organization_id = c.organization_id and f.id = c.file_id`;

const candidateView = ({ version, extra, data, matches, ...candidate }: CandidateRecord): Candidate =>
  withVersion(
    {
      ...candidate,
      matches: matches.map(({ entityId, displayName, score, reasons }) => ({ entityId, displayName, score, reasons })),
      data: Object.keys(extra).length > 0 ? { ...data, extra } : data,
    },
    version,
  );

/** Returns an evaluated candidate. Throws 404 for an unknown candidate and for a candidate that is not evaluated yet. */
export async function getCandidate(db: StatementRunner, bundleId: string, id: string): Promise<Candidate> {
  const row = await db.first(sql<CandidateRecord>`select ${columns} from ${candidateTables}
    where c.organization_id = ${db.organizationId} and c.bundle_id = ${bundleId} and c.id = ${id} and c.status is not null`);
  if (!row) throw notFound("Import candidate");
  return candidateView(row);
}

export interface CandidateFilters {
  status?: readonly CandidateStatus[] | undefined;
  entityType?: readonly ImportEntityType[] | undefined;
  fileId?: string | undefined;
  search?: string | undefined;
}

/** Returns the SQL conditions of the filters. The search covers display names and source ids. */
export function candidateConditions({ status, entityType, fileId, search }: CandidateFilters): (RawBuilder<unknown> | false)[] {
  const pattern = search === undefined ? "" : containsPattern(search);
  return [
    status !== undefined && sql`c.status = any(${[...status]})`,
    entityType !== undefined && sql`c.entity_type = any(${[...entityType]})`,
    fileId !== undefined && sql`c.file_id = ${fileId}`,
    search !== undefined && sql`(c.display_name ilike ${pattern} or c.source_id ilike ${pattern})`,
  ];
}

/** Returns a page of evaluated candidates, by default in the order of files and rows. */
export async function listCandidates(
  db: OrgDb,
  bundleId: string,
  query: QueryOf<(typeof importBundles)["operations"]["listImportCandidates"]>,
): Promise<Page<Candidate>> {
  const page = await listPage<CandidateRecord>(db, query, {
    select: columns,
    from: candidateTables,
    table: "c",
    where: [...listConditions(db, "c", query, false), sql`c.bundle_id = ${bundleId}`, sql`c.status is not null`, ...candidateConditions(query)],
    sorts: { position: sql`c.position`, displayName: sql`c.display_name`, updatedAt: sql`c.updated_at` },
  });
  return { ...page, rows: page.rows.map(candidateView) };
}
