import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { Chart } from "../../chart/categories.ts";
import type { LockedAccount } from "../../trust/bank-accounts/bank-account-references.ts";
import { beneficiaryAt } from "../../trust/bank-accounts/trust-funds.rules.ts";
import { readLowestBalances } from "../../trust/bank-accounts/trust-funds.ts";

/**
 * Returns what the management company has earned in a locked trust account, at the least on the given day and on all later days. What is
 * unassigned of the opening balance of the account belongs to owners and tenants.
 */
export async function readManagerCents(tx: OrgTx, chart: Chart, account: LockedAccount, date: string): Promise<number> {
  const [lowest] = await readLowestBalances(tx, chart, account, [beneficiaryAt(null)], date);
  return lowest!.balanceCents;
}
