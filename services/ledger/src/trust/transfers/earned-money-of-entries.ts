/** Manual entries that move money from trust accounts to a business account or pay costs of the company, for which it must be the company's own like that of a transfer. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { conflict } from "@freehold/kit/errors";
import type { Chart } from "../../chart/categories.ts";
import type { LockedAccount } from "../bank-accounts/bank-account-references.ts";
import { refuseOrWarn } from "../bank-accounts/trust-funds.ts";
import type { LedgerSettings } from "../../settings/ledger-settings.ts";
import { readEarnedMoney } from "./earned-money.ts";

/**
 * Throws a 409 under every policy when a posted entry has moved money from trust accounts to a business account that the management company has not earned or put
 * in, or money that names a property there beyond what the company has advanced from that account; under the policy `block` a 409, or under `warn` a warning, when it
 * has spent money without a property that an entry has moved from a property.
 */
export async function requireEarnedMoneyOfEntry(
  tx: OrgTx,
  settings: LedgerSettings,
  chart: Chart,
  accounts: readonly LockedAccount[],
  entryId: string,
): Promise<void> {
  const business = accounts.filter(({ accountType }) => accountType === "business");
  if (business.length === 0) return requireOwnMoney(tx, settings, chart, accounts, entryId);
  if (business.length === accounts.length) return;
  const moved = await tx.all(sql<{ date: string; isBusiness: boolean; cents: number }>`
    select min(l.entry_date) as date, a.account_type = 'business' as is_business, sum(l.debit_cents - l.credit_cents)::bigint as cents
    from journal_line l join bank_account a on a.organization_id = l.organization_id and a.id = l.bank_account_id and a.category_id = l.account_id
    where l.organization_id = ${tx.organizationId} and l.entry_id = ${entryId} group by 2`);
  const [arrived, left] = [moved.find(({ isBusiness }) => isBusiness), moved.find(({ isBusiness }) => !isBusiness)];
  if (!arrived || !left || arrived.cents <= 0 || left.cents >= 0) return;
  const ofProperties = await tx.first(sql<{ cents: number }>`select l.property_id, sum(l.debit_cents - l.credit_cents)::bigint as cents from journal_line l
    where l.organization_id = ${tx.organizationId} and l.bank_account_id = any(${business.map(({ id }) => id)}::uuid[]) and l.account_id = any(${business.map(({ categoryId }) => categoryId)}::uuid[])
      and l.property_id in (select m.property_id from journal_line m where m.organization_id = ${tx.organizationId} and m.entry_id = ${entryId})
    group by 1 having sum(l.debit_cents) > sum(l.credit_cents) limit 1`);
  const missingCents = Math.max(ofProperties?.cents ?? 0, 0 - (await readEarnedMoney(tx, chart, arrived.date)));
  if (missingCents <= 0) return;
  const message = `${business[0]!.name} is a business account, and money of owners and tenants must not reach it: ${missingCents} cents are not earned by the management company. Lower the amount, or post the fees that were earned first.`;
  throw conflict(message, "would_overdraw_ledger");
}

/** Throws a 409 or adds a warning when a posted entry has spent money without a property that the company has not earned: that of properties. */
async function requireOwnMoney(tx: OrgTx, settings: LedgerSettings, chart: Chart, accounts: readonly LockedAccount[], entryId: string): Promise<void> {
  if (settings.policies.trustOverdraft === "off" || accounts.length === 0) return;
  const spent = await tx.first(sql<{ date: string; allCents: number; ownCents: number; name: string }>`
    select min(l.entry_date) as date, min(a.name) as name, sum(l.debit_cents - l.credit_cents)::bigint as all_cents,
      coalesce(sum(l.debit_cents - l.credit_cents) filter (where l.property_id is null), 0)::bigint as own_cents
    from journal_line l join bank_account a on a.organization_id = l.organization_id and a.id = l.bank_account_id and a.category_id = l.account_id
    where l.organization_id = ${tx.organizationId} and l.entry_id = ${entryId} having count(*) > 0`);
  if (!spent || spent.allCents >= 0 || spent.ownCents >= 0) return;
  const missingCents = Math.min(0 - (await readEarnedMoney(tx, chart, spent.date, { countsEquity: false })), -spent.ownCents);
  if (missingCents <= 0) return;
  const message = `The entry would pay ${missingCents} cents with money that was moved from properties in the bank account ${spent.name} and that the management company has not earned. Lower the amount, or post the fees that were earned first.`;
  await refuseOrWarn(tx, settings, message);
}
