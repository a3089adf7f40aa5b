/** Evaluation of candidates: their errors, the existing record they represent, and the statuses that follow. */
import type { FieldError } from "@freehold/contract/errors";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { CandidateRow } from "./candidates.queries.ts";
import { REPORT_DATE } from "./draft-rows.ts";
import { incompleteValueErrors, validateFields } from "./entity.rules.ts";
import { findChosenRecords, type KnownIdentity, recordOf } from "./find-matches.ts";
import { hasFixedFields, isCreateOnly, postedRecordError, postsNothing, refusedChanges } from "./create-only.rules.ts";
import { findUnclearNamesakes } from "./merge-duplicates.ts";
import { agreedTermErrors, tenantFields } from "./references/agreed-terms.rules.ts";
import { hasPrimaryTenantOf } from "./tenancies/household.rules.ts";
import { changesOfExtension, hasTenant, renewalOf } from "./tenancies/renewal.rules.ts";
import { isOfOtherTenant } from "./references/lease-tenants.rules.ts";
import { findTenantsOfLeases } from "./references/lease-tenants.ts";
import { checkLeaseChanges, withMatchedStatus } from "./references/lease-status.rules.ts";
import { movedUnitErrors } from "./references/property-of-unit.rules.ts";
import { checkWorkOrderChanges } from "./references/work-order-status.rules.ts";
import { type Contest, findContests } from "./conflicts/contested-records.ts";
import { isLeaseConflict } from "./conflicts/existing-leases.ts";
import { findOwnRentChanges } from "./conflicts/own-rents.ts";
import { findStrangers } from "./conflicts/payers.ts";
import { otherPropertyErrors } from "./conflicts/property-addresses.rules.ts";
import { changesHold } from "./conflicts/lease-after-import.rules.ts";
import { isPosted } from "./source-ids/equal-records.rules.ts";
import { findKnownRecords, findRepresented, type KnownRecords } from "./references/known-records.ts";
import { importDayOf, findRefusedByLeases, flagLeaseConflicts } from "./conflicts/lease-conflicts.ts";
import { findPrimaryTenants } from "./references/people-on-leases.ts";
import {
  changesBetween,
  comparableFields,
  defaultValues,
  type Match,
  recordFields,
  unknownFields,
  verdictForMatch,
  type Verdict,
  verdictOf,
} from "./match.rules.ts";

/** Verdict on a candidate with the errors that it finds. */
type Evaluated = Verdict & { errors?: FieldError[] };

interface Evaluation extends Omit<Verdict, "entityId"> {
  id: string;
  errors: FieldError[];
  matches: Match[];
  chosen_entity_id: string | null;
}

/** Collects the errors of cells, references and fields. A parse error is dropped when a duplicate supplied the field, and a conflict with a lease unless the row is new. */
function collectErrors({ entityType, data, parseErrors, linkErrors: allLinkErrors }: CandidateRow, isNew: boolean): FieldError[] {
  const linkErrors = allLinkErrors.filter((error) => isNew || !isLeaseConflict(error));
  const cellErrors = parseErrors.filter(({ path }) => data[path] === undefined);
  const reportedPaths = new Set([...cellErrors, ...linkErrors].map(({ path }) => path));
  return [...cellErrors, ...linkErrors, ...validateFields(entityType, data).filter(({ path }) => !reportedPaths.has(path))];
}

const newRecord: Verdict = { verdict: "ready_create", entityId: null, changes: [] };
const ambiguousRecord: Verdict = { verdict: "ambiguous", entityId: null, changes: [] };
const nothingToPost: Verdict = { verdict: "unchanged", entityId: null, changes: [] };

/**
 * Returns the verdict by the manual decision, by an earlier import, or else by the matches. Without a known state of the record every field
 * is a change. A change of a posted record, of what is agreed in a lease that has begun, or to a status that the lease cannot take, is an error,
 * because an import does not make it.
 */
function evaluateCandidate(
  row: CandidateRow,
  matches: readonly Match[],
  { identityOf, chosenRecords, tenantsOfLeases, contests, unclearNamesakes, day }: Facts,
): Evaluated {
  const { links, data, decision, chosenEntityId } = row;
  const identity = identityOf(row);
  const entityId = decision === "match" ? chosenEntityId : (identity?.entityId ?? null);
  if (postsNothing(row.entityType, data) && (decision === "create" || entityId === null)) return nothingToPost;
  if (decision === "create") return newRecord;
  if (isCreateOnly(row.entityType) && entityId !== null && identity?.entityId !== entityId) return { verdict: "unchanged", entityId, changes: [] };
  const [comparable, unknown] = [comparableFields[row.entityType] ?? [], unknownFields(row.entityType, data)];
  const matchOf = (id: string | null) => matches.find((each) => each.entityId === id);
  const withStatus = (verdict: Verdict) => (row.entityType === "lease" ? withMatchedStatus(verdict, matchOf(verdict.entityId)?.fields, data, day) : verdict);
  if (entityId === null) {
    if (unclearNamesakes.has(row.id)) return ambiguousRecord;
    const ownerOf = (id: string | null) => contests.get(row.id)?.find((contest) => contest.entityId === id)?.owner;
    const possible = matches.filter((match) => ownerOf(match.entityId) !== "other" && !isOfOtherTenant(match.fields, tenantsOfLeases.get(row.id)));
    const verdict = withStatus(verdictOf(possible, data, comparable, unknown));
    return ownerOf(verdict.entityId) === "unclear" ? ambiguousRecord : verdict;
  }
  const match = matchOf(entityId);
  const renewalInFreehold = row.entityType === "lease" && match ? findRenewal(match, matches, tenantsOfLeases.get(row.id), data) : undefined;
  if (renewalInFreehold && decision === null) return withStatus(verdictForMatch(renewalInFreehold, data, comparable, unknown));
  if (identity?.entityId !== entityId && match) return withStatus(verdictForMatch(match, data, comparable, unknown));
  const agreed = { ...linkedRecords(links, chosenRecords), start_date: data["start_date"] };
  const formerData = identity?.entityId === entityId ? identity.data : undefined;
  const renewal = row.entityType === "lease" && match ? renewalOf(match.fields, agreed, data, formerData, day) : undefined;
  if (renewal === "new_lease") return newRecord;
  const rowChanges = changesBetween(formerData ? { ...defaultValues[row.entityType], ...formerData } : {}, data, recordFields(row.entityType, data)).filter(
    ({ field }) => field !== "as_of" || row.extra[REPORT_DATE] === undefined,
  );
  const isReordered =
    row.entityType === "lease" && match !== undefined && hasTenant(match.fields, agreed.tenant) && hasPrimaryTenantOf(data, identity?.data ?? {});
  const agreedChanges = isReordered ? rowChanges.filter(({ field }) => !tenantFields.has(field)) : rowChanges;
  const allChanges = renewal === "extension" ? changesOfExtension(agreedChanges) : agreedChanges;
  const { changes, errors: statusErrors } = match ? checkChanges(row, match.fields, allChanges, day) : { changes: allChanges, errors: [] };
  const agreedErrors =
    row.entityType === "lease" && match
      ? agreedTermErrors(match.fields, { ...agreed, ...(renewal === "extension" && { start_date: match.fields["start_date"] }) }, changes)
      : [];
  const isMovable = row.entityType !== "unit" || !links["property"];
  const movedErrors = isMovable ? [] : movedUnitErrors(match?.fields["property"], recordOf(links["property"], chosenRecords), changes);
  const unwrittenErrors = [...fixedFieldErrors(row.entityType, identity, changes), ...incompleteValueErrors(row.entityType, data, changes)];
  const isKnownByName = row.entityType === "property" && row.isDerived && decision === null && identity !== undefined;
  const addressErrors = isKnownByName ? otherPropertyErrors(data, identity.data, changes) : [];
  const errors = [...statusErrors, ...agreedErrors, ...movedErrors, ...addressErrors, ...unwrittenErrors];
  return { verdict: changes.length > 0 ? "ready_update" : "unchanged", entityId, changes, errors };
}

/** Returns the lease in Freehold that renews the lease of a row and begins on the first day of the row, if there is one. */
const findRenewal = (lease: Match, matches: readonly Match[], tenantOfRow: string | null | undefined, row: CandidateRow["data"]): Match | undefined =>
  matches.find(
    ({ entityId, fields }) =>
      entityId !== lease.entityId &&
      fields["start_date"] === row["start_date"] &&
      fields["start_date"]! > lease.fields["start_date"]! &&
      fields["unit"] === lease.fields["unit"] &&
      !isOfOtherTenant(fields, tenantOfRow),
  );

/** Returns the changes of a row without those that its record has already, and the errors for what a lease or a work order of its status does not take. */
function checkChanges({ entityType, data }: CandidateRow, record: Match["fields"], changes: Verdict["changes"], day: string) {
  if (entityType === "lease") return checkLeaseChanges(record, data, changes, day);
  return entityType === "work_order" ? checkWorkOrderChanges(record["status"]!, changes) : { changes, errors: [] };
}

function fixedFieldErrors(entityType: CandidateRow["entityType"], identity: KnownIdentity | undefined, changes: Verdict["changes"]): FieldError[] {
  const refused = refusedChanges(entityType, changes);
  return hasFixedFields(entityType) && identity && refused.length > 0 ? [postedRecordError(entityType, identity, refused)] : [];
}

const linkedRecords = ({ unit, tenant }: CandidateRow["links"], chosenRecords: ReadonlyMap<string, string>) => ({
  unit: recordOf(unit, chosenRecords),
  tenant: recordOf(tenant, chosenRecords),
});

/** State of the records and rows on which the verdicts of candidates depend. */
interface Facts extends KnownRecords {
  chosenRecords: ReadonlyMap<string, string>;
  /** Tenants of lease rows by row id, null for a new person. */
  tenantsOfLeases: ReadonlyMap<string, string | null>;
  /** Matches of rows with the records of other rows by row id. */
  contests: ReadonlyMap<string, Contest[]>;
  /** Ids of the tenants without a source id who may be any of several people of the bundle. */
  unclearNamesakes: ReadonlySet<string>;
  refusedByLeases: ReadonlyMap<string, FieldError>;
  /** Errors of rows that change the rent of their lease alone, by row id. */
  ownRentErrors: ReadonlyMap<string, FieldError>;
  /** Ids of the occupants who are the primary tenants of their leases. */
  primaryTenants: ReadonlySet<string>;
  /** Day of the import. */
  day: string;
}

/** Reads the facts about rows of one type. The records of rows that are evaluated for the first time are compared later, once all rows have theirs. */
async function readFacts(tx: OrgTx, bundle: { id: string; namespace: string }, rows: readonly CandidateRow[], isFirst: boolean): Promise<Facts> {
  const { entityType } = rows[0]!;
  const day = await importDayOf(tx, bundle.id);
  const known = await findKnownRecords(tx, bundle, rows, day);
  const undecided = rows.filter((row) => row.decision === null && known.identityOf(row) === undefined);
  return {
    ...known,
    chosenRecords: entityType === "lease" || entityType === "unit" ? await findChosenRecords(tx, rows) : new Map<string, string>(),
    tenantsOfLeases: await findTenantsOfLeases(tx, rows),
    contests: isFirst ? new Map<string, Contest[]>() : await findContests(tx, bundle, undecided),
    unclearNamesakes: await findUnclearNamesakes(tx, bundle.id, undecided),
    refusedByLeases: new Map([...(await findStrangers(tx, rows)), ...(await findRefusedByLeases(tx, rows, day))]),
    ownRentErrors: await findOwnRentChanges(tx, bundle.namespace, rows, known.identityOf),
    primaryTenants: await findPrimaryTenants(tx, bundle, rows),
    day,
  };
}

/**
 * Evaluates candidates of one type of a bundle and stores the results. Without `fetchedMatches`, which are fetched before the transaction, the stored
 * matches are used. Returns the ids of the leases that conflict with another one since, among which may be others than these.
 */
export async function evaluateCandidates(
  tx: OrgTx,
  bundle: { id: string; namespace: string },
  rows: readonly CandidateRow[],
  fetchedMatches?: ReadonlyMap<string, Match[]>,
): Promise<string[]> {
  if (rows.length === 0) return [];
  const facts = await readFacts(tx, bundle, rows, fetchedMatches !== undefined);
  const { identityOf, formerRecords, possibleDuplicates, refusedByLeases, ownRentErrors, primaryTenants, day } = facts;
  const allMatchesOf = (row: CandidateRow) => {
    if (isPosted(row.entityType)) return possibleDuplicates.get(row.id) ?? [];
    return fetchedMatches ? (fetchedMatches.get(row.id) ?? []) : row.matches;
  };
  const renumbered = await findRenumberedUnits(tx, bundle, rows.filter((row) => identityOf(row) === undefined).flatMap(allMatchesOf), rows[0]!);
  const evaluations = rows.map((row): Evaluation => {
    const isOther = ({ entityId }: Match) => entityId === formerRecords.get(row.id) || (identityOf(row) === undefined && renumbered.has(entityId));
    const matches = row.decision === "match" ? allMatchesOf(row) : allMatchesOf(row).filter((match) => !isOther(match));
    const isPrimaryTenant = row.decision === null && identityOf(row) === undefined && primaryTenants.has(row.id);
    const evaluated: Evaluated = isPrimaryTenant ? nothingToPost : evaluateCandidate(row, matches, facts);
    const leaseError = evaluated.verdict === "ready_create" ? refusedByLeases.get(row.id) : ownRentErrors.get(row.id);
    return toEvaluation(row, matches, { ...evaluated, errors: [...(evaluated.errors ?? []), ...(leaseError ? [leaseError] : [])] });
  });
  await saveEvaluations(tx, bundle, evaluations);
  const leaseIds = rows.flatMap(({ id, entityType }) => (entityType === "lease" ? [id] : []));
  return leaseIds.length > 0 ? flagLeaseConflicts(tx, bundle.id, leaseIds, day) : [];
}

/** Returns the units among the matches that other rows of the bundle represent: a new row with the number of such a unit is another unit. */
const findRenumberedUnits = (tx: OrgTx, bundle: { id: string; namespace: string }, matches: readonly Match[], { entityType }: CandidateRow) =>
  entityType === "unit" ? findRepresented(tx, bundle, entityType, [...new Set(matches.map(({ entityId }) => entityId))]) : new Set<string>();

/** Tells whether a row of a lease changes the days on which it holds its unit. */
const isMovedLease = ({ entityType, decision }: CandidateRow, { verdict, changes }: Omit<Verdict, "entityId">): boolean =>
  entityType === "lease" && verdict === "ready_update" && changesHold({ changes, decision, hasErrors: false });

/** Adds the errors of its cells, references and fields to the verdict on a candidate. */
export const toEvaluation = (row: CandidateRow, matches: readonly Match[], { entityId, errors = [], ...verdict }: Evaluated): Evaluation => ({
  id: row.id,
  errors: [...collectErrors(row, verdict.verdict === "ready_create" || isMovedLease(row, verdict)), ...errors],
  matches: [...matches],
  ...verdict,
  chosen_entity_id: entityId,
});

/** Stores the results of evaluated candidates with their statuses, and the former record of their source ids. A new status is a new version. */
export const saveEvaluations = (tx: OrgTx, bundle: { id: string; namespace: string }, evaluations: readonly Evaluation[]) =>
  tx.all(sql`update import_candidate c set errors = e.errors, verdict = e.verdict, changes = e.changes, matches = e.matches, chosen_entity_id = e.chosen_entity_id,
      former_entity_id = (select former.entity_id from import_identity former where former.organization_id = c.organization_id
        and former.namespace = ${bundle.namespace} and former.entity_type = c.entity_type and former.source_id = c.source_id),
      (status, updated_at, version) = (select s.status, case when c.status is distinct from s.status then now() else c.updated_at end,
          c.version + (c.status is distinct from s.status)::int
        from (select ${statusOf(sql`e.errors`, sql`e.verdict`)} as status offset 0) s)
    from jsonb_to_recordset(${JSON.stringify(evaluations)}::jsonb) as e (id uuid, errors jsonb, verdict text, changes jsonb, matches jsonb, chosen_entity_id uuid)
    where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundle.id} and c.id = any(${evaluations.map(({ id }) => id)}::uuid[]) and c.id = e.id`);

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
