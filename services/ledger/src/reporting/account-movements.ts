/** Movements of accounts for reports: the monthly totals, and journal lines for the days of a partial month only. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { and } from "@freehold/kit/db/list";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { today } from "@freehold/kit/time/clock";
import { addDays, endOfMonth, startOfMonth } from "@freehold/kit/time/plain-date";
import { isInVersion } from "./ledger-version.ts";

export type Basis = "accrual" | "cash";

/** Filters of a report on journal lines. */
export interface LineFilter {
  basis: Basis;
  accountId?: string | undefined;
  propertyId?: string | undefined;
  ownerId?: string | undefined;
  /** Version of the ledger; all lines without one. */
  ledgerVersion?: number | undefined;
}

/** Column of `journal_line` with the account on a basis; null for amounts that the basis does not recognize. */
export const accountColumn = (basis: Basis): RawBuilder<unknown> => sql.ref(basis === "cash" ? "l.cash_account_id" : "l.account_id");

/** Reports whether a filter selects all lines of accounts, so that the monthly totals apply. */
export const isWholeAccounts = ({ propertyId, ownerId, ledgerVersion }: LineFilter): boolean =>
  propertyId === undefined && ownerId === undefined && ledgerVersion === undefined;

/** Columns of `account_month` with the totals on a basis, as `debit_cents`, `credit_cents` and `lines`. */
export const monthlyTotals = (basis: Basis): RawBuilder<unknown> =>
  basis === "cash" ? sql`cash_debit_cents as debit_cents, cash_credit_cents as credit_cents, cash_lines as lines` : sql`debit_cents, credit_cents, lines`;

/** Conditions of a filter on `journal_line l`. */
export const lineConditions = (db: OrgDb, { basis, accountId, propertyId, ownerId, ledgerVersion }: LineFilter): RawBuilder<unknown> =>
  and([
    sql`l.organization_id = ${db.organizationId}`,
    accountId !== undefined && sql`${accountColumn(basis)} = ${accountId}`,
    propertyId !== undefined && sql`l.property_id = ${propertyId}`,
    ownerId !== undefined && sql`l.owner_id = ${ownerId}`,
    sql`${accountColumn(basis)} is not null`,
    ledgerVersion !== undefined && isInVersion(db, ledgerVersion, "l"),
  ]);

/**
 * Selects the movements of accounts up to a day as `account_id`, `day`, `debit_cents` and `credit_cents`. Those of whole
 * accounts are monthly totals dated the first of the month, and lines only for a partial first or last month. A partial last
 * month is computed from the smaller set of lines: its lines up to the last day, or the total of the month less its lines after
 * the last day, since hardly any line is dated after today.
 */
export function accountMovements(db: OrgDb, filter: LineFilter, from: string | undefined, to: string): RawBuilder<unknown> {
  const { basis } = filter;
  if (!isWholeAccounts(filter))
    return sql`select ${accountColumn(basis)} as account_id, l.entry_date as day, l.debit_cents, l.credit_cents
      from journal_line l where ${lineConditions(db, filter)} and l.entry_date <= ${to}`;
  const partialFirstMonth = from !== undefined && from !== startOfMonth(from) ? startOfMonth(from) : undefined;
  const lastMonth = startOfMonth(to);
  const endOfLastMonth = endOfMonth(to);
  const subtractsLaterLines = partialFirstMonth !== lastMonth && (to >= today(db.principal.timezone) || to > addDays(lastMonth, 15));
  const monthsFromLines = [partialFirstMonth, to < endOfLastMonth && !subtractsLaterLines ? lastMonth : undefined].filter((month) => month !== undefined);
  const lines = (first: string, last: string) => linesByAccount(db, filter, sql`${first}`, sql`${last}`);
  const parts = [
    sql`select account_id, month as day, debit_cents, credit_cents from (select account_id, month, ${monthlyTotals(basis)} from account_month
      where organization_id = ${db.organizationId} and month <= ${lastMonth} and month <> all(${monthsFromLines}::date[])) total`,
    ...[...new Set(monthsFromLines)].map(
      (month) =>
        sql`select account_id, entry_date, debit_cents, credit_cents from (${lines(month, month === lastMonth ? to : endOfMonth(month))}) partial_month`,
    ),
    ...(to < endOfLastMonth && subtractsLaterLines
      ? [sql`select account_id, ${lastMonth}::date, -debit_cents, -credit_cents from (${lines(addDays(to, 1), endOfLastMonth)}) later`]
      : []),
  ];
  return sql.join(parts, sql` union all `);
}

/**
 * Selects the lines of accounts between two dates as `id`, `account_id`, `entry_date`, `debit_cents` and `credit_cents`, of
 * each account at most `limit` in the order of date and id. Reads account by account, since the index on dates leads with it.
 */
export const linesByAccount = (
  db: OrgDb,
  { basis, accountId }: LineFilter,
  from: RawBuilder<unknown>,
  to: RawBuilder<unknown>,
  limit?: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`select line.* from category c cross join lateral (
    select l.id, ${accountColumn(basis)} as account_id, l.entry_date, l.debit_cents, l.credit_cents from journal_line l
    where l.organization_id = c.organization_id and ${accountColumn(basis)} = c.id and l.entry_date between ${from}::date and ${to}::date
    ${limit === undefined ? sql`` : sql`order by l.entry_date, l.id limit ${limit}`}) line
  where c.organization_id = ${db.organizationId} ${accountId === undefined ? sql`` : sql`and c.id = ${accountId}`}`;
