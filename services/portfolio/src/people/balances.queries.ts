/** Balances of people and leases, which the ledger owns, joined to portfolio's rows to sort and filter lists by them. */
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { OpenBalances } from "@freehold/proto/ledger/v1/ledger";

interface BalanceQuery {
  sortBy: string;
  hasBalance?: boolean | undefined;
}
/** Tells whether a list is sorted by balance. */
export const sortsByBalance = ({ sortBy }: Pick<BalanceQuery, "sortBy">): boolean => sortBy === "balanceCents";

/** Tells whether a list needs the balances of all rows, not only of those on its page. */
export const needsBalances = (query: BalanceQuery): boolean => sortsByBalance(query) || query.hasBalance !== undefined;

/** Rows of the balances that are not zero. The SQL function declares a high row count, which the planner cannot derive from a parameter. */
const balanceRows = ({ ids, amounts }: OpenBalances) => sql`balances_of(${ids}::uuid[], ${amounts}::bigint[])`;
const noBalances: OpenBalances = { ids: "{}", amounts: "{}" };

const joinArrays = (arrayLiterals: readonly string[]): string => `{${arrayLiterals.map((literal) => literal.slice(1, -1)).join(",")}}`;

/** Joins the parts of the ledger's response. */
export const joinBalances = (parts: readonly OpenBalances[]): OpenBalances => ({
  ids: joinArrays(parts.map(({ ids }) => ids)),
  amounts: joinArrays(parts.map(({ amounts }) => amounts)),
});

/** Returns the `from` expression of a table, joined with the balances `b` of its rows when the list is sorted by them. */
export const withBalances = (table: RawBuilder<unknown>, id: RawBuilder<unknown>, isSortedByBalance: boolean, balances = noBalances): RawBuilder<unknown> =>
  isSortedByBalance ? sql`${table} left join ${balanceRows(balances)} b on b.id = ${id}` : table;

/** Sort expression of the balance joined by `withBalances`. */
export const balanceCents = sql`coalesce(b.cents, 0)`;

/** Returns the condition that the balance of the row `id` is positive, or with `expected` false that it is not. */
export const hasBalance = (id: RawBuilder<unknown>, expected: boolean, balances = noBalances): RawBuilder<unknown> =>
  sql`(${id} in (select balance.id from ${balanceRows(balances)} balance where balance.cents > 0)) = ${expected}`;
