/** What people do in the other services stands in the audit log as those announce it: by whom, to what, and no more than the event says. */
import { events, type Envelope, type EventType } from "@freehold/contract/events";
import type { Once, Subscriptions } from "@freehold/kit/consumer";
import type { OrgDb, OrgTx } from "@freehold/kit/db";
import { AuditEntry } from "./audit-entry.entity.ts";

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

/** Enters what somebody did; what a service did by itself is nobody's deed. */
export function auditEvent(tx: OrgTx, { type, occurredAt, actorUserId, entityType, entityId, data, requestId }: Omit<Envelope, "audience">): void {
  if (actorUserId === null) return;
  const after = Object.keys(data).length > 0 ? data : null;
  tx.create(AuditEntry, { occurredAt: new Date(occurredAt), actorUserId, action: type, entityType, entityId, before: null, after, requestId, ip: null });
}

const enter = async (_db: OrgDb, event: Envelope, once: Once): Promise<void> => {
  if (event.actorUserId !== null) await once(async (tx) => auditEvent(tx, event));
};

/** Every event that is entered, with the one thing that is done about it. */
export const auditedEvents = Object.fromEntries(types.map((type) => [type, enter])) as Subscriptions;
