/** Remembers what happened: each event once, on everything that it concerns. */
import { activityTypes } from "@freehold/contract/activity";
import type { Envelope } from "@freehold/contract/events";
import { inAnyOrder, type Subscriptions } from "@freehold/kit/consumer";
import type { OrgDb, Runner } from "@freehold/kit/db";
import { sql, type RawBuilder } from "@freehold/kit/statement";
import { detailOf, named, type Named } from "./activity.rules.ts";
import { FORGET_ACTIVITY } from "./forget-activity.ts";

/** Keeps an event, once however often it comes; and what concerned a tenant's duplicate is shown on the tenant from then on. */
export async function keepActivity(db: OrgDb, event: Envelope): Promise<void> {
  await db.all(insertActivity(db, event));
  if (event.type === "tenant.merged") await db.all(handOver(db, event.entityId, String(event.data["mergedIntoTenantId"])));
}

const keeping = inAnyOrder(keepActivity);
/** The subscriptions of everything that is remembered. */
export const activitySubscriptions = Object.fromEntries(
  activityTypes.map((type) => [type, type === "tenant.merged" ? keepActivity : keeping]),
) as Subscriptions;

/** The rows in which the things that only an event's own thing knows stand. */
function knownOf(db: Runner, { about, unitId }: Named): RawBuilder<unknown> {
  const of = (columns: RawBuilder<unknown>, table: string) =>
    sql`select ${columns} from ${sql.table(table)} where organization_id = ${db.organizationId} and id = ${about.id}`;
  switch (about.type) {
    case "work_order":
      return of(sql`property_id, lease_id, tenant_id`, "work_order");
    case "inspection":
      return of(sql`property_id, lease_id, null::uuid as tenant_id`, "inspection");
    case "invite":
      return of(sql`null::uuid as property_id, lease_id, tenant_id`, "invite");
    case "occupant":
      return of(sql`null::uuid as property_id, lease_id, tenant_id`, "lease_occupant");
    default:
      return sql`select property_id, null::uuid as lease_id, null::uuid as tenant_id from unit where organization_id = ${db.organizationId} and id = ${unitId}::uuid`;
  }
}

/**
 * One row for the organization and one for each property, lease and tenant that the event concerns. What it does not say
 * is looked up: the place of a thing, the property and the tenant of a lease, and who lives under it on that day. The
 * organization's row marks the event as kept: events are many, and so each takes one statement. From the first
 * property on, what is old is looked for each day.
 */
function insertActivity(db: Runner, event: Envelope): RawBuilder<unknown> {
  const { organizationId } = db;
  const said = named(event);
  // Whoever has anything has a property.
  const scheduled =
    event.type === "property.created"
      ? sql`, scheduled as (insert into scheduled_work (job, organization_id, next_run_at) values (${FORGET_ACTIVITY}, ${organizationId}, now() + interval '1 day') on conflict do nothing)`
      : sql``;
  return sql`with known as (${knownOf(db, said)}),
    leased as (select coalesce(${said.leaseId}::uuid, (select lease_id from known)) as id),
    place as (select coalesce(${said.propertyId}::uuid, (select property_id from known), l.property_id) as property_id, leased.id as lease_id,
        coalesce(${said.tenantId}::uuid, (select tenant_id from known), l.tenant_id) as tenant_id
      from leased left join lease l on l.organization_id = ${organizationId} and l.id = leased.id),
    shown as (select ${organizationId}::uuid as subject_id
      union select unnest(array[property_id, lease_id, tenant_id]) from place
      union select tenant_id from known
      union select t.merged_into_id from place join tenant t on t.organization_id = ${organizationId} and t.id = place.tenant_id
      union select c.tenant_id from place join lease_occupant c on c.organization_id = ${organizationId} and c.lease_id = place.lease_id
        where c.removed_at is null and (c.released_on is null or c.released_on >= ${event.occurredAt}::timestamptz::date))${scheduled}
    insert into activity (organization_id, subject_id, occurred_at, id, type, entity_type, entity_id, property_id, lease_id, tenant_id, actor_user_id, detail)
    select ${organizationId}, subject_id, ${event.occurredAt}, ${event.id}, ${event.type}, ${event.entityType}, ${event.entityId},
      property_id, lease_id, tenant_id, ${event.actorUserId}, ${detailOf(event)}
    from shown cross join place where subject_id is not null
      and not exists (select from activity where organization_id = ${organizationId} and subject_id = ${organizationId} and occurred_at = ${event.occurredAt} and id = ${event.id})
    on conflict do nothing`;
}

/** Shows what concerned one tenant on another too. */
const handOver = (db: Runner, from: string, to: string): RawBuilder<unknown> => sql`
  insert into activity (organization_id, subject_id, occurred_at, id, type, entity_type, entity_id, property_id, lease_id, tenant_id, actor_user_id, detail)
  select organization_id, ${to}, occurred_at, id, type, entity_type, entity_id, property_id, lease_id, tenant_id, actor_user_id, detail
  from activity where organization_id = ${db.organizationId} and subject_id = ${from} on conflict do nothing`;
