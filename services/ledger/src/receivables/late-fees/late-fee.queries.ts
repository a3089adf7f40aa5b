/** SQL statements of late fees. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { firstOpenDay } from "../../journal/posting.ts";
import type { RentToAssess } from "./late-fee.rules.ts";

/** Rent charge to assess. */
export type ChargeToAssess = RentToAssess & { id: string; leaseId: string; name: string };

/**
 * Selects the settlements of a charge: live allocations by the day on which their payment was received, and live credits by the day for
 * which they were requested, also when their entries were dated later, as on the first open day. The charge has the alias `c`.
 */
const settlements: RawBuilder<unknown> = sql`
  select coalesce(e.moved_from, e.entry_date) as settled_on, a.amount_cents
    from payment_allocation a join payment p on p.organization_id = a.organization_id and p.id = a.payment_id
      join journal_entry e on e.organization_id = p.organization_id and e.id = p.entry_id
    where a.organization_id = c.organization_id and a.charge_id = c.id and a.released_at is null
  union all select coalesce(k.requested_on, k.credited_on), k.amount_cents from charge_credit k
    where k.organization_id = c.organization_id and k.charge_id = c.id and k.reversed_at is null`;

/** Selects the amount of a charge that was open at the start of a day. The charge has the alias `c`. */
export const openBefore = (day: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(c.amount_cents - (select coalesce(sum(s.amount_cents), 0)::bigint from (${settlements}) s where s.settled_on < ${day}))`;

/**
 * Returns the rent charges whose next late fee is due through a date, by id. With `excludesBackdatedRent`, those that were first
 * posted after the day of their late fee are left out.
 */
export const findChargesDueForAssessment = (
  db: StatementRunner,
  { timezone, through, excludesBackdatedRent }: { timezone: string; through: string; excludesBackdatedRent: boolean },
): Promise<{ id: string; leaseId: string }[]> =>
  db.all(sql<{ id: string; leaseId: string }>`select id, lease_id from charge
    where organization_id = ${db.organizationId} and late_fee_due_on <= ${through}
      and (${!excludesBackdatedRent} or late_fee_due_on >= (coalesce((late_fee_terms ->> 'firstPostedAt')::timestamptz, posted_at) at time zone ${timezone}::text)::date) order by id`);

/** Returns rent charges that are still due for an assessment, with their settlements and fees. `isLocking` locks them in the order of their ids. */
export async function readChargesToAssess(
  db: StatementRunner,
  ids: readonly string[],
  { through, isLocking }: { through: string; isLocking: boolean },
): Promise<ChargeToAssess[]> {
  if (isLocking)
    await db.all(sql`select id from charge where organization_id = ${db.organizationId} and id = any(${[...ids]}::uuid[]) order by id for no key update`);
  return db.all(sql<ChargeToAssess>`
    select c.id, c.lease_id, c.name, c.amount_cents, c.due_date, c.late_fee_terms as terms,
      coalesce((select json_agg(json_build_object('settledOn', s.settled_on, 'amountCents', s.amount_cents)) from (${settlements}) s), '[]') as settlements,
      coalesce((select json_agg(json_build_object('dayIndex', f.late_fee_day_index, 'amountCents', case when f.status = 'voided' then 0 else f.amount_cents end))
        from charge f where f.organization_id = c.organization_id and f.late_fee_for_charge_id = c.id and not f.is_superseded), '[]') as fees
    from charge c where c.organization_id = ${db.organizationId} and c.id = any(${[...ids]}::uuid[]) and c.late_fee_due_on <= ${through} and c.status <> 'voided'
    order by c.id`);
}

/** Stores the next day on which charges are assessed; null for those that bear no further fee. */
export const saveNextAssessments = (db: StatementRunner, next: readonly { id: string; day: string | null }[]): Promise<unknown> =>
  db.all(sql`update charge c set late_fee_due_on = input.day
    from unnest(${next.map(({ id }) => id)}::uuid[], ${next.map(({ day }) => day)}::date[]) as input (id, day)
    where c.organization_id = ${db.organizationId} and c.id = input.id`);

/** Selects the first day of the late fees of the charge `c`, as `lateFeeDay`. */
export const firstLateFeeDay: RawBuilder<unknown> = sql`(c.due_date + (c.late_fee_terms ->> 'graceDays')::int + 1)`;

/** Late fee and the charge that it is for. */
export interface LateFeeOfCharge {
  id: string;
  chargeId: string;
}

/** Unpaid late fee that is not owed, or owed with another amount. */
export interface WrongLateFee extends LateFeeOfCharge {
  /** True for a fee that is not owed; false for a percent fee that is owed with another amount. */
  isUnfounded: boolean;
}

/** Amount of a percent fee of the charge `c` for an open amount, in whole cents and within the limits. The product is numeric, because it may exceed a bigint. */
const percentOf = (
  openCents: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`least(div(${openCents}::numeric * (c.late_fee_terms ->> 'percentBps')::int, 10000),
  (c.late_fee_terms ->> 'maxCents')::bigint, div(${openCents}::numeric * (c.late_fee_terms ->> 'maxBps')::int, 10000))`;

/**
 * Condition that the fee `f` is a percentage of the charge `c`, of another amount than was open. Fees that were due in a closed
 * accounting period, or that a security deposit has settled in part, stay as they are.
 */
const hasOtherAmount = (openCents: RawBuilder<unknown>): RawBuilder<unknown> => sql`(f.late_fee_kind = 'percent' and c.late_fee_terms ->> 'type' = 'percent'
  and f.amount_cents <> ${percentOf(openCents)} and least(f.due_date, f.late_fee_assessed_for) >= open.first_day
  and not exists (select from charge_credit k where k.organization_id = f.organization_id and k.charge_id = f.id
    and k.reversed_at is null and k.security_deposit_id is not null))`;

/**
 * Returns unpaid late fees that are not owed, because their charge was settled before the day of the fee, is due on another day since, or
 * was voided, and percent fees of another amount than the balance of that day gives. With `among`, only those of the given fees that
 * are still for the given charge.
 */
export const findWrongLateFees = (db: StatementRunner, among?: readonly LateFeeOfCharge[]): Promise<WrongLateFee[]> => {
  const ids = among && [among.map(({ id }) => id), among.map(({ chargeId }) => chargeId)];
  const isGiven = ids ? sql`(f.id, c.id) in (select * from unnest(${ids[0]}::uuid[], ${ids[1]}::uuid[]))` : sql`true`;
  return db.all(sql<WrongLateFee>`select f.id, c.id as charge_id, fee.is_unfounded
    from ${firstOpenDay(db)}, open_charge o join charge f on f.organization_id = o.organization_id and f.id = o.charge_id
      join charge c on c.organization_id = f.organization_id and c.id = f.late_fee_for_charge_id
      cross join lateral (select ${openBefore(sql`f.late_fee_assessed_for`)} as open_cents) rent
      cross join lateral (select c.status = 'voided' or rent.open_cents <= 0
        or f.late_fee_assessed_for <> ${firstLateFeeDay} + f.late_fee_day_index as is_unfounded) fee
    where o.organization_id = ${db.organizationId} and o.charge_type = 'late_fee' and f.allocated_cents = 0 and ${isGiven}
      and (fee.is_unfounded or ${hasOtherAmount(sql`rent.open_cents`)})
    order by c.id, f.id`);
};

/** Schedules another assessment of open charges, from the first day of their late fees. */
export const scheduleAssessments = (db: StatementRunner, ids: readonly string[]): Promise<unknown> =>
  db.all(sql`update charge set late_fee_due_on = due_date + (late_fee_terms ->> 'graceDays')::int + 1
    where organization_id = ${db.organizationId} and id = any(${[...ids]}::uuid[]) and balance_cents > 0 and late_fee_terms is not null`);
