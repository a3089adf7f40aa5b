/** Addition of messages to a conversation. */
import { newId } from "@freehold/kit/db/entity";
import { eventPublisher } from "@freehold/kit/db/outbox";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { now } from "@freehold/kit/time/clock";
import { truncate } from "@freehold/kit/truncate";
import { ConversationMessage, type Channel, type Conversation } from "./conversation.entity.ts";

const publish = eventPublisher("communications");
const PREVIEW_LENGTH = 160;

/** Message to add. Members that do not apply to its channel are left out. */
export interface NewConversationMessage {
  id?: string;
  body: string;
  channel: Channel;
  senderType: ConversationMessage["senderType"];
  senderId: string | null;
  senderName: string | null;
  documentIds?: string[];
  fromAddress?: string;
  toAddresses?: string[];
  emailMessageId?: string | null;
  externalId?: string;
  smsSid?: string | null;
  metadata?: Record<string, unknown>;
}

/** Adds a message to a locked conversation and publishes it to the office and the participant. Returns its id. */
export async function appendMessage(tx: OrgTx, conversation: Conversation, message: NewConversationMessage): Promise<string> {
  const { id = newId(), channel, senderType } = message;
  const isIncoming = senderType === conversation.participantType;
  const [incomingNumber, outgoingNumber] = [conversation.incomingCount + (isIncoming ? 1 : 0), conversation.outgoingCount + (isIncoming ? 0 : 1)];
  const createdAt = now();
  tx.create(ConversationMessage, {
    ...message,
    id,
    createdAt,
    conversationId: conversation.id,
    number: incomingNumber + outgoingNumber,
    incomingNumber,
    outgoingNumber,
    documentIds: message.documentIds ?? [],
    metadata: message.metadata ?? {},
    fromAddress: message.fromAddress ?? null,
    toAddresses: message.toAddresses ?? [],
    emailMessageId: message.emailMessageId ?? null,
    externalId: message.externalId ?? null,
    smsSid: message.smsSid ?? null,
  });
  tx.assign(conversation, {
    incomingCount: incomingNumber,
    outgoingCount: outgoingNumber,
    channels: [...new Set([...conversation.channels, channel])],
    latestMessagePreview: truncate(message.body, PREVIEW_LENGTH),
    lastMessageAt: createdAt,
    activeAt: createdAt,
  });
  await tx.flush();
  const { participantType, participantId } = conversation;
  await publish(tx, "conversation.message_received", {
    entityId: conversation.id,
    data: { messageId: id, channel, senderType },
    audience: { [`${participantType}Ids`]: [participantId] },
  });
  return id;
}
