/** Conversations of the office with tenants and vendors. */
import type { conversations } from "@freehold/contract/communications/conversations";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { listConditions, listPage, onDays } from "@freehold/kit/db/list";
import { containsPattern } from "@freehold/kit/like-pattern";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { invalid, unknownReference } from "@freehold/kit/errors";
import { now } from "@freehold/kit/time/clock";
import { findDeliveries } from "../messages/delivery.view.ts";
import type { Contact } from "../recipients/eligibility.rules.ts";
import { Conversation, ConversationMessage } from "./conversation.entity.ts";
import {
  conversationColumns,
  conversationView,
  findLatestMessages,
  findMessage,
  fromConversations,
  fromMessages,
  getConversationRow,
  isReachable,
  messageColumns,
  readUnreadTotal,
  unreadCount,
  type ConversationRow,
} from "./conversation.queries.ts";
import { conversationStates, requireOpen } from "./conversation.rules.ts";
import { prepareMessage, sendPrepared, type ConversationDependencies } from "./outgoing-message.ts";
import { deletedParticipant, findParticipant, participantColumns, publishUpdated } from "./participants.ts";

type Operations = typeof conversations.operations;
type ListQuery = Partial<QueryOf<Operations["listConversations"]>> &
  Pick<QueryOf<Operations["listConversations"]>, "page" | "pageSize" | "sortBy" | "sortDirection">;

/** Returns the conditions that the last change was made by a time, or by the end of a date in the time zone. */
const changedUntil = (end: string | undefined, timezone: string) =>
  end !== undefined && end.length > "YYYY-MM-DD".length ? [sql`c.updated_at <= ${end}::timestamptz`] : onDays(sql`c.updated_at`, undefined, end, timezone);

/** Returns a page of the caller's conversations and the number of unread messages in all of them. */
export async function listConversations(db: OrgDb, query: ListQuery): Promise<Output<Operations["listConversations"]>> {
  const { search, participantType, participantId, status, channel, unreadOnly, updatedBefore } = query;
  const pattern = search !== undefined && containsPattern(search);
  const [{ rows, paging }, unreadTotal] = await Promise.all([
    listPage<ConversationRow>(db, query, {
      table: "c",
      select: conversationColumns(db),
      from: fromConversations(db),
      where: [
        ...listConditions(db, "c", query, false),
        isReachable(db),
        pattern !== false && sql`(c.participant_name ilike ${pattern} or c.subject ilike ${pattern} or c.latest_message_preview ilike ${pattern})`,
        participantType !== undefined && sql`c.participant_type = any(${participantType})`,
        participantId !== undefined && sql`c.participant_id = ${participantId}`,
        status && sql`c.status = any(${status})`,
        channel && sql`c.channels && ${channel}::text[]`,
        unreadOnly && sql`${unreadCount(db)} > 0`,
        ...changedUntil(updatedBefore, db.principal.timezone),
      ],
      sorts: { lastMessageAt: sql`c.active_at`, createdAt: sql`c.created_at` },
    }),
    readUnreadTotal(db),
  ]);
  return { conversations: rows.map(conversationView), ...paging, unreadTotal };
}

/** Starts a conversation, or uses an open one with the same participant and subject, and sends the first message if there is one. */
export async function createConversation(
  db: OrgDb,
  dependencies: ConversationDependencies,
  { participantType, participantId, subject = null, channels, message, forceNew }: BodyOf<Operations["createConversation"]>,
): Promise<Output<Operations["createConversation"]>> {
  const contact = await findParticipant(db, dependencies.clients, { type: participantType, id: participantId });
  if (!contact || contact.isDeleted || contact.id !== participantId) throw unknownReference("participantId", participantType);
  const prepared = message && (await prepareMessage(db, dependencies, contact, message, "message."));
  return transaction(db, async (tx) => {
    // Of two requests at the same time, the second one finds the conversation of the first.
    await tx.all(sql`select pg_advisory_xact_lock(hashtextextended(${`conversation ${tx.organizationId} ${participantId}`}, 0))`);
    const reused = forceNew ? undefined : await findOpen(tx, contact, subject);
    const conversation = reused ? await tx.getForUpdate(Conversation, reused, "Conversation") : insertConversation(tx, contact, subject, channels);
    if (reused) tx.assign(conversation, { channels: [...new Set([...conversation.channels, ...channels])] });
    await tx.flush();
    if (prepared) await sendPrepared(tx, dependencies.transports, conversation, prepared);
    else if (!reused) await publishUpdated(tx, conversation);
    return { conversation: conversationView(await getConversationRow(tx, conversation.id)), messages: await findLatestMessages(tx, conversation.id) };
  });
}

/** Creates a conversation without messages. */
export const insertConversation = (tx: OrgTx, contact: Contact, subject: string | null, channels: Conversation["channels"]): Conversation =>
  tx.create(Conversation, {
    ...participantColumns(contact),
    participantType: contact.kind,
    channels: [...new Set(channels)],
    status: "open",
    subject,
    latestMessagePreview: null,
    lastMessageAt: null,
    activeAt: now(),
    incomingCount: 0,
    outgoingCount: 0,
  });

/** Returns the id of the latest open conversation with a participant about a subject. */
async function findOpen(tx: OrgTx, { id }: Contact, subject: string | null): Promise<string | undefined> {
  const row = await tx.first(sql<{ id: string }>`select id from conversation where organization_id = ${tx.organizationId} and participant_id = ${id}
    and status = 'open' and subject is not distinct from ${subject} order by active_at desc, id desc limit 1`);
  return row?.id;
}

/** Returns a conversation with its latest messages and their deliveries. */
export async function getConversation(db: OrgDb, id: string): Promise<Output<Operations["getConversation"]>> {
  const [conversation, messages] = await Promise.all([getConversationRow(db, id), findLatestMessages(db, id)]);
  const deliveries = await findDeliveries(
    db,
    messages.map((message) => message.id),
  );
  return { conversation: conversationView(conversation), messages, deliveries };
}

/** Returns a page of the messages of a conversation. */
export async function listConversationMessages(db: OrgDb, id: string, query: QueryOf<Operations["listConversationMessages"]>) {
  await getConversationRow(db, id);
  const { rows, paging } = await listPage<Output<Operations["listConversationMessages"]>["messages"][number]>(db, query, {
    table: "m",
    select: messageColumns,
    from: fromMessages,
    where: [...listConditions(db, "m", query, false), sql`m.conversation_id = ${id}`],
    sorts: { createdAt: sql`m.number` },
  });
  return { messages: rows, ...paging };
}

/** Sends a message of the office to the participant of a conversation. */
export async function sendConversationMessage(
  db: OrgDb,
  dependencies: ConversationDependencies,
  id: string,
  message: BodyOf<Operations["sendConversationMessage"]>,
): Promise<Output<Operations["sendConversationMessage"]>> {
  const { participantType, participantId } = await getConversationRow(db, id);
  const contact = await findParticipant(db, dependencies.clients, { type: participantType, id: participantId });
  if (!contact) throw deletedParticipant(participantType);
  const prepared = await prepareMessage(db, dependencies, contact, message);
  return transaction(db, async (tx) => {
    const conversation = await tx.getForUpdate(Conversation, id, "Conversation");
    requireOpen(conversation);
    tx.assign(conversation, participantColumns(contact));
    const messageId = await sendPrepared(tx, dependencies.transports, conversation, prepared);
    return { message: (await findMessage(tx, messageId))!, delivery: (await findDeliveries(tx, [messageId]))[0]! };
  });
}

/** Changes the status or the subject of a conversation. */
export async function updateConversation(
  db: OrgDb,
  { clients }: ConversationDependencies,
  id: string,
  { status, subject }: BodyOf<Operations["updateConversation"]>,
): Promise<Output<Operations["updateConversation"]>> {
  const { participantType, participantId } = await getConversationRow(db, id);
  const contact = status === "open" ? await findParticipant(db, clients, { type: participantType, id: participantId }) : undefined;
  return transaction(db, async (tx) => {
    const conversation = await tx.getForUpdate(Conversation, id, "Conversation");
    if (conversation.status === "archived") requireOpen(conversation);
    if (status !== undefined) tx.assign(conversation, { status: conversationStates.transition(conversation.status, status) });
    if (contact?.isDeleted) throw deletedParticipant(participantType);
    if (subject !== undefined) tx.assign(conversation, { subject });
    await publishUpdated(tx, conversation);
    return { conversation: conversationView(await getConversationRow(tx, id)) };
  });
}

/** Marks the messages of a conversation as read for the caller, up to one of them or all. */
export async function markConversationRead(
  db: OrgDb,
  id: string,
  { throughMessageId }: BodyOf<Operations["markConversationRead"]>,
): Promise<Output<Operations["markConversationRead"]>> {
  await getConversationRow(db, id);
  return transaction(db, async (tx) => {
    const conversation = await tx.getForUpdate(Conversation, id, "Conversation");
    const message = throughMessageId === undefined ? null : await tx.findOne(ConversationMessage, { id: throughMessageId, conversationId: id });
    if (throughMessageId !== undefined && !message)
      throw invalid([{ path: "throughMessageId", code: "not_found", message: "The conversation has no message with this id. Check throughMessageId." }]);
    const isParticipant = tx.principal.role === conversation.participantType;
    const counts = { incoming: message?.incomingNumber ?? conversation.incomingCount, outgoing: message?.outgoingNumber ?? conversation.outgoingCount };
    await tx.all(sql`insert into conversation_read_marker as marker (organization_id, conversation_id, user_id, read_count)
      values (${tx.organizationId}, ${id}, ${tx.principal.userId}, ${isParticipant ? counts.outgoing : counts.incoming})
      on conflict (organization_id, conversation_id, user_id) do update set read_count = greatest(marker.read_count, excluded.read_count)`);
    return { conversation: conversationView(await getConversationRow(tx, id)) };
  });
}
