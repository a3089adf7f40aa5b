/** Says once of every charge that its due date has passed unpaid. */
import { localDateOf, now, startOfDay, today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { rulesOf } from "../../settings/ledger-settings.ts";
import { chargeColumns, type ChargeRow } from "./charge.view.ts";
import { aboutCharge } from "./charging.ts";

const announce = eventPublisher("ledger");
const CHUNK = 200;

/** Announces the charges that became overdue, and answers when the organization's next day begins. */
export async function announceOverdueCharges(db: OrgDb): Promise<Date> {
  const { timezone } = await rulesOf(db);
  for (let found = CHUNK; found === CHUNK;) found = await announceSome(db, today(timezone));
  return nextMidnight(timezone);
}

export const nextMidnight = (timezone: string): Date => startOfDay(addDays(localDateOf(now(), timezone), 1), timezone);

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
