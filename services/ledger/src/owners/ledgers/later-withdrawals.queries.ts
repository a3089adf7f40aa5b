/** Money of the owners of properties after later withdrawals, such as post-dated checks. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { Chart } from "../../chart/categories.ts";
import { beneficiaryAt } from "../../trust/bank-accounts/trust-funds.rules.ts";
import { readLowestBalances } from "../../trust/bank-accounts/trust-funds.ts";
import type { CountedAccount } from "./property-figures.queries.ts";

/**
 * Returns the lowest money that the owners of properties have in trust accounts at the end of the day `from` or of any later one, for the properties from whose
 * money there an entry of a day after `after` takes some.
 */
export async function readMoneyAfterLaterWithdrawals(
  db: StatementRunner,
  chart: Chart,
  accounts: readonly CountedAccount[],
  propertyIds: readonly string[],
  { after, from }: { after: string; from: string },
): Promise<Map<string, number>> {
  if (propertyIds.length === 0) return new Map();
  const rows = await db.all(sql<{ propertyId: string }>`select distinct property_id from journal_line where organization_id = ${db.organizationId}
    and bank_account_id = any(${accounts.map(({ id }) => id)}::uuid[]) and account_id = any(${accounts.map(({ categoryId }) => categoryId)}::uuid[])
    and entry_date > ${after} and credit_cents > 0 and property_id = any(${[...propertyIds]}::uuid[])`);
  const lowest = new Map<string, number>();
  if (rows.length === 0) return lowest;
  const holders = rows.map(({ propertyId }) => ({ ...beneficiaryAt(propertyId), propertyId }));
  for (const account of accounts)
    for (const { propertyId, balanceCents } of await readLowestBalances(db, chart, account, holders, from))
      lowest.set(propertyId, (lowest.get(propertyId) ?? 0) + balanceCents);
  return lowest;
}
