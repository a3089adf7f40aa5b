/** Charges, payments and expenses that earlier imports posted for rows with other ids or none, found by what they are posted on, day and amount. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { CandidateRow } from "../candidates.queries.ts";
import { displayNameOf } from "../entity.rules.ts";
import { findChosenRecords, type KnownIdentity, recordOf } from "../find-matches.ts";
import type { Match } from "../match.rules.ts";
import { dayFieldOf, isPosted, matchRecords, type PostedRecord, type PostedType, subjectLinkOf, withPlaceOf } from "./equal-records.rules.ts";

interface Bundle {
  id: string;
  namespace: string;
}

/** Records on which the rows are posted, by row id. */
export async function findSubjects(db: StatementRunner, rows: readonly CandidateRow[]): Promise<Map<string, string>> {
  const { entityType } = rows[0] ?? {};
  if (entityType === undefined || !isPosted(entityType)) return new Map();
  const chosenRecords = await findChosenRecords(db, rows);
  return new Map(
    rows.flatMap(({ id, links }): [string, string][] => {
      const subjectId = recordOf(subjectLinkOf(entityType, links), chosenRecords);
      return subjectId === undefined ? [] : [[id, subjectId]];
    }),
  );
}

/** Returns the records with the subject, the day and the amount of each row that are not those of other rows of the bundle. */
const listPostedRecords = (
  db: StatementRunner,
  bundle: Bundle,
  entityType: PostedType,
  rows: readonly CandidateRow[],
  subjects: ReadonlyMap<string, string>,
) => {
  const day = dayFieldOf(entityType);
  const ids = rows.map(({ id }) => id);
  return db.all(sql<PostedRecord>`select c.id as row_id, i.source_id, i.entity_id, i.data, i.is_derived
    from unnest(${ids}::uuid[], ${ids.map((id) => subjects.get(id)!)}::uuid[], ${rows.map(({ data }) => data[day]!)}::text[], ${rows.map(({ data }) => data["amount"]!)}::text[])
      as c (id, subject_id, day, amount)
    cross join lateral (select distinct on (i.entity_id) i.source_id, i.entity_id, i.data, i.created_at,
        bool_and(left(i.source_id, 1) = '~') over (partition by i.entity_id) as is_derived
      from import_identity i where i.organization_id = ${db.organizationId} and i.subject_id = c.subject_id and i.entity_type = ${entityType}
        and i.namespace = ${bundle.namespace} and i.data ->> ${day}::text = c.day and i.data ->> 'amount' = c.amount and not i.is_deleted
      order by i.entity_id, i.created_at, i.source_id offset 0) i
    where not exists (select from import_identity other join import_candidate row on row.organization_id = other.organization_id and row.bundle_id = ${bundle.id}
          and row.entity_type = other.entity_type and row.source_id = other.source_id
        where other.organization_id = ${db.organizationId} and other.namespace = ${bundle.namespace} and other.entity_type = ${entityType} and other.entity_id = i.entity_id)
      and not exists (select from import_candidate row where row.organization_id = ${db.organizationId} and row.bundle_id = ${bundle.id}
        and row.entity_type = ${entityType} and row.entity_type in ('charge', 'payment', 'expense') and row.chosen_entity_id = i.entity_id
        and row.id <> all(${ids}::uuid[]))
    order by i.created_at, i.source_id`);
};

const POSSIBLE_DUPLICATE_SCORE = 0.6;

function toMatch(entityType: PostedType, { entityId, data }: PostedRecord): Match {
  const displayName = [displayNameOf(entityType, data), data["amount"], data["check_number"]].filter(Boolean).join(", ");
  const reasons = [entityType === "expense" ? "place" : "lease", "day", "amount"];
  return { entityId, displayName, score: POSSIBLE_DUPLICATE_SCORE, reasons, fields: {} };
}

export interface EqualRecords {
  /** Identities of the rows that have the same values as a record. */
  identities: ReadonlyMap<string, KnownIdentity>;
  /** Records of which rows may be duplicates, since they differ in one value only. */
  possibleDuplicates: ReadonlyMap<string, Match[]>;
}

/** Finds the records of rows of one type whose ids no import has written. */
export async function findEqualRecords(
  db: StatementRunner,
  bundle: Bundle,
  unknown: readonly CandidateRow[],
  subjects: ReadonlyMap<string, string>,
): Promise<EqualRecords> {
  const { entityType } = unknown[0] ?? {};
  const rows =
    entityType !== undefined && isPosted(entityType)
      ? unknown.filter(({ id, data }) => subjects.has(id) && data[dayFieldOf(entityType)] !== undefined && data["amount"] !== undefined)
      : [];
  if (rows.length === 0) return { identities: new Map(), possibleDuplicates: new Map() };
  const type = entityType as PostedType;
  const { same, possible } = matchRecords(rows, await listPostedRecords(db, bundle, type, rows, subjects));
  return {
    identities: new Map(
      rows.flatMap(({ id, data }): [string, KnownIdentity][] => {
        const record = same.get(id);
        return record ? [[id, { sourceId: record.sourceId, entityId: record.entityId, data: withPlaceOf(data, record.data) }]] : [];
      }),
    ),
    possibleDuplicates: new Map([...possible].map(([id, records]) => [id, records.map((record) => toMatch(type, record))])),
  };
}
