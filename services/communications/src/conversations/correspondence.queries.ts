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
