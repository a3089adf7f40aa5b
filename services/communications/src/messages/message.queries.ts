import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { Delivery } from "@freehold/proto/communications/v1/communications";
import type { Mail } from "./mailer.ts";
import type { Channel } from "./message.entity.ts";
import type { InitialDelivery } from "./message.rules.ts";

export interface NewMessage extends InitialDelivery {
  id: string;
  channel: Channel;
  template: string;
  to: string;
  from: string;
  subject: string | null;
  text: string | null;
  html: string | null;
}

/** How long an attempt has before another replica may take the message over. */
const ATTEMPT_SECONDS = 60;

/** Keeps a message unless its id is taken; answers whether it is new. Only one that waits keeps its content. */
export async function insertMessage(tx: OrgTx, message: NewMessage): Promise<boolean> {
  const { id, channel, template, to, from, subject, provider, status, error } = message;
  const isWaiting = status === "queued";
  const kept = await tx.all(sql`insert into message
      (organization_id, id, created_at, updated_at, channel, template, to_address, from_address, subject, text, html, provider, status, error, attempts, next_attempt_at)
    values (${tx.organizationId}, ${id}, now(), now(), ${channel}, ${template}, ${to}, ${from}, ${subject}, ${isWaiting ? message.text : null}, ${isWaiting ? message.html : null},
      ${provider}, ${status}, ${error}, ${isWaiting ? 1 : 0}, case when ${isWaiting} then now() + make_interval(secs => ${ATTEMPT_SECONDS}) end)
    on conflict (organization_id, id) do nothing returning id`);
  return kept.length > 0;
}

export type QueuedMessage = Mail & { attempts: number };

/** Takes the messages whose next attempt is due, so that nobody else tries them meanwhile. */
export const claimDueMessages = (db: OrgDb, atMost: number): Promise<QueuedMessage[]> =>
  db.all(sql<QueuedMessage>`update message set attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${ATTEMPT_SECONDS}), updated_at = now(), version = version + 1
    where organization_id = ${db.organizationId} and id in (
      select id from message where organization_id = ${db.organizationId} and status = 'queued' and next_attempt_at <= now()
      order by next_attempt_at limit ${atMost} for update skip locked)
    returning id, to_address as "to", from_address as "from", subject, text, html, attempts`);

/** When the next message waits to be tried, if one waits. */
export async function findNextAttemptAt(db: OrgDb): Promise<string | undefined> {
  const waiting = await db.first(
    sql<{ at: string | null }>`select min(next_attempt_at) as at from message where organization_id = ${db.organizationId} and status = 'queued'`,
  );
  return waiting?.at ?? undefined;
}

/** Ends a message: its status is final and its content is gone. */
export const completeMessage = (db: OrgDb, id: string, status: "sent" | "failed", error: string | null): Promise<unknown[]> =>
  db.all(sql`update message set status = ${status}, error = ${error}, text = null, html = null, next_attempt_at = null, updated_at = now(), version = version + 1
    where organization_id = ${db.organizationId} and id = ${id} and status = 'queued'`);

/** Lets a message wait for another attempt. */
export const rescheduleMessage = (db: OrgDb, id: string, seconds: number, error: string): Promise<unknown[]> =>
  db.all(sql`update message set error = ${error}, next_attempt_at = now() + make_interval(secs => ${seconds}), updated_at = now(), version = version + 1
    where organization_id = ${db.organizationId} and id = ${id} and status = 'queued'`);

/** How each message stands, in the order asked. */
export async function getDeliveries(db: OrgDb, ids: readonly string[]): Promise<Delivery[]> {
  const rows = await db.all(sql<{ id: string; provider: string; status: string; error: string | null }>`
    select id, provider, status, error from message where organization_id = ${db.organizationId} and id = any(${ids}::uuid[])`);
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = found.get(id.toLowerCase());
    return row ? [{ messageId: id, provider: row.provider, status: row.status, error: row.error ?? undefined }] : [];
  });
}
