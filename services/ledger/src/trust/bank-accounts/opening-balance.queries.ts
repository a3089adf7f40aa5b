/** Opening balance of a trust account, and its assignment to properties by manual journal entries. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { LockedAccount } from "./bank-account-references.ts";
import type { OpeningMovement } from "./trust-funds.rules.ts";

type Account = Pick<LockedAccount, "id" | "categoryId">;

/**
 * Selects the days and amounts by which manual entries, and their reversals, have moved money between no property and the properties in
 * an account. Negative amounts are assigned to properties. Income and expenses without a property are those of the management company,
 * so their money is earned or spent, and not assigned.
 */
export const selectAssignments = (db: StatementRunner, { id, categoryId }: Account, entryIds?: readonly string[]): RawBuilder<{ day: string; cents: number }> =>
  sql<{ day: string; cents: number }>`select day, sum(sign(unowned) * least(abs(unowned), abs(owned)))::bigint as cents from (
      select e.id, e.entry_date as day,
        coalesce(sum(l.debit_cents - l.credit_cents) filter (where l.property_id is null and (l.bank_account_id = ${id} or c.account_type in ('income', 'expense'))), 0) as unowned,
        coalesce(sum(l.debit_cents - l.credit_cents) filter (where l.property_id is not null and l.bank_account_id = ${id}), 0) as owned
      from journal_entry e left join journal_entry reversed on reversed.organization_id = e.organization_id and reversed.id = e.reverses_id
        join journal_line l on l.organization_id = e.organization_id and l.entry_id = e.id join category c on c.organization_id = l.organization_id and c.id = l.account_id
      where e.organization_id = ${db.organizationId} and 'manual' in (e.source, coalesce(reversed.source, '')) and e.id in (
        select bank.entry_id from journal_line bank where bank.organization_id = ${db.organizationId} and bank.account_id = ${categoryId}
          and bank.bank_account_id = ${id} and bank.property_id is null and ${entryIds ? sql`bank.entry_id = any(${[...entryIds]}::uuid[])` : sql`true`})
      group by e.id, e.entry_date) moved
    where unowned * owned < 0 group by day`;

/**
 * Selects by day what opened an account, opening balance that transfers moved included, and what assigned it to properties or took that
 * back; nothing for an account without an opening balance.
 */
export function selectOpeningMovements(db: StatementRunner, account: Account): RawBuilder<OpeningMovement> {
  const { id, categoryId } = account;
  return sql<OpeningMovement>`with opening as materialized (select l.entry_date as day, l.debit_cents - l.credit_cents as cents
      from journal_entry e join journal_line l on l.organization_id = e.organization_id and l.entry_id = e.id
      where e.organization_id = ${db.organizationId} and e.source_type = 'bank_account' and e.source_id = ${id} and l.account_id = ${categoryId}
      union all select e.entry_date, case when (t.from_bank_account_id = ${id}) = (e.reverses_id is null) then -t.unassigned_cents else t.unassigned_cents end
      from bank_transfer t join journal_entry e on e.organization_id = t.organization_id and e.source_type = 'transfer' and e.source_id = t.id
      where t.organization_id = ${db.organizationId} and t.unassigned_cents > 0 and ${id} in (t.from_bank_account_id, t.to_bank_account_id))
    select day, sum(opened)::bigint as opened_cents, sum(unassigned)::bigint as unassigned_cents from (
      select day, cents as opened, 0 as unassigned from opening
      union all select day, 0, cents from (${selectAssignments(db, account)}) assignment where exists (select from opening)) movement
    group by day order by day`;
}
