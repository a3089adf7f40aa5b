/** Messages that arrive by e-mail or text message, as the webhook receivers pass them on. */
import { toE164 } from "@freehold/domain/phone";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { truncate } from "@freehold/kit/truncate";
import type { Clients } from "../clients.ts";
import type { Contact } from "../recipients/eligibility.rules.ts";
import { optIn, optOut } from "../recipients/opt-outs.ts";
import { smsKeyword } from "../recipients/sms-keyword.rules.ts";
import { appendMessage } from "./append-message.ts";
import { Conversation, ConversationMessage } from "./conversation.entity.ts";
import { findCorrespondent, findSender, isOfAnother } from "./find-sender.ts";
import { insertConversation } from "./conversations.ts";
import { findParticipant, participantColumns } from "./participants.ts";

/** Message that arrived at an address of the organization. */
export interface ReceivedMessage {
  /** ID of the message to add; by default a new one. */
  id?: string;
  channel: "email" | "sms";
  /** Address of the sender. */
  from: string;
  to: string[];
  /** Subject of an e-mail. */
  subject: string | null;
  body: string;
  /** ID at the provider, which identifies a repetition. */
  externalId: string;
  /** `Message-ID` of an e-mail. */
  emailMessageId?: string;
  /** `Message-ID`s of the e-mails that this one answers, the latest last. */
  inReplyTo?: string[];
  /** Conversations to whose addresses for replies an e-mail was sent. */
  conversationIds?: string[];
  metadata?: Record<string, unknown>;
  /** True if the mail server that received an e-mail has refuted its sender: SPF, DKIM or DMARC failed. */
  isUnverified?: boolean;
  /** Time of its receipt, which orders STOP and START. Default: now. */
  receivedAt?: Date;
}

/** Effect of a received message. An `unmatched` sender is neither a tenant nor a vendor of the organization, or a deleted one whose conversations are archived. */
export type Receipt = { status: "received" | "duplicate"; conversationId: string; messageId: string } | { status: "unmatched" };

const MAX_BODY_LENGTH = 5_000;
const MAX_SUBJECT_LENGTH = 160;
const MAX_METADATA_SUBJECT_LENGTH = 1_000;

/**
 * Adds a received message to the conversation that it answers, else to the sender's latest open one on the channel, else to a new one. A
 * closed conversation is reopened by an answer, also of a deleted person. An answer from an address that is not the participant's, and an e-mail of an unverified sender,
 * are added without the participant's name. The keywords STOP and START of a text message take effect at once, in the order of their receipt, also for an
 * unmatched sender. A repetition has no further effect. `record` writes in the transaction of the message what became of it.
 */
export async function receiveMessage(
  db: OrgDb,
  clients: Clients,
  received: ReceivedMessage,
  record: (tx: OrgTx, receipt: Receipt) => Promise<void> = () => Promise.resolve(),
): Promise<Receipt> {
  const message = { ...received, from: received.channel === "sms" ? (toE164(received.from) ?? received.from) : received.from };
  await applyKeyword(db, message);
  const sender = await findSenderInConversation(db, clients, message);
  return transaction(db, async (tx) => {
    const receipt = sender ? await addMessage(tx, message, sender) : ({ status: "unmatched" } as const);
    await record(tx, receipt);
    return receipt;
  });
}

/** Sender of a received message. */
interface Sender {
  contact: Contact;
  /** Conversation that the message answers, if known. */
  answeredId: string | undefined;
  /** True if the address is the participant's. */
  isOwnAddress: boolean;
}

/**
 * Returns the participant of the conversation that a message answers, else the tenant or vendor with the address, else the one to whom the
 * organization has written at this address.
 */
async function findSenderInConversation(db: OrgDb, clients: Clients, message: ReceivedMessage): Promise<Sender | undefined> {
  const { channel, from } = message;
  const answered = await findAnswered(db, clients, message);
  const contact = answered?.participant ?? (await findSender(db, clients, channel, from));
  if (contact && (channel === "sms" || contact.email?.toLowerCase() === from.toLowerCase()))
    return { contact, answeredId: answered?.conversationId, isOwnAddress: true };
  const correspondent = await findCorrespondent(db, clients, channel, from);
  if (!contact)
    return correspondent && { contact: correspondent.participant, answeredId: correspondent.conversationId, isOwnAddress: correspondent.isRecordedAddress };
  const isOwnAddress = correspondent?.participant.id === contact.id && correspondent.isRecordedAddress;
  return { contact, answeredId: answered?.conversationId, isOwnAddress };
}

/** Opts a phone number out of text messages, or in again, when a text message is one of the keywords. */
async function applyKeyword(db: OrgDb, { channel, from, body, receivedAt }: ReceivedMessage): Promise<void> {
  const keyword = channel === "sms" ? smsKeyword(body) : undefined;
  if (keyword?.effect === "stop") await transaction(db, (tx) => optOut(tx, from, keyword.word, receivedAt));
  if (keyword?.effect === "start") await transaction(db, (tx) => optIn(tx, from, receivedAt));
}

async function addMessage(tx: OrgTx, message: ReceivedMessage, sender: Sender): Promise<Receipt> {
  await tx.all(sql`select pg_advisory_xact_lock(hashtextextended(${`conversation ${tx.organizationId} ${sender.contact.id}`}, 0))`);
  const earlier = await tx.findOne(ConversationMessage, { channel: message.channel, externalId: message.externalId });
  if (earlier) return { status: "duplicate", conversationId: earlier.conversationId, messageId: earlier.id };
  const conversation = await findConversation(tx, sender, message);
  if (!conversation) return { status: "unmatched" };
  return { status: "received", conversationId: conversation.id, messageId: await append(tx, conversation, sender, message) };
}

/**
 * Returns the conversation that a received e-mail answers, with its participant, unless the answer is of another person: the one of the address for
 * replies that it was sent to, else that of the latest e-mail that it answers.
 */
async function findAnswered(
  db: OrgDb,
  clients: Clients,
  { from, inReplyTo = [], conversationIds = [] }: ReceivedMessage,
): Promise<{ conversationId: string; participant: Contact } | undefined> {
  if (inReplyTo.length + conversationIds.length === 0) return undefined;
  const columns = sql`c.id as conversation_id, c.participant_type as type, c.participant_id as id`;
  type Answered = { conversationId: string; type: "tenant" | "vendor"; id: string };
  const answered =
    (await db.first(sql<Answered>`select ${columns} from conversation c where c.organization_id = ${db.organizationId} and c.id = any(${conversationIds}::uuid[])
      order by array_position(${conversationIds}::uuid[], c.id) limit 1`)) ??
    (await db.first(sql<Answered>`select ${columns} from conversation_message m join conversation c on c.organization_id = m.organization_id and c.id = m.conversation_id
      where m.organization_id = ${db.organizationId} and m.email_message_id = any(${inReplyTo}) order by m.id desc limit 1`));
  const participant = answered && (await findParticipant(db, clients, answered));
  if (!participant || (await isOfAnother(db, clients, participant, from))) return undefined;
  return { conversationId: answered.conversationId, participant };
}

/** Locks the conversation for a received message, or creates it. Returns undefined for a deleted person whose conversations are archived. */
async function findConversation(tx: OrgTx, { contact, answeredId }: Sender, { channel, subject }: ReceivedMessage): Promise<Conversation | undefined> {
  const answered = answeredId === undefined ? undefined : await tx.getForUpdate(Conversation, answeredId, "Conversation");
  if (answered && answered.status !== "archived") return Object.assign(answered, { status: "open" as const });
  const open = await tx.first(sql<{ id: string }>`select id from conversation where organization_id = ${tx.organizationId} and participant_id = ${contact.id}
    and status = 'open' and ${channel} = any(channels) order by active_at desc, id desc limit 1`);
  if (open) return tx.getForUpdate(Conversation, open.id, "Conversation");
  if (contact.isDeleted) return undefined;
  const conversation = insertConversation(tx, contact, subject === null ? null : truncate(subject.trim(), MAX_SUBJECT_LENGTH) || null, [channel]);
  await tx.flush();
  return conversation;
}

function append(tx: OrgTx, conversation: Conversation, { contact, isOwnAddress }: Sender, message: ReceivedMessage): Promise<string> {
  const { id, body, channel, from, to, subject, externalId, emailMessageId = null, metadata = {}, isUnverified = false } = message;
  tx.assign(conversation, participantColumns(contact));
  const text = truncate(body.trim(), MAX_BODY_LENGTH) || "(no text)";
  const isParticipant = isOwnAddress && !isUnverified;
  return appendMessage(tx, conversation, {
    ...(id !== undefined && { id }),
    body: text,
    channel,
    senderType: contact.kind,
    senderId: isParticipant ? contact.id : null,
    senderName: isParticipant ? contact.fullName : `${from.slice(0, 140)}${isUnverified ? " (unverified)" : ""}`,
    fromAddress: from,
    toAddresses: to,
    externalId,
    emailMessageId,
    smsSid: channel === "sms" ? externalId : null,
    metadata: {
      ...metadata,
      ...(!isOwnAddress && { isOtherAddress: true }),
      ...(isUnverified && { isUnverified: true }),
      ...(subject !== null && { subject: truncate(subject, MAX_METADATA_SUBJECT_LENGTH) }),
      ...(body.trim().length > MAX_BODY_LENGTH && { isTruncated: true }),
    },
  });
}
