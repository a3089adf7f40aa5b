/** Conversations of portal users with the office: those of the tenant or vendor whom they represent. */
import type { ConversationMessage as MessageView } from "@freehold/contract/communications/conversations";
import type { PortalMessage, tenantConversations } from "@freehold/contract/portals/portal-conversations";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import type { Clients } from "../clients.ts";
import { appendMessage } from "./append-message.ts";
import { readAttachments } from "./attachments.ts";
import { Conversation } from "./conversation.entity.ts";
import { conversationView, findLatestMessages, findMessage, getConversationRow } from "./conversation.queries.ts";
import { requireOpen } from "./conversation.rules.ts";
import { listConversationMessages } from "./conversations.ts";

type Operations = typeof tenantConversations.operations;

const portalMessageView = ({
  fromAddress: _from,
  toAddresses: _to,
  emailMessageId: _email,
  externalId: _external,
  smsSid: _sms,
  metadata: _metadata,
  ...message
}: MessageView): PortalMessage => message;

/** Returns a conversation of the caller with its latest messages. */
export async function getOwnConversation(db: OrgDb, id: string): Promise<Output<Operations["getTenantConversation"]>> {
  const [conversation, messages] = await Promise.all([getConversationRow(db, id), findLatestMessages(db, id)]);
  return { conversation: conversationView(conversation), messages: messages.map(portalMessageView) };
}

/** Returns a page of the messages of a conversation of the caller. */
export async function listOwnMessages(db: OrgDb, id: string, query: QueryOf<Operations["listTenantConversationMessages"]>) {
  const { messages, ...paging } = await listConversationMessages(db, id, query);
  return { messages: messages.map(portalMessageView), ...paging };
}

/** Adds a message of the participant to a conversation. */
export async function sendOwnMessage(
  db: OrgDb,
  clients: Clients,
  id: string,
  { body, documentIds }: BodyOf<Operations["sendTenantConversationMessage"]>,
): Promise<Output<Operations["sendTenantConversationMessage"]>> {
  const { participantType, participantId, participantName } = await getConversationRow(db, id);
  const attachments = await readAttachments(db, clients, documentIds, { type: participantType, id: participantId });
  return transaction(db, async (tx) => {
    const conversation = await tx.getForUpdate(Conversation, id, "Conversation");
    requireOpen(conversation);
    const messageId = await appendMessage(tx, conversation, {
      body,
      channel: "in_app",
      senderType: participantType,
      senderId: participantId,
      senderName: participantName,
      documentIds: attachments.map((attachment) => attachment.id),
    });
    return { message: portalMessageView((await findMessage(tx, messageId))!), delivery: null };
  });
}
