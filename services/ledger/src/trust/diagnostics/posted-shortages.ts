/** Money that trust accounts lack after changes that are posted under every policy: the returns of payments, and the rebilling of leases. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { today } from "@freehold/kit/time/clock";
import type { Chart } from "../../chart/categories.ts";
import type { LedgerSettings } from "../../settings/ledger-settings.ts";
import type { BankAccount } from "../bank-accounts/bank-account.entity.ts";
import { describeHolders } from "../bank-accounts/holder-names.ts";
import { selectFlows, type Beneficiary } from "../bank-accounts/sub-ledgers.queries.ts";

type Account = Pick<BankAccount, "id" | "name" | "categoryId">;

/**
 * Adds a warning for each beneficiary at some properties who lacks money today in a trust account to which payments were deposited or from which
 * they were refunded, and requests the check of the diagnostics. Does nothing under the policy `off`, nor for payments that never reached a bank.
 */
export async function reportShortages(
  tx: OrgTx,
  { policies, timezone }: LedgerSettings,
  chart: Chart,
  paymentIds: readonly string[],
  propertyIds: readonly string[],
): Promise<void> {
  if (policies.trustOverdraft === "off" || paymentIds.length === 0) return;
  await tx.flush();
  for (const account of await findAccounts(tx, paymentIds)) {
    const shortages = await tx.all(sql<Beneficiary & { cents: number }>`select kind, property_id, tenant_id, -sum(cents)::bigint as cents
      from (${selectFlows(tx, chart, account, [...new Set(propertyIds)])}) flow where day <= ${today(timezone)} group by 1, 2, 3 having sum(cents) < 0 order by 1, 2, 3`);
    const descriptions = await describeHolders(tx, shortages);
    for (const [index, { cents }] of shortages.entries())
      tx.warnings.push(
        `The bank account ${account.name} lacks ${cents} cents of ${descriptions[index]}, because the money of the payment was already used. Deposit the missing money in the account, or transfer it there.`,
      );
    if (shortages.length > 0) await scheduleNow(tx, "raiseDiagnostics");
  }
}

/** Returns the trust accounts to which payments were deposited or from which they were refunded. */
const findAccounts = (tx: OrgTx, paymentIds: readonly string[]): Promise<Account[]> =>
  tx.all(sql<Account>`select id, name, category_id from bank_account where organization_id = ${tx.organizationId} and account_type <> 'business' and id in (
      select d.trust_bank_account_id from bank_deposit_payment m join bank_deposit d on d.organization_id = m.organization_id and d.id = m.deposit_id
        where m.organization_id = ${tx.organizationId} and m.payment_id = any(${[...paymentIds]}::uuid[])
      union select trust_bank_account_id from payment_refund where organization_id = ${tx.organizationId} and payment_id = any(${[...paymentIds]}::uuid[]))
    order by id`);
