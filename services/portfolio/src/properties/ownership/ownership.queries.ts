import type { Ownership } from "@freehold/contract/properties";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

/** Every ownership of a property, newest first: a day with the shares from then on. */
export const ownershipsOf = (db: StatementRunner, propertyId: string): Promise<Ownership[]> =>
  db.all(sql<Ownership>`select property_id, effective_date, json_agg(json_build_object('ownerId', owner_id, 'shareBps', share_bps) order by position) as shares
    from property_share where organization_id = ${db.organizationId} and property_id = ${propertyId} group by 1, 2 order by 2 desc`);

/** The owners that the shares in effect on a day name, in their order; none while nobody has said who owns how much. */
export async function ownersOn(db: StatementRunner, propertyId: string, day: string): Promise<string[]> {
  const rows = await db.all(sql<{
    ownerId: string;
  }>`select owner_id from property_share where organization_id = ${db.organizationId} and property_id = ${propertyId}
    and effective_date = (select max(effective_date) from property_share where organization_id = ${db.organizationId} and property_id = ${propertyId} and effective_date <= ${day})
    order by position`);
  return rows.map(({ ownerId }) => ownerId);
}

interface ToCome {
  propertyId: string;
  effectiveDate: string;
}

/** Ownerships that the owners of their properties do not follow yet, the next one first. */
export const ownershipsToCome = (db: StatementRunner): Promise<ToCome[]> =>
  db.all(sql<ToCome>`select distinct s.property_id, s.effective_date from property_share s
    join property p on p.organization_id = s.organization_id and p.id = s.property_id and p.deleted_at is null
    where s.organization_id = ${db.organizationId} and s.applied_at is null order by s.effective_date, s.property_id`);

/** Marks the ownerships of a property that have taken effect by a day. */
export const markApplied = (db: StatementRunner, propertyId: string, day: string, at: Date): RawBuilder<unknown> =>
  sql`update property_share set applied_at = ${at} where organization_id = ${db.organizationId} and property_id = ${propertyId}
    and effective_date <= ${day} and applied_at is null`;
