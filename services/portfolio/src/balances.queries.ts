/** What people owe or are owed, as the ledger says it, beside the rows that portfolio keeps of them: to sort and filter by. */
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { OpenBalances } from "@freehold/proto/ledger/v1/ledger";

/** What a list asks of balances: of every row, not only of those that it shows. */
interface Query {
  sortBy: string;
  hasBalance?: boolean | undefined;
}
const isSortedByThem = ({ sortBy }: Query) => sortBy === "balanceCents";

export const needsBalances = (query: Query): boolean => isSortedByThem(query) || query.hasBalance !== undefined;

/** With everybody whom the ledger leaves out all is settled. The function says that they may be many: the planner cannot see it. */
const balancesOf = ({ ids, amounts }: OpenBalances) => sql`balances_of(${ids}::uuid[], ${amounts}::bigint[])`;
const nobody: OpenBalances = { ids: "{}", amounts: "{}" };

/** A table, with the balances of its rows if they are sorted by them. */
export const withBalances = (table: RawBuilder<unknown>, id: RawBuilder<unknown>, query: Query, balances = nobody): RawBuilder<unknown> =>
  isSortedByThem(query) ? sql`${table} left join ${balancesOf(balances)} b on b.id = ${id}` : table;

export const balanceCents = sql`coalesce(b.cents, 0)`;

/** Those with whom more than nothing is open, or all others. */
export const hasBalance = (id: RawBuilder<unknown>, is: boolean, balances = nobody): RawBuilder<unknown> =>
  sql`(${id} in (select o.id from ${balancesOf(balances)} o where o.cents > 0)) = ${is}`;
