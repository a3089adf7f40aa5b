/** gRPC messages of the properties of owners, with their ownerships and the estimates that are held back from payouts. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { HeldEstimate, OwnedPropertiesRequest, OwnedProperty, Ownership } from "@freehold/proto/portfolio/v1/portfolio";
import { equalShares } from "../properties/ownership/ownership.rules.ts";

interface Row extends Pick<OwnedProperty, "propertyId" | "propertyName" | "isDeleted"> {
  reserveCents: number | null;
  additionalReserveCents: number | null;
  additionalReserveNote: string | null;
  ownerships: Ownership[];
  ownerIds: string[];
  heldEstimates: HeldEstimate[];
}

/**
 * Returns the properties with past, present or future shares of the owners, or of anybody if `ownerIds` is empty, by name. Includes deleted ones.
 */
export async function findOwnedPropertyMessages(db: StatementRunner, { ownerIds, propertyIds }: OwnedPropertiesRequest): Promise<OwnedProperty[]> {
  const ofProperty = sql`organization_id = p.organization_id and property_id = p.id`;
  const isOfOwner = sql`organization_id = ${db.organizationId} and ${ownerIds.length === 0 ? sql`true` : sql`owner_id = any(${[...ownerIds]}::uuid[])`}`;
  const rows =
    await db.all(sql<Row>`select p.id as property_id, p.name as property_name, p.deleted_at is not null as is_deleted, p.reserve_cents, p.additional_reserve_cents, p.additional_reserve_note,
      (select coalesce(json_agg(json_build_object('effectiveDate', effective_date, 'shares', shares) order by effective_date), '[]')
        from (select effective_date, json_agg(json_build_object('ownerId', owner_id, 'shareBps', share_bps) order by position) as shares
          from property_share where ${ofProperty} group by 1) ownership) as ownerships,
      array(select owner_id from property_owner where ${ofProperty} order by position) as owner_ids,
      (select coalesce(json_agg(json_build_object('workOrderId', w.id, 'amountCents', e.amount_cents, 'isCompleted', w.status = 'completed')), '[]')
        from work_order w join work_order_estimate e on e.organization_id = w.organization_id and e.work_order_id = w.id and e.status = 'approved'
        where w.organization_id = p.organization_id and w.property_id = p.id and w.status <> 'cancelled') as held_estimates
    from property p where p.organization_id = ${db.organizationId} and ${propertyIds.length === 0 ? sql`true` : sql`p.id = any(${[...propertyIds]}::uuid[])`} and p.id in (
      select property_id from property_owner where ${isOfOwner} union select property_id from property_share where ${isOfOwner})
    order by p.name, p.id`);
  return rows.map(({ reserveCents, additionalReserveCents, additionalReserveNote, ownerships, ownerIds: currentIds, ...row }) => ({
    ...row,
    ...(reserveCents !== null && { reserveCents }),
    ...(additionalReserveCents !== null && { additionalReserveCents }),
    ...(additionalReserveNote !== null && { additionalReserveNote }),
    ownerships: ownerships.length > 0 ? ownerships : [{ shares: equalShares(currentIds) }],
  }));
}
