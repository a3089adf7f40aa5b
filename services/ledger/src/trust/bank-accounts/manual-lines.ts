/** Bank accounts of the lines of manual entries. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { invalid } from "@freehold/kit/errors";
import type { Chart } from "../../chart/categories.ts";
import type { StoredLine } from "../../journal/journal.rules.ts";
import { lockMoneyAccounts, type LockedAccount } from "./bank-account-references.ts";

/** Lines of a manual entry with their bank accounts, which are locked. */
export interface BankedLines {
  lines: StoredLine[];
  accounts: LockedAccount[];
}

/**
 * Returns the lines of an entry to post, each line on a bank account of the chart with its bank account, and locks the bank accounts.
 * Throws a 400 for a line whose bank account is unknown or posted to another account, and for a line without one when several could be
 * meant, and a 409 for an archived bank account.
 */
export async function lockLinesAtBanks(tx: OrgTx, chart: Chart, lines: readonly StoredLine[]): Promise<BankedLines> {
  const atBanks = lines.filter(({ accountId }) => chart.findAccount(accountId)?.isBank);
  const find = await lockMoneyAccounts(
    tx,
    chart,
    atBanks.map(({ bankAccountId, accountId }) => bankAccountId ?? accountId),
  );
  const accounts = new Map<string, LockedAccount>();
  const banked = lines.map((line, index): StoredLine => {
    if (!atBanks.includes(line)) return line;
    const path = `lines.${index}.bankAccountId`;
    const { accountId, bankAccountId, account } = find(line.bankAccountId ?? line.accountId, path);
    if (accountId !== line.accountId)
      throw invalid([{ path, code: "mismatch", message: "The bank account is posted to another account of the chart. Check accountId and bankAccountId." }]);
    if (account) accounts.set(account.id, account);
    return { ...line, bankAccountId };
  });
  return { lines: banked, accounts: [...accounts.values()] };
}
