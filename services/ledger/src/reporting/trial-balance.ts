import type { journalEntries } from "@freehold/contract/journal-entries";
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

/** Sums as text: together they may be more than a number counts exactly. */
interface Movement {
  accountId: string;
  openingCents: string;
  debitCents: string;
  creditCents: string;
}

/** The balances of all accounts over a span of days, from the kept months and the lines of the months it cuts. */
export async function getTrialBalance(db: OrgDb, query: QueryOf<Operation>): Promise<TrialBalance> {
  const asOf = query.asOf ?? query.to ?? today(db.principal.timezone);
  const from = query.from;
  if (from && from > asOf) throw invalid([{ path: "from", code: "before_start", message: "from cannot be after the end of the span." }]);
  const isWhole = query.basis === "accrual" && !query.propertyId && !query.ownerId;
  const source = isWhole ? keptMovements(db, from, asOf) : lineMovements(db, query);
  const movements = await db.all(sum(source, from, asOf));
  return trialBalance(asOf, query.basis, await listCategories(db), new Map(movements.map((movement) => [movement.accountId, movement])));
}

/**
 * Whole months from what is kept, and single lines only for the months that an edge of the span cuts. The last month is
 * taken from its shorter side: up to its edge, or whole and less what came after it, as nearly nothing has after today.
 */
function keptMovements(db: OrgDb, from: string | undefined, to: string): RawBuilder<unknown> {
  const first = from !== undefined && from !== startOfMonth(from) ? startOfMonth(from) : undefined;
  const last = startOfMonth(to);
  const end = endOfMonth(to);
  const isLessWhatFollows = first !== last && (to >= today(db.principal.timezone) || to > addDays(last, 15));
  const cut = [first, to < end && !isLessWhatFollows ? last : undefined].filter((month) => month !== undefined);
  const parts = [
    sql`select account_id, month as day, debit_cents, credit_cents from account_month
      where organization_id = ${db.organizationId} and month <= ${last} and month <> all(${cut}::date[])`,
    ...[...new Set(cut)].map(
      (month) => sql`select account_id, entry_date, debit_cents, credit_cents ${linesBetween(db, month, month === last ? to : endOfMonth(month))}`,
    ),
    ...(to < end && isLessWhatFollows ? [sql`select account_id, ${last}::date, -debit_cents, -credit_cents ${linesBetween(db, addDays(to, 1), end)}`] : []),
  ];
  return sql.join(parts, sql` union all `);
}

/** The lines of a few days, found account by account: no index has the days of all accounts together. */
const linesBetween = (
  db: OrgDb,
  from: string,
  to: string,
) => sql`from category c cross join lateral (select account_id, entry_date, debit_cents, credit_cents from journal_line l
  where l.organization_id = c.organization_id and l.account_id = c.id and l.entry_date between ${from} and ${to}) line where c.organization_id = ${db.organizationId}`;

function lineMovements(db: OrgDb, { basis, propertyId, ownerId }: QueryOf<Operation>): RawBuilder<unknown> {
  const account = basis === "cash" ? sql`cash_account_id` : sql`account_id`;
  const where = and(
    [
      sql`organization_id = ${db.organizationId}`,
      propertyId && sql`property_id = ${propertyId}`,
      ownerId && sql`owner_id = ${ownerId}`,
      basis === "cash" && sql`cash_account_id is not null`,
    ].filter((condition) => condition !== undefined && condition !== ""),
  );
  return sql`select ${account} as account_id, entry_date as day, debit_cents, credit_cents from journal_line where ${where}`;
}

const sum = (source: RawBuilder<unknown>, from: string | undefined, to: string) => sql<Movement>`
  select account_id, coalesce(sum(debit_cents - credit_cents) filter (where day < ${from ?? "0001-01-01"}::date), 0)::text as opening_cents,
    coalesce(sum(debit_cents) filter (where day >= ${from ?? "0001-01-01"}::date), 0)::text as debit_cents,
    coalesce(sum(credit_cents) filter (where day >= ${from ?? "0001-01-01"}::date), 0)::text as credit_cents
  from (${source}) as movement where day < ${addDays(to, 1)}::date group by account_id`;

function trialBalance(
  asOf: string,
  basis: TrialBalance["basis"],
  accounts: Awaited<ReturnType<typeof listCategories>>,
  movements: Map<string, Movement>,
): TrialBalance {
  const exact = accounts.map(({ id, code, name, accountType }) => {
    const { openingCents = 0, debitCents = 0, creditCents = 0 } = movements.get(id) ?? {};
    const [opening, debit, credit] = [BigInt(openingCents), BigInt(debitCents), BigInt(creditCents)];
    const account = { accountId: id, accountCode: code, accountName: name, accountType };
    return { account, opening, debit, credit, closing: opening + debit - credit };
  });
  const total = (pick: (row: (typeof exact)[number]) => bigint) => exact.reduce((sofar, row) => sofar + pick(row), 0n);
  const [debits, credits] = [total((row) => row.debit), total((row) => row.credit)];
  return {
    asOf,
    basis,
    rows: exact.map(({ account, opening, debit, credit, closing }) => ({
      ...account,
      openingCents: clampToSafeInteger(opening),
      debitCents: clampToSafeInteger(debit),
      creditCents: clampToSafeInteger(credit),
      closingCents: clampToSafeInteger(closing),
    })),
    debitTotalCents: clampToSafeInteger(debits),
    creditTotalCents: clampToSafeInteger(credits),
    isBalanced: debits === credits && total((row) => row.closing) === 0n && total((row) => row.opening) === 0n,
  };
}
