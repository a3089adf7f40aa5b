/** Routes of conversations, for the office and the portals. */
import { conversations } from "@freehold/contract/communications/conversations";
import { tenantConversations, vendorConversations } from "@freehold/contract/portals/portal-conversations";
import { routes } from "@freehold/kit/http/routes";
import {
  createConversation,
  getConversation,
  listConversationMessages,
  listConversations,
  markConversationRead,
  sendConversationMessage,
  updateConversation,
} from "./conversations.ts";
import type { ConversationDependencies } from "./outgoing-message.ts";
import { getOwnConversation, listOwnMessages, sendOwnMessage } from "./portal-conversations.ts";

export const conversationRoutes = (dependencies: ConversationDependencies) => [
  routes(conversations, {
    listConversations: ({ db, query }) => listConversations(db, query),
    createConversation: ({ db, body }) => createConversation(db, dependencies, body),
    getConversation: ({ db, params }) => getConversation(db, params.id),
    updateConversation: ({ db, params, body }) => updateConversation(db, dependencies, params.id, body),
    listConversationMessages: ({ db, params, query }) => listConversationMessages(db, params.id, query),
    sendConversationMessage: ({ db, params, body }) => sendConversationMessage(db, dependencies, params.id, body),
    markConversationRead: ({ db, params, body }) => markConversationRead(db, params.id, body),
  }),
  routes(tenantConversations, {
    listTenantConversations: ({ db, query }) => listConversations(db, query),
    getTenantConversation: ({ db, params }) => getOwnConversation(db, params.id),
    listTenantConversationMessages: ({ db, params, query }) => listOwnMessages(db, params.id, query),
    sendTenantConversationMessage: ({ db, params, body }) => sendOwnMessage(db, dependencies.clients, params.id, body),
    markTenantConversationRead: ({ db, params, body }) => markConversationRead(db, params.id, body),
  }),
  routes(vendorConversations, {
    listVendorConversations: ({ db, query }) => listConversations(db, query),
    getVendorConversation: ({ db, params }) => getOwnConversation(db, params.id),
    listVendorConversationMessages: ({ db, params, query }) => listOwnMessages(db, params.id, query),
    sendVendorConversationMessage: ({ db, params, body }) => sendOwnMessage(db, dependencies.clients, params.id, body),
    markVendorConversationRead: ({ db, params, body }) => markConversationRead(db, params.id, body),
  }),
];
