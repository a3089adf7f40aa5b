/** Projection of the events of imports into the activity feeds: one row for each property, lease and tenant concerned, however many records an event has. */
import type { Envelope } from "@freehold/contract/events";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

/** Tells whether an event is that of an import, whose records are in `data.ids`. */
export const isImportedEvent = ({ type }: Pick<Envelope, "type">): boolean => type.endsWith(".imported");

function eventRow({ id, occurredAt, type, entityType, entityId, actorUserId, data: { ids, leaseIds } }: Envelope) {
  return { id, occurredAt, type, entityType, entityId, actorUserId, recordIds: ids, leaseIds: type === "leases.imported" ? ids : leaseIds };
}

/** Returns a query of the properties, leases and tenants of the records of one type of event, each record looked up by its id. */
const concernedBy = (
  db: StatementRunner,
  type: string,
  table: string,
  columns: RawBuilder<unknown>,
) => sql`select event.id as event_id, record.* from event cross join lateral jsonb_array_elements_text(event."recordIds") as entry (id)
      cross join lateral (select ${columns} from ${sql.table(table)} r where r.organization_id = ${db.organizationId} and r.id = entry.id::uuid limit 1) record
      where event.type = ${sql.lit(type)}`;

/** Returns the statement that inserts one row for the organization and one for each property, lease and person on a lease concerned by an event. Idempotent. */
export const insertImportedActivityStatement = (db: StatementRunner, events: readonly Envelope[]): RawBuilder<unknown> => sql`
  with event as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(events.map(eventRow))}::jsonb) as event (id uuid, "occurredAt" timestamptz, type text,
        "entityType" text, "entityId" uuid, "actorUserId" uuid, "recordIds" jsonb, "leaseIds" jsonb)),
    concerned as materialized (
      ${concernedBy(db, "properties.imported", "property", sql`r.id as property_id, null::uuid as lease_id, null::uuid as tenant_id`)}
      union ${concernedBy(db, "units.imported", "unit", sql`r.property_id, null::uuid, null::uuid`)}
      union ${concernedBy(db, "tenants.imported", "tenant", sql`null::uuid, null::uuid, r.id`)}
      union ${concernedBy(db, "work_orders.imported", "work_order", sql`r.property_id, r.lease_id, r.tenant_id`)}
      union select event.id, lease.* from event cross join lateral jsonb_array_elements_text(event."leaseIds") as entry (id)
        cross join lateral (select r.property_id, r.id, r.tenant_id from lease r
          where r.organization_id = ${db.organizationId} and r.id = entry.id::uuid limit 1) lease
        where event."leaseIds" is not null),
    feed as (
      select id as event_id, ${db.organizationId}::uuid as subject_id, null::uuid as property_id, null::uuid as lease_id, null::uuid as tenant_id from event
      union select event_id, property_id, property_id, null::uuid, null::uuid from concerned
      union select event_id, lease_id, property_id, lease_id, tenant_id from concerned
      union select event_id, person.id, null::uuid, null::uuid, person.id from concerned join event on event.id = concerned.event_id cross join lateral (
        select concerned.tenant_id as id
        union select o.tenant_id from lease_occupant o where o.organization_id = ${db.organizationId} and o.lease_id = concerned.lease_id
          and o.removed_at is null and (o.released_on is null or o.released_on >= event."occurredAt"::date)) person)
  insert into activity (organization_id, subject_id, occurred_at, id, type, entity_type, entity_id, property_id, lease_id, tenant_id, actor_user_id, detail)
  select ${db.organizationId}, feed.subject_id, event."occurredAt", event.id, event.type, event."entityType", event."entityId", feed.property_id, feed.lease_id,
    feed.tenant_id, event."actorUserId", null
  from feed join event on event.id = feed.event_id where feed.subject_id is not null
  on conflict do nothing`;
