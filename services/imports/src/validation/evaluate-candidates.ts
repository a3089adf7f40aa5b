/** What becomes of each candidate: what is wrong with it, whether it is there already, and whether what it depends on can be. */
import type { FieldError } from "@freehold/contract/errors";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { CandidateRow } from "./candidates.queries.ts";
import { errorsOf } from "./entity.rules.ts";
import { findEarlier, type Earlier } from "./find-matches.ts";
import { becoming, changesBetween, comparableFields, verdictOf, type Match, type Verdict } from "./match.rules.ts";

interface Judged extends Omit<Verdict, "entityId"> {
  id: string;
  errors: FieldError[];
  matches: Match[];
  chosen_entity_id: string | null;
}

/** What is wrong with a candidate: in its cells, in what it says of others, and in what it lacks. A field that another row gave is not wrong any more. */
function wrongWith({ entityType, data, parseErrors, linkErrors }: CandidateRow): FieldError[] {
  const wrong = parseErrors.filter(({ path }) => data[path] === undefined);
  const told = new Set([...wrong, ...linkErrors].map(({ path }) => path));
  return [...wrong, ...linkErrors, ...errorsOf(entityType, data).filter(({ path }) => !told.has(path))];
}

/** What is known of the record that a candidate is, by an earlier import or because it was chosen: any change is one where nothing is known. */
function known(row: CandidateRow, matches: readonly Match[], earlier: Earlier | undefined): Verdict {
  const { data, decision, chosenEntityId } = row;
  const entityId = decision === "match" ? chosenEntityId : (earlier?.entityId ?? null);
  if (decision === "create") return { verdict: "ready_create", entityId: null, changes: [] };
  const comparable = comparableFields[row.entityType] ?? [];
  if (entityId === null) return verdictOf(matches, data, comparable);
  const match = matches.find((each) => each.entityId === entityId);
  if (earlier?.entityId !== entityId && match) return becoming(match, data, comparable);
  const changes = changesBetween(earlier?.entityId === entityId ? earlier.data : {}, data);
  return { verdict: changes.length > 0 ? "ready_update" : "unchanged", entityId, changes };
}

/** Judges candidates of one type, each by itself, and keeps the verdicts. What they could be was asked before; without that, what was answered last time. */
export async function judgeCandidates(
  tx: OrgTx,
  bundle: { id: string; namespace: string },
  rows: readonly CandidateRow[],
  asked?: ReadonlyMap<string, Match[]>,
  judge: (row: CandidateRow, matches: readonly Match[], earlier: Earlier | undefined) => Verdict & { errors?: FieldError[] } = known,
): Promise<void> {
  if (rows.length === 0) return;
  const sourceIds = rows.map(({ sourceId }) => sourceId);
  const earlier = await findEarlier(tx, bundle.namespace, rows[0]!.entityType, sourceIds);
  const given = rows.map((row): Judged => {
    const matches = asked ? (asked.get(row.id) ?? []) : row.matches;
    const { entityId, errors = [], ...verdict } = judge(row, matches, earlier.get(row.sourceId));
    return { id: row.id, errors: [...wrongWith(row), ...errors], matches, ...verdict, chosen_entity_id: entityId };
  });
  await tx.all(sql`update import_candidate c set errors = given.errors, verdict = given.verdict, changes = given.changes, matches = given.matches,
      chosen_entity_id = given.chosen_entity_id
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given (id uuid, errors jsonb, verdict text, changes jsonb, matches jsonb, chosen_entity_id uuid)
    where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundle.id} and c.id = any(${rows.map(({ id }) => id)}::uuid[]) and c.id = given.id`);
}

/** A candidate that will be there once the bundle is written. */
export const importable = sql`('ready_create', 'ready_update', 'unchanged')`;

const status = sql`case
  when c.decision = 'exclude' then 'excluded'
  when c.merged_into_id is not null then 'duplicate_merged'
  when jsonb_path_exists(c.errors, '$[*] ? (@.code != "required")') then 'invalid'
  when c.errors <> '[]' then 'missing_source_data'
  when exists (select from import_dependency d join import_candidate o on o.organization_id = d.organization_id and o.id = d.depends_on_id
    where d.organization_id = c.organization_id and d.candidate_id = c.id and o.status not in ${importable}) then 'blocked'
  else c.verdict end`;

/** Sets the statuses of candidates of one type from their verdicts, and from the statuses of what they depend on; answers how many changed. */
export async function setStatuses(tx: OrgTx, bundleId: string, where: RawBuilder<unknown>): Promise<number> {
  const changed = await tx.all(sql`with judged as (select c.id, ${status} as status from import_candidate c
      where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and ${where})
    update import_candidate c set status = judged.status, updated_at = now(), version = c.version + 1 from judged
    where c.organization_id = ${tx.organizationId} and c.id = judged.id and c.status is distinct from judged.status returning 1`);
  return changed.length;
}
