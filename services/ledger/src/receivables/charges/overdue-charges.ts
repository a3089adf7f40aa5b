/** Publication of `charge.overdue`, once for each charge that is unpaid after its due date. */
import { localDateOf, now, startOfDay, today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { chargeEvent } from "./charge-event.ts";
import { chargeColumns, type ChargeRow } from "./charge.view.ts";

const publish = eventPublisher("ledger");
const BATCH_SIZE = 200;

/** Publishes the newly overdue charges and returns the start of the organization's next day. */
export async function publishOverdueCharges(db: OrgDb): Promise<Date> {
  const { timezone } = await getLedgerSettings(db);
  for (let published = BATCH_SIZE; published === BATCH_SIZE;) published = await publishBatch(db, today(timezone));
  return nextMidnight(timezone);
}

/** Returns the start of the next day in the time zone. */
export const nextMidnight = (timezone: string): Date => startOfDay(addDays(localDateOf(now(), timezone), 1), timezone);

const publishBatch = (db: OrgDb, day: string): Promise<number> =>
  transaction(db, async (tx) => {
    const overdue = await tx.all(sql<ChargeRow>`update charge as c set overdue_announced_at = ${now()}
      where c.organization_id = ${tx.organizationId} and c.id = any(array(select id from charge where organization_id = ${tx.organizationId} and balance_cents > 0
        and id = any(array(select charge_id from open_charge where organization_id = ${tx.organizationId} and due_date < ${day}))
        and overdue_announced_at is null order by due_date, id limit ${BATCH_SIZE} for no key update skip locked))
      returning ${chargeColumns}`);
    await publish(tx, "charge.overdue", ...overdue.map((charge) => chargeEvent(charge, { dueDate: charge.dueDate })));
    return overdue.length;
  });
