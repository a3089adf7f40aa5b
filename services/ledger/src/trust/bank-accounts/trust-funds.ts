/** Money that a beneficiary has in a trust account, which no withdrawal may exceed. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict } from "@freehold/kit/errors";
import { LAST_DATE } from "@freehold/contract/values";
import type { Chart } from "../../chart/categories.ts";
import type { LedgerSettings } from "../../settings/ledger-settings.ts";
import type { LockedAccount } from "./bank-account-references.ts";
import { selectSubLedgers, type Beneficiary } from "./sub-ledgers.ts";

/** Returns the money that each beneficiary lacks in a locked account, the most on the given day or after all entries that are dated ahead. */
export async function findShortfalls(
  tx: OrgTx,
  chart: Chart,
  account: LockedAccount,
  beneficiaries: readonly Beneficiary[],
  date: string,
): Promise<(Beneficiary & { balanceCents: number })[]> {
  const days = await Promise.all([date, LAST_DATE].map((day) => tx.all(selectSubLedgers(tx, chart, account, day))));
  return days.flat().filter((row) => row.balanceCents < 0 && beneficiaries.some((beneficiary) => isSame(beneficiary, row)));
}

const isSame = (one: Beneficiary, other: Beneficiary): boolean =>
  one.kind === other.kind && one.propertyId === other.propertyId && one.tenantId === other.tenantId;

const whose: Record<Beneficiary["kind"], string> = {
  owner: "the owners of the property",
  deposit: "the tenant's deposit",
  prepaid: "the tenant's prepaid rent",
  manager: "the management company",
};

/**
 * Throws a 409 when a posted withdrawal from a locked trust account has taken more than its beneficiaries have in the account, and the
 * policy `trustOverdraft` is `block`. A business account holds no money of others.
 */
export async function requireTrustFunds(
  tx: OrgTx,
  { policies }: LedgerSettings,
  chart: Chart,
  account: LockedAccount,
  beneficiaries: readonly Beneficiary[],
  date: string,
): Promise<void> {
  if (policies.trustOverdraft !== "block" || account.accountType === "business") return;
  const [shortfall] = await findShortfalls(tx, chart, account, beneficiaries, date);
  if (!shortfall) return;
  const message = `The bank account ${account.name} would lack ${-shortfall.balanceCents} cents of ${whose[shortfall.kind]}. Deposit or transfer money for the same beneficiary first, or lower the amount.`;
  throw conflict(message, "insufficient_trust_funds");
}
