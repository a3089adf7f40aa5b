/** Balances of a bank account in the books. */
import type { bankAccounts } from "@freehold/contract/trust/bank-accounts";
import type { Output } from "@freehold/contract/operation";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { clampSumToSafeInteger } from "@freehold/domain/money";
import { today } from "@freehold/kit/time/clock";
import { getChart } from "../../chart/categories.ts";
import { UNDEPOSITED_FUNDS } from "../../chart/chart.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import type { BankAccount } from "./bank-account.entity.ts";
import { bankLines } from "./register.queries.ts";

type Balances = Output<typeof bankAccounts.operations.getBankAccount>["balances"];
type Account = Pick<BankAccount, "id" | "categoryId">;

/** Balance of a bank account at the end of a day, and after all entries, those dated ahead included. */
export interface BookBalance {
  bookCents: number;
  finalCents: number;
}

/** Selects the balance of a bank account in the books. */
export function selectBookBalance(db: StatementRunner, account: Account, asOf: string): RawBuilder<BookBalance> {
  const cents = sql`l.debit_cents - l.credit_cents`;
  return sql<BookBalance>`select ${clampSumToSafeInteger(sql`coalesce(sum(${cents}) filter (where l.entry_date <= ${asOf}), 0)`)} as book_cents,
      ${clampSumToSafeInteger(sql`coalesce(sum(${cents}), 0)`)} as final_cents
    from ${bankLines(db, account)}`;
}

/**
 * Returns the balances of a bank account today. The opening balance is that of the bank, and further transactions are cleared by
 * finalized reconciliations. A reversed transaction never reaches the bank, so neither it nor its reversal is outstanding, unless one
 * of them is cleared.
 */
export async function readBankBalances(db: OrgDb, account: Account & Pick<BankAccount, "accountType">): Promise<Balances> {
  const [{ timezone }, chart] = await Promise.all([getLedgerSettings(db), getChart(db)]);
  const day = today(timezone);
  const isReconciled = (
    entryId: RawBuilder<unknown>,
  ) => sql`exists (select from reconciliation_item i join reconciliation r on r.organization_id = i.organization_id and r.id = i.reconciliation_id
    where i.organization_id = e.organization_id and i.bank_account_id = ${account.id} and i.entry_id = ${entryId} and i.is_cleared and i.is_live and r.status = 'finalized')`;
  const isOffset = sql`exists (select from journal_entry other where other.organization_id = e.organization_id and other.id in (e.reverses_id, e.reversed_by_id)
    and other.entry_date <= ${day} and not ${isReconciled(sql`other.id`)})`;
  const transactions = sql`select (e.source = 'opening_balance' or ${isReconciled(sql`e.id`)}) as is_cleared, sum(l.debit_cents - l.credit_cents) as cents
    from journal_entry e, ${bankLines(db, account)} and e.organization_id = l.organization_id and l.entry_id = e.id and l.entry_date <= ${day}
      and (${isReconciled(sql`e.id`)} or not ${isOffset}) group by e.organization_id, e.id`;
  const sumOf = (condition: RawBuilder<unknown>) => clampSumToSafeInteger(sql`coalesce(sum(abs(cents)) filter (where ${condition}), 0)`);
  const uncleared = sql<Omit<Balances, "bookCents">>`select ${clampSumToSafeInteger(sql`coalesce(sum(cents) filter (where is_cleared), 0)`)} as cleared_cents,
    ${sumOf(sql`cents > 0 and not is_cleared`)} as deposits_in_transit_cents, ${sumOf(sql`cents < 0 and not is_cleared`)} as outstanding_checks_cents,
    (select ${clampSumToSafeInteger(sql`coalesce(sum(debit_cents - credit_cents), 0)`)} from journal_line where organization_id = ${db.organizationId}
      and account_id = ${chart.accountId(UNDEPOSITED_FUNDS)} and entry_date <= ${day} and ${account.accountType !== "business"}) as undeposited_cents
    from (${transactions}) movement`;
  const [[balances], [book]] = await db.onSnapshot(uncleared, selectBookBalance(db, account, day));
  return { ...balances!, bookCents: book!.bookCents } as Balances;
}
