/** Balances of accounts on a day, also by property, owner or unit. */
import type { AccountBalance, accountingReports } from "@freehold/contract/ledger/accounting-reports";
import type { Output, QueryOf } from "@freehold/contract/operation";
import { clampToSafeInteger } from "@freehold/domain/money";
import { optionalPage, requireUnpagedSize } from "@freehold/kit/db/list";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { today } from "@freehold/kit/time/clock";
import type { z } from "zod";
import { accountColumn, accountMovements, lineConditions } from "./account-movements.ts";
import { readReport } from "./ledger-version.ts";

type Operation = typeof accountingReports.operations.listAccountBalances;
type Query = QueryOf<Operation>;
type BalanceRow = Omit<z.output<typeof AccountBalance>, "balanceCents"> & { total: number; balanceCents: string };

/** Returns the nonzero balances at the end of a day: all of them, or one page when the query has `page` or `pageSize`. */
export async function listAccountBalances(db: OrgDb, query: Query): Promise<Output<Operation>> {
  const asOf = query.asOf ?? today(db.principal.timezone);
  const { page, pageSize, isPaged } = optionalPage(query);
  const { rows, ledgerVersion } = await readReport(db, query.ledgerVersion, (version) =>
    balancePage(db, { ...query, ledgerVersion: version }, asOf, pageSize, (page - 1) * pageSize),
  );
  const total = rows[0]!.total;
  if (!isPaged) requireUnpagedSize(total);
  const balances = rows
    .filter(({ accountId }) => accountId !== null)
    .map(({ total: _total, balanceCents, ...row }) => ({ ...row, balanceCents: clampToSafeInteger(BigInt(balanceCents)) }));
  return { balances, asOf, ledgerVersion, ...(isPaged && { page, pageSize, total, totalPages: Math.max(1, Math.ceil(total / pageSize)) }) };
}

/** Selects a page of balances; a single row without a balance when the page is empty. */
const balancePage = (db: OrgDb, query: Query, asOf: string, limit: number, offset: number): RawBuilder<BalanceRow> => sql<BalanceRow>`
  with balance as materialized (
    select account_id, group_id, sum(debit_cents - credit_cents) as cents from (${movements(db, query, asOf)}) movement
    group by account_id, group_id having sum(debit_cents) <> sum(credit_cents))
  select (select count(*) from balance) as total, page.* from (select) one left join (
    select c.id as account_id, c.code as account_code, c.name as account_name, c.account_type, ${groupColumns(query.groupBy)}, b.cents::text as balance_cents
    from balance b join category c on c.organization_id = ${db.organizationId} and c.id = b.account_id
    order by c.code, b.group_id nulls last limit ${limit} offset ${offset}) page on true
  order by page.account_code, coalesce(page.property_id, page.owner_id, page.unit_id) nulls last`;

/** Selects the movements of the accounts up to the day, with the property, owner or unit as `group_id`. */
function movements(db: OrgDb, { basis, groupBy, accountId, ledgerVersion }: Query, asOf: string): RawBuilder<unknown> {
  if (groupBy === "account")
    return sql`select account_id, null::uuid as group_id, debit_cents, credit_cents from (${accountMovements(db, { basis, ledgerVersion }, undefined, asOf)}) total
      ${accountId === undefined ? sql`` : sql`where account_id = ${accountId}`}`;
  return sql`select ${accountColumn(basis)} as account_id, ${sql.ref(`l.${groupBy}_id`)} as group_id, l.debit_cents, l.credit_cents
    from journal_line l where ${lineConditions(db, { basis, accountId, ledgerVersion })} and l.entry_date <= ${asOf}`;
}

const groupColumns = (groupBy: Query["groupBy"]): RawBuilder<unknown> =>
  sql.join((["property", "owner", "unit"] as const).map((group) => sql`${group === groupBy ? sql`b.group_id` : sql`null::uuid`} as ${sql.ref(`${group}_id`)}`));
