/** Movements of accounts for reports: totals of months, of days in partial months, and journal lines under a filter. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { and } from "@freehold/kit/db/list";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { endOfMonth, minDate, startOfMonth } from "@freehold/kit/time/plain-date";
import { isInVersion } from "./ledger-version.ts";

export type Basis = "accrual" | "cash";

/** Filters of a report on journal lines. */
export interface LineFilter {
  basis: Basis;
  accountId?: string | undefined;
  propertyId?: string | undefined;
  ownerId?: string | undefined;
  /** Selects all lines of the entries that move money of this bank account. */
  bankAccountId?: string | undefined;
  /** Version of the ledger; all lines without one. */
  ledgerVersion?: number | undefined;
}

/** Column of `journal_line` with the account on a basis; null for amounts that the basis does not recognize. */
export const accountColumn = (basis: Basis): RawBuilder<unknown> => sql.ref(basis === "cash" ? "l.cash_account_id" : "l.account_id");

/** Reports whether a filter selects all lines of accounts, so that the monthly and daily totals apply. */
export const isWholeAccounts = ({ propertyId, ownerId, bankAccountId, ledgerVersion }: LineFilter): boolean =>
  propertyId === undefined && ownerId === undefined && bankAccountId === undefined && ledgerVersion === undefined;

/** Columns of `account_month` and `account_day` with the totals on a basis, as `debit_cents`, `credit_cents` and `lines`. */
export const totalsOn = (basis: Basis): RawBuilder<unknown> =>
  basis === "cash" ? sql`cash_debit_cents as debit_cents, cash_credit_cents as credit_cents, cash_lines as lines` : sql`debit_cents, credit_cents, lines`;

/** Conditions of a filter on `journal_line l`. */
export const lineConditions = (db: StatementRunner, { basis, accountId, propertyId, ownerId, bankAccountId, ledgerVersion }: LineFilter): RawBuilder<unknown> =>
  and([
    sql`l.organization_id = ${db.organizationId}`,
    accountId !== undefined && sql`${accountColumn(basis)} = ${accountId}`,
    propertyId !== undefined && sql`l.property_id = ${propertyId}`,
    ownerId !== undefined && sql`l.owner_id = ${ownerId}`,
    bankAccountId !== undefined &&
      sql`l.entry_id in (select entry_id from journal_line where organization_id = ${db.organizationId} and bank_account_id = ${bankAccountId})`,
    sql`${accountColumn(basis)} is not null`,
    ledgerVersion !== undefined && isInVersion(db, ledgerVersion, "l"),
  ]);

/**
 * Selects the movements of accounts up to a day as `account_id`, `day`, `debit_cents` and `credit_cents`. Those of whole accounts
 * are monthly totals dated the first of the month, and daily totals in a partial first or last month.
 */
export function accountMovements(db: StatementRunner, filter: LineFilter, from: string | undefined, to: string): RawBuilder<unknown> {
  if (!isWholeAccounts(filter))
    return sql`select ${accountColumn(filter.basis)} as account_id, l.entry_date as day, l.debit_cents, l.credit_cents
      from journal_line l where ${lineConditions(db, filter)} and l.entry_date <= ${to}`;
  const partialMonths = [from !== undefined && from !== startOfMonth(from) && startOfMonth(from), to < endOfMonth(to) && startOfMonth(to)].filter(
    (month) => month !== false,
  );
  const days = [...new Set(partialMonths)].map(
    (month) =>
      sql`select account_id, day, debit_cents, credit_cents from (${dayTotals(db, filter, sql`${month}`, sql`${minDate(endOfMonth(month), to)}`)}) partial_month`,
  );
  const months = sql`select account_id, month as day, debit_cents, credit_cents from (select account_id, month, ${totalsOn(filter.basis)} from account_month
    where organization_id = ${db.organizationId} and month <= ${startOfMonth(to)} and month <> all(${partialMonths}::date[])) total`;
  return sql.join([months, ...days], sql` union all `);
}

/** Selects the daily totals of whole accounts between two dates as `account_id`, `day`, `debit_cents`, `credit_cents` and `lines`. */
export const dayTotals = (db: StatementRunner, { basis, accountId }: LineFilter, from: RawBuilder<unknown>, to: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`select total.* from category c cross join lateral (select account_id, day, ${totalsOn(basis)} from account_day d
      where d.organization_id = c.organization_id and d.account_id = c.id and d.day between ${from}::date and ${to}::date) total
    where c.organization_id = ${db.organizationId} ${accountId === undefined ? sql`` : sql`and c.id = ${accountId}`}`;

/**
 * Selects the lines of accounts between two dates as `id`, `account_id`, `entry_date`, `debit_cents` and `credit_cents`, of
 * each account at most `limit` in the order of date and id. Reads one account at a time, since the index on dates starts with the account.
 */
export const linesByAccount = (
  db: StatementRunner,
  { basis, accountId }: LineFilter,
  from: RawBuilder<unknown>,
  to: RawBuilder<unknown>,
  limit?: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`select line.* from category c cross join lateral (
    select l.id, ${accountColumn(basis)} as account_id, l.entry_date, l.debit_cents, l.credit_cents from journal_line l
    where l.organization_id = c.organization_id and ${accountColumn(basis)} = c.id and l.entry_date between ${from}::date and ${to}::date
    ${limit === undefined ? sql`` : sql`order by l.entry_date, l.id limit ${limit}`}) line
  where c.organization_id = ${db.organizationId} ${accountId === undefined ? sql`` : sql`and c.id = ${accountId}`}`;
