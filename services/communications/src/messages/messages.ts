/** Messages to people: stored once per id, sent after the commit, and retried until the provider accepts or rejects them or the last attempt fails. */
import { Email, Id } from "@freehold/contract/values";
import { toE164 } from "@freehold/domain/phone";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { invalid } from "@freehold/kit/errors";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import type { Delivery, Message, Person } from "@freehold/proto/communications/v1/communications";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clients } from "../clients.ts";
import { countMessagesLeft, hasConfirmedAddress, isLimitedTemplate } from "../recipients/confirmation.ts";
import { findMessageRefusals } from "../recipients/eligibility.ts";
import { personTypes, type Refusal } from "../recipients/eligibility.rules.ts";
import { renderTemplate } from "../templates/templates.ts";
import { smsText } from "../templates/template.ts";
import { scheduleDeletion } from "./delete-messages.ts";
import { deliver, DELIVER_QUEUED } from "./deliver-messages.ts";
import { insertIntoDevOutbox } from "./dev-outbox/dev-outbox.ts";
import { channels, type Channel, type Status } from "./message.entity.ts";
import { getDeliveries, insertMessages, type NewMessage, type QueuedMessage, type Recipient } from "./message.queries.ts";
import { initialDelivery } from "./message.rules.ts";
import { configuredProviders, senderOf, type MessageTransports } from "./transports.ts";

/** Less than the deadline of the callers, which is ten seconds. */
const RESPONSE_TIMEOUT_MS = 3_000;

type RenderedMessage = NewMessage & { channel: Channel };

/** Dependencies of messages besides the database. */
export interface MessageDependencies {
  clients: Clients;
  transports: MessageTransports;
}

/**
 * Sends messages, each id once: a repeated id returns the delivery of the first message. Messages are committed before the
 * first attempt, so another replica continues after a crash. Messages not sent within `timeoutMs`, or with `queueOnly` all, are returned as queued.
 * Messages above the limit of an organization without a confirmed e-mail address are skipped.
 */
export async function sendMessages(
  db: OrgDb,
  { clients, transports }: MessageDependencies,
  messages: readonly Message[],
  { timeoutMs = RESPONSE_TIMEOUT_MS, queueOnly = false }: { timeoutMs?: number; queueOnly?: boolean | undefined } = {},
): Promise<Delivery[]> {
  const requested = messages.map((message, index) => ({ ...message, ...requireRecipient(message, `messages.${index}`) }));
  const refusals = await findMessageRefusals(
    db,
    clients,
    requested.map(({ recipient, ...message }) => ({ ...message, recipientType: recipient?.type ?? null, recipientId: recipient?.id ?? null })),
  );
  const senders = { email: await senderOf(db, transports, "email"), sms: await senderOf(db, transports, "sms") };
  const rendered = requested.map((message, index) => renderMessage(message, transports, { from: senders[message.channel], refusal: refusals[index] ?? null }));
  const isLimited = requested.some(({ template }) => isLimitedTemplate(template)) && !(await hasConfirmedAddress(db, clients));
  const inserted = await transaction(db, async (tx) => {
    const rows = await insertMessages(tx, isLimited ? await skipAboveLimit(tx, rendered) : rendered, { isClaimed: !queueOnly });
    for (const message of rows)
      if (message.provider === "outbox" && message.status === "sent") await insertIntoDevOutbox(tx, { ...message, text: message.text! });
    if (rows.some(({ status }) => status === "queued")) await scheduleNow(tx, DELIVER_QUEUED);
    if (rows.length > 0) await scheduleDeletion(tx);
    return rows;
  });
  for (const { channel, status } of inserted) if (isFinal(status)) transports.count?.(channel, status);
  const queued = inserted
    .filter(({ status }) => status === "queued")
    .map((message): QueuedMessage => ({
      ...message,
      text: message.text!,
      attempts: 1,
      recipientType: message.recipient?.type ?? null,
      recipientId: message.recipient?.id ?? null,
      emailAccountId: null,
      conversationId: null,
      error: null,
      partIds: [],
    }));
  if (queued.length > 0 && !queueOnly)
    await Promise.race([Promise.all(queued.map((message) => deliver(db, transports, message))), sleep(timeoutMs, undefined, { ref: false })]);
  return getDeliveries(
    db,
    messages.map(({ id }) => id),
  );
}

const isFinal = (status: Status): status is "sent" | "failed" | "skipped" => status !== "queued" && status !== "delivered";

/** Returns the messages of an organization without a confirmed e-mail address, those above its limit as skipped. */
async function skipAboveLimit(tx: OrgTx, messages: readonly RenderedMessage[]): Promise<RenderedMessage[]> {
  let left = await countMessagesLeft(tx);
  return messages.map((message) => {
    if (!isLimitedTemplate(message.template) || message.status === "skipped" || (left -= 1) >= 0) return message;
    return { ...message, status: "skipped", error: "email_unconfirmed" };
  });
}

/** Channel of a message, its address, a phone number in E.164, and the person whom it is for. */
interface RequiredRecipient {
  channel: Channel;
  to: string;
  recipient: Recipient | null;
}

/** Returns the recipient of a message. Throws 400 for an invalid id, channel or person. */
function requireRecipient({ id, channel, to, person }: Message, path: string): RequiredRecipient {
  if (!Id.safeParse(id).success) throw invalid([{ path: `${path}.id`, code: "format", message: "A message needs a UUID as its id." }]);
  if (!isChannel(channel)) throw invalid([{ path: `${path}.channel`, code: "enum", message: "The channel must be email or sms." }]);
  const address = person?.address ?? to;
  return { channel, to: channel === "sms" ? (toE164(address) ?? address) : address, recipient: person ? requirePerson(person, `${path}.person`) : null };
}

function requirePerson({ type, id }: Person, path: string): Recipient {
  const known = personTypes.find((each) => each === type);
  if (!known || !Id.safeParse(id).success)
    throw invalid([{ path, code: "format", message: "A person needs a UUID as its id, and the type tenant, vendor or owner." }]);
  return { type: known, id };
}

/** Returns the row of a message: rendered with its provider, skipped for an address that may not be written to, or failed with the reason. */
function renderMessage(
  message: Message & RequiredRecipient,
  transports: MessageTransports,
  { from, refusal }: { from: string; refusal: Refusal | null },
): RenderedMessage {
  const { id, channel, to, template, fields, recipient } = message;
  const delivery = initialDelivery(channel, configuredProviders(transports));
  const withoutContent = { id, channel, template, recipient, to, from, subject: null, text: null, html: null };
  if (refusal) return { ...withoutContent, ...delivery, status: "skipped", error: refusal };
  if (delivery.status === "skipped") return { ...withoutContent, ...delivery };
  if (!(channel === "sms" ? toE164(to) === to : Email.safeParse(to).success))
    return { ...withoutContent, ...delivery, status: "failed", error: "invalid_address" };
  const content = renderTemplate(template, fields);
  if ("error" in content) return { ...withoutContent, ...delivery, status: "failed", error: content.error };
  return channel === "sms" ? { ...withoutContent, ...delivery, text: smsText(content, fields["link"]) } : { ...withoutContent, ...content, ...delivery };
}

const isChannel = (channel: string): channel is Channel => (channels as readonly string[]).includes(channel);
