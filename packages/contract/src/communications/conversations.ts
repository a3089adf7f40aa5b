import { z } from "zod";
import { operationGroup, body } from "../operation.ts";
import { officeRoles } from "../roles.ts";
import { csvEnum, Email, Id, Instant, listQuery, page, PlainDate, QueryBoolean, Search, text } from "../values.ts";

export const participantTypes = ["tenant", "vendor"] as const;
export const conversationStatuses = ["open", "closed", "archived"] as const;
export const conversationChannels = ["in_app", "sms", "email"] as const;
export const senderTypes = ["staff", "tenant", "vendor", "system"] as const;
export const deliveryStatuses = ["queued", "sent", "delivered", "failed", "skipped"] as const;

/** Day or time in a query string. */
const DateOrInstant = z
  .string()
  .refine((value) => PlainDate.or(Instant).safeParse(value).success, {
    params: { code: "format" },
    message: "updatedBefore must be a date as YYYY-MM-DD or a UTC date-time as 2026-01-31T12:00:00Z.",
  })
  .meta({
    format: "date",
    override: ({ jsonSchema }) => {
      delete jsonSchema.format;
      jsonSchema.anyOf = [{ format: "date" }, { format: "date-time" }];
    },
  });

const CHANNEL_DESCRIPTION = "`in_app` (the portal), `sms` or `email`";
const MessageBody = text(1, 5000).describe("Text of the message. A text message of more than 1,600 characters is sent in numbered parts.");

export const Conversation = z
  .strictObject({
    id: Id.describe("ID of the conversation."),
    organizationId: Id.describe("ID of the organization that the conversation belongs to."),
    participantId: Id.describe("ID of the tenant or vendor whom the office talks to."),
    participantType: z.enum(participantTypes).describe("Type of the participant: `tenant` or `vendor`."),
    participantName: text(1, 160).describe("Name of the participant."),
    participantEmail: Email.nullable().describe("E-mail address of the participant, or null."),
    participantPhone: z.string().nullable().describe("Phone number of the participant, or null."),
    channels: z.array(z.enum(conversationChannels)).describe(`Channels of the conversation: ${CHANNEL_DESCRIPTION}.`),
    status: z
      .enum(conversationStatuses)
      .describe("Status of the conversation. Messages can be added while it is `open`; `closed` ones can be reopened; `archived` is final."),
    subject: z.string().nullable().describe("Subject of the conversation, also of its e-mails, or null."),
    latestMessagePreview: z.string().nullable().describe("Beginning of the latest message, at most 160 characters. Null without messages."),
    lastMessageAt: Instant.nullable().describe("Time of the latest message. Null without messages."),
    unreadCount: z.int().min(0).describe("Number of messages of the other side that the caller has not read."),
    createdAt: Instant.describe("Time at which the conversation was started."),
    updatedAt: Instant.describe("Time at which the conversation last changed, also by a message."),
  })
  .meta({ id: "Conversation", description: "Messages between the office and a tenant or vendor." });
export type Conversation = z.output<typeof Conversation>;

export const ConversationMessage = z
  .strictObject({
    id: Id.describe("ID of the message."),
    conversationId: Id.describe("ID of the conversation that the message belongs to."),
    organizationId: Id.describe("ID of the organization that the message belongs to."),
    body: z.string().min(1).max(5000).describe("Text of the message."),
    channel: z.enum(conversationChannels).describe(`Channel of the message: ${CHANNEL_DESCRIPTION}.`),
    senderType: z.enum(senderTypes).describe("Type of the sender: `staff` for the office, `tenant`, `vendor`, or `system`."),
    senderId: Id.nullable().describe(
      "ID of the user, tenant or vendor who sent the message. Null for the system, and for an e-mail from an address that is not the participant's or whose sender is unverified.",
    ),
    senderName: z
      .string()
      .nullable()
      .describe(
        "Name of the sender at that time, or null. For an e-mail without `senderId` it is the address, with `(unverified)` when the check of the sender failed.",
      ),
    fromAddress: z.string().nullable().describe("E-mail address or phone number of the sender. Null for a message in the portal."),
    toAddresses: z.array(z.string()).nullable().describe("E-mail addresses or phone numbers of the recipients. Null for a message in the portal."),
    emailMessageId: z.string().nullable().describe("`Message-ID` of an e-mail. Null on other channels."),
    externalId: z.string().nullable().describe("ID of a received message at its provider. Null for other messages."),
    smsSid: z.string().nullable().describe("ID of a text message at its provider. Null until the provider has accepted it, and on other channels."),
    metadata: z
      .record(z.string(), z.unknown())
      .describe(
        "Further details of the message: of a received e-mail the `subject`, `isOtherAddress` when the address is not the participant's, and `isUnverified` when SPF, DKIM or DMARC refuted the sender. `pendingAttachments` is the number of files that are still being stored, and `droppedAttachments` has the `name` and `reason` of those that were refused: `unsupported_file`, `file_too_large` above 3 MiB (an e-mail of more than 1 MiB with its attachments, encoded, is not received at all), `payload_too_large` above the storage quota, `upload_limit` above the limits of uploads in the portal, `too_many` after the tenth, `no_content` or `not_available` when the provider does not have it or did not send it in eight attempts, and `not_configured` where no documents are kept.",
      ),
    documentIds: z
      .array(Id)
      .describe(
        "IDs of the documents attached to the message. Attachments of received e-mails and pictures of received text messages are added shortly after the message, which `conversation.updated` announces; those of a message without `senderId` are for the office alone.",
      ),
    createdAt: Instant.describe("Time at which the message was sent or received."),
  })
  .meta({ id: "ConversationMessage", description: "Message of a conversation." });
export type ConversationMessage = z.output<typeof ConversationMessage>;

export const MessageDelivery = z
  .strictObject({
    id: Id.describe("ID of the delivery."),
    messageId: Id.describe("ID of the delivered message."),
    channel: z.enum(conversationChannels).describe(`Channel of the delivery: ${CHANNEL_DESCRIPTION}.`),
    status: z
      .enum(deliveryStatuses)
      .describe(
        "Status of the delivery: `queued` while it is attempted, `sent` once the provider has accepted it, `delivered` once it has arrived, `failed` after the last attempt, or `skipped` when it may not be sent.",
      ),
    toAddress: z.string().nullable().describe("E-mail address or phone number of the recipient. Null for a delivery in the portal."),
    provider: z.string().describe("Provider of the delivery: `in_app`, `smtp`, `sms`, or `outbox` for the development outbox."),
    providerMessageId: z.string().nullable().describe("ID of the message at the provider, or null."),
    error: z.string().nullable().describe("Reason of the last failed attempt, such as `rejected_550`. Null without one."),
    skipReason: z.string().nullable().describe("Reason why the message was not sent, such as `no_consent` or `opted_out`. Null unless skipped."),
    sentAt: Instant.nullable().describe("Time at which the provider accepted the message. Null until then."),
    deliveredAt: Instant.nullable().describe("Time at which the message arrived. Null until it is known."),
    history: z
      .array(
        z.strictObject({
          status: z.enum(deliveryStatuses).describe("Status that the delivery entered."),
          at: Instant.describe("Time of the change."),
          error: z.string().nullable().describe("Reason of a failure, or null."),
        }),
      )
      .describe("Changes of the status, oldest first."),
    createdAt: Instant.describe("Time at which the delivery was created."),
  })
  .meta({ id: "MessageDelivery", description: "Delivery of a message to one recipient over one channel." });
export type MessageDelivery = z.output<typeof MessageDelivery>;

export const MESSAGES_NOTE = "Returns the latest 100 messages, oldest first.";
const LATEST = z.array(ConversationMessage).describe("Latest messages of the conversation, at most 100, oldest first.");
const DELIVERIES = z.array(MessageDelivery).describe("Deliveries of the returned messages that the office sent.");

/** Filters of lists of conversations that the portals share. */
export const conversationFilters = {
  status: csvEnum(conversationStatuses).optional().describe("Return only conversations with these statuses, repeated or comma-separated."),
  unreadOnly: QueryBoolean.optional().describe("Return only conversations with messages that the caller has not read. Default: `false`."),
};

/** Sorts of lists of conversations. */
export const conversationSorts = ["lastMessageAt", "createdAt"] as const;

export const UnreadTotal = z.int().min(0).describe("Number of unread messages in all conversations of the caller, regardless of the filters.");

/** Query of the messages of a conversation, which have no deleted ones. */
export const messagesQuery = listQuery(["createdAt"], {}).omit({ includeDeleted: true });

/** Body that marks messages as read. */
export const ReadBody = body({
  throughMessageId: Id.optional().describe("ID of the last message that was read. Default: all messages of the conversation."),
});

export const conversations = operationGroup("Conversations", "communications", {
  listConversations: {
    method: "GET",
    path: "/api/conversations",
    summary: "list conversations",
    access: officeRoles,
    query: listQuery(conversationSorts, {
      search: Search.optional().describe("Case-insensitive text to find in the name of the participant, the subject and the latest message."),
      participantType: csvEnum(participantTypes)
        .optional()
        .describe("Return only conversations with participants of these types, repeated or comma-separated."),
      participantId: Id.optional().describe("Return only conversations with this tenant or vendor."),
      channel: csvEnum(conversationChannels).optional().describe("Return only conversations with one of these channels, repeated or comma-separated."),
      updatedBefore: DateOrInstant.optional().describe(
        "Return only conversations last changed at or before this time, or on or before this date in the organization's time zone.",
      ),
      ...conversationFilters,
    }),
    response: { ...page("conversations", Conversation), unreadTotal: UnreadTotal },
  },
  createConversation: {
    method: "POST",
    path: "/api/conversations",
    summary: "start conversations",
    access: officeRoles,
    description:
      "Starts a conversation with a tenant or vendor, with a first message if `message` is sent. An open conversation with the same participant and subject is used again, unless `forceNew` is true. The message is refused as in `POST /api/conversations/{id}/messages`, and then no conversation is started.",
    body: body({
      participantType: z.enum(participantTypes).describe("Type of the participant: `tenant` or `vendor`."),
      participantId: Id.describe("ID of the tenant or vendor."),
      subject: text(1, 160).nullable().optional().describe("Subject of the conversation, also of its e-mails. Default: null."),
      channels: z.array(z.enum(conversationChannels)).min(1).default(["in_app"]).describe(`Channels of the conversation: ${CHANNEL_DESCRIPTION}.`),
      message: body({ body: MessageBody, channel: z.enum(conversationChannels).describe("Channel of the message.") })
        .optional()
        .describe("First message. Default: none."),
      forceNew: z.boolean().default(false).describe("Whether to start another conversation although there is an open one with the same subject."),
    }),
    response: { conversation: Conversation, messages: LATEST },
    errors: [409, 412, 503],
    idempotent: true,
  },
  getConversation: {
    method: "GET",
    path: "/api/conversations/{id}",
    summary: "read a conversation",
    access: officeRoles,
    description: `${MESSAGES_NOTE} \`GET /api/conversations/{id}/messages\` returns all of them in pages.`,
    response: { conversation: Conversation, messages: LATEST, deliveries: DELIVERIES },
  },
  updateConversation: {
    method: "PATCH",
    path: "/api/conversations/{id}",
    summary: "change conversations",
    access: officeRoles,
    description:
      "Closes an open conversation, reopens or archives a closed one, or changes the subject. An archived conversation cannot be changed, and one with a deleted participant cannot be reopened (409 `invalid_transition`).",
    body: body({
      status: z.enum(conversationStatuses).describe("New status of the conversation. Unchanged when omitted."),
      subject: text(1, 160).nullable().describe("New subject of the conversation, or null for none. Unchanged when omitted."),
    }).partial(),
    response: { conversation: Conversation },
    errors: [409],
  },
  listConversationMessages: {
    method: "GET",
    path: "/api/conversations/{id}/messages",
    summary: "list the messages of a conversation",
    access: officeRoles,
    query: messagesQuery,
    response: page("messages", ConversationMessage),
  },
  sendConversationMessage: {
    method: "POST",
    path: "/api/conversations/{id}/messages",
    summary: "send messages in conversations",
    access: officeRoles,
    description:
      "Sends a message to the participant over one channel. `email` and `sms` are sent in the background; `delivery` shows their status, which `GET /api/conversations/{id}` returns again. A message is refused when the conversation is closed or archived or its participant was deleted (409 `invalid_transition`), when the participant has no e-mail address or phone number (412 `recipient_address_missing`), has not consented to text messages or has stopped them (412 `sms_consent_missing`), or when the address is suppressed, since it has returned e-mails or reported one as spam (412 `address_suppressed`), and when no provider is configured for the channel (503 `not_configured`). Before an admin has confirmed their e-mail address with a mailed link, an organization can send 50 e-mails and text messages within 24 hours, those of all conversations and the e-mails about assigned work orders together (403 `email_unconfirmed`); `in_app` has no such limit. Documents must be shared with the participant.",
    body: body({
      body: MessageBody,
      channel: z.enum(conversationChannels).describe("Channel of the message."),
      documentIds: z
        .array(Id)
        .max(20)
        .default([])
        .describe(
          "IDs of documents to attach, which the participant opens in the portal. An e-mail has links to them, which work without a sign-in for seven days while the participant has access to them. Not allowed in text messages. Default: none.",
        ),
    }),
    response: { message: ConversationMessage, delivery: MessageDelivery },
    errors: [409, 412, 503],
    idempotent: true,
  },
  markConversationRead: {
    method: "POST",
    path: "/api/conversations/{id}/read",
    summary: "mark conversations as read",
    access: officeRoles,
    description: "Marks the messages of the participant as read for the caller alone. Messages that are read stay read.",
    body: ReadBody,
    response: { conversation: Conversation },
  },
});
