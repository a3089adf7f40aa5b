/** Audit log entries of users' actions in portfolio and the ledger, written from the events that these services publish. */
import { events, type Envelope, type EventType } from "@freehold/contract/events";
import { batchHandler, type Subscriptions } from "@freehold/kit/events/subscriptions";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";

/** Audited events of the ledger: what users change by hand. Recorded payments, posted charges and credit for them are left to the journal. */
const auditedLedgerEvents: readonly EventType[] = [
  "charge.updated",
  "charge.voided",
  "charge.credited",
  "charge.credit_reversed",
  "payment.reversed",
  "payment.refunded",
  "payment.refund_voided",
  "payment.allocation_released",
  "deposit.created",
  "deposit.voided",
  "journal_entry.posted",
  "journal_entry.reversed",
  "period.soft_closed",
  "period.closed",
  "period.reopened",
  "recurring_charge.created",
  "recurring_charge.updated",
  "recurring_charge.terms_changed",
  "recurring_charge.deleted",
];
const auditedTypes = (Object.keys(events) as EventType[]).filter((type) => events[type].from === "portfolio" || auditedLedgerEvents.includes(type));

/** Inserts one audit entry per event with an actor, under the event's id, so that redelivered events are ignored. */
export async function auditEvents(db: StatementRunner, batch: readonly Omit<Envelope, "audience">[]): Promise<void> {
  const userEvents = batch.filter(({ actorUserId }) => actorUserId !== null);
  if (userEvents.length === 0) return;
  await db.all(sql`insert into audit_entry (organization_id, id, occurred_at, actor_user_id, action, entity_type, entity_id, before, after, request_id)
    select ${db.organizationId}, id, "occurredAt", "actorUserId", type, "entityType", "entityId", changes -> 'before',
      coalesce(changes -> 'after', nullif(data, '{}')), "requestId"
    from jsonb_to_recordset(${JSON.stringify(userEvents)}::jsonb) as event (id uuid, "occurredAt" timestamptz, "actorUserId" uuid, type text, "entityType" text,
      "entityId" uuid, data jsonb, changes jsonb, "requestId" text)
    on conflict do nothing`);
}

const auditHandler = batchHandler(auditEvents);

/** Subscriptions to all audited events. */
export const auditSubscriptions = Object.fromEntries(auditedTypes.map((type) => [type, auditHandler])) as Subscriptions;
