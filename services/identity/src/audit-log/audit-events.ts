/** What people do in the other services stands in the audit log as those announce it: by whom, to what, and no more than the event says. */
import { events, type Envelope, type EventType } from "@freehold/contract/events";
import { inAnyOrder, type Subscriptions } from "@freehold/kit/consumer";
import type { Runner } from "@freehold/kit/db";
import { sql } from "@freehold/kit/statement";

/** Of the ledger only what is done by hand and rarely: money that comes in and is charged has a journal of its own. */
const ofLedger: readonly EventType[] = [
  "charge.voided",
  "payment.reversed",
  "journal_entry.posted",
  "journal_entry.reversed",
  "recurring_charge.created",
  "recurring_charge.updated",
];
const types = (Object.keys(events) as EventType[]).filter((type) => events[type].from === "portfolio" || ofLedger.includes(type));

/** Enters what somebody did, once, under the id of the event; what a service did by itself is nobody's deed. */
export async function auditEvent(
  db: Runner,
  { id, type, occurredAt, actorUserId, entityType, entityId, data, requestId }: Omit<Envelope, "audience">,
): Promise<void> {
  if (actorUserId === null) return;
  const after = Object.keys(data).length > 0 ? JSON.stringify(data) : null;
  await db.all(sql`insert into audit_entry (organization_id, id, occurred_at, actor_user_id, action, entity_type, entity_id, after, request_id)
    values (${db.organizationId}, ${id}, ${occurredAt}, ${actorUserId}, ${type}, ${entityType}, ${entityId}, ${after}::jsonb, ${requestId}) on conflict do nothing`);
}

const enter = inAnyOrder((db, event) => auditEvent(db, event));

/** Every event that is entered, with the one thing that is done about it. */
export const auditedEvents = Object.fromEntries(types.map((type) => [type, enter])) as Subscriptions;
