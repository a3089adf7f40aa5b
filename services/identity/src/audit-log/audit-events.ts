/** Audit log entries of users' actions in the other services, written from the events that these publish. */
import { eventSubscribers } from "@freehold/contract/event-subscribers";
import type { Envelope } from "@freehold/contract/events";
import { batchHandler, type Subscriptions } from "@freehold/kit/events/subscriptions";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";

/** Inserts one audit entry per event with an actor, under the event's id, so that redelivered events are ignored. */
export async function auditEvents(db: StatementRunner, batch: readonly Omit<Envelope, "audience">[]): Promise<void> {
  // Of an invite to a user, identity has written the entry with the change.
  const userEvents = batch.filter(({ actorUserId, type, data }) => actorUserId !== null && !(type.startsWith("invite.") && data["kind"] === "user"));
  if (userEvents.length === 0) return;
  await db.all(sql`insert into audit_entry (organization_id, id, occurred_at, actor_user_id, action, entity_type, entity_id, before, after, request_id, ip)
    select ${db.organizationId}, id, "occurredAt", "actorUserId", type, "entityType", "entityId", changes -> 'before',
      coalesce(changes -> 'after', nullif(data, '{}')), "requestId", "clientAddress"
    from jsonb_to_recordset(${JSON.stringify(userEvents)}::jsonb) as event (id uuid, "occurredAt" timestamptz, "actorUserId" uuid, type text, "entityType" text,
      "entityId" uuid, data jsonb, changes jsonb, "requestId" text, "clientAddress" text)
    on conflict do nothing`);
}

const auditHandler = batchHandler(auditEvents);

/** Subscriptions to all audited events. */
export const auditSubscriptions = Object.fromEntries(eventSubscribers.identity.map((type) => [type, auditHandler])) as Subscriptions;
