/** Messages with content of their own, which a use case stores in its transaction and the job sends. */
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { scheduleDeletion } from "./delete-messages.ts";
import { DELIVER_QUEUED } from "./deliver-messages.ts";
import { insertIntoDevOutbox } from "./dev-outbox/dev-outbox.ts";
import type { DeliveryChannel } from "./message.entity.ts";
import { insertMessages, type NewMessage, type Recipient } from "./message.queries.ts";
import { initialDelivery } from "./message.rules.ts";
import { configuredProviders, senderOf, type MessageTransports } from "./transports.ts";

/** Message to a person, checked before by `findContactRefusals`. */
export interface OutgoingMessage {
  id: string;
  channel: DeliveryChannel;
  /** Purpose of the message, for the log of messages. */
  template: string;
  /** Person whom the message is for; null for an address of the organization itself. */
  recipient: Recipient | null;
  /** Address of the recipient; empty for the portal. */
  to: string;
  subject: string | null;
  text: string;
  html: string | null;
  /** E-mail account that sends the message instead of the default one. */
  emailAccountId?: string;
}

/** Stores messages, each id once, and schedules the job that sends them after the commit. */
export async function queueMessages(tx: OrgTx, transports: MessageTransports, messages: readonly OutgoingMessage[]): Promise<void> {
  if (messages.length === 0) return;
  const senders = new Map<string, string>();
  const rows: NewMessage[] = [];
  for (const message of messages) {
    const { channel, emailAccountId } = message;
    const key = `${channel} ${emailAccountId}`;
    const from = senders.get(key) ?? (await senderOf(tx, transports, channel, emailAccountId));
    senders.set(key, from);
    rows.push({ ...message, ...initialDelivery(channel, configuredProviders(transports)), from });
  }
  const inserted = await insertMessages(tx, rows, { isClaimed: false });
  for (const { channel, text, ...row } of inserted)
    if (row.provider === "outbox" && channel !== "in_app") await insertIntoDevOutbox(tx, { ...row, channel, text: text! });
  if (inserted.some(({ status }) => status === "queued")) await scheduleNow(tx, DELIVER_QUEUED);
  await scheduleDeletion(tx);
}
