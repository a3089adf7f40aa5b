/** Bank accounts of the lines of manual entries. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { invalid } from "@freehold/kit/errors";
import type { Chart } from "../../chart/categories.ts";
import { requireMoneyAccount } from "./bank-account-references.ts";
import type { StoredLine } from "../../journal/journal.rules.ts";

/**
 * Returns the lines of an entry to post, each line on a bank account of the chart with its bank account. Throws a 400 for a line whose
 * bank account is unknown or posted to another account, and for a line without one when several could be meant.
 */
export async function withBankAccounts(tx: OrgTx, chart: Chart, lines: readonly StoredLine[]): Promise<StoredLine[]> {
  const result: StoredLine[] = [];
  for (const [index, line] of lines.entries()) {
    if (!chart.findAccount(line.accountId)?.isBank) {
      result.push(line);
      continue;
    }
    const path = `lines.${index}.bankAccountId`;
    const { accountId, bankAccountId } = await requireMoneyAccount(tx, chart, line.bankAccountId ?? line.accountId, path);
    if (accountId !== line.accountId)
      throw invalid([{ path, code: "mismatch", message: "The bank account is posted to another account of the chart. Check accountId and bankAccountId." }]);
    result.push({ ...line, bankAccountId });
  }
  return result;
}
