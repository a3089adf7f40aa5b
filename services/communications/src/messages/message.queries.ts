/** SQL statements on messages. */
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { secondsTo } from "@freehold/kit/jobs/run-delay";
import type { Delivery } from "@freehold/proto/communications/v1/communications";
import type { Mail } from "./mailer.ts";
import type { Channel, DeliveryChannel, RecipientType } from "./message.entity.ts";
import type { InitialDelivery } from "./message.rules.ts";
import { UNCONFIRMED } from "./sms/sms-provider.ts";

/** Person whom a message is for. */
export interface Recipient {
  type: RecipientType;
  id: string;
}

/** Message to insert. `error` is set if the message cannot be sent. */
export interface NewMessage extends InitialDelivery {
  id: string;
  channel: DeliveryChannel;
  template: string;
  recipient: Recipient | null;
  to: string;
  from: string;
  subject: string | null;
  text: string | null;
  html: string | null;
  /** E-mail account that sends the message instead of the default one. */
  emailAccountId?: string | null;
}

/** Duration for which a claimed message may wait for a connection before another replica may claim it. */
const CLAIM_SECONDS = 60;
/** Duration for which an attempt excludes other replicas: longer than an attempt can take with the mailer's timeouts. */
const ATTEMPT_SECONDS = 300;

/**
 * Inserts messages whose ids do not exist, each id once, with one statement, and returns those that were inserted. A queued message is claimed for an attempt of the caller,
 * or due at once; only queued messages store their content.
 */
export async function insertMessages<M extends NewMessage>(tx: OrgTx, messages: readonly M[], { isClaimed }: { isClaimed: boolean }): Promise<M[]> {
  const byId = new Map<string, M>();
  for (const message of messages) if (!byId.has(message.id.toLowerCase())) byId.set(message.id.toLowerCase(), message);
  const rows = [...byId.values()].map(({ id, channel, template, recipient, to, from, subject, text, html, provider, status, error, emailAccountId = null }) => {
    const isQueued = status === "queued";
    return {
      id,
      channel,
      template,
      recipient_type: recipient?.type,
      recipient_id: recipient?.id,
      to,
      from,
      subject: storable(subject),
      text: isQueued ? storable(text) : null,
      html: isQueued ? storable(html) : null,
      provider,
      status,
      error,
      email_account_id: emailAccountId,
    };
  });
  const inserted = await tx.all(sql<{ id: string }>`insert into message
      (organization_id, id, created_at, updated_at, channel, template, recipient_type, recipient_id, to_address, from_address, subject, text, html, provider, status, error,
        email_account_id, history, attempts, next_attempt_at, sent_at, delivered_at)
    select ${tx.organizationId}, id, now(), now(), channel, template, recipient_type, recipient_id, "to", "from", subject, text, html, provider, status, error,
      email_account_id, jsonb_build_array(${statusChange(sql`status`, sql`error`)}), case when status = 'queued' and ${isClaimed} then 1 else 0 end,
      case when status = 'queued' then now() + make_interval(secs => ${isClaimed ? CLAIM_SECONDS : 0}) end,
      case when status in ('sent', 'delivered') then now() end, case when status = 'delivered' then now() end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as input (id uuid, channel text, template text, recipient_type text, recipient_id uuid, "to" text, "from" text,
      subject text, text text, html text, provider text, status text, error text, email_account_id uuid)
    on conflict (organization_id, id) do nothing returning id`);
  const ids = new Set(inserted.map(({ id }) => id));
  return [...byId].flatMap(([id, message]) => (ids.has(id) ? [message] : []));
}

/** Returns a text without half a surrogate pair, with which a translation or a rendered text may end, and which JSON of PostgreSQL refuses. */
const storable = (text: string | null): string | null => text?.toWellFormed() ?? null;

/** Entry of the history of a message. */
export const statusChange = (status: RawBuilder<unknown>, error: RawBuilder<unknown> | string | null) =>
  sql`jsonb_build_object('status', ${status}, 'at', now(), 'error', ${error}::text)`;

/** Message that is claimed for an attempt. */
export interface QueuedMessage extends Pick<Mail, "id" | "to" | "text" | "html"> {
  /** Sender when the message was stored; the domain of its `Message-ID`. */
  from: string;
  channel: Channel;
  template: string;
  subject: string | null;
  attempts: number;
  recipientType: RecipientType | null;
  recipientId: string | null;
  emailAccountId: string | null;
  /** Conversation that the message belongs to. */
  conversationId: string | null;
  /** Error of the last attempt. */
  error: string | null;
  /** Accepted parts of a text message that is sent in several. */
  partIds: string[];
}

/** Claims the messages whose next attempt is due, so that no other replica attempts them at the same time. */
export const claimDueMessages = (db: OrgDb, channels: readonly Channel[], limit: number): Promise<QueuedMessage[]> =>
  db.all(sql<QueuedMessage>`update message set attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${CLAIM_SECONDS}), updated_at = now(), version = version + 1
    where organization_id = ${db.organizationId} and id in (
      select id from message where organization_id = ${db.organizationId} and status = 'queued' and next_attempt_at <= now() and channel = any(${[...channels]})
      order by next_attempt_at limit ${limit} for update skip locked)
    returning id, channel, template, to_address as "to", from_address as "from", subject, text, html, attempts, recipient_type, recipient_id, email_account_id, error, part_ids,
      (select c.conversation_id from conversation_message c where c.organization_id = message.organization_id and c.id = message.id) as conversation_id`);

/**
 * Renews the claim of a message when its attempt begins. A text message is unconfirmed until the result of the attempt. Returns false if the message was sent, or claimed for another attempt, meanwhile.
 */
export async function renewClaim(db: OrgDb, { id, attempts, channel }: Pick<QueuedMessage, "id" | "attempts" | "channel">): Promise<boolean> {
  const renewed =
    await db.all(sql`update message set next_attempt_at = now() + make_interval(secs => ${ATTEMPT_SECONDS}), error = case when ${channel === "sms"} then ${UNCONFIRMED} else error end, updated_at = now(), version = version + 1
    where organization_id = ${db.organizationId} and id = ${id} and status = 'queued' and attempts = ${attempts} returning id`);
  return renewed.length > 0;
}

/** Records that the provider has accepted a part of a text message, but for the last one. The attempt continues with the next part, also one after a crash. */
export const recordPart = (db: OrgDb, { id, attempts }: Pick<QueuedMessage, "id" | "attempts">, partId: string | null): Promise<unknown[]> =>
  db.all(sql`update message set part_ids = array_append(part_ids, coalesce(${partId}::text, '')), provider_message_id = ${partId}, error = null, updated_at = now(), version = version + 1
    where organization_id = ${db.organizationId} and id = ${id} and status = 'queued' and attempts = ${attempts}`);

/** Returns the seconds until the next attempt of a queued message of the channels, or null when none is queued. */
export async function findSecondsToNextAttempt(db: OrgDb, channels: readonly Channel[]): Promise<number | null> {
  const next = await db.first(
    sql<{ seconds: number | null }>`select ${secondsTo(sql`min(next_attempt_at)`)} as seconds from message
      where organization_id = ${db.organizationId} and status = 'queued' and channel = any(${[...channels]})`,
  );
  return next!.seconds;
}

/** Final state of a queued message. */
export interface FinalState {
  status: "sent" | "failed" | "skipped";
  error: string | null;
  providerMessageId?: string | null;
}

/** Sets the final status of a queued message and deletes its content. The provider's id of a text message in parts is that of the last one. */
export const completeMessage = (db: StatementRunner, id: string, { status, error, providerMessageId = null }: FinalState): Promise<unknown[]> =>
  db.all(sql`update message set status = ${status}, error = ${error}, provider_message_id = coalesce(${providerMessageId}, provider_message_id), text = null, html = null, next_attempt_at = null,
      part_ids = case when ${status === "sent"} and part_ids <> '{}' then array_append(part_ids, coalesce(${providerMessageId}::text, '')) else part_ids end,
      sent_at = case when ${status === "sent"} then now() end, history = history || ${statusChange(sql`${status}::text`, error)}, updated_at = now(), version = version + 1
    where organization_id = ${db.organizationId} and id = ${id} and status = 'queued'`);

/** Schedules the next attempt of a queued message. */
export const rescheduleMessage = (db: OrgDb, id: string, delaySeconds: number, error: string): Promise<unknown[]> =>
  db.all(sql`update message set error = ${error}, next_attempt_at = now() + make_interval(secs => ${delaySeconds}),
      history = history || ${statusChange(sql`'queued'`, error)}, updated_at = now(), version = version + 1
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
