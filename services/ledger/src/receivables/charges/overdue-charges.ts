/** Publication of `charge.overdue`, once for each charge that is unpaid after its due date. */
import { localDateOf, now, startOfDay, today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { chargeEvents } from "./charge-event.ts";
import { chargeColumns, type ChargeRow } from "./charge.view.ts";

const publish = eventPublisher("ledger");
const BATCH_SIZE = 200;
const RETRY_MS = 1_000;

/**
 * Publishes the newly overdue charges and returns the time of the next run: the start of the organization's next day, or in a second
 * when another transaction has locked some.
 */
export async function publishOverdueCharges(db: OrgDb): Promise<Date> {
  const { timezone } = await getLedgerSettings(db);
  const day = today(timezone);
  for (let published = BATCH_SIZE; published === BATCH_SIZE;) published = await publishBatch(db, day);
  const left = await db.first(sql`select 1 as found from charge where ${isNewlyOverdue(db, day)} limit 1`);
  return left ? new Date(now().getTime() + RETRY_MS) : startOfDay(addDays(day, 1), timezone);
}

const isNewlyOverdue = (db: StatementRunner, day: string) => sql`organization_id = ${db.organizationId} and balance_cents > 0 and overdue_announced_at is null
  and id = any(array(select charge_id from open_charge where organization_id = ${db.organizationId} and due_date < ${day}))`;

/** Returns the start of the next day in the time zone. */
export const nextMidnight = (timezone: string): Date => startOfDay(addDays(localDateOf(now(), timezone), 1), timezone);

const publishBatch = (db: OrgDb, day: string): Promise<number> =>
  transaction(db, async (tx) => {
    const overdue = await tx.all(sql<ChargeRow>`update charge as c set overdue_announced_at = ${now()}
      where c.organization_id = ${tx.organizationId} and c.id = any(array(select id from charge where ${isNewlyOverdue(tx, day)} order by due_date, id limit ${BATCH_SIZE} for no key update skip locked))
      returning ${chargeColumns}`);
    await publish(tx, "charge.overdue", ...(await chargeEvents(tx, overdue, ({ dueDate }) => ({ dueDate }))));
    return overdue.length;
  });
