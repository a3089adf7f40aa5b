/** Resolution of references between candidates: within the bundle first, then among the records imported under its namespace. */
import type { FieldError } from "@freehold/contract/errors";
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { normalizeForMatching } from "../../parsing/text.ts";
import type { CandidateRow, Links } from "../candidates.queries.ts";
import type { CandidateReference, FieldValues } from "../draft.ts";
import { findEarlierRecords, type OpenReference } from "./earlier-records.ts";
import { type LeaseOfUnit, leasesOfRow } from "./lease-of-row.rules.ts";
import { holdingLease } from "../tenancies/lease-of-tenancy.rules.ts";
import { isPrimaryTenant } from "../tenancies/household.rules.ts";
import { deriveSourceId, entityName, nameKeyOf } from "../entity.rules.ts";

type Link = Links[string];

interface NamedCandidate extends LeaseOfUnit {
  candidateId: string;
  nameKey: string | null;
  naturalKey: string | null;
  /** Fields with the people of a lease. */
  tenants: FieldValues;
}

/** Order of resolution: the key of a unit contains its property, and the key of a lease its unit. */
const RESOLUTION_ORDER = ["property", "owner", "vendor", "unit", "tenant", "lease", "charge"];

export interface ResolvedCandidate {
  id: string;
  links: Links;
  /** Types of the references that could not be resolved. */
  unresolved: ImportEntityType[];
  linkErrors: FieldError[];
  naturalKey: string | null;
  nameKey: string | null;
}

const targetId = (link: Link | undefined): string | undefined => link && ("candidateId" in link ? link.candidateId : link.entityId);
const unitKeyIn = (links: Links, unitNumber: string | undefined): string | null =>
  links["property"] && unitNumber !== undefined ? `${targetId(links["property"])}/${normalizeForMatching(unitNumber)}` : null;

/** Resolves the references of candidates of one type on the day of the import, with two or three queries for each kind of reference. */
export async function resolveReferences(
  db: StatementRunner,
  bundle: { id: string; namespace: string },
  candidates: readonly CandidateRow[],
  day: string,
): Promise<ResolvedCandidate[]> {
  const results = candidates.map((candidate) => ({
    candidate,
    links: {} as Links,
    failed: [] as { ref: CandidateReference; isAmbiguous: boolean }[],
    /** Fields of the money of a tenancy whose lease in force has its people in another order. */
    ofTenancy: {} as FieldValues,
  }));
  for (const name of RESOLUTION_ORDER) {
    const pending = results.flatMap((result) =>
      result.candidate.refs.flatMap((ref) => (ref.name === name ? [{ ...result, ref, key: nameKeyOfReference(ref, result.links) }] : [])),
    );
    if (pending.length === 0) continue;
    const { entityType } = pending[0]!.ref;
    const refs = pending.map(({ ref }) => ref);
    const byId = await findByIds(
      db,
      bundle,
      entityType,
      refs.flatMap(({ id, text }) => [id, text].filter((each) => each !== undefined)),
    );
    const byEmail = await findByEmails(
      db,
      bundle.id,
      entityType,
      refs.flatMap(({ email }) => email ?? []),
    );
    const byName = await findByNames(
      db,
      bundle.id,
      entityType,
      pending.flatMap(({ key }) => key ?? []),
    );
    const open: (OpenReference & { links: Links; failed: (typeof results)[number]["failed"]; isAmbiguous: boolean })[] = [];
    for (const { ref, key, candidate, links, failed, ofTenancy } of pending) {
      const allNamed = ref.id !== undefined || key === null ? [] : (byName.get(key) ?? []);
      const namedCandidates = name === "lease" ? leasesOfRow(allNamed, { ...candidate, tenantTarget: targetId(links["tenant"]) }) : allNamed;
      const withEmail = ref.id !== undefined || ref.email === undefined ? [] : selectWithEmail(byEmail.get(ref.email) ?? [], key, allNamed);
      // The number of a unit is no id: unit 7 is not the lease or the unit with the id 7.
      const isNumberOfUnit = (name === "unit" || name === "lease") && ref.text !== undefined && ref.text === candidate.data["unit_number"];
      const id = ref.id ?? (isNumberOfUnit ? undefined : ref.text);
      const link = linkOfOnly(withEmail) ?? byId.get(id ?? "") ?? selectNamed(namedCandidates, candidate, links);
      const [propertyId, unitId] = [links["property"], links["unit"]].map((target) => (target && "entityId" in target ? target.entityId : undefined));
      if (link && name === "lease" && isMoneyOfTenancy(candidate)) links[name] = toHoldingLease(link, byName.get(key) ?? [], day, candidate, ofTenancy);
      else if (link) links[name] = link;
      else
        open.push({
          ref,
          entityType: candidate.entityType,
          data: candidate.data,
          propertyId,
          unitId,
          links,
          failed,
          isAmbiguous: namedCandidates.length > 1 || withEmail.length > 1,
        });
    }
    const byStreet = name === "property" ? await findByStreets(db, bundle.id, open) : new Map<string, NamedCandidate[]>();
    const earlier = await findEarlierRecords(db, bundle.namespace, entityType, open);
    for (const { ref, links, failed, isAmbiguous } of open) {
      const entityId = earlier.get(ref);
      const link = linkOfOnly(byStreet.get(normalizeForMatching(ref.text ?? "")) ?? []) ?? (entityId === undefined ? undefined : { entityId });
      if (link === undefined || isAmbiguous) failed.push({ ref, isAmbiguous });
      else links[name] = link;
    }
  }
  return results.map(({ candidate, links, failed, ofTenancy }) => ({
    id: candidate.id,
    links,
    unresolved: [...new Set(failed.map(({ ref }) => ref.entityType))],
    linkErrors: failed.flatMap(({ ref, isAmbiguous }) =>
      ref.isRequired ? unresolvedError(ref, isAmbiguous) : isLeaseOfPerson(ref) ? missingLeaseError(ref) : [],
    ),
    ...keysOf(candidate, links, ofTenancy),
  }));
}

/** Tells whether a row is the deposit or the balance of a tenancy, which may consist of several leases without ids. */
const isMoneyOfTenancy = ({ entityType, isDerived, data }: CandidateRow): boolean =>
  (entityType === "deposit" || entityType === "opening_balance") && isDerived && data["lease_source_id"] === undefined;

/** Replaces the link to a lease by one to the lease that holds the money of its tenancy. The money of its primary tenant is that of the primary tenant there. */
function toHoldingLease(link: Link, leasesOfUnit: readonly NamedCandidate[], day: string, { data }: CandidateRow, ofTenancy: FieldValues): Link {
  const lease = leasesOfUnit.find(({ candidateId }) => "candidateId" in link && candidateId === link.candidateId);
  if (!lease) return link;
  const { candidateId, tenants } = holdingLease(lease, leasesOfUnit, day);
  if (tenants["primary_tenant_name"] !== undefined && isPrimaryTenant(data["tenant_name"], lease.tenants))
    ofTenancy["tenant_name"] = tenants["primary_tenant_name"];
  return { candidateId };
}

/** Returns the name key under which the target of a reference is searched. */
function nameKeyOfReference({ name, text }: CandidateReference, links: Links): string | null {
  if (text === undefined) return null;
  if (name === "unit") return unitKeyIn(links, text);
  return name === "lease" ? (targetId(links["unit"]) ?? null) : normalizeForMatching(text) || null;
}

/**
 * Returns the people with an e-mail address, or the one of them with the name of the reference when several people share the address. A
 * person of another name is left out when somebody of the file has the name: couples share an address that is listed with one of them.
 */
const selectWithEmail = (
  people: readonly NamedCandidate[],
  nameKey: string | null,
  namesakesWithoutEmail: readonly NamedCandidate[],
): readonly NamedCandidate[] => {
  const namesakes = people.filter((person) => person.nameKey === nameKey);
  if (people.length > 1 && namesakes.length === 1) return namesakes;
  return namesakes.length === 0 && namesakesWithoutEmail.length > 0 ? [] : people;
};

const linkOfOnly = ([first, ...others]: readonly NamedCandidate[]): Link | undefined =>
  first && others.length === 0 ? { candidateId: first.candidateId } : undefined;

/** Selects the target among candidates of the same name: the tenant of the same unit, or the active lease. */
function selectNamed(namedCandidates: readonly NamedCandidate[], { data }: CandidateRow, links: Links): Link | undefined {
  const unitKey = unitKeyIn(links, data["unit_number"]);
  const eligibleCandidates =
    namedCandidates.length > 1
      ? namedCandidates.filter(({ naturalKey, isActive }) => isActive || (unitKey !== null && naturalKey?.endsWith(`/${unitKey}`)))
      : namedCandidates;
  return eligibleCandidates.length === 1 ? { candidateId: eligibleCandidates[0]!.candidateId } : undefined;
}

function unresolvedError({ path, entityType, id, text: name, email }: CandidateReference, isAmbiguous: boolean): FieldError {
  const resource = entityType.replaceAll("_", " ");
  const text = name ?? email;
  const message = isAmbiguous
    ? `More than one ${resource} matches "${id ?? text}". Identify it by its id.`
    : `There is no ${resource} "${id ?? text}" in the bundle or among the records imported under its namespace.`;
  return { path, code: "not_found", message };
}

/** Tells whether a reference is that of a person to a lease that another report contains. */
const isLeaseOfPerson = ({ name, isRequired }: CandidateReference): boolean => name === "lease" && !isRequired;

const missingLeaseError = ({ path, id, text }: CandidateReference): FieldError => ({
  path,
  code: "required",
  message:
    `There is no lease "${id ?? text}" in the bundle or among the records imported under its namespace, so this person lives on no lease. ` +
    "Import the rent roll with this lease first, or both files in one bundle, or exclude the row.",
});

/** Returns the keys of a candidate: the natural key identifies one record, while several records may have the same name key. */
function keysOf(candidate: CandidateRow, links: Links, ofTenancy: FieldValues): { naturalKey: string | null; nameKey: string | null } {
  const { entityType, data } = candidate;
  const nameKey = nameKeyOf(entityType, data);
  const unitKey = unitKeyIn(links, data["unit_number"]);
  switch (entityType) {
    case "property":
      return { nameKey, naturalKey: nameKey };
    case "owner":
    case "vendor":
      return { nameKey, naturalKey: nameKey && `${nameKey}/${data["email"] ?? ""}` };
    case "unit":
      return { nameKey: unitKey, naturalKey: unitKey };
    case "tenant":
      return { nameKey, naturalKey: unitKey && `${normalizeForMatching(entityName(data))}/${unitKey}` };
    case "lease":
      return {
        nameKey: targetId(links["unit"]) ?? null,
        naturalKey: links["unit"] && links["tenant"] ? `${targetId(links["unit"])}/${data["start_date"]}/${targetId(links["tenant"])}` : null,
      };
    case "occupant":
      return { nameKey: null, naturalKey: links["lease"] && links["tenant"] ? `${targetId(links["lease"])}/${targetId(links["tenant"])}` : null };
    case "deposit":
    case "opening_balance": {
      const isOfLease = links["lease"] && isMoneyOfTenancy(candidate);
      return { nameKey: null, naturalKey: isOfLease ? `${targetId(links["lease"])}/${deriveSourceId(entityType, { ...data, ...ofTenancy })}` : null };
    }
    default:
      return { nameKey: null, naturalKey: null };
  }
}

/** Finds the targets of source ids in the bundle, then among the identities of its namespace. */
async function findByIds(
  db: StatementRunner,
  bundle: { id: string; namespace: string },
  entityType: ImportEntityType,
  ids: readonly string[],
): Promise<Map<string, Link>> {
  const sourceIds = [...new Set(ids)];
  const candidates = await db.all(sql<{
    sourceId: string;
    candidateId: string;
  }>`select distinct on (source_id) source_id, coalesce(merged_into_id, id) as candidate_id
    from import_candidate where organization_id = ${db.organizationId} and bundle_id = ${bundle.id} and entity_type = ${entityType} and source_id = any(${sourceIds})
    order by source_id, position`);
  const links = new Map<string, Link>(candidates.map(({ sourceId, candidateId }) => [sourceId, { candidateId }]));
  const remaining = sourceIds.filter((id) => !links.has(id));
  if (remaining.length === 0) return links;
  const identities = await db.all(sql<{ sourceId: string; entityId: string }>`select source_id, entity_id from import_identity
    where organization_id = ${db.organizationId} and namespace = ${bundle.namespace} and entity_type = ${entityType} and source_id = any(${remaining})
      and not is_deleted`);
  for (const { sourceId, entityId } of identities) links.set(sourceId, { entityId });
  return links;
}

/** Columns of the candidates to which references lead. The tenants of a lease are those of its row, and the linked one. */
const namedColumns = sql`c.name_key, c.id as candidate_id, c.natural_key, coalesce(c.data ->> 'status' = 'active', false) as is_active,
  concat_ws(' ', c.data ->> 'primary_tenant_email', (select t.data ->> 'email' from import_candidate t
    where t.organization_id = c.organization_id and t.id = (c.links -> 'tenant' ->> 'candidateId')::uuid)) as tenant_emails,
  coalesce(c.links -> 'tenant' ->> 'candidateId', c.links -> 'tenant' ->> 'entityId') as tenant_target, c.data ->> 'start_date' as start_date, c.data ->> 'end_date' as end_date,
  concat_ws(' ', c.data ->> 'primary_tenant_name', c.data ->> 'co_tenants', (select t.data ->> 'full_name' from import_candidate t
    where t.organization_id = c.organization_id and t.id = (c.links -> 'tenant' ->> 'candidateId')::uuid)) as tenant_names,
  jsonb_strip_nulls(jsonb_build_object('primary_tenant_name', c.data -> 'primary_tenant_name', 'primary_tenant_source_id', c.data -> 'primary_tenant_source_id',
    'co_tenants', c.data -> 'co_tenants')) as tenants`;

async function findByNames(
  db: StatementRunner,
  bundleId: string,
  entityType: ImportEntityType,
  keys: readonly string[],
): Promise<Map<string | null, NamedCandidate[]>> {
  if (keys.length === 0) return new Map();
  const rows = await db.all(sql<NamedCandidate>`select ${namedColumns}
    from import_candidate c where c.organization_id = ${db.organizationId} and c.bundle_id = ${bundleId} and c.entity_type = ${entityType}
      and c.name_key = any(${[...new Set(keys)]}) and c.merged_into_id is null`);
  return Map.groupBy(rows, ({ nameKey }) => nameKey);
}

async function findByEmails(
  db: StatementRunner,
  bundleId: string,
  entityType: ImportEntityType,
  emails: readonly string[],
): Promise<Map<string, NamedCandidate[]>> {
  if (emails.length === 0) return new Map();
  const rows = await db.all(sql<NamedCandidate & { email: string }>`select c.data ->> 'email' as email, ${namedColumns}
    from import_candidate c where c.organization_id = ${db.organizationId} and c.bundle_id = ${bundleId} and c.entity_type = ${entityType}
      and c.data ->> 'email' = any(${[...new Set(emails)]}) and c.merged_into_id is null`);
  return Map.groupBy(rows, ({ email }) => email);
}

/** Finds the properties of the bundle by their street address, which spreadsheets use in the place of a name. */
async function findByStreets(db: StatementRunner, bundleId: string, references: readonly OpenReference[]): Promise<Map<string, NamedCandidate[]>> {
  const streets = new Set(references.flatMap(({ ref }) => (ref.id === undefined && ref.text !== undefined ? normalizeForMatching(ref.text) : [])));
  if (streets.size === 0) return new Map();
  const rows = await db.all(sql<NamedCandidate & { street: string }>`select c.data ->> 'street_line1' as street, ${namedColumns}
    from import_candidate c where c.organization_id = ${db.organizationId} and c.bundle_id = ${bundleId} and c.entity_type = 'property'
      and c.data ->> 'street_line1' is not null and c.merged_into_id is null`);
  const byStreet = Map.groupBy(rows, ({ street }) => normalizeForMatching(street));
  return new Map([...byStreet].filter(([street]) => streets.has(street)));
}

/** Stores the links, errors and keys of candidates, and replaces their dependencies. */
export async function saveReferences(tx: OrgTx, bundleId: string, candidates: readonly ResolvedCandidate[]): Promise<void> {
  if (candidates.length === 0) return;
  const rows = candidates.map(({ id, links, unresolved, linkErrors, naturalKey, nameKey }) => ({
    id,
    links,
    unresolved,
    link_errors: linkErrors,
    natural_key: naturalKey,
    name_key: nameKey,
  }));
  const ids = candidates.map(({ id }) => id);
  await tx.all(sql`update import_candidate c set links = resolved.links, unresolved = resolved.unresolved, link_errors = resolved.link_errors,
      natural_key = resolved.natural_key, name_key = resolved.name_key
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as resolved (id uuid, links jsonb, unresolved text[], link_errors jsonb, natural_key text, name_key text)
    where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.id = any(${ids}::uuid[]) and c.id = resolved.id`);
  await tx.all(sql`delete from import_dependency where organization_id = ${tx.organizationId} and candidate_id = any(${ids}::uuid[])`);
  const dependencies = candidates.flatMap(({ id, links }) =>
    Object.values(links).flatMap((link) => ("candidateId" in link && link.candidateId !== id ? [{ id, dependsOnId: link.candidateId }] : [])),
  );
  await tx.all(sql`insert into import_dependency (organization_id, bundle_id, candidate_id, depends_on_id)
    select ${tx.organizationId}, ${bundleId}, id, depends_on_id
    from unnest(${dependencies.map(({ id }) => id)}::uuid[], ${dependencies.map(({ dependsOnId }) => dependsOnId)}::uuid[]) as dependency (id, depends_on_id)
    on conflict do nothing`);
}
