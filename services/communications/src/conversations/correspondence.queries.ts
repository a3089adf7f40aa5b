/** SQL of the messages that were exchanged with an address. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";

/** Times of the messages with a participant. */
export interface Correspondence {
  participantId: string;
  /** Time of the latest message from the address; null without one. */
  receivedAt: string | null;
  /** Time of the latest message from or to the address; null without one. */
  exchangedAt: string | null;
  /** Time of the latest activity in a conversation, with any address. */
  activeAt: string;
}

/** Returns for each participant with a conversation the times of its messages. E-mails of unverified senders do not count. */
export const findCorrespondence = (db: StatementRunner, participantIds: readonly string[], address: string): Promise<Correspondence[]> =>
  db.all(sql<Correspondence>`select c.participant_id, max(m.created_at) filter (where lower(m.from_address) = lower(${address})) as received_at,
      max(m.created_at) as exchanged_at, max(c.active_at) as active_at
    from conversation c left join conversation_message m on m.organization_id = c.organization_id and m.conversation_id = c.id
      and lower(${address}) in (select lower(each) from unnest(m.from_address || m.to_addresses) each) and m.metadata ->> 'isUnverified' is null
    where c.organization_id = ${db.organizationId} and c.participant_id = any(${[...participantIds]}::uuid[]) group by c.participant_id`);

/** Recipient of a message to an address, and the conversation of the message; null for an archived one, and for another message, such as that of a blast. */
export interface LatestRecipient {
  type: "tenant" | "vendor";
  id: string;
  conversationId: string | null;
}

/** Returns the tenant or vendor to whom the organization has last written at an address, or undefined. */
export const findLatestRecipient = (db: StatementRunner, channel: "email" | "sms", address: string): Promise<LatestRecipient | undefined> =>
  db.first(sql<LatestRecipient>`select m.recipient_type as type, m.recipient_id as id, c.id as conversation_id
    from message m left join conversation_message cm on cm.organization_id = m.organization_id and cm.id = m.id
    left join conversation c on c.organization_id = m.organization_id and c.id = cm.conversation_id and c.status <> 'archived'
    where m.organization_id = ${db.organizationId} and lower(m.to_address) = lower(${address}) and m.channel = ${channel}
      and m.recipient_type in ('tenant', 'vendor') and m.status <> 'skipped' order by m.created_at desc, m.id desc limit 1`);

/** Returns the id of the participant's latest conversation that is not archived, or undefined. */
export async function findUnarchivedConversation(db: StatementRunner, participantId: string): Promise<string | undefined> {
  const row = await db.first(sql<{ id: string }>`select id from conversation where organization_id = ${db.organizationId}
    and participant_id = ${participantId} and status <> 'archived' order by active_at desc, id desc limit 1`);
  return row?.id;
}

/** Returns the addresses to which a message was sent, in lower case. */
export async function findAddressees(db: StatementRunner, messageId: string): Promise<string[]> {
  const rows = await db.all(sql<{ address: string }>`select lower(address) as address from conversation_message m, unnest(m.to_addresses) address
    where m.organization_id = ${db.organizationId} and m.id = ${messageId}`);
  return rows.map(({ address }) => address);
}
