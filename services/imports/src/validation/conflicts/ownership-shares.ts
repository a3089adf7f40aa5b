/** Check that the shares of each property, which are written as one operation, add up to 100 %. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { importableStatuses, updateStatuses } from "../evaluate-candidates.ts";
import { importDayOf } from "./lease-conflicts.ts";

/** Error of a share, by which it is found again. */
const shareError = { path: "share_percent", code: "mismatch" };

/**
 * Updates the errors and statuses of the evaluated shares of a bundle: new and changed ones are invalid unless the shares of the property from their day
 * on add up to 100 %. Shares that cannot be written do not count.
 */
export async function flagIncompleteShares(tx: OrgTx, bundleId: string): Promise<void> {
  const shares = sql`c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.entity_type = 'ownership'`;
  const flagged = sql`c.errors @> ${JSON.stringify([shareError])}::jsonb`;
  const released = await tx.all(sql<{
    id: string;
  }>`update import_candidate c set errors = (select coalesce(jsonb_agg(e.error), '[]') from jsonb_array_elements(c.errors) e (error)
    where not e.error @> ${JSON.stringify(shareError)}::jsonb) where ${shares} and ${flagged} returning c.id`);
  await updateStatuses(tx, bundleId, idsOf(released));
  const incomplete = await tx.all(sql<{
    id: string;
  }>`with share as (select c.id, c.status, c.links -> 'property' as property, coalesce(c.data ->> 'effective_date', ${await importDayOf(tx, bundleId)}) as day,
        (c.data ->> 'share_percent')::numeric as percent from import_candidate c where ${shares} and c.status in ${importableStatuses}),
      incomplete as materialized (select property, day, sum(percent) as percent from share group by 1, 2
        having sum(round(percent, 2)) <> 100 and bool_or(status <> 'unchanged'))
    update import_candidate c set errors = c.errors || jsonb_build_array(${JSON.stringify(shareError)}::jsonb || jsonb_build_object('message',
      'The shares of the property add up to ' || incomplete.percent || ' %. Correct them to 100 %, or add the rows of its other owners and validate again.'))
    from share join incomplete on incomplete.property = share.property and incomplete.day = share.day
    where ${shares} and c.id = share.id and share.status <> 'unchanged' returning c.id`);
  await updateStatuses(tx, bundleId, idsOf(incomplete));
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);
