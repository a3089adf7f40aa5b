/** What candidates say of others is looked up: in the bundle first, then among what was imported before under its namespace. */
import type { FieldError } from "@freehold/contract/errors";
import type { ImportEntityType } from "@freehold/contract/import-bundles";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { normalized } from "../parsing/text.ts";
import type { CandidateRow, Links } from "./candidates.queries.ts";
import type { Ref } from "./draft.ts";
import { nameKeyOf, nameOf } from "./entity.rules.ts";

type Link = Links[string];

interface Named {
  candidateId: string;
  naturalKey: string | null;
  isActive: boolean;
}

/** In this order one link tells what the next means: a unit's number is of its property, a lease's place is its unit. */
const ORDER = ["property", "owner", "vendor", "unit", "tenant", "lease", "charge"];

export interface Linked {
  id: string;
  links: Links;
  unresolved: ImportEntityType[];
  linkErrors: FieldError[];
  naturalKey: string | null;
  nameKey: string | null;
}

const idOf = (link: Link | undefined): string | undefined => link && ("candidateId" in link ? link.candidateId : link.entityId);
const placeIn = (links: Links, unit: string | undefined): string | null =>
  links["property"] && unit !== undefined ? `${idOf(links["property"])}/${normalized(unit)}` : null;

/** Finds what each candidate refers to; asks the database once for each kind of reference, however many there are. */
export async function linkCandidates(db: StatementRunner, bundle: { id: string; namespace: string }, candidates: readonly CandidateRow[]): Promise<Linked[]> {
  const all = candidates.map((candidate) => ({ candidate, links: {} as Links, failed: [] as { ref: Ref; several: boolean }[] }));
  for (const name of ORDER) {
    const asking = all.flatMap((one) => one.candidate.refs.flatMap((ref) => (ref.name === name ? [{ ...one, ref, key: keyOf(ref, one.links) }] : [])));
    if (asking.length === 0) continue;
    const { entityType } = asking[0]!.ref;
    const ids = asking.flatMap(({ ref }) => [ref.id, ref.text].filter((each) => each !== undefined));
    const byId = await findByIds(db, bundle, entityType, ids);
    const byName = await findByNames(
      db,
      bundle.id,
      entityType,
      asking.flatMap(({ key }) => key ?? []),
    );
    for (const { ref, key, candidate, links, failed } of asking) {
      const named = ref.id !== undefined || key === null ? [] : (byName.get(key) ?? []);
      const found = byId.get(ref.id ?? ref.text ?? "") ?? theOne(named, candidate, links);
      if (found) links[name] = found;
      else failed.push({ ref, several: named.length > 1 });
    }
  }
  return all.map(({ candidate, links, failed }) => ({
    id: candidate.id,
    links,
    unresolved: [...new Set(failed.map(({ ref }) => ref.entityType))],
    linkErrors: failed.filter(({ ref }) => ref.isRequired).map(({ ref, several }) => unresolvedError(ref, several)),
    ...keysOf(candidate, links),
  }));
}

/** Under which name the other one is looked for. */
function keyOf({ name, text }: Ref, links: Links): string | null {
  if (text === undefined) return null;
  if (name === "unit") return placeIn(links, text);
  return name === "lease" ? (idOf(links["unit"]) ?? null) : normalized(text) || null;
}

/** Of several that bear a name the one that fits best: who lives in the same unit, or the lease that is active. */
function theOne(named: readonly Named[], { data }: CandidateRow, links: Links): Link | undefined {
  const place = placeIn(links, data["unit_number"]);
  const near = named.length > 1 ? named.filter(({ naturalKey, isActive }) => isActive || (place !== null && naturalKey?.endsWith(`/${place}`))) : named;
  return near.length === 1 ? { candidateId: near[0]!.candidateId } : undefined;
}

const says: Partial<Record<ImportEntityType, string>> = { recurring_charge: "recurring charge", work_order: "work order" };

function unresolvedError({ path, entityType, id, text }: Ref, several: boolean): FieldError {
  const what = says[entityType] ?? entityType;
  if (several) return { path, code: "not_found", message: `Several ${what}s fit "${id ?? text}". Say which by its id.` };
  return { path, code: "not_found", message: `There is no ${what} "${id ?? text}" in the bundle, and none was imported before under its namespace.` };
}

/** What a candidate can be recognised by: whatever has the same natural key is the same record; a name may be several's. */
function keysOf({ entityType, data }: CandidateRow, links: Links): { naturalKey: string | null; nameKey: string | null } {
  const nameKey = nameKeyOf(entityType, data);
  const place = placeIn(links, data["unit_number"]);
  switch (entityType) {
    case "property":
      return { nameKey, naturalKey: nameKey };
    case "owner":
    case "vendor":
      return { nameKey, naturalKey: nameKey && `${nameKey}/${data["email"] ?? ""}` };
    case "unit":
      return { nameKey: place, naturalKey: place };
    case "tenant":
      return { nameKey, naturalKey: place && `${normalized(nameOf(data))}/${place}` };
    case "lease":
      return {
        nameKey: idOf(links["unit"]) ?? null,
        naturalKey: links["unit"] && links["tenant"] ? `${idOf(links["unit"])}/${data["start_date"]}/${idOf(links["tenant"])}` : null,
      };
    default:
      return { nameKey: null, naturalKey: null };
  }
}

async function findByIds(
  db: StatementRunner,
  bundle: { id: string; namespace: string },
  entityType: ImportEntityType,
  ids: readonly string[],
): Promise<Map<string, Link>> {
  const wanted = [...new Set(ids)];
  const inBundle = await db.all(sql<{
    sourceId: string;
    candidateId: string;
  }>`select distinct on (source_id) source_id, coalesce(merged_into_id, id) as candidate_id
    from import_candidate where organization_id = ${db.organizationId} and bundle_id = ${bundle.id} and entity_type = ${entityType} and source_id = any(${wanted})
    order by source_id, position`);
  const found = new Map<string, Link>(inBundle.map(({ sourceId, candidateId }) => [sourceId, { candidateId }]));
  const left = wanted.filter((id) => !found.has(id));
  if (left.length === 0) return found;
  const before = await db.all(sql<{ sourceId: string; entityId: string }>`select source_id, entity_id from import_identity
    where organization_id = ${db.organizationId} and namespace = ${bundle.namespace} and entity_type = ${entityType} and source_id = any(${left})`);
  for (const { sourceId, entityId } of before) found.set(sourceId, { entityId });
  return found;
}

async function findByNames(db: StatementRunner, bundleId: string, entityType: ImportEntityType, keys: readonly string[]): Promise<Map<string, Named[]>> {
  if (keys.length === 0) return new Map();
  const rows = await db.all(sql<
    Named & { nameKey: string }
  >`select name_key, id as candidate_id, natural_key, coalesce(data ->> 'status' = 'active', false) as is_active
    from import_candidate where organization_id = ${db.organizationId} and bundle_id = ${bundleId} and entity_type = ${entityType}
      and name_key = any(${[...new Set(keys)]}) and merged_into_id is null`);
  return Map.groupBy(rows, ({ nameKey }) => nameKey);
}

/** Keeps what was found, and what depends on what. */
export async function keepLinks(tx: OrgTx, bundleId: string, linked: readonly Linked[]): Promise<void> {
  if (linked.length === 0) return;
  const rows = linked.map(({ id, links, unresolved, linkErrors, naturalKey, nameKey }) => ({
    id,
    links,
    unresolved,
    link_errors: linkErrors,
    natural_key: naturalKey,
    name_key: nameKey,
  }));
  const ids = linked.map(({ id }) => id);
  await tx.all(sql`update import_candidate c set links = given.links, unresolved = given.unresolved, link_errors = given.link_errors,
      natural_key = given.natural_key, name_key = given.name_key
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (id uuid, links jsonb, unresolved text[], link_errors jsonb, natural_key text, name_key text)
    where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.id = any(${ids}::uuid[]) and c.id = given.id`);
  await tx.all(sql`delete from import_dependency where organization_id = ${tx.organizationId} and candidate_id = any(${ids}::uuid[])`);
  const on = linked.flatMap(({ id, links }) =>
    Object.values(links).flatMap((link) => ("candidateId" in link && link.candidateId !== id ? [{ id, on: link.candidateId }] : [])),
  );
  await tx.all(sql`insert into import_dependency (organization_id, bundle_id, candidate_id, depends_on_id)
    select ${tx.organizationId}, ${bundleId}, id, depends_on from unnest(${on.map(({ id }) => id)}::uuid[], ${on.map((each) => each.on)}::uuid[]) as given (id, depends_on)
    on conflict do nothing`);
}
