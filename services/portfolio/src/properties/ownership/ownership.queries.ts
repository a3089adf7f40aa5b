import type { Ownership } from "@freehold/contract/properties/properties";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";

/** Effective date of the ownership before the first recorded one. */
export const BEFORE_RECORDS = "0001-01-01";

/** Returns the owners of a property that has no recorded shares, in their order; none when it has some. */
export async function findOwnersWithoutShares(db: StatementRunner, propertyId: string): Promise<string[]> {
  const rows = await db.all(sql<{
    ownerId: string;
  }>`select o.owner_id from property_owner o where o.organization_id = ${db.organizationId} and o.property_id = ${propertyId}
    and not exists (select from property_share s where s.organization_id = o.organization_id and s.property_id = o.property_id) order by o.position`);
  return rows.map(({ ownerId }) => ownerId);
}

/** Returns all recorded ownerships of a property, newest first. Each lists the shares that apply from its effective date on. */
export const findOwnershipHistory = (db: StatementRunner, propertyId: string): Promise<Ownership[]> =>
  db.all(sql<Ownership>`select property_id, effective_date, json_agg(json_build_object('ownerId', owner_id, 'shareBps', share_bps) order by position) as shares
    from property_share where organization_id = ${db.organizationId} and property_id = ${propertyId} and effective_date > ${BEFORE_RECORDS}
    group by 1, 2 order by 2 desc`);

/** Returns the shares of a property before its first recorded ownership; none when it had no owners then, or when the first one applies from the beginning. */
export const findSharesBeforeRecords = (db: StatementRunner, propertyId: string): Promise<Ownership["shares"]> =>
  db.all(sql<Ownership["shares"][number]>`select owner_id, share_bps from property_share
    where organization_id = ${db.organizationId} and property_id = ${propertyId} and effective_date = ${BEFORE_RECORDS} order by position`);

/** Tells whether shares of a property are recorded, for any day. */
export const hasShares = async (db: StatementRunner, propertyId: string): Promise<boolean> =>
  (await db.first(sql`select 1 as one from property_share where organization_id = ${db.organizationId} and property_id = ${propertyId} limit 1`)) !== undefined;

/** Returns the ids of the owners in the ownership that is effective on a day, in the order of its shares. Empty when none is effective on that day. */
export async function findOwnerIdsOn(db: StatementRunner, propertyId: string, day: string): Promise<string[]> {
  const rows = await db.all(sql<{
    ownerId: string;
  }>`select owner_id from property_share where organization_id = ${db.organizationId} and property_id = ${propertyId}
    and effective_date = (select max(effective_date) from property_share where organization_id = ${db.organizationId} and property_id = ${propertyId} and effective_date <= ${day})
    order by position`);
  return rows.map(({ ownerId }) => ownerId);
}

interface UnappliedOwnership {
  propertyId: string;
  effectiveDate: string;
}

/** Returns the ownerships, also future ones, that have not yet updated the owners of their properties, ordered by effective date. */
export const findUnappliedOwnerships = (db: StatementRunner): Promise<UnappliedOwnership[]> =>
  db.all(sql<UnappliedOwnership>`select distinct s.property_id, s.effective_date from property_share s
    join property p on p.organization_id = s.organization_id and p.id = s.property_id and p.deleted_at is null
    where s.organization_id = ${db.organizationId} and s.applied_at is null order by s.effective_date, s.property_id`);

/** Marks as applied the ownerships of a property whose effective date is not after a day. */
export const markOwnershipsApplied = (tx: StatementRunner, propertyId: string, day: string, appliedAt: Date): Promise<unknown> =>
  tx.all(sql`update property_share set applied_at = ${appliedAt} where organization_id = ${tx.organizationId} and property_id = ${propertyId}
    and effective_date <= ${day} and applied_at is null`);
