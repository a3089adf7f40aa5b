/** Money that the management company has earned or put in, which alone may leave the trust accounts for a business account. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { Chart } from "../../chart/categories.ts";
import { DEPOSITS_HELD, OWNER_RECEIVABLE, PREPAID_RENT } from "../../chart/chart.ts";
import { lowestEarned, type CompanyMovement } from "./earned-money.rules.ts";

/**
 * Returns the lowest amount that the management company has earned of the money without a property in all trust accounts, on a day or any later one. All
 * accounts count together, since money may be moved between them. Opening balances are not earned, and neither is money that manual entries have moved
 * from properties, or posted against equity: of the money without a property that such an entry moves, the company has earned what the entry has
 * as its income, and put in what it takes from a business account. Without `countsEquity`, only what was moved from properties is not earned. What the company has withdrawn
 * from properties against equity without a property is taken off, until it is reversed; what it has put in at properties in this way is the properties'. What it owes back
 * to properties, such as fees of returned payments, is not earned any more. Locks the amount until the commit, after bank accounts and properties.
 */
export async function readEarnedMoney(db: OrgTx, chart: Chart, day: string, { countsEquity = true } = {}): Promise<number> {
  await db.all(sql`select pg_advisory_xact_lock(hashtextextended('earned money of ' || ${db.organizationId}::text, 0))`);
  const liabilities = sql`l.account_id in (${chart.accountId(DEPOSITS_HELD)}, ${chart.accountId(PREPAID_RENT)})`;
  const cents = sql`l.debit_cents - l.credit_cents`;
  const movements = await db.all(sql<CompanyMovement>`
    with trust as materialized (select id, category_id from bank_account where organization_id = ${db.organizationId} and account_type <> 'business'),
      money as materialized (select l.bank_account_id, l.payment_id, l.entry_date as day, ${cents} as cents from journal_line l
        where l.organization_id = ${db.organizationId} and l.property_id is null and l.cash_account_id in (select category_id from trust)
          and (l.bank_account_id, l.account_id) in (select id, category_id from trust)),
      manual as materialized (select e.id from journal_entry e where e.organization_id = ${db.organizationId} and e.source = 'manual' and e.status <> 'draft'
        union all select e.reversed_by_id from journal_entry e where e.organization_id = ${db.organizationId} and e.source = 'manual' and e.reversed_by_id is not null),
      moved as (select l.entry_id, min(l.entry_date) as day, bool_or(e.reverses_id is not null) as is_reversal, bool_or(l.property_id is not null) as names_property,
          coalesce(bool_or(l.property_id is null and t.id is not null), false) as moves_money,
          coalesce(sum(${cents}) filter (where l.property_id is null and (t.id is not null or c.account_type in ('income', 'expense') or c.is_bank)), 0) as cents,
          coalesce(sum(${cents}) filter (where l.property_id is null and c.account_type = 'equity'), 0) as equity_cents, coalesce(sum(${cents}) filter (where t.id is not null), 0) as money_cents
        from journal_line l join category c on c.organization_id = l.organization_id and c.id = l.account_id
          join journal_entry e on e.organization_id = l.organization_id and e.id = l.entry_id
          left join trust t on t.id = l.bank_account_id and t.category_id = l.account_id
        where l.organization_id = ${db.organizationId} and l.entry_id in (select id from manual) group by 1)
    select day, kind, bank_account_id, sum(cents)::bigint as cents from (
      select day, 'money' as kind, bank_account_id, cents from money
      union all select greatest(l.entry_date, arrived.day), 'money', arrived.bank_account_id, ${cents} from journal_line l
        join (select payment_id, bank_account_id, min(day) as day from money where payment_id is not null group by 1, 2 having sum(cents) > 0) arrived on arrived.payment_id = l.payment_id
        where l.organization_id = ${db.organizationId} and l.property_id is null and ${liabilities} and l.bank_account_id is null
      union all select l.entry_date, 'money', l.bank_account_id, ${cents} from journal_line l
        where l.organization_id = ${db.organizationId} and l.property_id is null and ${liabilities} and l.bank_account_id in (select id from trust)
      union all select day, 'unearned', null, cents from moved where names_property or (${countsEquity} and moves_money)
      union all select day, 'withdrawn', null, sign(equity_cents) * least(abs(equity_cents), abs(money_cents)) from moved
        where names_property and equity_cents * money_cents < 0 and is_reversal = (equity_cents < 0)
      union all select l.entry_date, 'unearned', null, ${cents} from journal_line l where l.organization_id = ${db.organizationId} and l.account_id = ${chart.accountId(OWNER_RECEIVABLE)}
      union all select l.entry_date, 'unearned', null, ${cents} from journal_entry e join journal_line l on l.organization_id = e.organization_id and l.entry_id = e.id
        where e.organization_id = ${db.organizationId} and e.source_type = 'bank_account' and (l.bank_account_id, l.account_id) in (select id, category_id from trust)) movement
    group by 1, 2, 3 order by 1`);
  return lowestEarned(movements, day);
}
