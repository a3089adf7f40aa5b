/** Transactions of reconciliations: what a draft can clear, and what a finalized one has stored. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { bankLines } from "../bank-accounts/register.queries.ts";
import type { BankAccount } from "../bank-accounts/bank-account.entity.ts";

/** Bank account of a reconciliation. */
export type ReconciledAccount = Pick<BankAccount, "id" | "categoryId">;

/** Draft whose transactions are selected. The first reconciliation of an account starts from its opening balance. */
export interface DraftScope {
  id: string;
  statementEndDate: string;
  isFirst: boolean;
}

/** Selects `true` for the opening balance of a bank account and its reversal, which are entries `e`. */
const isOpening = sql`(e.source_type is not distinct from 'bank_account')`;

/**
 * Selects the transactions of an account up to the end of a draft's statement that no finalized reconciliation has cleared, as
 * `entry_id`, `entry_date`, `cents`, `source`, `memo`, `is_cleared`, `statement_line_id` and `match_reason`. A transaction and its
 * reversal are left out while neither is cleared, and so is the opening balance from which the first reconciliation starts.
 */
export function selectDraftItems(db: StatementRunner, account: ReconciledAccount, { id, statementEndDate, isFirst }: DraftScope): RawBuilder<unknown> {
  // At most one of an entry. With the limit it is looked up by the index for each entry: a join compares all with all while the table's statistics are old.
  const clearedItem = (entry: RawBuilder<unknown>) =>
    sql`select i.reconciliation_id, i.statement_line_id, i.match_reason from reconciliation_item i
      where i.organization_id = ${db.organizationId} and i.bank_account_id = ${account.id} and i.entry_id = ${entry} and i.is_cleared and i.is_live limit 1`;
  return sql`select m.entry_id, m.entry_date, m.cents, e.source, e.source_type, e.source_id, e.memo, c.reconciliation_id is not null as is_cleared, c.statement_line_id, c.match_reason
    from (select l.entry_id, l.entry_date, sum(l.debit_cents - l.credit_cents)::bigint as cents from ${bankLines(db, account)} and l.entry_date <= ${statementEndDate}::date
      group by l.entry_id, l.entry_date having sum(l.debit_cents) <> sum(l.credit_cents)) m
    left join lateral (${clearedItem(sql`m.entry_id`)}) c on true
    join journal_entry e on e.organization_id = ${db.organizationId} and e.id = m.entry_id
    where coalesce(c.reconciliation_id = ${id}::uuid, true) and not (${isFirst} and ${isOpening}) and (c.reconciliation_id is not null or coalesce(e.reverses_id, e.reversed_by_id) is null or not exists (select from journal_entry o
      where o.organization_id = e.organization_id and o.id in (e.reverses_id, e.reversed_by_id) and o.entry_date <= ${statementEndDate}::date
        and exists (select from ${bankLines(db, account)} and l.entry_id = o.id) and not exists (${clearedItem(sql`o.id`)})))`;
}

/** Selects the transactions that a finalized or voided reconciliation has stored, with the columns of `selectDraftItems`. */
export const selectStoredItems = (db: StatementRunner, reconciliationId: string): RawBuilder<unknown> =>
  sql`select i.entry_id, i.entry_date, i.amount_cents as cents, e.source, e.source_type, e.source_id, e.memo, i.is_cleared, i.statement_line_id, i.match_reason
    from reconciliation_item i join journal_entry e on e.organization_id = i.organization_id and e.id = i.entry_id
    where i.organization_id = ${db.organizationId} and i.reconciliation_id = ${reconciliationId} and not i.is_opening`;

/** Selects the lines of the opening balance of an account up to a day, as `entry_id`, `entry_date` and `cents`. */
export const selectOpeningEntries = (db: StatementRunner, account: ReconciledAccount, statementEndDate: string): RawBuilder<unknown> =>
  sql`select l.entry_id, l.entry_date, sum(l.debit_cents - l.credit_cents)::bigint as cents
    from journal_entry e, ${bankLines(db, account)} and e.organization_id = l.organization_id and e.id = l.entry_id and ${isOpening} and l.entry_date <= ${statementEndDate}::date
    group by l.entry_id, l.entry_date`;
