/** SQL of the webhook events of an organization. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { ReceiverName } from "./receivers.ts";

/** Event that is to be processed. */
export interface DueEvent {
  id: string;
  receiptId: string;
  receiver: ReceiverName;
  providerEventId: string;
  attempts: number;
  receivedAt: string;
}

/** Returns the events that are due, in the order of their receipt. */
export const findDueEvents = (db: StatementRunner, limit: number): Promise<DueEvent[]> =>
  db.all(sql<DueEvent>`select id, receipt_id, receiver, provider_event_id, attempts, received_at from webhook_event
    where organization_id = ${db.organizationId} and next_attempt_at <= now() order by received_at, id limit ${limit}`);

/** Returns the time at which the next event is due, or undefined. */
export async function findNextEventAt(db: StatementRunner): Promise<string | undefined> {
  const row = await db.first(sql<{ at: string | null }>`select min(next_attempt_at) as at from webhook_event
    where organization_id = ${db.organizationId} and next_attempt_at is not null`);
  return row?.at ?? undefined;
}

/**
 * Sets the final status of an event in the transaction of its effect. Throws when another run has completed the event, so that the effect of
 * this one is rolled back.
 */
export async function completeEvent(
  db: StatementRunner,
  { id }: Pick<DueEvent, "id">,
  { status, reason }: { status: "processed" | "ignored" | "failed"; reason: string | null },
): Promise<void> {
  const completed = await db.all(sql`update webhook_event set status = ${status}, error = ${reason}, attempts = attempts + 1, next_attempt_at = null,
      processed_at = case when ${status !== "failed"} then now() end, updated_at = now(), version = version + 1
    where organization_id = ${db.organizationId} and id = ${id} and status = 'received' returning id`);
  if (completed.length === 0) throw new Error(`The webhook event ${id} was completed by another run.`);
}

/** Schedules another attempt. */
export const postponeEvent = (db: StatementRunner, { id }: Pick<DueEvent, "id">, delaySeconds: number, error: string): Promise<unknown[]> =>
  db.all(sql`update webhook_event set attempts = attempts + 1, error = ${error}, next_attempt_at = now() + make_interval(secs => ${delaySeconds}), updated_at = now(), version = version + 1
    where organization_id = ${db.organizationId} and id = ${id} and status = 'received'`);

/** Deletes the events whose content has expired. */
export const deleteExpiredEvents = (db: StatementRunner, keptDays: number): Promise<unknown[]> =>
  db.all(sql`delete from webhook_event where organization_id = ${db.organizationId} and id in (select id from webhook_event
    where organization_id = ${db.organizationId} and received_at < now() - make_interval(days => ${keptDays}) order by received_at, id limit 10000)`);
