/** Balances of a bank account in the books. */
import type { bankAccounts } from "@freehold/contract/trust/bank-accounts";
import type { Output } from "@freehold/contract/operation";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
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

/** Returns the balance of a bank account in the books. */
export async function readBookBalance(db: StatementRunner, account: Account, asOf: string): Promise<BookBalance> {
  const cents = sql`l.debit_cents - l.credit_cents`;
  const row =
    await db.first(sql<BookBalance>`select ${clampSumToSafeInteger(sql`coalesce(sum(${cents}) filter (where l.entry_date <= ${asOf}), 0)`)} as book_cents,
      ${clampSumToSafeInteger(sql`coalesce(sum(${cents}), 0)`)} as final_cents
    from ${bankLines(db, account)}`);
  return row!;
}

/** Returns the balances of a bank account today. No transaction is cleared before the account is reconciled. */
export async function readBankBalances(db: StatementRunner, account: Account & Pick<BankAccount, "accountType">): Promise<Balances> {
  const [{ timezone }, chart] = await Promise.all([getLedgerSettings(db), getChart(db)]);
  const day = today(timezone);
  const transactions = sql`select sum(l.debit_cents - l.credit_cents) as cents from ${bankLines(db, account)} and l.entry_date <= ${day} group by l.entry_id`;
  const row = await db.first(sql<Omit<Balances, "clearedCents" | "bookCents">>`select
    ${clampSumToSafeInteger(sql`coalesce(sum(cents) filter (where cents > 0), 0)`)} as deposits_in_transit_cents,
    ${clampSumToSafeInteger(sql`coalesce(-sum(cents) filter (where cents < 0), 0)`)} as outstanding_checks_cents,
    (select ${clampSumToSafeInteger(sql`coalesce(sum(debit_cents - credit_cents), 0)`)} from journal_line where organization_id = ${db.organizationId}
      and account_id = ${chart.accountId(UNDEPOSITED_FUNDS)} and entry_date <= ${day} and ${account.accountType !== "business"}) as undeposited_cents
    from (${transactions}) movement`);
  const { bookCents } = await readBookBalance(db, account, day);
  return { bookCents, clearedCents: 0, ...row! } as Balances;
}
