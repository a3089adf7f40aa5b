import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";

/**
 * Locks the management fees and agreements of properties until the commit, in the order of the properties, so that each run sees what
 * the ones before it have charged. The lock follows those of payments and charges, and comes before those of expenses and bank accounts.
 */
export const lockFeesOfProperties = (tx: OrgTx, propertyIds: readonly string[]): Promise<unknown> =>
  tx.all(sql`select pg_advisory_xact_lock(hashtextextended('management fees ' || id, 0))
    from (select distinct id from unnest(${[...propertyIds]}::text[]) as input (id) order by id) as ordered`);
