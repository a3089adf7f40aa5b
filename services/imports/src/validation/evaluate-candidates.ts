/** Evaluation of candidates: their errors, the existing record they represent, and the statuses that follow. */
import type { FieldError } from "@freehold/contract/errors";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { CandidateRow } from "./candidates.queries.ts";
import { incompleteValueErrors, validateFields } from "./entity.rules.ts";
import { findChosenRecords, findIdentities, type KnownIdentity, recordOf } from "./find-matches.ts";
import { hasFixedFields, isCreateOnly, postedRecordError, postsNothing, refusedChanges } from "./create-only.rules.ts";
import { findPostedOnLeases } from "./posted-on-leases.ts";
import { agreedTermErrors } from "./references/agreed-terms.rules.ts";
import { checkLeaseChanges, withMatchedStatus } from "./references/lease-status.rules.ts";
import { findOrphans } from "./references/deleted-records.ts";
import { findPropertiesByName } from "./references/earlier-records.ts";
import { importDayOf, findRefusedByLeases, flagLeaseConflicts } from "./references/lease-conflicts.ts";
import { findOccupantsByName, findPrimaryTenants } from "./references/people-on-leases.ts";
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
  const { changes, errors: statusErrors } = isKnownLease ? checkLeaseChanges(match.fields, data, allChanges, day) : { changes: allChanges, errors: [] };
  const agreed = { ...linkedRecords(links, chosenRecords), start_date: data["start_date"] };
  const agreedErrors = isKnownLease ? agreedTermErrors(match.fields, agreed, changes) : [];
  const unwrittenErrors = [...fixedFieldErrors(row.entityType, identity, changes), ...incompleteValueErrors(row.entityType, data, changes)];
  const errors = [...statusErrors, ...agreedErrors, ...unwrittenErrors];
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

/** State of the records and rows on which the verdicts of candidates depend. */
interface Facts {
  identityOf: (row: CandidateRow) => KnownIdentity | undefined;
  /** Records of the rows whose records went with a deleted one: a lease of a deleted unit is still known by its id. */
  formerRecords: ReadonlyMap<string, string | undefined>;
  chosenRecords: ReadonlyMap<string, string>;
  refusedByLeases: ReadonlyMap<string, FieldError>;
  /** Tells whether a row of an occupant names the primary tenant, or somebody whose lease is not imported. */
  addsNobody: (row: CandidateRow) => boolean;
  /** Day of the import. */
  day: string;
}

/** Reads the facts about rows of one type. Rows of a bulk import depend on the identities of their source ids only. */
async function readFacts(tx: OrgTx, bundle: { id: string; namespace: string }, rows: readonly CandidateRow[], isBulk: boolean): Promise<Facts> {
  const { entityType } = rows[0]!;
  const sourceIds = rows.map(({ sourceId }) => sourceId);
  const identities = await findIdentities(tx, bundle.namespace, entityType, sourceIds);
  const chosenRecords = entityType === "lease" ? await findChosenRecords(tx, rows) : new Map<string, string>();
  const day = await importDayOf(tx, bundle.id);
  const common = { chosenRecords, day };
  if (isBulk)
    return {
      ...common,
      identityOf: ({ sourceId }) => identities.get(sourceId),
      formerRecords: new Map(),
      refusedByLeases: new Map(),
      addsNobody: () => false,
    };
  const orphans = identities.size > 0 ? await findOrphans(tx, bundle, rows, day) : new Set();
  const formerRecords = new Map(rows.filter(({ id }) => orphans.has(id)).map(({ id, sourceId }) => [id, identities.get(sourceId)?.entityId]));
  for (const { id, sourceId } of rows) if (orphans.has(id)) identities.delete(sourceId);
  const unposted = rows.filter(({ sourceId }) => !identities.has(sourceId));
  const unidentified = unposted.filter(({ isDerived }) => entityType === "property" && isDerived);
  const named = new Map([...(await findPropertiesByName(tx, bundle.namespace, unidentified)), ...(await findOccupantsByName(tx, bundle.namespace, unposted))]);
  const posted = await findPostedOnLeases(tx, bundle, unposted);
  const primaryTenants = await findPrimaryTenants(tx, bundle, rows);
  return {
    ...common,
    identityOf: ({ id, sourceId }) => posted.get(id) ?? identities.get(sourceId) ?? named.get(id),
    formerRecords,
    refusedByLeases: await findRefusedByLeases(tx, rows, day),
    addsNobody: (row) => (row.decision === null && primaryTenants.has(row.id)) || lacksOptionalLease(row),
  };
}

/**
 * Evaluates candidates of one type and stores the results. Without `fetchedMatches`, which are fetched before the transaction, the stored matches are
 * used. Returns the ids of the leases that conflict with another one since, among which may be others than these.
 */
export async function evaluateCandidates(
  tx: OrgTx,
  bundle: { id: string; namespace: string },
  rows: readonly CandidateRow[],
  fetchedMatches?: ReadonlyMap<string, Match[]>,
  evaluate: Evaluate = evaluateCandidate,
): Promise<string[]> {
  if (rows.length === 0) return [];
  const isBulk = evaluate !== evaluateCandidate;
  const { identityOf, formerRecords, chosenRecords, refusedByLeases, addsNobody, day } = await readFacts(tx, bundle, rows, isBulk);
  const evaluations = rows.map((row): Evaluation => {
    const identity = identityOf(row);
    const allMatches = fetchedMatches ? (fetchedMatches.get(row.id) ?? []) : row.matches;
    const matches = row.decision === "match" ? allMatches : allMatches.filter(({ entityId }) => entityId !== formerRecords.get(row.id));
    const {
      entityId,
      errors = [],
      ...verdict
    }: ReturnType<Evaluate> = identity === undefined && addsNobody(row) ? nothingToPost : evaluate(row, matches, identity, chosenRecords, day);
    const leaseError = verdict.verdict === "ready_create" ? refusedByLeases.get(row.id) : undefined;
    return { id: row.id, errors: [...collectErrors(row), ...errors, ...(leaseError ? [leaseError] : [])], matches, ...verdict, chosen_entity_id: entityId };
  });
  await saveEvaluations(tx, bundle, evaluations);
  const leaseIds = rows.flatMap(({ id, entityType }) => (entityType === "lease" ? [id] : []));
  return leaseIds.length > 0 && !isBulk ? flagLeaseConflicts(tx, bundle.id, leaseIds, day) : [];
}

/** Stores the results of evaluated candidates with their statuses, and the former record of their source ids. A new status is a new version. */
const saveEvaluations = (tx: OrgTx, bundle: { id: string; namespace: string }, evaluations: readonly Evaluation[]) =>
  tx.all(sql`update import_candidate c set errors = e.errors, verdict = e.verdict, changes = e.changes, matches = e.matches, chosen_entity_id = e.chosen_entity_id,
      former_entity_id = (select former.entity_id from import_identity former where former.organization_id = c.organization_id
        and former.namespace = ${bundle.namespace} and former.entity_type = c.entity_type and former.source_id = c.source_id),
      (status, updated_at, version) = (select s.status, case when c.status is distinct from s.status then now() else c.updated_at end,
          c.version + (c.status is distinct from s.status)::int
        from (select ${statusOf(sql`e.errors`, sql`e.verdict`)} as status offset 0) s)
    from jsonb_to_recordset(${JSON.stringify(evaluations)}::jsonb) as e (id uuid, errors jsonb, verdict text, changes jsonb, matches jsonb, chosen_entity_id uuid)
    where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundle.id} and c.id = any(${evaluations.map(({ id }) => id)}::uuid[]) and c.id = e.id`);

/** Tells whether a row is that of a person on a lease that is not imported, which the row does not require. */
const lacksOptionalLease = ({ refs, links }: CandidateRow): boolean =>
  links["lease"] === undefined && refs.some(({ name, isRequired }) => name === "lease" && !isRequired);

/** Statuses of candidates whose record exists once the bundle is written. */
export const importableStatuses = sql`('ready_create', 'ready_update', 'unchanged')`;

/** Returns the SQL of the status of the candidate `c` by the first that applies: its decision, merging, errors, the statuses of its dependencies, and its verdict. */
const statusOf = (errors: RawBuilder<unknown>, verdict: RawBuilder<unknown>) => sql`case
  when c.decision = 'exclude' then 'excluded'
  when c.merged_into_id is not null then 'duplicate_merged'
  when jsonb_path_exists(${errors}, '$[*] ? (@.code != "required")') then 'invalid'
  when ${errors} <> '[]' then 'missing_source_data'
  when exists (select from import_dependency d join import_candidate dependency on dependency.organization_id = d.organization_id and dependency.id = d.depends_on_id
    where d.organization_id = c.organization_id and d.candidate_id = c.id and dependency.status not in ${importableStatuses}) then 'blocked'
  else ${verdict} end`;

/** Updates the statuses of candidates of one type from their decisions, errors, verdicts and the statuses of their dependencies. */
export async function updateStatuses(tx: OrgTx, bundleId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.all(sql`with evaluated as (select c.id, ${statusOf(sql`c.errors`, sql`c.verdict`)} as status from import_candidate c
      where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.id = any(${[...ids]}::uuid[]))
    update import_candidate c set status = evaluated.status, updated_at = now(), version = c.version + 1 from evaluated
    where c.organization_id = ${tx.organizationId} and c.id = evaluated.id and c.status is distinct from evaluated.status`);
}
