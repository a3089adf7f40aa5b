/** Messages of the office to the participant of a conversation: prepared before the transaction, stored and queued in it. */
import { newId } from "@freehold/kit/db/entity";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { invalid } from "@freehold/kit/errors";
import type { Clients } from "../clients.ts";
import { emailMessageId } from "../messages/mailer.ts";
import { queueMessages } from "../messages/queue-messages.ts";
import { requireTransport, senderOf, type MessageTransports } from "../messages/transports.ts";
import { requireMessageLeft } from "../recipients/confirmation.ts";
import { addressOf, type Contact } from "../recipients/eligibility.rules.ts";
import { renderConversationMessage, type LinkedDocument } from "../templates/conversation-message.ts";
import { appendMessage } from "./append-message.ts";
import { linkAttachments, readAttachments, type Attachment } from "./attachments.ts";
import type { Channel, Conversation } from "./conversation.entity.ts";
import { findRefusal } from "./participants.ts";

/** Dependencies of conversations besides the database. */
export interface ConversationDependencies {
  clients: Clients;
  transports: MessageTransports;
}

/** Message as requested. */
export interface RequestedMessage {
  body: string;
  channel: Channel;
  documentIds?: readonly string[];
}

/** Message that may be sent. */
export interface PreparedMessage extends RequestedMessage {
  contact: Contact;
  attachments: Attachment[];
  /** Links to the attachments, in an e-mail only. */
  links: LinkedDocument[];
  senderName: string | null;
  organizationName: string;
  /** True for a message that counts toward the limit of an organization without a confirmed e-mail address. */
  isLimited: boolean;
}

/**
 * Checks that a message may be sent to a participant, and loads what its content needs. Throws 400 for documents that are not shared,
 * 412 when the person may not be written to on the channel, and 503 without a provider.
 */
export async function prepareMessage(
  db: OrgDb,
  { clients, transports }: ConversationDependencies,
  contact: Contact,
  message: RequestedMessage,
  path = "",
): Promise<PreparedMessage> {
  const { channel, documentIds = [] } = message;
  const attachments = await readAttachments(db, clients, documentIds, { type: contact.kind, id: contact.id });
  if (channel === "sms" && attachments.length > 0)
    throw invalid([
      { path: `${path}documentIds`, code: "not_allowed", message: "Text messages have no attachments. Leave documentIds out, or use another channel." },
    ]);
  requireTransport(transports, channel);
  const refusal = await findRefusal(db, contact, channel);
  if (refusal) throw refusal;
  const { userId } = db.principal;
  const [{ users }, organization, links] = await Promise.all([
    userId === null ? { users: [] } : clients.identity.getUsers(db, { ids: [userId] }),
    channel === "in_app" ? undefined : clients.identity.getOrganization(db, {}),
    channel === "email" ? linkAttachments(db, clients, attachments, { type: contact.kind, id: contact.id }) : [],
  ]);
  return {
    ...message,
    contact,
    attachments,
    links,
    senderName: users[0]?.fullName ?? null,
    organizationName: organization?.name ?? "",
    isLimited: organization?.isConfirmed === false,
  };
}

/**
 * Adds a prepared message to a locked conversation and queues it for its channel. Returns its id. Throws 403 above the limit of an organization
 * without a confirmed e-mail address.
 */
export async function sendPrepared(tx: OrgTx, transports: MessageTransports, conversation: Conversation, prepared: PreparedMessage): Promise<string> {
  const { body, channel, contact, attachments, links, senderName, organizationName, isLimited } = prepared;
  if (isLimited) await requireMessageLeft(tx);
  const [id, to, from] = [newId(), addressOf(contact, channel), await senderOf(tx, transports, channel)];
  await appendMessage(tx, conversation, {
    id,
    body,
    channel,
    senderType: "staff",
    senderId: tx.principal.userId,
    senderName,
    documentIds: attachments.map((attachment) => attachment.id),
    ...(to !== null && { fromAddress: from, toAddresses: [to] }),
    ...(channel === "email" && { emailMessageId: emailMessageId(id, from) }),
  });
  const content =
    channel === "email"
      ? renderConversationMessage({ subject: conversation.subject ?? null, organizationName, body, documents: links })
      : { subject: null, text: body, html: null };
  await queueMessages(tx, transports, [
    { id, channel, template: "conversation-message", recipient: { type: contact.kind, id: contact.id }, to: to ?? "", ...content },
  ]);
  return id;
}
