/** Candidates as rows: thousands at a time, each statement about one bundle. */
import type { FieldError } from "@freehold/contract/errors";
import type { ImportCounts, ImportEntityType } from "@freehold/contract/import-bundles";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { newId } from "@freehold/kit/db/entity";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { countsOf } from "../import-bundles/import-bundle.rules.ts";
import type { Data, Draft, Ref } from "./draft.ts";
import type { Match } from "./match.rules.ts";

export interface Placed {
  draft: Draft;
  /** The row as it came, where that is asked for again. */
  cells?: readonly string[] | undefined;
  fileId: string;
  rowNumber: number;
  position: number;
}

/** Adds candidates that nothing is known of besides their rows. */
export async function addCandidates(tx: OrgTx, bundleId: string, placed: readonly Placed[]): Promise<void> {
  if (placed.length === 0) return;
  const rows = placed.map(({ draft, cells, fileId, rowNumber, position }) => ({
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
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (id uuid, file_id uuid, position int, row_number int, entity_type text, source_id text,
      is_derived boolean, display_name text, data jsonb, extra jsonb, parse_errors jsonb, refs jsonb, cells jsonb)`);
}

const AT_ONCE = 20_000;

/** Removes candidates of an earlier validation; answers whether there are more. */
export async function clearCandidates(tx: OrgTx, bundleId: string): Promise<boolean> {
  const gone = await tx.all(sql`with old as (select id from import_candidate where organization_id = ${tx.organizationId} and bundle_id = ${bundleId}
        order by position limit ${AT_ONCE}),
      without as (delete from import_dependency d using old where d.organization_id = ${tx.organizationId} and d.candidate_id = old.id)
    delete from import_candidate c using old where c.organization_id = ${tx.organizationId} and c.id = old.id returning 1`);
  return gone.length === AT_ONCE;
}

/** What a candidate is by its row, before anybody edited it. */
export type Original = Pick<Draft, "data" | "parseErrors">;

/** What of a candidate is looked at when it is linked and judged. */
export interface CandidateRow {
  id: string;
  position: number;
  rowNumber: number;
  entityType: ImportEntityType;
  sourceId: string;
  isDerived: boolean;
  data: Data;
  extra: Data;
  /** What an edited one was before. */
  original: Original | null;
  refs: Ref[];
  links: Links;
  parseErrors: FieldError[];
  linkErrors: FieldError[];
  decision: "match" | "create" | "exclude" | null;
  chosenEntityId: string | null;
  matches: Match[];
}

/** What each of a candidate's references leads to: another candidate, or a record that was imported before. */
export type Links = Record<string, { candidateId: string } | { entityId: string }>;

const looked = sql`c.id, c.position, c.row_number, c.entity_type, c.source_id, c.is_derived, c.data, c.extra, c.original, c.refs, c.links, c.parse_errors, c.link_errors, c.decision,
  c.chosen_entity_id, c.matches`;

/** The next candidates of a type after a place, those that were merged into others left out if that is asked for. */
export const candidatesAfter = (
  db: StatementRunner,
  bundleId: string,
  entityType: ImportEntityType,
  position: number,
  atMost: number,
  unmerged = false,
): Promise<CandidateRow[]> =>
  db.all(sql<CandidateRow>`select ${looked} from import_candidate c where c.organization_id = ${db.organizationId} and c.bundle_id = ${bundleId}
    and c.entity_type = ${entityType} and c.position > ${position} ${unmerged ? sql`and c.merged_into_id is null` : sql``} order by c.position limit ${atMost}`);

/** These candidates of a bundle, in their order. */
export const candidatesOf = (db: StatementRunner, bundleId: string, where: RawBuilder<unknown>): Promise<CandidateRow[]> =>
  db.all(sql<CandidateRow>`select ${looked} from import_candidate c
    where c.organization_id = ${db.organizationId} and c.bundle_id = ${bundleId} and ${where} order by c.position`);

/** Which types a bundle has candidates of. */
export async function typesIn(db: StatementRunner, bundleId: string): Promise<Map<ImportEntityType, number>> {
  const rows = await db.all(sql<{ entityType: ImportEntityType; count: number }>`select entity_type, count(*) as count from import_candidate
    where organization_id = ${db.organizationId} and bundle_id = ${bundleId} group by entity_type`);
  return new Map(rows.map(({ entityType, count }) => [entityType, count]));
}

/** How many candidates have each status. */
export async function countCandidates(db: StatementRunner, bundleId: string): Promise<ImportCounts> {
  return countsOf(
    await db.all(sql`select entity_type, status, count(*) as count from import_candidate
      where organization_id = ${db.organizationId} and bundle_id = ${bundleId} and status is not null group by entity_type, status`),
  );
}

const MANY = 1_000;

/** Has many candidates that were just written planned for as the many that they are; without, what is asked of them is only slower. */
export async function analyzeCandidates(db: StatementRunner, count: number): Promise<void> {
  if (count >= MANY) await db.all(sql`select analyze_candidates()`).catch(() => undefined);
}
