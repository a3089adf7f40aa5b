/** Tables of conversations: the conversation, its messages, and how far each reader has read. */
import { conversationChannels, conversationStatuses, participantTypes, senderTypes } from "@freehold/contract/communications/conversations";
import { defineEntity, enumText, inPortalReach, orgColumns, p, textArray } from "@freehold/kit/db/entity";

export type Channel = (typeof conversationChannels)[number];

const ConversationSchema = defineEntity({
  name: "Conversation",
  tableName: "conversation",
  ...inPortalReach,
  indexes: [
    { name: "conversation_by_activity", properties: ["organizationId", "activeAt", "id"] },
    { name: "conversation_by_change", properties: ["organizationId", "updatedAt"] },
    { name: "conversation_by_participant", properties: ["organizationId", "participantId", "activeAt"] },
  ],
  properties: {
    ...orgColumns,
    participantType: enumText(participantTypes),
    participantId: p.uuid(),
    participantName: p.text(),
    participantEmail: p.text().nullable(),
    participantPhone: p.text().nullable(),
    channels: textArray().$type<Channel[]>(),
    status: enumText(conversationStatuses),
    subject: p.text().nullable(),
    latestMessagePreview: p.text().nullable(),
    lastMessageAt: p.datetime(3).nullable(),
    /** Time of the latest message or, without messages, of the creation. */
    activeAt: p.datetime(3),
    /** Number of messages of the participant. */
    incomingCount: p.integer(),
    /** Number of messages of the office and the system. */
    outgoingCount: p.integer(),
  },
});

/** Messages between the office and a tenant or vendor, with the current name and addresses of the participant. */
export class Conversation extends ConversationSchema.class {}
ConversationSchema.setClass(Conversation);

const ConversationMessageSchema = defineEntity({
  name: "ConversationMessage",
  tableName: "conversation_message",
  ...inPortalReach,
  indexes: [
    {
      name: "conversation_message_by_email",
      expression: "create index conversation_message_by_email on conversation_message (organization_id, email_message_id) where email_message_id is not null",
    },
  ],
  uniques: [
    { name: "conversation_message_number_once", properties: ["organizationId", "conversationId", "number"] },
    {
      name: "conversation_message_received_once",
      expression:
        "create unique index conversation_message_received_once on conversation_message (organization_id, channel, external_id) where external_id is not null",
    },
  ],
  properties: {
    ...orgColumns,
    conversationId: p.uuid(),
    number: p.integer(),
    incomingNumber: p.integer(),
    outgoingNumber: p.integer(),
    body: p.text(),
    channel: enumText(conversationChannels),
    senderType: enumText(senderTypes),
    senderId: p.uuid().nullable(),
    senderName: p.text().nullable(),
    fromAddress: p.text().nullable(),
    toAddresses: textArray(),
    emailMessageId: p.text().nullable(),
    externalId: p.text().nullable(),
    smsSid: p.text().nullable(),
    metadata: p.json().$type<Record<string, unknown>>(),
    documentIds: p.array().columnType("uuid[]"),
  },
});

/**
 * Message of a conversation. `number` counts all messages up to this one, `incomingNumber` those of the participant, `outgoingNumber` the
 * others. The row of a sent message in `message` has the same id. A message in the portal has no addresses.
 */
export class ConversationMessage extends ConversationMessageSchema.class {}
ConversationMessageSchema.setClass(ConversationMessage);

const ConversationReadMarkerSchema = defineEntity({
  name: "ConversationReadMarker",
  tableName: "conversation_read_marker",
  ...inPortalReach,
  properties: {
    organizationId: p.uuid().primary(),
    conversationId: p.uuid().primary(),
    userId: p.uuid().primary(),
    readCount: p.integer(),
  },
});

/** Number of messages of the other side that a user has read in a conversation. */
export class ConversationReadMarker extends ConversationReadMarkerSchema.class {}
ConversationReadMarkerSchema.setClass(ConversationReadMarker);
