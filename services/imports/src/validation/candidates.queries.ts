/** Queries over the candidates of a bundle. */
import type { FieldError } from "@freehold/contract/errors";
import type { ImportCounts, ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { newId } from "@freehold/kit/db/entity";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { toCounts } from "../import-bundles/import-bundle.rules.ts";
import type { CandidateReference, Draft, FieldValues } from "./draft.ts";
import type { Match } from "./match.rules.ts";

export interface PositionedDraft {
  draft: Draft;
  /** Cells of the row, stored for bulk imports so that rows with errors can be downloaded. */
  cells?: readonly string[] | undefined;
  fileId: string;
  rowNumber: number;
  position: number;
}

/** Inserts the candidates of drafts, which are neither linked nor evaluated yet. */
export async function insertCandidates(tx: OrgTx, bundleId: string, drafts: readonly PositionedDraft[]): Promise<void> {
  if (drafts.length === 0) return;
  const rows = drafts.map(({ draft, cells, fileId, rowNumber, position }) => ({
    id: newId(),
    file_id: fileId,
    position,
    row_number: rowNumber,
    entity_type: draft.entityType,
    source_id: draft.sourceId,
    is_derived: draft.isDerived,
    display_name: draft.displayName,
    data: draft.data,
    extra: draft.extra,
    parse_errors: draft.parseErrors,
    refs: draft.refs,
    cells,
  }));
  await tx.all(sql`insert into import_candidate (organization_id, id, created_at, updated_at, bundle_id, file_id, position, row_number, entity_type, source_id,
      is_derived, display_name, data, extra, parse_errors, refs, cells, row_digest)
    select ${tx.organizationId}, id, now(), now(), ${bundleId}, file_id, position, row_number, entity_type, source_id, is_derived, display_name, data, extra,
      parse_errors, refs, cells, md5(data::text || parse_errors::text)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as draft (id uuid, file_id uuid, position int, row_number int, entity_type text, source_id text,
      is_derived boolean, display_name text, data jsonb, extra jsonb, parse_errors jsonb, refs jsonb, cells jsonb)`);
}

const DELETE_BATCH_SIZE = 20_000;

/** Deletes one batch of the candidates of an earlier validation. Returns true when more may remain. */
export async function deleteCandidates(tx: OrgTx, bundleId: string): Promise<boolean> {
  const deleted = await tx.all(sql`with batch as (select id from import_candidate where organization_id = ${tx.organizationId} and bundle_id = ${bundleId}
        order by position limit ${DELETE_BATCH_SIZE}),
      dependencies as (delete from import_dependency d using batch where d.organization_id = ${tx.organizationId} and d.candidate_id = batch.id)
    delete from import_candidate c using batch where c.organization_id = ${tx.organizationId} and c.id = batch.id returning 1`);
  return deleted.length === DELETE_BATCH_SIZE;
}

/** Fields and parse errors of a candidate before manual edits. */
export type OriginalRow = Pick<Draft, "data" | "parseErrors">;

/** Candidate with the columns that linking and evaluation need. */
export interface CandidateRow {
  id: string;
  position: number;
  rowNumber: number;
  entityType: ImportEntityType;
  sourceId: string;
  isDerived: boolean;
  data: FieldValues;
  extra: FieldValues;
  /** State before manual edits; null without edits. */
  original: OriginalRow | null;
  refs: CandidateReference[];
  links: Links;
  parseErrors: FieldError[];
  linkErrors: FieldError[];
  decision: "match" | "create" | "exclude" | null;
  chosenEntityId: string | null;
  matches: Match[];
  /** Set when the candidate was merged into another one. */
  isMerged: boolean;
}

/** Target of each reference of a candidate, with the reference's name as key: another candidate, or a record of an earlier import. */
export type Links = Record<string, { candidateId: string } | { entityId: string }>;

const columns = sql`c.id, c.position, c.row_number, c.entity_type, c.source_id, c.is_derived, c.data, c.extra, c.original, c.refs, c.links, c.parse_errors, c.link_errors, c.decision,
  c.chosen_entity_id, c.matches, c.merged_into_id is not null as is_merged`;

/** Returns the next candidates of a type after a position. */
export const listCandidatesAfter = (
  db: StatementRunner,
  bundleId: string,
  entityType: ImportEntityType,
  position: number,
  limit: number,
): Promise<CandidateRow[]> =>
  db.all(sql<CandidateRow>`select ${columns} from import_candidate c where c.organization_id = ${db.organizationId} and c.bundle_id = ${bundleId}
    and c.entity_type = ${entityType} and c.position > ${position} order by c.position limit ${limit}`);

/** Returns the candidates of a bundle that match the condition, by position. */
export const findCandidatesWhere = (db: StatementRunner, bundleId: string, where: RawBuilder<unknown>): Promise<CandidateRow[]> =>
  db.all(sql<CandidateRow>`select ${columns} from import_candidate c
    where c.organization_id = ${db.organizationId} and c.bundle_id = ${bundleId} and ${where} order by c.position`);

/** Returns the number of candidates of each type that the bundle has. */
export async function countByType(db: StatementRunner, bundleId: string): Promise<Map<ImportEntityType, number>> {
  const rows = await db.all(sql<{ entityType: ImportEntityType; count: number }>`select entity_type, count(*) as count from import_candidate
    where organization_id = ${db.organizationId} and bundle_id = ${bundleId} group by entity_type`);
  return new Map(rows.map(({ entityType, count }) => [entityType, count]));
}

/** Returns the number of candidates by type and status. */
export async function countByStatus(db: StatementRunner, bundleId: string): Promise<ImportCounts> {
  return toCounts(
    await db.all(sql`select entity_type, status, count(*) as count from import_candidate
      where organization_id = ${db.organizationId} and bundle_id = ${bundleId} and status is not null group by entity_type, status`),
  );
}
