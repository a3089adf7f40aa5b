/** After somebody decided: what is judged anew, and everything that depends on it. */
import { importEntityTypes, type ImportEntityType } from "@freehold/contract/import-bundles";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { candidatesOf, type CandidateRow } from "../validation/candidates.queries.ts";
import { judgeCandidates, setStatuses } from "../validation/evaluate-candidates.ts";
import { keepLinks, linkCandidates } from "../validation/resolve-references.ts";

export interface Bundle {
  id: string;
  namespace: string;
}

const AT_ONCE = 1_000;

/** Looks these candidates of one type up anew, and judges them. */
export async function judgeAgain(tx: OrgTx, bundle: Bundle, rows: readonly CandidateRow[]): Promise<void> {
  const linked = await linkCandidates(tx, bundle, rows);
  await keepLinks(tx, bundle.id, linked);
  const found = new Map(linked.map((each) => [each.id, each]));
  await judgeCandidates(
    tx,
    bundle,
    rows.map((row) => ({ ...row, links: found.get(row.id)!.links, linkErrors: found.get(row.id)!.linkErrors })),
  );
}

/** Looks up anew what was looking for a record of this type and found none: it may be there under another name now. Answers whom it may concern. */
export async function lookAgain(tx: OrgTx, bundle: Bundle, entityType: ImportEntityType): Promise<string[]> {
  const concerned: string[] = [];
  for (const type of importEntityTypes)
    for (let after = 0; ;) {
      const rows = await candidatesOf(
        tx,
        bundle.id,
        sql`c.entity_type = ${type} and c.unresolved @> ${[entityType]} and c.unresolved <> '{}' and c.merged_into_id is null and c.position > ${after} and c.position <= ${after + 50 * AT_ONCE}`,
      );
      if (rows.length === 0) break;
      for (let at = 0; at < rows.length; at += AT_ONCE) await judgeAgain(tx, bundle, rows.slice(at, at + AT_ONCE));
      concerned.push(...rows.map(({ id }) => id));
      after = rows.at(-1)!.position;
    }
  return concerned;
}

/** Sets the statuses of these candidates and of all that depends on them, in the order in which they would be written. */
export async function setStatusesFrom(tx: OrgTx, bundleId: string, ids: readonly string[]): Promise<void> {
  const affected = await tx.all(sql<{ id: string; entityType: ImportEntityType }>`with recursive affected (id) as (
      select unnest(${[...ids]}::uuid[])
      union select d.candidate_id from import_dependency d join affected on d.organization_id = ${tx.organizationId} and d.depends_on_id = affected.id)
    select c.id, c.entity_type from affected join import_candidate c on c.organization_id = ${tx.organizationId} and c.id = affected.id`);
  for (const type of importEntityTypes) {
    const ofType = affected.flatMap(({ id, entityType }) => (entityType === type ? [id] : []));
    if (ofType.length > 0) await setStatuses(tx, bundleId, sql`c.id = any(${ofType}::uuid[])`);
  }
}
