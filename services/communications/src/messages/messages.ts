/** Messages to people: stored once per id, sent after the commit, and retried until the mail server accepts or rejects them or the last attempt fails. */
import { Email, Id } from "@freehold/contract/values";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { invalid } from "@freehold/kit/errors";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import type { Delivery, Message } from "@freehold/proto/communications/v1/communications";
import { setTimeout as sleep } from "node:timers/promises";
import pLimit from "p-limit";
import { renderTemplate } from "../templates/templates.ts";
import { insertIntoDevOutbox, type DevOutbox } from "./dev-outbox.ts";
import { MAX_CONNECTIONS, type Mailer } from "./mailer.ts";
import { channels, type Channel } from "./message.entity.ts";
import {
  claimDueMessages,
  completeMessage,
  findNextAttemptAt,
  getDeliveries,
  insertMessage,
  renewClaim,
  rescheduleMessage,
  type NewMessage,
  type QueuedMessage,
} from "./message.queries.ts";
import { initialDelivery, retryDelaySeconds } from "./message.rules.ts";

/** Sender address and the configured transports of messages. */
export interface MessageTransports {
  from: string;
  mailer: Mailer | undefined;
  devOutbox: DevOutbox | undefined;
}

/** Name of the job that delivers queued messages. */
export const DELIVER_QUEUED = "deliver_queued";
/** Less than the deadline of the callers, which is ten seconds. */
const RESPONSE_TIMEOUT_MS = 3_000;
const BATCH_SIZE = 20;
const IDLE_MS = 600_000;

/**
 * Sends messages, each id once: a repeated id returns the delivery of the first message. Messages are committed before the
 * first attempt, so another replica continues after a crash. Messages not sent within `timeoutMs` are returned as queued.
 */
export async function sendMessages(
  db: OrgDb,
  transports: MessageTransports,
  messages: readonly Message[],
  timeoutMs = RESPONSE_TIMEOUT_MS,
): Promise<Delivery[]> {
  const rendered = messages.map((message, index) => renderMessage(message, transports, `messages.${index}`));
  const queued = await transaction(db, async (tx) => {
    const inserted: NewMessage[] = [];
    for (const message of rendered) {
      if (!(await insertMessage(tx, message))) continue;
      inserted.push(message);
      if (message.provider === "outbox" && message.status === "sent") await insertIntoDevOutbox(tx, { ...message, text: message.text! });
    }
    const toDeliver = inserted.filter(({ status }) => status === "queued");
    if (toDeliver.length > 0) await scheduleNow(tx, DELIVER_QUEUED);
    return toDeliver.map((message) => ({ ...message, subject: message.subject!, text: message.text!, attempts: 1 }));
  });
  if (queued.length > 0)
    await Promise.race([Promise.all(queued.map((message) => deliver(db, transports, message))), sleep(timeoutMs, undefined, { ref: false })]);
  return getDeliveries(
    db,
    messages.map(({ id }) => id),
  );
}

/** Returns the row of a message: rendered with its provider, or failed with the reason. */
function renderMessage({ id, channel, to, template, fields }: Message, { from, mailer, devOutbox }: MessageTransports, path: string): NewMessage {
  if (!Id.safeParse(id).success) throw invalid([{ path: `${path}.id`, code: "format", message: "A message needs a UUID as its id." }]);
  if (!isChannel(channel)) throw invalid([{ path: `${path}.channel`, code: "enum", message: "The channel must be email or sms." }]);
  const delivery = initialDelivery(channel, { mailServer: mailer !== undefined, devOutbox: devOutbox !== undefined });
  const withoutContent = { id, channel, template, to, from, subject: null, text: null, html: null };
  if (delivery.status === "skipped") return { ...withoutContent, ...delivery };
  if (!Email.safeParse(to).success) return { ...withoutContent, ...delivery, status: "failed", error: "invalid_address" };
  const content = renderTemplate(template, fields);
  if ("error" in content) return { ...withoutContent, ...delivery, status: "failed", error: content.error };
  return { ...withoutContent, ...content, ...delivery };
}

const isChannel = (channel: string): channel is Channel => (channels as readonly string[]).includes(channel);

/** Runs as many attempts at a time as the mailer has connections, so that no claim expires while its mail waits for one. */
const limitAttempts = pLimit(MAX_CONNECTIONS);

/**
 * Makes one attempt to send a claimed message, unless another one has begun while it waited. If the process dies, the message becomes due
 * again when the claim expires.
 */
const deliver = (db: OrgDb, { mailer }: MessageTransports, message: QueuedMessage): Promise<void> =>
  limitAttempts(async () => {
    if (!mailer || !(await renewClaim(db, message))) return;
    const { status, error } = await mailer.send(message);
    const delaySeconds = status === "delayed" ? retryDelaySeconds(message.attempts) : undefined;
    if (delaySeconds !== undefined) await rescheduleMessage(db, message.id, delaySeconds, error!);
    else await completeMessage(db, message.id, status === "sent" ? "sent" : "failed", error);
  });

/** Sends the due messages and returns the time of the next run. */
export async function deliverQueued(db: OrgDb, transports: MessageTransports): Promise<Date> {
  if (transports.mailer) {
    const due = await claimDueMessages(db, BATCH_SIZE);
    await Promise.all(due.map((message) => deliver(db, transports, message)));
    const next = await findNextAttemptAt(db);
    if (next) return new Date(next);
  }
  return new Date(now().getTime() + IDLE_MS);
}
