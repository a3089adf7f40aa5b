/** SQL statements on messages. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { Delivery } from "@freehold/proto/communications/v1/communications";
import type { Mail } from "./mailer.ts";
import type { Channel } from "./message.entity.ts";
import type { InitialDelivery } from "./message.rules.ts";

/** Message to insert. `error` is set if the message cannot be sent. */
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

/** Duration for which a claimed message may wait for a connection before another replica may claim it. */
const CLAIM_SECONDS = 60;
/** Duration for which an attempt excludes other replicas: longer than an attempt can take with the mailer's timeouts. */
const ATTEMPT_SECONDS = 300;

/**
 * Inserts a message unless its id exists. Returns true if it was inserted. A queued message is claimed for the attempt of the
 * caller; only queued messages store their content.
 */
export async function insertMessage(tx: OrgTx, message: NewMessage): Promise<boolean> {
  const { id, channel, template, to, from, subject, provider, status, error } = message;
  const isQueued = status === "queued";
  const inserted = await tx.all(sql`insert into message
      (organization_id, id, created_at, updated_at, channel, template, to_address, from_address, subject, text, html, provider, status, error, attempts, next_attempt_at)
    values (${tx.organizationId}, ${id}, now(), now(), ${channel}, ${template}, ${to}, ${from}, ${subject}, ${isQueued ? message.text : null}, ${isQueued ? message.html : null},
      ${provider}, ${status}, ${error}, ${isQueued ? 1 : 0}, case when ${isQueued} then now() + make_interval(secs => ${CLAIM_SECONDS}) end)
    on conflict (organization_id, id) do nothing returning id`);
  return inserted.length > 0;
}

/** Message that is claimed for an attempt. */
export type QueuedMessage = Mail & { attempts: number };

/** Claims the messages whose next attempt is due, so that no other replica attempts them at the same time. */
export const claimDueMessages = (db: OrgDb, limit: number): Promise<QueuedMessage[]> =>
  db.all(sql<QueuedMessage>`update message set attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${CLAIM_SECONDS}), updated_at = now(), version = version + 1
    where organization_id = ${db.organizationId} and id in (
      select id from message where organization_id = ${db.organizationId} and status = 'queued' and next_attempt_at <= now()
      order by next_attempt_at limit ${limit} for update skip locked)
    returning id, to_address as "to", from_address as "from", subject, text, html, attempts`);

/** Renews the claim of a message when its attempt begins. Returns false if the message was sent, or claimed for another attempt, meanwhile. */
export async function renewClaim(db: OrgDb, { id, attempts }: Pick<QueuedMessage, "id" | "attempts">): Promise<boolean> {
  const renewed =
    await db.all(sql`update message set next_attempt_at = now() + make_interval(secs => ${ATTEMPT_SECONDS}), updated_at = now(), version = version + 1
    where organization_id = ${db.organizationId} and id = ${id} and status = 'queued' and attempts = ${attempts} returning id`);
  return renewed.length > 0;
}

/** Returns the time of the earliest next attempt of a queued message, or undefined when no message is queued. */
export async function findNextAttemptAt(db: OrgDb): Promise<string | undefined> {
  const next = await db.first(
    sql<{ at: string | null }>`select min(next_attempt_at) as at from message where organization_id = ${db.organizationId} and status = 'queued'`,
  );
  return next?.at ?? undefined;
}

/** Sets the final status of a queued message and deletes its content. */
export const completeMessage = (db: OrgDb, id: string, status: "sent" | "failed", error: string | null): Promise<unknown[]> =>
  db.all(sql`update message set status = ${status}, error = ${error}, text = null, html = null, next_attempt_at = null, updated_at = now(), version = version + 1
    where organization_id = ${db.organizationId} and id = ${id} and status = 'queued'`);

/** Schedules the next attempt of a queued message. */
export const rescheduleMessage = (db: OrgDb, id: string, delaySeconds: number, error: string): Promise<unknown[]> =>
  db.all(sql`update message set error = ${error}, next_attempt_at = now() + make_interval(secs => ${delaySeconds}), updated_at = now(), version = version + 1
    where organization_id = ${db.organizationId} and id = ${id} and status = 'queued'`);

/** Returns the current delivery of each message, in the order of the ids. */
export async function getDeliveries(db: OrgDb, ids: readonly string[]): Promise<Delivery[]> {
  const rows = await db.all(sql<{ id: string; provider: string; status: string; error: string | null }>`
    select id, provider, status, error from message where organization_id = ${db.organizationId} and id = any(${ids}::uuid[])`);
  const rowById = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = rowById.get(id.toLowerCase());
    return row ? [{ messageId: id, provider: row.provider, status: row.status, error: row.error ?? undefined }] : [];
  });
}
