/** Movements of the money of each owner of properties in bank accounts, by the own ledgers. */
import { LAST_DATE } from "@freehold/contract/values";
import { clampSumToSafeInteger } from "@freehold/domain/money";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { OwnedProperty } from "@freehold/proto/portfolio/v1/portfolio";
import type { Chart } from "../../chart/categories.ts";
import { DEPOSITS_HELD, PREPAID_RENT, UNDEPOSITED_FUNDS } from "../../chart/chart.ts";
import { shareTerms } from "../ownership.rules.ts";
import type { OwnMovement } from "./own-movements.rules.ts";
import { isOfPayout, selectOwnedMovements } from "./owner-ledger.queries.ts";

/** Movement of the money of an owner at a property. */
export type OwnMovementRow = OwnMovement & { propertyId: string };

/** Days of the movements: up to the last day, all those before the first day dated on it. Movements of some entries can be left out. */
interface MovementDays {
  from?: string | undefined;
  to?: string | undefined;
  without?: readonly string[];
  /** Counts payouts to owners from the beginning, whenever they are paid. */
  countsLaterPayouts?: boolean | undefined;
}

/**
 * Selects the movements of the money of each owner of properties, summed between those that name no owner. What a payment has settled is where the money of
 * the payment is, and an entry without a payment where it has moved money or deposits; what has moved nowhere has no place. Transfers of an owner's money
 * move it, and so do the lines of manual entries that name an owner as far as the entry has no income, expense or equity for them; lines of such an entry that name no owner
 * are the other side of these. The given accounts are the place `here`. Transfers that name no owner have `moves`, the amounts by place. Deposits and prepaid rent are no money of owners.
 */
export function selectOwnMovements(
  db: StatementRunner,
  chart: Chart,
  accounts: readonly { id: string }[],
  properties: readonly OwnedProperty[],
  { from, to = LAST_DATE, without = [], countsLaterPayouts = false }: MovementDays,
): RawBuilder<OwnMovementRow> {
  const terms = properties.flatMap(shareTerms);
  const ofProperties = sql`l.organization_id = ${db.organizationId} and l.property_id = any(${properties.map(({ propertyId }) => propertyId)}::uuid[])
    and ${countsLaterPayouts ? sql`(l.entry_date <= ${to} or ${isOfPayout(db, sql`l.entry_id`)})` : sql`l.entry_date <= ${to}`} ${without.length === 0 ? sql`` : sql`and l.entry_id <> all(${[...without]}::uuid[])`}`;
  const moment = (alias: string) => sql`to_char(${sql.ref(`${alias}.entry_date`)}, 'YYYY-MM-DD') || ${sql.ref(`${alias}.entry_id`)}`;
  const isHeldLiability = sql`(l.payment_id is null and l.bank_account_id in (select id from trust) and l.account_id in (${chart.accountId(DEPOSITS_HELD)}, ${chart.accountId(PREPAID_RENT)}))`;
  const day = from === undefined ? sql`null::text` : sql`greatest(left(moment, 10), ${from}::text)`;
  return sql<OwnMovementRow>`with trust as materialized (select id, category_id from bank_account where organization_id = ${db.organizationId} and account_type <> 'business'),
      line as materialized (select l.property_id, l.payment_id, l.entry_id, l.owner_id, ${moment("l")} as moment, l.debit_cents - l.credit_cents as cents,
          case when l.account_id = ${chart.accountId(UNDEPOSITED_FUNDS)} then 'undeposited' when l.bank_account_id = any(${accounts.map(({ id }) => id)}::uuid[]) then 'here' else l.bank_account_id::text end as place
        from journal_line l where ${ofProperties}
          and (l.account_id = ${chart.accountId(UNDEPOSITED_FUNDS)} or (l.bank_account_id, l.account_id) in (select id, category_id from trust) or ${isHeldLiability})),
      stay as materialized (
        select payment_id, place, moment as arrived, left_at from (
          select payment_id, place, moment, is_held, lead(moment) over (partition by payment_id, place order by moment) as left_at from (
            select payment_id, place, moment, is_held, lag(is_held, 1, false) over (partition by payment_id, place order by moment) as was_held from (
              select payment_id, place, moment, sum(sum(cents)) over (partition by payment_id, place order by moment) > 0 as is_held
              from line where payment_id is not null group by 1, 2, 3) held) compared
          where is_held <> was_held) change
        where is_held),
      of_payment as materialized (select l.entry_id, (array_agg(l.payment_id))[1] as payment_id from journal_line l where ${ofProperties} and l.payment_id is not null group by 1),
      moved as materialized (select property_id, entry_id, owner_id, moment, place, sum(cents) as cents, sum(sum(cents)) over (partition by property_id, entry_id, owner_id) as net_cents
        from line where payment_id is null group by 1, 2, 3, 4, 5 having sum(cents) <> 0),
      location as materialized (select property_id, entry_id, place, cents, sum(cents) over (partition by property_id, entry_id order by place) as through_cents,
          sum(cents) over (partition by property_id, entry_id) as all_cents
        from (select property_id, entry_id, place, sum(cents) as cents from moved group by 1, 2, 3 having sum(cents) <> 0) each),
      owned as materialized (select m.property_id, m.entry_id, m.owner_id, ${moment("m")} as moment, m.own_cents as cents, of_payment.payment_id
        from (${selectOwnedMovements(db, terms, { basis: "cash", ledgerVersion: undefined }, ofProperties)}) m left join of_payment on of_payment.entry_id = m.entry_id),
      owned_in as (select property_id, entry_id, sum(cents) as cents from owned group by 1, 2),
      named as materialized (select n.property_id, n.entry_id, n.owner_id, n.moment, n.place, n.cents, n.net_cents, owned_in.property_id is null as is_literal,
          n.net_cents - coalesce((select sum(o.cents) from owned o where o.property_id = n.property_id and o.entry_id = n.entry_id and o.owner_id = n.owner_id), 0) as own_rest_cents,
          (select sum(a.cents) from moved a where a.property_id = n.property_id and a.entry_id = n.entry_id) - coalesce(owned_in.cents, 0) as rest_cents
        from moved n join journal_entry e on e.organization_id = ${db.organizationId} and e.id = n.entry_id
          left join journal_entry reversed on reversed.organization_id = e.organization_id and reversed.id = e.reverses_id
          left join owned_in on owned_in.property_id = n.property_id and owned_in.entry_id = n.entry_id
        where n.owner_id is not null and coalesce(reversed.source, e.source) = 'manual'),
      named_net as (select property_id, entry_id, owner_id, moment, net_cents, sum(net_cents) over (partition by property_id, entry_id) as all_cents
        from (select distinct property_id, entry_id, owner_id, moment, net_cents from named where is_literal) each),
      named_rest as (select property_id, entry_id, owner_id, moment, place,
          own_rest_cents * least(1, abs(rest_cents) / sum(abs(own_rest_cents) * cents / net_cents) over (partition by property_id, entry_id)) * cents / net_cents as cents
        from named where not is_literal and net_cents <> 0 and own_rest_cents * rest_cents > 0),
      movement as (
        select o.property_id, o.moment, o.owner_id, location.place, coalesce(round(o.cents * location.through_cents / location.all_cents)
            - round(o.cents * (location.through_cents - location.cents) / location.all_cents), o.cents) as cents, null::jsonb as moves
          from owned o left join location on location.property_id = o.property_id and location.entry_id = o.entry_id and location.all_cents <> 0 where o.payment_id is null
        union all select property_id, moment, owner_id, null, cents, null from owned where payment_id is not null
        union all select o.property_id, step.moment, o.owner_id, step.place, step.sign * o.cents, null from owned o
          join stay on stay.payment_id = o.payment_id and (stay.left_at is null or o.moment < stay.left_at)
          cross join lateral (values (greatest(o.moment, stay.arrived), stay.place, 1), (greatest(o.moment, stay.arrived), null, -1), (stay.left_at, stay.place, -1), (stay.left_at, null, 1))
            as step (moment, place, sign) where step.moment is not null
        union all select moved.property_id, moved.moment, moved.owner_id, moved.place, moved.cents, null from moved
          join journal_entry e on e.organization_id = ${db.organizationId} and e.id = moved.entry_id where moved.owner_id is not null and (e.source_type = 'transfer' or moved.net_cents = 0)
            and not exists (select from named where named.property_id = moved.property_id and named.entry_id = moved.entry_id and named.is_literal)
        union all select property_id, moment, owner_id, place, cents, null from named where is_literal
        union all select n.property_id, n.moment, n.owner_id, o.place, round(-n.net_cents * least(1, abs(o.net_cents / n.all_cents)) * o.cents / o.net_cents), null
          from named_net n join moved o on o.property_id = n.property_id and o.entry_id = n.entry_id and o.owner_id is null and o.net_cents * n.all_cents < 0
        union all select property_id, moment, owner_id, place, round(cents), null from named_rest
        union all select property_id, moment, null, null, null, jsonb_object_agg(place, cents) from moved where owner_id is null and net_cents = 0 group by property_id, entry_id, moment)
    select property_id, segment::int as segment, ${day} as day, owner_id, place, ${clampSumToSafeInteger(sql`coalesce(sum(cents), 0)`)} as cents, moves
    from (select *, count(moves) over (partition by property_id order by moment, moves is null rows unbounded preceding) as segment from movement) ordered
    group by property_id, segment, 3, owner_id, place, moves having moves is not null or sum(cents) <> 0`;
}
