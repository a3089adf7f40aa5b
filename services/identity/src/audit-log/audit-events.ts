/** What people do in the other services stands in the audit log as those announce it: by whom, to what, and what became of it as far as the event says. */
import { events, type Envelope, type EventType } from "@freehold/contract/events";
import { batchHandler, type Subscriptions } from "@freehold/kit/events/subscriptions";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";

/** Of the ledger only what is done by hand and rarely: money that comes in and is charged has a journal of its own. */
const auditedLedgerEvents: readonly EventType[] = [
  "charge.voided",
  "payment.reversed",
  "journal_entry.posted",
  "journal_entry.reversed",
  "recurring_charge.created",
  "recurring_charge.updated",
];
const types = (Object.keys(events) as EventType[]).filter((type) => events[type].from === "portfolio" || auditedLedgerEvents.includes(type));

/** Enters what people did, each deed once, under the id of its event; what a service did by itself is nobody's deed. */
export async function auditEvents(db: StatementRunner, lot: readonly Omit<Envelope, "audience">[]): Promise<void> {
  const deeds = lot.filter(({ actorUserId }) => actorUserId !== null);
  if (deeds.length === 0) return;
  await db.all(sql`insert into audit_entry (organization_id, id, occurred_at, actor_user_id, action, entity_type, entity_id, before, after, request_id)
    select ${db.organizationId}, id, "occurredAt", "actorUserId", type, "entityType", "entityId", changes -> 'before',
      coalesce(changes -> 'after', nullif(data, '{}')), "requestId"
    from jsonb_to_recordset(${JSON.stringify(deeds)}::jsonb) as deed (id uuid, "occurredAt" timestamptz, "actorUserId" uuid, type text, "entityType" text,
      "entityId" uuid, data jsonb, changes jsonb, "requestId" text)
    on conflict do nothing`);
}

const auditHandler = batchHandler(auditEvents);

/** Every event that is entered, with the one thing that is done about it. */
export const auditSubscriptions = Object.fromEntries(types.map((type) => [type, auditHandler])) as Subscriptions;
