/** Money of the owners of a property, of which no withdrawal may use that of one owner for another. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { LAST_DATE } from "@freehold/contract/values";
import type { OwnedProperty } from "@freehold/proto/portfolio/v1/portfolio";
import type { Chart } from "../chart/categories.ts";
import { DEPOSITS_HELD, PREPAID_RENT, UNDEPOSITED_FUNDS } from "../chart/chart.ts";
import type { LedgerSettings } from "../settings/ledger-settings.ts";
import { refuseOrWarn } from "../trust/bank-accounts/trust-funds.ts";
import { type MoneyElsewhere, selectMoneyElsewhere } from "./ledgers/money-elsewhere.queries.ts";
import { isOfPayout, selectOwnerBalances } from "./ledgers/owner-ledger.queries.ts";
import { elsewhereByOwner, sharesOn, shareTerms, withSeveralOwners } from "./ownership.rules.ts";

/** Owner who bears a part of a withdrawal at a property. */
export interface Bearer {
  propertyId: string;
  ownerId: string;
}

/**
 * Throws a 409, or under the policy `warn` adds a warning, when an owner who bears a posted withdrawal has not had the money for it in trust accounts,
 * on its day or after all entries, so that it leaves less money of the property there than the other owners have earned of it. Undeposited money covers
 * nothing. The parts of amounts are whole cents, so a cent of each owner may be missing. Withdrawals from several bank accounts follow each other by a
 * lock of the property, which is the last one that a transaction takes.
 */
export async function requireOwnersFunds(
  tx: OrgTx,
  settings: LedgerSettings,
  chart: Chart,
  properties: readonly OwnedProperty[],
  bearers: readonly Bearer[],
  date: string,
): Promise<void> {
  const shared = withSeveralOwners(properties);
  if (settings.policies.trustOverdraft === "off" || shared.length === 0) return;
  const ids = shared.map(({ propertyId }) => propertyId);
  await tx.all(
    sql`select pg_advisory_xact_lock(hashtextextended('owners of ' || id, 0)) from (select distinct id from unnest(${ids}::text[]) as input (id) order by id) ordered`,
  );
  const warned = new Set<string>();
  for (const day of [date, LAST_DATE]) {
    const balances = Map.groupBy(await tx.all(selectOwnerBalances(tx, shared.flatMap(shareTerms), day, true)), ({ propertyId }) => propertyId);
    const cash = await readOwnersCash(tx, chart, ids, day);
    const undeposited = Map.groupBy(await readUndeposited(tx, settings, chart, shared, day), ({ propertyId }) => propertyId);
    for (const { propertyId, propertyName } of shared) {
      const absent = elsewhereByOwner(undeposited.get(propertyId) ?? []);
      const deposited = (balances.get(propertyId) ?? []).map(({ ownerId, balanceCents }) => ({ ownerId, cents: balanceCents - (absent.get(ownerId) ?? 0) }));
      const dueCents = deposited.reduce((sum, { cents }) => sum + Math.max(0, cents), 0);
      const depositedCents = (cash.get(propertyId) ?? 0) - [...absent.values()].reduce((sum, cents) => sum + cents, 0);
      const missingCents = dueCents - depositedCents;
      const isOwed = deposited.some(({ ownerId, cents }) => cents < 0 && bearers.some((each) => each.propertyId === propertyId && each.ownerId === ownerId));
      if (missingCents <= deposited.length || !isOwed || warned.has(propertyId)) continue;
      const message = `An owner of ${propertyName} would be paid for with ${missingCents} cents of the other owners. Deposit that owner's money or record a contribution of that owner first, or lower the amount.`;
      await refuseOrWarn(tx, settings, message);
      warned.add(propertyId);
    }
  }
}

/**
 * Throws a 409 or adds a warning when a posted manual entry, or the reversal of one, has taken money of properties with several owners from trust accounts
 * that those who bear it do not have: the owners whom its lines name, else those of its day.
 */
export async function requireOwnersFundsOfEntry(
  tx: OrgTx,
  settings: LedgerSettings,
  chart: Chart,
  properties: readonly OwnedProperty[],
  entryId: string,
): Promise<void> {
  if (settings.policies.trustOverdraft === "off" || withSeveralOwners(properties).length === 0) return;
  const lines = await tx.all(sql<{ propertyId: string; ownerId: string | null; date: string; ownedOn: string }>`
    with line as materialized (select l.property_id, l.owner_id, l.entry_date, coalesce(reversed.entry_date, l.entry_date) as owned_on, l.debit_cents - l.credit_cents as cents, a.id is not null as is_money, c.account_type
      from journal_line l join journal_entry e on e.organization_id = l.organization_id and e.id = l.entry_id
        left join journal_entry reversed on reversed.organization_id = e.organization_id and reversed.id = e.reverses_id join category c on c.organization_id = l.organization_id and c.id = l.account_id
        left join bank_account a on a.organization_id = l.organization_id and a.id = l.bank_account_id and a.category_id = l.account_id and a.account_type <> 'business'
      where l.organization_id = ${tx.organizationId} and l.entry_id = ${entryId} and l.property_id is not null)
    select distinct property_id, owner_id, entry_date as date, owned_on from line
    where property_id in (select property_id from line where is_money group by 1 having sum(cents) < 0) and account_type in ('income', 'expense', 'equity')`);
  const bearers = lines.flatMap(({ propertyId, ownerId, ownedOn }) => {
    if (ownerId) return [{ propertyId, ownerId }];
    const property = properties.find((each) => each.propertyId === propertyId);
    return property ? sharesOn(property, ownedOn).map((share) => ({ propertyId, ownerId: share.ownerId })) : [];
  });
  if (bearers.length > 0) await requireOwnersFunds(tx, settings, chart, properties, bearers, lines[0]!.date);
}

/** Selects the undeposited money of the owners of properties at the end of a day. */
const readUndeposited = (
  tx: OrgTx,
  { timezone }: LedgerSettings,
  chart: Chart,
  properties: readonly OwnedProperty[],
  asOf: string,
): Promise<MoneyElsewhere[]> => tx.all(selectMoneyElsewhere(tx, chart, properties.flatMap(shareTerms), { asOf, timezone, countsLaterPayouts: true }));

/** Returns the money of properties in trust accounts and undeposited funds, less deposits held and prepaid rent, by property. */
async function readOwnersCash(tx: OrgTx, chart: Chart, propertyIds: readonly string[], day: string): Promise<Map<string, number>> {
  const accounts = [UNDEPOSITED_FUNDS, DEPOSITS_HELD, PREPAID_RENT].map((code) => chart.accountId(code));
  const rows = await tx.all(sql<{ propertyId: string; cents: number }>`select l.property_id, sum(l.debit_cents - l.credit_cents)::bigint as cents
    from journal_line l left join bank_account a on a.organization_id = l.organization_id and a.id = l.bank_account_id and a.category_id = l.account_id and a.account_type <> 'business'
    where l.organization_id = ${tx.organizationId} and l.property_id = any(${[...propertyIds]}::uuid[]) and (a.id is not null or l.account_id = any(${accounts}::uuid[]))
      and (l.entry_date <= ${day} or ${isOfPayout(tx, sql`l.entry_id`)})
    group by 1`);
  return new Map(rows.map(({ propertyId, cents }) => [propertyId, cents]));
}
