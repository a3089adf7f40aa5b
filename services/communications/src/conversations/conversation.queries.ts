/** SQL of conversations and their messages. */
import type { Conversation as View, ConversationMessage as MessageView } from "@freehold/contract/communications/conversations";
import { columnsOf } from "@freehold/kit/db/entity";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { notFound } from "@freehold/kit/errors";
import type { FoundConversations } from "@freehold/proto/communications/v1/communications";
import { withVersion } from "@freehold/kit/http/etag";
import { Conversation, ConversationMessage } from "./conversation.entity.ts";

export type ConversationRow = View & { version: number };

const isPortal = ({ principal }: StatementRunner) => principal.role === "tenant" || principal.role === "vendor";

/** Number of messages of the conversation `c` that are for the caller: those of the participant for the office, the others for the participant. */
const countForCaller = (db: StatementRunner) => (isPortal(db) ? sql`c.outgoing_count` : sql`c.incoming_count`);

/** Number of messages of the conversation `c` that the caller has not read. */
export const unreadCount = (db: StatementRunner): RawBuilder<number> => sql`(${countForCaller(db)} - coalesce(r.read_count, 0))`;

/** Conversations `c` with the caller's read marker `r`. */
export const fromConversations = (db: StatementRunner) => sql`conversation c left join conversation_read_marker r
  on r.organization_id = c.organization_id and r.conversation_id = c.id and r.user_id = ${db.principal.userId}`;

export const conversationColumns = (db: StatementRunner) =>
  sql`${columnsOf(Conversation, "c", ["activeAt", "incomingCount", "outgoingCount"])}, ${unreadCount(db)} as unread_count`;

export const conversationView = ({ version, ...row }: ConversationRow): View => withVersion(row, version);

/** Condition that a portal user is the participant of the conversation `c`; true for the office. */
export const isReachable = (db: StatementRunner): RawBuilder<unknown> =>
  isPortal(db) ? sql`c.participant_type = ${db.principal.role} and c.participant_id = ${db.principal.subjectId}` : sql`true`;

/** Returns a conversation of the caller. Throws 404. */
export async function getConversationRow(db: StatementRunner, id: string): Promise<ConversationRow> {
  const row = await db.first(sql<ConversationRow>`select ${conversationColumns(db)} from ${fromConversations(db)}
    where c.organization_id = ${db.organizationId} and c.id = ${id} and ${isReachable(db)}`);
  if (!row) throw notFound("Conversation");
  return row;
}

/** Returns the number of unread messages in all conversations of the caller. */
export async function readUnreadTotal(db: StatementRunner): Promise<number> {
  const row = await db.first(sql<{ total: number }>`select coalesce(sum(${unreadCount(db)}), 0)::bigint as total from ${fromConversations(db)}
    where c.organization_id = ${db.organizationId} and ${isReachable(db)}`);
  return row?.total ?? 0;
}

/** Columns of the message `m`. The provider's id of a sent text message is that of its delivery `d`. */
export const messageColumns = sql`${columnsOf(ConversationMessage, "m", ["number", "incomingNumber", "outgoingNumber", "toAddresses", "smsSid", "updatedAt", "version"])},
  nullif(m.to_addresses, '{}') as to_addresses,
  coalesce(m.sms_sid, case when d.channel = 'sms' then d.provider_message_id end) as sms_sid`;

/** Messages `m` with their deliveries `d`. */
export const fromMessages = sql`conversation_message m left join message d on d.organization_id = m.organization_id and d.id = m.id`;

/** Returns the latest 100 messages of a conversation, oldest first. */
export async function findLatestMessages(db: StatementRunner, conversationId: string): Promise<MessageView[]> {
  const rows = await db.all(sql<MessageView>`select ${messageColumns} from ${fromMessages}
    where m.organization_id = ${db.organizationId} and m.conversation_id = ${conversationId} order by m.number desc limit 100`);
  return rows.toReversed();
}

/** Returns a message by id. */
export const findMessage = (db: StatementRunner, id: string): Promise<MessageView | undefined> =>
  db.first(sql<MessageView>`select ${messageColumns} from ${fromMessages} where m.organization_id = ${db.organizationId} and m.id = ${id}`);

/** Returns which of the ids are conversations of the caller, and which of these are not open. */
export async function findConversationIds(db: StatementRunner, ids: readonly string[]): Promise<FoundConversations> {
  const rows = await db.all(sql<{
    id: string;
    isOpen: boolean;
    type: string;
    participantId: string;
  }>`select c.id, c.status = 'open' as is_open, c.participant_type as type, c.participant_id from conversation c
    where c.organization_id = ${db.organizationId} and c.id = any(${[...ids]}::uuid[]) and ${isReachable(db)}`);
  return {
    ids: rows.map(({ id }) => id),
    closedIds: rows.filter(({ isOpen }) => !isOpen).map(({ id }) => id),
    participants: rows.map(({ id, type, participantId }) => ({ conversationId: id, type, id: participantId })),
  };
}
