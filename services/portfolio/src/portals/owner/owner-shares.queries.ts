import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";

/** Returns an owner's shares on a day, in basis points keyed by property id. Properties without recorded shares are absent. */
export async function findOwnerShares(db: StatementRunner, ownerId: string, propertyIds: readonly string[], day: string): Promise<Map<string, number>> {
  const rows = await db.all(sql<{ propertyId: string; shareBps: number }>`select s.property_id, s.share_bps from property_share s
    where s.organization_id = ${db.organizationId} and s.owner_id = ${ownerId} and s.property_id = any(${[...propertyIds]}::uuid[])
      and s.effective_date = (select max(l.effective_date) from property_share l
        where l.organization_id = s.organization_id and l.property_id = s.property_id and l.effective_date <= ${day}::date)`);
  return new Map(rows.map(({ propertyId, shareBps }) => [propertyId, shareBps]));
}
