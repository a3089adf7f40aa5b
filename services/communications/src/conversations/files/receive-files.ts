/** Storage of the files of a received message as documents of its conversation. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { transaction } from "@freehold/kit/db/transaction";
import { sql } from "@freehold/kit/db/statement";
import type { Clients } from "../../clients.ts";
import type { ParticipantType } from "../../recipients/eligibility.rules.ts";
import { Conversation, ConversationMessage } from "../conversation.entity.ts";
import { publishUpdated } from "../participants.ts";
import type { MediaFetcher } from "./fetch-media.ts";
import { fileIdOf, type InboundFile } from "./inbound-file.rules.ts";

/** Dependencies of the storage of files. */
export interface FileDependencies {
  clients: Clients;
  /** Fetches the pictures of text messages. */
  fetchMedia: MediaFetcher;
}

interface StoredMessage {
  conversationId: string;
  participantType: ParticipantType;
  participantId: string;
  /** True if the message is in the name of the participant. */
  isOfParticipant: boolean;
}

/**
 * Stores the files of a received message, each once whatever is repeated, and attaches them to it. A file that is refused is named in the message's
 * metadata. `record` writes in the transaction of the attachment. Throws while portfolio or the provider of a picture is unavailable.
 */
export async function receiveFiles(
  db: OrgDb,
  dependencies: FileDependencies,
  messageId: string,
  files: readonly InboundFile[],
  record: (tx: OrgTx) => Promise<void>,
): Promise<void> {
  const message = (await db.first(sql<StoredMessage>`select c.id as conversation_id, c.participant_type, c.participant_id,
      m.sender_id is not null as is_of_participant
    from conversation_message m join conversation c on c.organization_id = m.organization_id and c.id = m.conversation_id
    where m.organization_id = ${db.organizationId} and m.id = ${messageId}`))!;
  const documentIds: string[] = [];
  const droppedAttachments: { name: string; reason: string }[] = [];
  for (const [index, file] of files.entries()) {
    const id = fileIdOf(messageId, index);
    const reason = await storeFile(db, dependencies, message, file, id);
    if (reason === undefined) documentIds.push(id);
    else droppedAttachments.push({ name: file.name, reason });
  }
  await transaction(db, async (tx) => {
    const conversation = await tx.getForUpdate(Conversation, message.conversationId, "Conversation");
    const stored = await tx.getForUpdate(ConversationMessage, messageId, "Message");
    const { pendingAttachments: _, droppedAttachments: _earlier, ...metadata } = stored.metadata;
    tx.assign(stored, { documentIds, metadata: { ...metadata, ...(droppedAttachments.length > 0 && { droppedAttachments }) } });
    await publishUpdated(tx, conversation);
    await record(tx);
  });
}

/** Names the files of a message that are still missing as dropped, by their number. */
export async function dropPendingFiles(tx: OrgTx, messageId: string): Promise<void> {
  const message = await tx.findOne(ConversationMessage, { id: messageId });
  if (message?.metadata.pendingAttachments === undefined) return;
  const conversation = await tx.getForUpdate(Conversation, message.conversationId, "Conversation");
  const { pendingAttachments, ...metadata } = message.metadata;
  tx.assign(message, { metadata: { ...metadata, droppedAttachments: [{ name: `${Number(pendingAttachments)} files`, reason: "not_available" }] } });
  await publishUpdated(tx, conversation);
}

/** Stores a file and returns undefined, or the reason why it is dropped. The file of a message without the participant's name is for the office alone. */
async function storeFile(
  db: OrgDb,
  { clients, fetchMedia }: FileDependencies,
  { conversationId, participantType, participantId, isOfParticipant }: StoredMessage,
  file: InboundFile,
  id: string,
): Promise<string | undefined> {
  const received = "url" in file ? await fetchMedia(file.url) : file;
  if ("dropped" in received) return received.dropped;
  const { refusal } = await clients.portfolio.storeConversationFile(db, {
    id,
    conversationId,
    senderKind: participantType,
    senderId: participantId,
    fileName: file.name,
    content: received.content,
    isShared: isOfParticipant,
  });
  return refusal;
}
