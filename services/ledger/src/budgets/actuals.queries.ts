/** Actual amounts that budgets are compared with and filled from. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { endOfMonth } from "@freehold/kit/time/plain-date";
import { accountMovements, type LineFilter } from "../reporting/account-movements.ts";

/** Amounts in cents of accounts by id, one for each month. */
export type MonthlyAmounts = ReadonlyMap<string, readonly bigint[]>;

/**
 * Reads the net movements of income and expense accounts in consecutive months, given by their first days, positive in the
 * direction of the normal balance. Accounts without net movements are left out.
 */
export async function readActuals(db: StatementRunner, filter: LineFilter, months: readonly string[]): Promise<MonthlyAmounts> {
  const [from, to] = [months[0]!, endOfMonth(months.at(-1)!)];
  const rows = await db.all(sql<{ accountId: string; month: string; cents: string }>`
    select c.id as account_id, date_trunc('month', movement.day)::date as month,
      sum(case c.normal_balance when 'debit' then debit_cents - credit_cents else credit_cents - debit_cents end)::text as cents
    from (${accountMovements(db, filter, from, to)}) movement join category c on c.organization_id = ${db.organizationId} and c.id = movement.account_id
    where c.account_type in ('income', 'expense') and movement.day >= ${from}::date
    group by 1, 2 having sum(debit_cents) <> sum(credit_cents)`);
  const rowsByAccount = Map.groupBy(rows, ({ accountId }) => accountId);
  const amountIn = (accountRows: typeof rows, month: string) => BigInt(accountRows.find((row) => row.month === month)?.cents ?? 0);
  return new Map([...rowsByAccount].map(([accountId, accountRows]) => [accountId, months.map((month) => amountIn(accountRows, month))]));
}
