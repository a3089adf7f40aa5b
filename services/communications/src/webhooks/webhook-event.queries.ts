/** SQL of the webhook events of an organization. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { secondsTo } from "@freehold/kit/jobs/run-delay";
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

/** Stage of an event: its content is applied, then the files of its message are stored. */
export type EventStage = "content" | "files";

/** Returns the condition that the event `e` is in a stage. The message of an event has its id. */
const isIn = (stage: EventStage): RawBuilder<unknown> =>
  sql`${stage === "files"} = exists (select from conversation_message m where m.organization_id = e.organization_id and m.id = e.id)`;

/** Returns the events of a stage that are due, in the order of their receipt. */
export const findDueEvents = (db: StatementRunner, stage: EventStage, limit: number): Promise<DueEvent[]> =>
  db.all(sql<DueEvent>`select e.id, e.receipt_id, e.receiver, e.provider_event_id, e.attempts, e.received_at from webhook_event e
    where e.organization_id = ${db.organizationId} and e.next_attempt_at <= now() and ${isIn(stage)} order by e.received_at, e.id limit ${limit}`);

/** Returns the seconds until the next event of a stage is due, or null without one. */
export async function findSecondsToNextEvent(db: StatementRunner, stage: EventStage): Promise<number | null> {
  const row = await db.first(sql<{ seconds: number | null }>`select ${secondsTo(sql`min(e.next_attempt_at)`)} as seconds from webhook_event e
    where e.organization_id = ${db.organizationId} and e.next_attempt_at is not null and ${isIn(stage)}`);
  return row!.seconds;
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
