/** Job that deletes old notifications with their deliveries, and the record of old digests. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { now } from "@freehold/kit/time/clock";

/** Notifications that are deleted in one transaction. */
const LOT = 1_000;
const DIGEST_DAYS = 30;
const DAY_MS = 86_400_000;

/** Deletes the notifications that are older than the given days, also unread ones, and returns the time of the next run. */
export async function deleteNotifications(db: OrgDb, days: number): Promise<Date> {
  while (await deleteLot(db, days));
  await db.all(
    sql`delete from notification_digest where organization_id = ${db.organizationId} and created_at < now() - make_interval(days => ${DIGEST_DAYS})`,
  );
  return new Date(now().getTime() + DAY_MS);
}

/** Deletes the oldest notifications. Returns false when none is left. */
const deleteLot = (db: OrgDb, days: number): Promise<boolean> =>
  transaction(db, async (tx) => {
    const old = await tx.all(sql<{ id: string }>`select id from notification where organization_id = ${tx.organizationId}
      and created_at < now() - make_interval(days => ${days}) order by created_at limit ${LOT} for update`);
    const ids = old.map(({ id }) => id);
    await tx.all(sql`delete from notification_delivery where organization_id = ${tx.organizationId} and notification_id = any(${ids}::uuid[])`);
    await tx.all(sql`delete from notification where organization_id = ${tx.organizationId} and id = any(${ids}::uuid[])`);
    return ids.length === LOT;
  });
