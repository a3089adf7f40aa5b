/** Development outbox: one table for all organizations that stores messages instead of sending them (see `outbox-message.entity.ts`). */
import type { OutboxMessage } from "@freehold/contract/communications/messages";
import type { Database } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { compile, send, sql } from "@freehold/kit/db/statement";
import { extractLinks } from "../../templates/template.ts";
import type { Channel } from "../message.entity.ts";

/** Connection pool for reading the development outbox, which belongs to no organization. */
export interface DevOutbox {
  pool: Database["pool"];
}

/** Message as stored in the development outbox. */
export interface OutboxEntry {
  id: string;
  channel: Channel;
  to: string;
  from: string;
  subject: string | null;
  text: string;
  html: string | null;
}

const MAX_MESSAGES = 100;

/** Inserts a message into the development outbox. */
export const insertIntoDevOutbox = (tx: OrgTx, { id, channel, to, from, subject, text, html }: OutboxEntry): Promise<unknown[]> =>
  tx.all(sql`insert into outbox_message (id, channel, to_address, from_address, subject, text, html, created_at)
    values (${id}, ${channel}, ${to}, ${from}, ${subject}, ${text}, ${html}, now()) on conflict (id) do nothing`);

/** Returns the newest 100 messages, optionally of one recipient, with the links in their text. */
export async function listDevOutbox({ pool }: DevOutbox, to: string | undefined): Promise<OutboxMessage[]> {
  const client = await pool.connect();
  try {
    const rows = await send<OutboxEntry & { createdAt: string }>(
      client,
      compile(sql`select id, channel, to_address as "to", from_address as "from", subject, text, html, created_at from outbox_message
        where ${to ?? null}::text is null or lower(to_address) = lower(${to ?? null}::text)
        order by created_at desc, id desc limit ${MAX_MESSAGES}`),
    );
    return rows.map((row) => ({ ...row, links: extractLinks(row.text) }));
  } finally {
    client.release();
  }
}
