/** Records that several rows of a bundle match: a couple with one e-mail address is two people, whichever of them is in Freehold. */
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { normalizeForMatching } from "../../parsing/text.ts";
import type { CandidateRow } from "../candidates.queries.ts";
import type { FieldValues } from "../draft.ts";
import { entityName } from "../entity.rules.ts";
import { type Match, MIN_CERTAIN_SCORE } from "../match.rules.ts";

interface Bundle {
  id: string;
  namespace: string;
}

/** Match of a row with a record that a row of another name matches as well. */
export interface Contest {
  entityId: string;
  /** `other` when the record is certainly that of the other row, `unclear` when both rows have only its e-mail address or street address. */
  owner: "other" | "unclear";
}

interface Claim {
  id: string;
  entityId: string;
  data: FieldValues;
  isCertain: boolean;
}

const namedTypes: readonly ImportEntityType[] = ["property", "owner", "vendor", "tenant"];
const nameOf = (data: FieldValues): string => normalizeForMatching(entityName(data));

/** Tells whether a match rests on an e-mail address or a street address alone. */
const isWithoutName = ({ score, reasons }: Match): boolean => score >= MIN_CERTAIN_SCORE && !reasons.includes("name");

/** Returns the contests of rows of one type by row id. `rows` have neither a decision nor a record of an earlier import. */
export async function findContests(tx: OrgTx, bundle: Bundle, rows: readonly CandidateRow[]): Promise<Map<string, Contest[]>> {
  const { entityType } = rows[0] ?? {};
  const matches = rows.flatMap((row) => row.matches.filter(isWithoutName).map(({ entityId }) => ({ row, entityId })));
  if (entityType === undefined || !namedTypes.includes(entityType) || matches.length === 0) return new Map();
  const entityIds = matches.map(({ entityId }) => entityId);
  const claims = Map.groupBy(await listClaims(tx, bundle, entityType, entityIds), ({ entityId }) => entityId);
  const contests = matches.flatMap(({ row, entityId }) => {
    const others = (claims.get(entityId) ?? []).filter(({ id, data }) => id !== row.id && nameOf(data) !== nameOf(row.data));
    const owner: Contest["owner"] = others.some(({ isCertain }) => isCertain) ? "other" : "unclear";
    return others.length > 0 ? [{ rowId: row.id, contest: { entityId, owner } }] : [];
  });
  return new Map([...Map.groupBy(contests, ({ rowId }) => rowId)].map(([rowId, group]) => [rowId, group.map(({ contest }) => contest)]));
}

/** Lists the rows of a bundle that represent one of the records: certainly by a decision, an earlier import or the name, otherwise by an address alone. */
function listClaims(tx: OrgTx, { id: bundleId, namespace }: Bundle, entityType: ImportEntityType, entityIds: readonly string[]): Promise<Claim[]> {
  const ids = [...new Set(entityIds)];
  const ofType = sql`c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.entity_type = ${entityType} and c.merged_into_id is null
    and c.decision is distinct from 'exclude'`;
  const isEarlier = sql`exists (select from import_identity i where i.organization_id = c.organization_id and i.namespace = ${namespace}
    and i.entity_type = c.entity_type and i.source_id = c.source_id and i.entity_id = c.chosen_entity_id and not i.is_deleted)`;
  return tx.all(sql<Claim>`select c.id, c.chosen_entity_id as entity_id, c.data, c.decision is not null or ${isEarlier} or not exists (
        select from jsonb_array_elements(c.matches) m where m ->> 'entityId' = c.chosen_entity_id::text and not m -> 'reasons' ? 'name') as is_certain
      from import_candidate c where ${ofType} and c.chosen_entity_id = any(${ids}::uuid[])
    union all select c.id, (m ->> 'entityId')::uuid, c.data, false from import_candidate c cross join lateral jsonb_array_elements(c.matches) m
      where ${ofType} and c.verdict = 'ambiguous' and c.chosen_entity_id is null and m ->> 'entityId' = any(${ids})
        and (m ->> 'score')::numeric >= ${MIN_CERTAIN_SCORE}`);
}

/** Returns the ids of the undecided candidates of a type that represent the same record as another one. */
export async function findSharingRecords(tx: OrgTx, bundleId: string, entityType: ImportEntityType): Promise<string[]> {
  if (!namedTypes.includes(entityType)) return [];
  const candidates = sql`import_candidate c where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.entity_type = ${entityType}
    and c.merged_into_id is null and c.chosen_entity_id is not null and c.decision is distinct from 'exclude'`;
  const rows = await tx.all(sql<{ id: string }>`with shared as materialized (select c.chosen_entity_id as id from ${candidates} group by 1 having count(*) > 1)
    select c.id from ${candidates} and c.decision is null and c.chosen_entity_id in (select id from shared) order by c.position`);
  return rows.map(({ id }) => id);
}
