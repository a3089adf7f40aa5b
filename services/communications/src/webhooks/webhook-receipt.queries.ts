/** SQL of received events, before and after their organization is known. The content is kept for a shorter time than the ids. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { secondsTo } from "@freehold/kit/jobs/run-delay";
import type { ReceiverName } from "./receivers.ts";

/** Partitions of the content. */
const SLOTS = 8;
/** Slots that the kept days fill; the others are empty, or are being emptied. */
const FULL_SLOTS = 6;
const DAY_MS = 86_400_000;

/** Returns the partition of content that is received at a time. */
export const slotOf = (receivedAt: Date, keptDays: number): number => Math.floor(receivedAt.getTime() / (Math.ceil(keptDays / FULL_SLOTS) * DAY_MS)) % SLOTS;

/** Event as it was received. */
export interface Receipt {
  id: string;
  receiver: ReceiverName;
  providerEventId: string;
  receivedAt: string;
  slot: number;
  attempts: number;
}

export interface NewReceipt extends Omit<Receipt, "receivedAt" | "attempts"> {
  receivedAt: Date;
  /** Signature that must be new, or null. */
  signature: string | null;
  contentType: string | null;
  body: Buffer;
}

/** Inserts an event with its content unless its id or signature exists. Returns true if it was inserted. */
export async function insertReceipt(db: StatementRunner, receipt: NewReceipt): Promise<boolean> {
  const { id, receiver, providerEventId, signature, receivedAt, slot, contentType, body } = receipt;
  const inserted = await db.all(sql`with receipt as (
      insert into webhook_receipt (id, receiver, provider_event_id, signature, received_at, slot, status, next_attempt_at)
      values (${id}, ${receiver}, ${providerEventId}, ${signature}, ${receivedAt}, ${slot}, 'received', ${receivedAt})
      on conflict do nothing returning id, slot, received_at)
    insert into webhook_body (slot, receipt_id, received_at, content_type, body)
    select slot, id, received_at, ${contentType}::text, ${body}::bytea from receipt returning receipt_id`);
  return inserted.length > 0;
}

/** Returns the events that wait for their organization and are due, in the order of their receipt. */
export const findDueReceipts = (db: StatementRunner, limit: number): Promise<Receipt[]> =>
  db.all(sql<Receipt>`select id, receiver, provider_event_id, received_at, slot, attempts from webhook_receipt
    where next_attempt_at <= now() order by received_at, id limit ${limit}`);

/** Returns the seconds until the next event is due, or null without one. */
export async function findSecondsToNextReceipt(db: StatementRunner): Promise<number | null> {
  const row = await db.first(
    sql<{ seconds: number | null }>`select ${secondsTo(sql`min(next_attempt_at)`)} as seconds from webhook_receipt where next_attempt_at is not null`,
  );
  return row!.seconds;
}

/** Returns the content of an event, or undefined once it was deleted. */
export async function findBody(db: StatementRunner, receiptId: string): Promise<Buffer | undefined> {
  return (await db.first(sql<{ body: Buffer }>`select body from webhook_body where receipt_id = ${receiptId}`))?.body;
}

/** Sets the final status of an event that waited for its organization. */
export const completeReceipt = (
  db: StatementRunner,
  id: string,
  status: "routed" | "processed" | "ignored" | "failed",
  error: string | null,
): Promise<unknown[]> =>
  db.all(
    sql`update webhook_receipt set status = ${status}, error = ${error}, next_attempt_at = null, attempts = attempts + 1 where id = ${id} and status = 'received'`,
  );

/** Schedules another attempt to find the organization of an event. */
export const postponeReceipt = (db: StatementRunner, id: string, delaySeconds: number, error: string): Promise<unknown[]> =>
  db.all(sql`update webhook_receipt set attempts = attempts + 1, error = ${error}, next_attempt_at = now() + make_interval(secs => ${delaySeconds})
    where id = ${id} and status = 'received'`);

/** Deletes the content and the ids of events that are older than they are kept. */
export async function deleteExpiredReceipts(db: StatementRunner, { keptDays, idDays }: { keptDays: number; idDays: number }): Promise<void> {
  await db.all(sql`select empty_webhook_slots(${keptDays}::int)`);
  await db.all(sql`delete from webhook_receipt where id in (select id from webhook_receipt
    where received_at < now() - make_interval(days => ${Math.max(keptDays, idDays)}) order by received_at limit 10000)`);
}
