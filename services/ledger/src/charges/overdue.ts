/** Says once of every charge that its due date has passed unpaid. */
import { dayOf, now, startOfDay, today } from "@freehold/kit/clock";
import { addDays } from "@freehold/kit/dates";
import { transaction, type OrgDb } from "@freehold/kit/db";
import { announcer } from "@freehold/kit/outbox";
import { sql } from "@freehold/kit/statement";
import { rulesOf } from "../books/books.ts";
import { chargeColumns, type ChargeRow } from "./charge.view.ts";
import { aboutCharge } from "./charging.ts";

const announce = announcer("ledger");
const CHUNK = 200;

/** Announces the charges that became overdue, and answers when the organization's next day begins. */
export async function announceOverdueCharges(db: OrgDb): Promise<Date> {
  const { timezone } = await rulesOf(db);
  for (let found = CHUNK; found === CHUNK;) found = await announceSome(db, today(timezone));
  return nextMidnight(timezone);
}

export const nextMidnight = (timezone: string): Date => startOfDay(addDays(dayOf(now(), timezone), 1), timezone);

const announceSome = (db: OrgDb, day: string): Promise<number> =>
  transaction(db, async (tx) => {
    const late = await tx.all(sql<ChargeRow>`update charge as c set overdue_announced_at = ${now()}
      where c.organization_id = ${tx.organizationId} and c.id = any(array(select id from charge where organization_id = ${tx.organizationId} and balance_cents > 0
        and id = any(array(select charge_id from open_charge where organization_id = ${tx.organizationId} and due_date < ${day}))
        and overdue_announced_at is null order by due_date, id limit ${CHUNK} for no key update skip locked))
      returning ${chargeColumns}`);
    await announce(tx, "charge.overdue", ...late.map(aboutCharge));
    return late.length;
  });
