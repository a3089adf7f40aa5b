/** Manual entries that move money from trust accounts to a business account or pay costs of the company, for which it must be the company's own like that of a transfer. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { conflict } from "@freehold/kit/errors";
import type { Chart } from "../../chart/categories.ts";
import type { LockedAccount } from "../bank-accounts/bank-account-references.ts";
import { refuseOrWarn } from "../bank-accounts/trust-funds.ts";
import type { LedgerSettings } from "../../settings/ledger-settings.ts";
import { readEarnedMoney } from "./earned-money.ts";

/**
 * Throws a 409 under every policy when a posted entry has moved money from trust accounts to a business account that the management company has not earned or put
 * in, or money that names a property there beyond what the company has advanced from that account; under the policy `block` a 409, or under `warn` a warning, when it
 * pays costs or distributions of the company with money of properties, or takes back what the company has earned from properties and has already used.
 */
export async function requireEarnedMoneyOfEntry(
  tx: OrgTx,
  settings: LedgerSettings,
  chart: Chart,
  accounts: readonly LockedAccount[],
  entryId: string,
): Promise<void> {
  await requireOwnMoneyAtBusiness(tx, chart, accounts, entryId);
  if (settings.policies.trustOverdraft !== "off") await requireOwnMoney(tx, settings, chart, entryId);
}

async function requireOwnMoneyAtBusiness(tx: OrgTx, chart: Chart, accounts: readonly LockedAccount[], entryId: string): Promise<void> {
  const business = accounts.filter(({ accountType }) => accountType === "business");
  if (business.length === 0 || business.length === accounts.length) return;
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

/** Amounts of a posted entry: what left trust accounts in all and without a property, what the company used of it, and what it gave back of its earnings. */
interface CompanyPart {
  date: string;
  name: string | null;
  namesProperty: boolean;
  leftCents: number;
  ownCents: number;
  usedCents: number;
  givenCents: number;
}

/** Throws a 409 or adds a warning when a posted entry has spent money that the company has not earned, that of properties, or has taken earnings back that are gone. */
async function requireOwnMoney(tx: OrgTx, settings: LedgerSettings, chart: Chart, entryId: string): Promise<void> {
  const isOwn = sql`l.property_id is null`;
  const isEarning = sql`(c.account_type in ('income', 'expense') or (c.is_bank and t.id is null))`;
  const sumWhere = (cents: RawBuilder<unknown>, condition: RawBuilder<unknown>) => sql`coalesce(sum(${cents}) filter (where ${condition}), 0)::bigint`;
  const [debits, credits] = [sql`l.debit_cents - l.credit_cents`, sql`l.credit_cents - l.debit_cents`];
  const part = await tx.first(sql<CompanyPart>`
    select min(l.entry_date) as date, min(t.name) as name, bool_or(l.property_id is not null) as names_property, ${sumWhere(credits, sql`t.id is not null`)} as left_cents,
      ${sumWhere(credits, sql`t.id is not null and ${isOwn}`)} as own_cents, ${sumWhere(debits, sql`${isOwn} and (${isEarning} or c.account_type = 'equity')`)} as used_cents,
      ${sumWhere(debits, sql`${isOwn} and ${isEarning}`)} as given_cents
    from journal_line l join category c on c.organization_id = l.organization_id and c.id = l.account_id
      left join bank_account t on t.organization_id = l.organization_id and t.id = l.bank_account_id and t.category_id = l.account_id and t.account_type <> 'business'
    where l.organization_id = ${tx.organizationId} and l.entry_id = ${entryId}`);
  const { date, name, namesProperty, leftCents, ownCents, usedCents, givenCents } = part!;
  const spentCents = leftCents > 0 ? Math.max(ownCents, Math.min(usedCents, leftCents)) : 0;
  const takenBackCents = namesProperty ? givenCents - Math.max(0, leftCents) : 0;
  if (spentCents <= 0 && takenBackCents <= 0) return;
  const unearnedCents = 0 - (await readEarnedMoney(tx, chart, date, { countsEquity: false }));
  if (unearnedCents <= 0) return;
  const missingCents = Math.min(unearnedCents, spentCents > 0 ? spentCents : Math.min(takenBackCents, await readSpentMoney(tx)));
  if (missingCents <= 0) return;
  const message =
    spentCents > 0
      ? `The entry would pay ${missingCents} cents with money of properties in the bank account ${name} that the management company has not earned. Lower the amount, or post the fees that were earned first.`
      : `The entry takes back what the management company has earned from properties, and ${missingCents} cents of that money have left the trust accounts. Void the transfer, or transfer the money back first, or lower the amount.`;
  await refuseOrWarn(tx, settings, message);
}

/** Returns the money without a property that has left the trust accounts, such as transfers to a business account and costs of the company. */
async function readSpentMoney(tx: OrgTx): Promise<number> {
  const spent = await tx.first(sql<{ cents: number }>`select coalesce(sum(least(all_cents, own_cents)), 0)::bigint as cents from (
      select sum(l.credit_cents - l.debit_cents) as all_cents, sum(l.credit_cents - l.debit_cents) filter (where l.property_id is null) as own_cents
      from journal_line l join bank_account t on t.organization_id = l.organization_id and t.id = l.bank_account_id and t.category_id = l.account_id and t.account_type <> 'business'
      where l.organization_id = ${tx.organizationId} and l.entry_id in (select entry_id from journal_line where organization_id = ${tx.organizationId}
        and bank_account_id is not null and property_id is null and credit_cents > 0)
      group by l.entry_id) entry where all_cents > 0 and own_cents > 0`);
  return spent!.cents;
}
