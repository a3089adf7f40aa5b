/** Job that deletes old messages. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { scheduleAt } from "@freehold/kit/jobs/scheduler";
import { now } from "@freehold/kit/time/clock";

/** Name of the job that deletes old messages. */
export const DELETE_MESSAGES = "delete_messages";

/** Messages that are deleted in one transaction. */
const LOT = 1_000;
const DAY_MS = 86_400_000;

/** Schedules the deletion of old messages, unless it is scheduled already. */
export const scheduleDeletion = (tx: OrgTx): Promise<void> => scheduleAt(tx, DELETE_MESSAGES, new Date(now().getTime() + DAY_MS));

/**
 * Deletes the finished messages that are older than the given days, and returns the time of the next run. Messages of conversations are kept, and of
 * blasts those that failed or were skipped: a recipient without a message counts as reached.
 */
export async function deleteMessages(db: OrgDb, days: number): Promise<Date> {
  while (await deleteLot(db, days));
  return new Date(now().getTime() + DAY_MS);
}

/** Deletes the oldest messages with the routes by their ids. Returns false when none is left. The lot is selected once: a plan might repeat a subquery for each message. */
const deleteLot = (db: OrgDb, days: number): Promise<boolean> =>
  transaction(db, async (tx) => {
    const deleted = await tx.all(sql<{
      id: string;
      providerMessageId: string | null;
      partIds: string[];
    }>`with lot as materialized (
        select id from message where organization_id = ${tx.organizationId} and created_at < now() - make_interval(days => ${days})
          and status <> 'queued' and template <> 'conversation-message' and (template <> 'blast' or status not in ('failed', 'skipped'))
        order by created_at limit ${LOT} for update skip locked)
      delete from message m using lot where m.organization_id = ${tx.organizationId} and m.id = lot.id returning m.id, m.provider_message_id, m.part_ids`);
    const keys = deleted.flatMap(({ id, providerMessageId, partIds }) => [`id:${id}`, ...[providerMessageId ?? [], partIds].flat().map((sid) => `sid:${sid}`)]);
    await tx.all(sql`delete from message_route where organization_id = ${tx.organizationId} and key = any(${keys}::text[])`);
    return deleted.length === LOT;
  });
