/** Remembers what happened: each event once, on everything that it concerns. */
import { activityTypes } from "@freehold/contract/overview/activity";
import type { Envelope } from "@freehold/contract/events";
import { batchHandler, type Subscriptions } from "@freehold/kit/events/subscriptions";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { activityDetail, referencedIds } from "./activity.rules.ts";
import { ACTIVITY_RETENTION_JOB } from "./forget-activity.ts";

/** Keeps events, each once however often it comes. */
export async function recordActivity(db: OrgDb, lot: readonly Envelope[]): Promise<void> {
  await db.all(insertActivity(db, lot));
}

const keeping = batchHandler(recordActivity);
/** The subscriptions of everything that is remembered. What concerned a tenant's duplicate is shown on the tenant from the merge on. */
export const activitySubscriptions: Subscriptions = {
  ...Object.fromEntries(activityTypes.map((type) => [type, keeping])),
  "tenant.merged": async (db, event) => {
    await recordActivity(db, [event]);
    await db.all(handOver(db, event.entityId, event.data.mergedIntoTenantId));
  },
};

/** What an event says, as a row of the statement. */
function rowOf(event: Envelope) {
  const { about, ...said } = referencedIds(event);
  const { id, occurredAt, type, entityType, entityId, actorUserId } = event;
  return { id, occurredAt, type, entityType, entityId, actorUserId, detail: activityDetail(event), aboutType: about.type, aboutId: about.id, ...said };
}

/**
 * What a row of portfolio's says of its place, found by its id. With a limit it is looked up for each event by itself:
 * without, a plan that was made while the table was small would read all of it.
 */
const lookedUp = (db: StatementRunner, table: string, columns: RawBuilder<unknown>, id: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`left join lateral (select ${columns} from ${sql.table(table)} one where one.organization_id = ${db.organizationId} and one.id = ${id} limit 1) ${sql.ref(table)} on true`;

/** One of portfolio's own things that an event is about. */
const known = (db: StatementRunner, type: string, table: string, columns: RawBuilder<unknown>): RawBuilder<unknown> =>
  lookedUp(db, table, columns, sql`case when said."aboutType" = ${sql.lit(type)} then said."aboutId" end`);

/**
 * One row for the organization and one for each property, lease and tenant that an event concerns. What it does not say
 * is looked up: the place of a thing, the property and the tenant of a lease, and who lives under it on that day. The
 * organization's row marks the event as kept. From the first property on, what is old is looked for each day.
 */
function insertActivity(db: StatementRunner, lot: readonly Envelope[]): RawBuilder<unknown> {
  const { organizationId } = db;
  // Whoever has anything has a property.
  const scheduled = lot.some(({ type }) => type === "property.created")
    ? sql`, scheduled as (insert into scheduled_work (job, organization_id, next_run_at) values (${ACTIVITY_RETENTION_JOB}, ${organizationId}, now() + interval '1 day') on conflict do nothing)`
    : sql``;
  return sql`with place as (
      select said.id, "occurredAt" as occurred_at, said.type, "entityType" as entity_type, "entityId" as entity_id, "actorUserId" as actor_user_id, detail,
        coalesce("propertyId", work_order.property_id, inspection.property_id, unit.property_id, lease.property_id) as property_id, leased.id as lease_id,
        coalesce(work_order.tenant_id, invite.tenant_id, lease_occupant.tenant_id) as known_tenant_id,
        coalesce("tenantId", work_order.tenant_id, invite.tenant_id, lease_occupant.tenant_id, lease.tenant_id) as tenant_id
      from jsonb_to_recordset(${JSON.stringify(lot.map(rowOf))}::jsonb) as said (id uuid, "occurredAt" timestamptz, type text, "entityType" text, "entityId" uuid,
          "actorUserId" uuid, detail text, "aboutType" text, "aboutId" uuid, "propertyId" uuid, "unitId" uuid, "leaseId" uuid, "tenantId" uuid)
        ${known(db, "work_order", "work_order", sql`property_id, lease_id, tenant_id`)}
        ${known(db, "inspection", "inspection", sql`property_id, lease_id`)}
        ${known(db, "invite", "invite", sql`lease_id, tenant_id`)}
        ${known(db, "occupant", "lease_occupant", sql`lease_id, tenant_id`)}
        ${lookedUp(db, "unit", sql`property_id`, sql`said."unitId"`)}
        cross join lateral (select coalesce("leaseId", work_order.lease_id, inspection.lease_id, invite.lease_id, lease_occupant.lease_id) as id) leased
        ${lookedUp(db, "lease", sql`property_id, tenant_id`, sql`leased.id`)}
        left join lateral (select true as is_kept from activity one where one.organization_id = ${organizationId} and one.subject_id = ${organizationId}
          and one.occurred_at = said."occurredAt" and one.id = said.id limit 1) kept on true
      where kept.is_kept is null)${scheduled}
    insert into activity (organization_id, subject_id, occurred_at, id, type, entity_type, entity_id, property_id, lease_id, tenant_id, actor_user_id, detail)
    select ${organizationId}, shown.subject_id, occurred_at, place.id, type, entity_type, entity_id, property_id, lease_id, tenant_id, actor_user_id, detail
    from place cross join lateral (
      select ${organizationId}::uuid as subject_id
      union select unnest(array[property_id, lease_id, tenant_id, known_tenant_id])
      union select t.merged_into_id from tenant t where t.organization_id = ${organizationId} and t.id = place.tenant_id
      union select c.tenant_id from lease_occupant c where c.organization_id = ${organizationId} and c.lease_id = place.lease_id
        and c.removed_at is null and (c.released_on is null or c.released_on >= place.occurred_at::date)) shown
    where shown.subject_id is not null
    on conflict do nothing`;
}

/** Shows what concerned one tenant on another instead; what concerned both stands once. */
const handOver = (db: StatementRunner, from: string, to: string): RawBuilder<unknown> => sql`
  with gone as (delete from activity where organization_id = ${db.organizationId} and subject_id = ${from} returning *)
  insert into activity (organization_id, subject_id, occurred_at, id, type, entity_type, entity_id, property_id, lease_id, tenant_id, actor_user_id, detail)
  select organization_id, ${to}, occurred_at, id, type, entity_type, entity_id, property_id, lease_id, case when tenant_id = ${from} then ${to} else tenant_id end, actor_user_id, detail
  from gone on conflict do nothing`;
