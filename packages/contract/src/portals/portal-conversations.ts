/** Conversations in the portals of tenants and vendors: their own, with the messages in both directions. */
import { z } from "zod";
import {
  Conversation,
  conversationFilters,
  ConversationMessage,
  conversationSorts,
  messagesQuery,
  MESSAGES_NOTE,
  MessageDelivery,
  ReadBody,
  UnreadTotal,
} from "../communications/conversations.ts";
import { body, operationGroup } from "../operation.ts";
import { Id, listQuery, page, text } from "../values.ts";

/** Message of a conversation as its participant sees it. */
export const PortalMessage = ConversationMessage.omit({
  fromAddress: true,
  toAddresses: true,
  emailMessageId: true,
  externalId: true,
  smsSid: true,
  metadata: true,
}).meta({ id: "PortalMessage", description: "Message of a conversation, as the participant sees it." });
export type PortalMessage = z.output<typeof PortalMessage>;

const query = listQuery(conversationSorts, conversationFilters).omit({ includeDeleted: true });
const listResponse = { ...page("conversations", Conversation), unreadTotal: UnreadTotal };
const getResponse = { conversation: Conversation, messages: z.array(PortalMessage).describe("Latest messages, at most 100, oldest first.") };
const MessageBody = body({
  body: text(1, 5000).describe("Text of the message."),
  channel: z.literal("in_app").default("in_app").describe("Channel of the message, always `in_app`, the portal."),
  documentIds: z.array(Id).max(20).default([]).describe("IDs of documents of the portal to refer to. Default: none."),
});
const sendResponse = {
  message: PortalMessage,
  delivery: MessageDelivery.nullable().describe("Always null: a message to the office is in its inbox at once."),
};
const SEND_DESCRIPTION = "Sends a message to the office. Refused when the conversation is closed or archived (409 `invalid_transition`).";

export const tenantConversations = operationGroup("Portal", "communications", {
  listTenantConversations: {
    method: "GET",
    path: "/api/portal/conversations",
    summary: "list their own conversations",
    access: ["tenant"],
    query,
    response: listResponse,
  },
  getTenantConversation: {
    method: "GET",
    path: "/api/portal/conversations/{id}",
    summary: "read one of their own conversations",
    access: ["tenant"],
    description: MESSAGES_NOTE,
    response: getResponse,
  },
  listTenantConversationMessages: {
    method: "GET",
    path: "/api/portal/conversations/{id}/messages",
    summary: "list the messages of their own conversations",
    access: ["tenant"],
    query: messagesQuery,
    response: page("messages", PortalMessage),
  },
  sendTenantConversationMessage: {
    method: "POST",
    path: "/api/portal/conversations/{id}/messages",
    summary: "send messages in their own conversations",
    access: ["tenant"],
    description: SEND_DESCRIPTION,
    body: MessageBody,
    response: sendResponse,
    errors: [409],
    idempotent: true,
  },
  markTenantConversationRead: {
    method: "POST",
    path: "/api/portal/conversations/{id}/read",
    summary: "mark their own conversations as read",
    access: ["tenant"],
    body: ReadBody,
    response: { conversation: Conversation },
  },
});

export const vendorConversations = operationGroup("Vendor Portal", "communications", {
  listVendorConversations: {
    method: "GET",
    path: "/api/vendor-portal/conversations",
    summary: "list their own conversations",
    access: ["vendor"],
    query,
    response: listResponse,
  },
  getVendorConversation: {
    method: "GET",
    path: "/api/vendor-portal/conversations/{id}",
    summary: "read one of their own conversations",
    access: ["vendor"],
    description: MESSAGES_NOTE,
    response: getResponse,
  },
  listVendorConversationMessages: {
    method: "GET",
    path: "/api/vendor-portal/conversations/{id}/messages",
    summary: "list the messages of their own conversations",
    access: ["vendor"],
    query: messagesQuery,
    response: page("messages", PortalMessage),
  },
  sendVendorConversationMessage: {
    method: "POST",
    path: "/api/vendor-portal/conversations/{id}/messages",
    summary: "send messages in their own conversations",
    access: ["vendor"],
    description: SEND_DESCRIPTION,
    body: MessageBody,
    response: sendResponse,
    errors: [409],
    idempotent: true,
  },
  markVendorConversationRead: {
    method: "POST",
    path: "/api/vendor-portal/conversations/{id}/read",
    summary: "mark their own conversations as read",
    access: ["vendor"],
    body: ReadBody,
    response: { conversation: Conversation },
  },
});
