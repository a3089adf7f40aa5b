/**
 * Phone numbers in E.164 that have stopped text messages with STOP. The table belongs to no organization, since the organizations share the number that
 * sends: STOP also concerns one that records the phone number later.
 */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";

/** Ends text messages of all organizations to a phone number. Returns false if it has started them again after the given time. */
export async function stopNumber(db: StatementRunner, phone: string, at: Date): Promise<boolean> {
  const stopped = await db.all(sql`insert into stopped_number as n (phone, stopped_at) values (${phone}, ${at})
    on conflict (phone) do update set stopped_at = greatest(n.stopped_at, excluded.stopped_at), ended_at = null
    where n.ended_at is null or n.ended_at <= excluded.stopped_at returning phone`);
  return stopped.length > 0;
}

/** Permits text messages to a phone number again, unless it has stopped them after the given time. */
export const startNumber = (db: StatementRunner, phone: string, at: Date): Promise<unknown> =>
  db.all(sql`update stopped_number set ended_at = greatest(ended_at, ${at}) where phone = ${phone} and stopped_at <= ${at}`);
