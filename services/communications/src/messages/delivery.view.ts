/** API representation of the deliveries of messages. */
import type { MessageDelivery } from "@freehold/contract/communications/conversations";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { StatusChange } from "./message.entity.ts";

type Row = Omit<MessageDelivery, "history" | "skipReason" | "messageId" | "toAddress"> & { toAddress: string; history: StatusChange[] };

/** Returns the deliveries of messages by id, in the order of their creation. A received message has none. */
export async function findDeliveries(db: StatementRunner, messageIds: readonly string[]): Promise<MessageDelivery[]> {
  if (messageIds.length === 0) return [];
  const rows = await db.all(sql<Row>`select id, channel, status, to_address, provider, provider_message_id, error, sent_at, delivered_at, history, created_at
    from message where organization_id = ${db.organizationId} and id = any(${[...messageIds]}::uuid[]) order by created_at, id`);
  return rows.map(({ toAddress, history, error, ...row }) => ({
    ...row,
    messageId: row.id,
    toAddress: toAddress === "" ? null : toAddress,
    error: row.status === "skipped" ? null : error,
    skipReason: row.status === "skipped" ? error : null,
    history: history.map((change) => ({ ...change, at: new Date(change.at).toISOString() })),
  }));
}
