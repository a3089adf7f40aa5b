/** Trial balance on the accrual or cash basis. */
import type { journalEntries } from "@freehold/contract/ledger/journal-entries";
import type { Output, QueryOf } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import { addDays, startOfMonth, endOfMonth } from "@freehold/kit/time/plain-date";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { invalid } from "@freehold/kit/errors";
import { and } from "@freehold/kit/db/list";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { listCategories } from "../chart/categories.ts";
import { clampToSafeInteger } from "@freehold/domain/money";

type Operation = typeof journalEntries.operations.getTrialBalance;
type TrialBalance = Output<Operation>["trialBalance"];

/** Sums of an account in cents, as text, because they may exceed the largest safe integer. */
interface AccountSums {
  accountId: string;
  openingCents: string;
  debitCents: string;
  creditCents: string;
}

/** Returns opening balance, debits, credits and closing balance of every account as of a date or for a period. */
export async function getTrialBalance(db: OrgDb, query: QueryOf<Operation>): Promise<TrialBalance> {
  const asOf = query.asOf ?? query.to ?? today(db.principal.timezone);
  const from = query.from;
  if (from && from > asOf) throw invalid([{ path: "from", code: "before_start", message: "from cannot be after the end of the period." }]);
  const isUnfilteredAccrual = query.basis === "accrual" && !query.propertyId && !query.ownerId;
  const movements = isUnfilteredAccrual ? monthlyMovements(db, from, asOf) : lineMovements(db, query);
  const sums = await db.all(sumMovements(movements, from, asOf));
  return trialBalanceView(asOf, query.basis, await listCategories(db), new Map(sums.map((row) => [row.accountId, row])));
}

/**
 * Selects movements from the maintained monthly totals, and from journal lines only for a partial first or last month of the
 * period. A partial last month is computed from the smaller set of lines: its lines up to the end of the period, or the total
 * of the month less its lines after the end of the period, since hardly any line is dated after today.
 */
function monthlyMovements(db: OrgDb, from: string | undefined, to: string): RawBuilder<unknown> {
  const partialFirstMonth = from !== undefined && from !== startOfMonth(from) ? startOfMonth(from) : undefined;
  const lastMonth = startOfMonth(to);
  const endOfLastMonth = endOfMonth(to);
  const subtractsLaterLines = partialFirstMonth !== lastMonth && (to >= today(db.principal.timezone) || to > addDays(lastMonth, 15));
  const monthsFromLines = [partialFirstMonth, to < endOfLastMonth && !subtractsLaterLines ? lastMonth : undefined].filter((month) => month !== undefined);
  const parts = [
    sql`select account_id, month as day, debit_cents, credit_cents from account_month
      where organization_id = ${db.organizationId} and month <= ${lastMonth} and month <> all(${monthsFromLines}::date[])`,
    ...[...new Set(monthsFromLines)].map(
      (month) => sql`select account_id, entry_date, debit_cents, credit_cents ${linesBetween(db, month, month === lastMonth ? to : endOfMonth(month))}`,
    ),
    ...(to < endOfLastMonth && subtractsLaterLines
      ? [sql`select account_id, ${lastMonth}::date, -debit_cents, -credit_cents ${linesBetween(db, addDays(to, 1), endOfLastMonth)}`]
      : []),
  ];
  return sql.join(parts, sql` union all `);
}

/** Reads the lines of a date range by account, since the index on dates leads with the account. */
const linesBetween = (
  db: OrgDb,
  from: string,
  to: string,
) => sql`from category c cross join lateral (select account_id, entry_date, debit_cents, credit_cents from journal_line l
  where l.organization_id = c.organization_id and l.account_id = c.id and l.entry_date between ${from} and ${to}) line where c.organization_id = ${db.organizationId}`;

function lineMovements(db: OrgDb, { basis, propertyId, ownerId }: QueryOf<Operation>): RawBuilder<unknown> {
  const accountId = basis === "cash" ? sql`cash_account_id` : sql`account_id`;
  const where = and(
    [
      sql`organization_id = ${db.organizationId}`,
      propertyId && sql`property_id = ${propertyId}`,
      ownerId && sql`owner_id = ${ownerId}`,
      basis === "cash" && sql`cash_account_id is not null`,
    ].filter((condition) => condition !== undefined && condition !== ""),
  );
  return sql`select ${accountId} as account_id, entry_date as day, debit_cents, credit_cents from journal_line where ${where}`;
}

const sumMovements = (movements: RawBuilder<unknown>, from: string | undefined, to: string) => sql<AccountSums>`
  select account_id, coalesce(sum(debit_cents - credit_cents) filter (where day < ${from ?? "0001-01-01"}::date), 0)::text as opening_cents,
    coalesce(sum(debit_cents) filter (where day >= ${from ?? "0001-01-01"}::date), 0)::text as debit_cents,
    coalesce(sum(credit_cents) filter (where day >= ${from ?? "0001-01-01"}::date), 0)::text as credit_cents
  from (${movements}) as movement where day < ${addDays(to, 1)}::date group by account_id`;

function trialBalanceView(
  asOf: string,
  basis: TrialBalance["basis"],
  accounts: Awaited<ReturnType<typeof listCategories>>,
  sumsByAccount: Map<string, AccountSums>,
): TrialBalance {
  // Sums are exact until they are clamped for the response.
  const exactRows = accounts.map(({ id, code, name, accountType }) => {
    const sums = sumsByAccount.get(id);
    const [openingCents, debitCents, creditCents] = [BigInt(sums?.openingCents ?? 0), BigInt(sums?.debitCents ?? 0), BigInt(sums?.creditCents ?? 0)];
    const account = { accountId: id, accountCode: code, accountName: name, accountType };
    return { account, openingCents, debitCents, creditCents, closingCents: openingCents + debitCents - creditCents };
  });
  const total = (column: "openingCents" | "debitCents" | "creditCents" | "closingCents") => exactRows.reduce((sum, row) => sum + row[column], 0n);
  const [debitTotalCents, creditTotalCents] = [total("debitCents"), total("creditCents")];
  return {
    asOf,
    basis,
    rows: exactRows.map(({ account, openingCents, debitCents, creditCents, closingCents }) => ({
      ...account,
      openingCents: clampToSafeInteger(openingCents),
      debitCents: clampToSafeInteger(debitCents),
      creditCents: clampToSafeInteger(creditCents),
      closingCents: clampToSafeInteger(closingCents),
    })),
    debitTotalCents: clampToSafeInteger(debitTotalCents),
    creditTotalCents: clampToSafeInteger(creditTotalCents),
    isBalanced: debitTotalCents === creditTotalCents && total("closingCents") === 0n && total("openingCents") === 0n,
  };
}
