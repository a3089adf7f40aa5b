/** Projection of events into the activity feeds of the organization, properties, leases and tenants. */
import { activityTypes } from "@freehold/contract/overview/activity";
import type { Envelope } from "@freehold/contract/events";
import { batchHandler, type Subscriptions } from "@freehold/kit/events/subscriptions";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { activityDetail, referencedIds } from "./activity.rules.ts";
import { ACTIVITY_RETENTION_JOB } from "./activity-retention.ts";
import { insertImportedActivityStatement, isImportedEvent } from "./record-imported-activity.ts";

/** Records a batch of events. Idempotent: a redelivered event is not recorded again. */
export async function recordActivity(db: OrgDb, events: readonly Envelope[]): Promise<void> {
  const imported = events.filter(isImportedEvent);
  const single = events.filter((event) => !isImportedEvent(event));
  if (single.length > 0) await db.all(insertActivityStatement(db, single));
  if (imported.length > 0) await db.all(insertImportedActivityStatement(db, imported));
  // An organization has little activity before its first property, so the first property starts the retention job.
  if (events.some(({ type }) => type === "property.created" || type === "properties.imported")) await scheduleRetention(db);
}

const scheduleRetention = (db: StatementRunner) =>
  db.all(sql`insert into scheduled_work (job, organization_id, next_run_at)
    values (${ACTIVITY_RETENTION_JOB}, ${db.organizationId}, now() + interval '1 day') on conflict do nothing`);

const recordBatch = batchHandler(recordActivity);
/** Subscriptions to all recorded event types. After a merge of tenants the duplicate's activity moves to the surviving tenant. */
export const activitySubscriptions: Subscriptions = {
  ...Object.fromEntries(activityTypes.map((type) => [type, recordBatch])),
  "tenant.merged": async (db, event) => {
    await recordActivity(db, [event]);
    await db.all(moveActivityStatement(db, event.entityId, event.data.mergedIntoTenantId));
  },
};

/** Returns an event as an input row of `insertActivityStatement`. */
function eventRow(event: Envelope) {
  const { target, ...ids } = referencedIds(event);
  const { id, occurredAt, type, entityType, entityId, actorUserId } = event;
  return { id, occurredAt, type, entityType, entityId, actorUserId, detail: activityDetail(event), targetType: target.type, targetId: target.id, ...ids };
}

/**
 * Returns a lateral join of the columns of a row found by id. The limit keeps the lookup separate for each event: without it,
 * PostgreSQL could join all events with a scan of the whole table.
 */
const lateralLookup = (db: StatementRunner, table: string, columns: RawBuilder<unknown>, id: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`left join lateral (select ${columns} from ${sql.table(table)} r
    where r.organization_id = ${db.organizationId} and r.id = ${id} limit 1) ${sql.ref(table)} on true`;

/** Returns a lateral join of the event's target when the target has the entity type. */
const targetLookup = (db: StatementRunner, type: string, table: string, columns: RawBuilder<unknown>): RawBuilder<unknown> =>
  lateralLookup(db, table, columns, sql`case when event."targetType" = ${sql.lit(type)} then event."targetId" end`);

/**
 * Returns the statement that inserts one row for the organization and one for each property, lease and tenant concerned by
 * an event. Ids that the event does not carry are looked up: those of its target, the property of a unit, the property and
 * tenant of a lease, the occupants of the lease who were not released before the UTC day of the event, and the survivor of a merged tenant.
 * The organization's row marks the event as recorded.
 *
 * `offset 0` and `materialized` keep the ids that are looked up columns: `coalesce` is not leakproof, so under row-level security a lookup by it
 * reads all rows of the organization.
 */
function insertActivityStatement(db: StatementRunner, events: readonly Envelope[]): RawBuilder<unknown> {
  const { organizationId } = db;
  return sql`with located_event as materialized (
      select event.id, "occurredAt" as occurred_at, event.type, "entityType" as entity_type, "entityId" as entity_id, "actorUserId" as actor_user_id, detail,
        coalesce("propertyId", work_order.property_id, inspection.property_id, unit.property_id, lease.property_id) as property_id, event_lease.id as lease_id,
        coalesce(work_order.tenant_id, invite.tenant_id, lease_occupant.tenant_id) as target_tenant_id,
        coalesce("tenantId", work_order.tenant_id, invite.tenant_id, lease_occupant.tenant_id, lease.tenant_id) as tenant_id
      from jsonb_to_recordset(${JSON.stringify(events.map(eventRow))}::jsonb)
        as event (id uuid, "occurredAt" timestamptz, type text, "entityType" text, "entityId" uuid, "actorUserId" uuid, detail text, "targetType" text, "targetId" uuid, "propertyId" uuid, "unitId" uuid, "leaseId" uuid, "tenantId" uuid)
        ${targetLookup(db, "work_order", "work_order", sql`property_id, lease_id, tenant_id`)}
        ${targetLookup(db, "inspection", "inspection", sql`property_id, lease_id`)}
        ${targetLookup(db, "invite", "invite", sql`lease_id, tenant_id`)}
        ${targetLookup(db, "occupant", "lease_occupant", sql`lease_id, tenant_id`)}
        ${lateralLookup(db, "unit", sql`property_id`, sql`event."unitId"`)}
        cross join lateral (select coalesce("leaseId", work_order.lease_id, inspection.lease_id, invite.lease_id, lease_occupant.lease_id) as id offset 0) event_lease
        ${lateralLookup(db, "lease", sql`property_id, tenant_id`, sql`event_lease.id`)}
        left join lateral (select true as is_recorded from activity a where a.organization_id = ${organizationId} and a.subject_id = ${organizationId}
          and a.occurred_at = event."occurredAt" and a.id = event.id limit 1) existing on true
      where existing.is_recorded is null)
    insert into activity (organization_id, subject_id, occurred_at, id, type, entity_type, entity_id, property_id, lease_id, tenant_id, actor_user_id, detail)
    select ${organizationId}, feed.subject_id, occurred_at, located_event.id, type, entity_type, entity_id, property_id, lease_id, tenant_id, actor_user_id, detail
    from located_event cross join lateral (
      select ${organizationId}::uuid as subject_id
      union select unnest(array[property_id, lease_id, tenant_id, target_tenant_id])
      union select t.merged_into_id from tenant t where t.organization_id = ${organizationId} and t.id = located_event.tenant_id
      union select c.tenant_id from lease_occupant c where c.organization_id = ${organizationId} and c.lease_id = located_event.lease_id
        and c.removed_at is null and (c.released_on is null or c.released_on >= located_event.occurred_at::date)) feed
    where feed.subject_id is not null
    on conflict do nothing`;
}

/** Returns the statement that moves the activity of one tenant to the feed of another. An entry in both feeds is not duplicated. */
const moveActivityStatement = (db: StatementRunner, fromTenantId: string, toTenantId: string): RawBuilder<unknown> => sql`
  with moved as (delete from activity where organization_id = ${db.organizationId} and subject_id = ${fromTenantId} returning *)
  insert into activity (organization_id, subject_id, occurred_at, id, type, entity_type, entity_id, property_id, lease_id, tenant_id, actor_user_id, detail)
  select organization_id, ${toTenantId}, occurred_at, id, type, entity_type, entity_id, property_id, lease_id,
    case when tenant_id = ${fromTenantId} then ${toTenantId} else tenant_id end, actor_user_id, detail
  from moved on conflict do nothing`;
