/** Evaluation of candidates: their errors, the existing record they represent, and the statuses that follow. */
import type { FieldError } from "@freehold/contract/errors";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { today } from "@freehold/kit/time/clock";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { CandidateRow } from "./candidates.queries.ts";
import { validateFields } from "./entity.rules.ts";
import { findChosenRecords, findIdentities, type KnownIdentity, recordOf } from "./find-matches.ts";
import { hasFixedFields, isCreateOnly, postedRecordError, postsNothing, refusedChanges } from "./create-only.rules.ts";
import { findPostedOnLeases } from "./posted-on-leases.ts";
import { agreedTermErrors } from "./references/agreed-terms.rules.ts";
import { checkStatusChange, withMatchedStatus } from "./references/lease-status.rules.ts";
import { findOrphans } from "./references/deleted-records.ts";
import { findPropertiesByName } from "./references/earlier-records.ts";
import { changesBetween, comparableFields, type Match, recordFields, unknownFields, verdictForMatch, type Verdict, verdictOf } from "./match.rules.ts";

interface Evaluation extends Omit<Verdict, "entityId"> {
  id: string;
  errors: FieldError[];
  matches: Match[];
  chosen_entity_id: string | null;
}

/** Decides which record a candidate represents, and may add errors. */
type Evaluate = (
  row: CandidateRow,
  matches: readonly Match[],
  identity: KnownIdentity | undefined,
  chosenRecords: ReadonlyMap<string, string>,
  day: string,
) => Verdict & { errors?: FieldError[] };

/** Collects the errors of cells, references and fields. A parse error is dropped when a duplicate supplied the field. */
function collectErrors({ entityType, data, parseErrors, linkErrors }: CandidateRow): FieldError[] {
  const cellErrors = parseErrors.filter(({ path }) => data[path] === undefined);
  const reportedPaths = new Set([...cellErrors, ...linkErrors].map(({ path }) => path));
  return [...cellErrors, ...linkErrors, ...validateFields(entityType, data).filter(({ path }) => !reportedPaths.has(path))];
}

const newRecord: Verdict = { verdict: "ready_create", entityId: null, changes: [] };
const nothingToPost: Verdict = { verdict: "unchanged", entityId: null, changes: [] };

/**
 * Returns the verdict by the manual decision, by an earlier import, or else by the matches. Without a known state of the record every field
 * is a change. A change of a posted record, of what is agreed in a lease that has begun, or to a status that the lease cannot take, is an error,
 * because an import does not make it.
 */
const evaluateCandidate: Evaluate = (row, matches, identity, chosenRecords, day) => {
  const { links, data, decision, chosenEntityId } = row;
  const entityId = decision === "match" ? chosenEntityId : (identity?.entityId ?? null);
  if (postsNothing(row.entityType, data) && (decision === "create" || entityId === null)) return nothingToPost;
  if (decision === "create") return newRecord;
  if (isCreateOnly(row.entityType) && entityId !== null && identity?.entityId !== entityId) return { verdict: "unchanged", entityId, changes: [] };
  const [comparable, unknown] = [comparableFields[row.entityType] ?? [], unknownFields(row.entityType, data)];
  const matchOf = (id: string | null) => matches.find((each) => each.entityId === id);
  const withStatus = (verdict: Verdict) => (row.entityType === "lease" ? withMatchedStatus(verdict, matchOf(verdict.entityId)?.fields, data, day) : verdict);
  if (entityId === null) return withStatus(verdictOf(matches, data, comparable, unknown));
  const match = matchOf(entityId);
  if (identity?.entityId !== entityId && match) return withStatus(verdictForMatch(match, data, comparable, unknown));
  const allChanges = changesBetween(identity?.entityId === entityId ? identity.data : {}, data, recordFields(row.entityType, data));
  const isKnownLease = row.entityType === "lease" && match !== undefined;
  const { changes, errors: statusErrors } = isKnownLease ? checkStatusChange(match.fields, data, allChanges, day) : { changes: allChanges, errors: [] };
  const agreed = { ...linkedRecords(links, chosenRecords), start_date: data["start_date"] };
  const agreedErrors = isKnownLease ? agreedTermErrors(match.fields, agreed, changes) : [];
  const errors = [...statusErrors, ...agreedErrors, ...fixedFieldErrors(row.entityType, identity, changes)];
  return { verdict: changes.length > 0 ? "ready_update" : "unchanged", entityId, changes, errors };
};

function fixedFieldErrors(entityType: CandidateRow["entityType"], identity: KnownIdentity | undefined, changes: Verdict["changes"]): FieldError[] {
  const refused = refusedChanges(entityType, changes);
  return hasFixedFields(entityType) && identity && refused.length > 0 ? [postedRecordError(entityType, identity, refused)] : [];
}

const linkedRecords = ({ unit, tenant }: CandidateRow["links"], chosenRecords: ReadonlyMap<string, string>) => ({
  unit: recordOf(unit, chosenRecords),
  tenant: recordOf(tenant, chosenRecords),
});

/** Evaluates candidates of one type and stores the results. Without `fetchedMatches`, which are fetched before the transaction, the stored matches are used. */
export async function evaluateCandidates(
  tx: OrgTx,
  bundle: { id: string; namespace: string },
  rows: readonly CandidateRow[],
  fetchedMatches?: ReadonlyMap<string, Match[]>,
  evaluate: Evaluate = evaluateCandidate,
): Promise<void> {
  if (rows.length === 0) return;
  const sourceIds = rows.map(({ sourceId }) => sourceId);
  const identities = await findIdentities(tx, bundle.namespace, rows[0]!.entityType, sourceIds);
  const orphans = identities.size > 0 && evaluate === evaluateCandidate ? await findOrphans(tx, bundle, rows) : new Set();
  const formerRecords = new Map(rows.filter(({ id }) => orphans.has(id)).map(({ id, sourceId }) => [id, identities.get(sourceId)?.entityId]));
  for (const { id, sourceId } of rows) if (orphans.has(id)) identities.delete(sourceId);
  const isUnidentified = ({ entityType, isDerived, sourceId }: CandidateRow) => entityType === "property" && isDerived && !identities.has(sourceId);
  const unidentified = evaluate === evaluateCandidate ? rows.filter(isUnidentified) : [];
  const named = await findPropertiesByName(tx, bundle.namespace, unidentified);
  const unposted = evaluate === evaluateCandidate ? rows.filter(({ sourceId }) => !identities.has(sourceId)) : [];
  const posted = await findPostedOnLeases(tx, bundle, unposted);
  const chosenRecords = rows[0]!.entityType === "lease" ? await findChosenRecords(tx, rows) : new Map<string, string>();
  const day = today(tx.principal.timezone);
  const evaluations = rows.map((row): Evaluation => {
    const allMatches = fetchedMatches ? (fetchedMatches.get(row.id) ?? []) : row.matches;
    // A lease of a deleted unit is still known by its id.
    const matches = row.decision === "match" ? allMatches : allMatches.filter(({ entityId }) => entityId !== formerRecords.get(row.id));
    const {
      entityId,
      errors = [],
      ...verdict
    } = evaluate(row, matches, posted.get(row.id) ?? identities.get(row.sourceId) ?? named.get(row.id), chosenRecords, day);
    return { id: row.id, errors: [...collectErrors(row), ...errors], matches, ...verdict, chosen_entity_id: entityId };
  });
  await tx.all(sql`update import_candidate c set errors = e.errors, verdict = e.verdict, changes = e.changes, matches = e.matches, chosen_entity_id = e.chosen_entity_id,
      former_entity_id = (select former.entity_id from import_identity former where former.organization_id = c.organization_id
        and former.namespace = ${bundle.namespace} and former.entity_type = c.entity_type and former.source_id = c.source_id)
    from jsonb_to_recordset(${JSON.stringify(evaluations)}::jsonb) as e (id uuid, errors jsonb, verdict text, changes jsonb, matches jsonb, chosen_entity_id uuid)
    where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundle.id} and c.id = any(${rows.map(({ id }) => id)}::uuid[]) and c.id = e.id`);
}

/** Statuses of candidates whose record exists once the bundle is written. */
export const importableStatuses = sql`('ready_create', 'ready_update', 'unchanged')`;

const status = sql`case
  when c.decision = 'exclude' then 'excluded'
  when c.merged_into_id is not null then 'duplicate_merged'
  when jsonb_path_exists(c.errors, '$[*] ? (@.code != "required")') then 'invalid'
  when c.errors <> '[]' then 'missing_source_data'
  when exists (select from import_dependency d join import_candidate dependency on dependency.organization_id = d.organization_id and dependency.id = d.depends_on_id
    where d.organization_id = c.organization_id and d.candidate_id = c.id and dependency.status not in ${importableStatuses}) then 'blocked'
  else c.verdict end`;

/** Updates the statuses of candidates of one type from their decisions, errors, verdicts and the statuses of their dependencies. */
export async function updateStatuses(tx: OrgTx, bundleId: string, where: RawBuilder<unknown>): Promise<void> {
  await tx.all(sql`with evaluated as (select c.id, ${status} as status from import_candidate c
      where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and ${where})
    update import_candidate c set status = evaluated.status, updated_at = now(), version = c.version + 1 from evaluated
    where c.organization_id = ${tx.organizationId} and c.id = evaluated.id and c.status is distinct from evaluated.status`);
}
