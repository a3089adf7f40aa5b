/** Messages to people outside: taken once for their id, sent after they are safe, tried again until the server decides. */
import { Email, Id } from "@freehold/contract/values";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { invalid } from "@freehold/kit/errors";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import type { Delivery, Message } from "@freehold/proto/communications/v1/communications";
import { setTimeout as sleep } from "node:timers/promises";
import { renderTemplate } from "../templates/templates.ts";
import { insertIntoDevOutbox, type DevOutbox } from "./dev-outbox.ts";
import type { Mailer } from "./mailer.ts";
import { channels, type Channel } from "./message.entity.ts";
import {
  claimDueMessages,
  getDeliveries,
  insertMessage,
  findNextAttemptAt,
  rescheduleMessage,
  completeMessage,
  type NewMessage,
  type QueuedMessage,
} from "./message.queries.ts";
import { retryDelaySeconds, initialDelivery } from "./message.rules.ts";

/** The ways that messages can take from here. */
export interface MessageTransports {
  from: string;
  mailer: Mailer | undefined;
  outbox: DevOutbox | undefined;
}

export const DELIVER_QUEUED = "deliver_queued";
/** Askers wait five seconds. */
const ANSWER_WITHIN_MS = 3_000;
const AT_ONCE = 20;
const IDLE_MS = 600_000;

/**
 * Takes messages and sends what can be sent. Each goes once for its id: a repeat answers how the first one stands. Rows
 * commit before the network is touched, so a process that dies leaves work for the next one and nothing is forgotten. What
 * the mail server takes longer for than `withinMs` is answered as queued.
 */
export async function sendMessages(db: OrgDb, postOffice: MessageTransports, messages: readonly Message[], withinMs = ANSWER_WITHIN_MS): Promise<Delivery[]> {
  const written = messages.map((message, index) => writeMessage(message, postOffice, `messages.${index}`));
  const waiting = await transaction(db, async (tx) => {
    const isNew: NewMessage[] = [];
    for (const message of written) {
      if (!(await insertMessage(tx, message))) continue;
      isNew.push(message);
      if (message.provider === "outbox" && message.status === "sent") await insertIntoDevOutbox(tx, { ...message, text: message.text! });
    }
    const queued = isNew.filter(({ status }) => status === "queued");
    if (queued.length > 0) await scheduleNow(tx, DELIVER_QUEUED);
    return queued.map((message) => ({ ...message, subject: message.subject!, text: message.text!, attempts: 1 }));
  });
  if (waiting.length > 0)
    await Promise.race([Promise.all(waiting.map((message) => deliver(db, postOffice, message))), sleep(withinMs, undefined, { ref: false })]);
  return getDeliveries(
    db,
    messages.map(({ id }) => id),
  );
}

/** A message as it will be kept: written out with its way, or failed with the reason why it cannot go. */
function writeMessage({ id, channel, to, template, fields }: Message, { from, mailer, outbox }: MessageTransports, path: string): NewMessage {
  if (!Id.safeParse(id).success) throw invalid([{ path: `${path}.id`, code: "format", message: "A message needs a UUID as its id." }]);
  if (!isChannel(channel)) throw invalid([{ path: `${path}.channel`, code: "enum", message: "A message goes by email or sms." }]);
  const way = initialDelivery(channel, { mailServer: mailer !== undefined, outbox: outbox !== undefined });
  const blank = { id, channel, template, to, from, subject: null, text: null, html: null };
  if (way.status === "skipped") return { ...blank, ...way };
  if (!Email.safeParse(to).success) return { ...blank, ...way, status: "failed", error: "invalid_address" };
  const content = renderTemplate(template, fields);
  if ("refused" in content) return { ...blank, ...way, status: "failed", error: content.refused };
  return { ...blank, ...content, ...way };
}

const isChannel = (channel: string): channel is Channel => (channels as readonly string[]).includes(channel);

/** One attempt. What happens to the process meanwhile, the row says that an attempt is due again. */
async function deliver(db: OrgDb, { mailer }: MessageTransports, message: QueuedMessage): Promise<void> {
  if (!mailer) return;
  const { status, error } = await mailer.send(message);
  const pause = status === "delayed" ? retryDelaySeconds(message.attempts) : undefined;
  if (pause !== undefined) await rescheduleMessage(db, message.id, pause, error!);
  else await completeMessage(db, message.id, status === "sent" ? "sent" : "failed", error);
}

/** Tries what is due again, and answers when to come back. */
export async function deliverQueued(db: OrgDb, postOffice: MessageTransports): Promise<Date> {
  if (postOffice.mailer) {
    const due = await claimDueMessages(db, AT_ONCE);
    await Promise.all(due.map((message) => deliver(db, postOffice, message)));
    const next = await findNextAttemptAt(db);
    if (next) return new Date(next);
  }
  return new Date(now().getTime() + IDLE_MS);
}
