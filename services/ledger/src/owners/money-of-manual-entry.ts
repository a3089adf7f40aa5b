/** Money that a manual entry may move. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { OwnedProperty } from "@freehold/proto/portfolio/v1/portfolio";
import type { Chart } from "../chart/categories.ts";
import type { LedgerSettings } from "../settings/ledger-settings.ts";
import type { LockedAccount } from "../trust/bank-accounts/bank-account-references.ts";
import { requireEarnedMoneyOfEntry } from "../trust/transfers/earned-money-of-entries.ts";
import { requireMoneyForOtherOwners, requireMoneyOfEntries } from "./owners-funds.ts";

/**
 * Throws a 409 or adds a warning when a posted manual entry, or the reversal of one, has taken money that its properties, one of their owners or the management company
 * does not have in the locked bank accounts.
 */
export async function requireMoneyOfManualEntry(
  tx: OrgTx,
  settings: LedgerSettings,
  chart: Chart,
  accounts: readonly LockedAccount[],
  properties: readonly OwnedProperty[],
  entryId: string,
): Promise<void> {
  await requireMoneyOfEntries(tx, settings, chart, accounts, properties, [entryId]);
  await requireMoneyForOtherOwners(tx, settings, chart, properties, entryId);
  await requireEarnedMoneyOfEntry(tx, settings, chart, accounts, entryId);
}
