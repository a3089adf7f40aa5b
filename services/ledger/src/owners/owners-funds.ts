/** Money of each owner of a property in a trust account, of which no withdrawal may use that of one owner for another. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { allWithCustomPlan } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { OwnedProperty } from "@freehold/proto/portfolio/v1/portfolio";
import type { Chart } from "../chart/categories.ts";
import type { LedgerSettings } from "../settings/ledger-settings.ts";
import type { LockedAccount } from "../trust/bank-accounts/bank-account-references.ts";
import { selectFlows } from "../trust/bank-accounts/sub-ledgers.queries.ts";
import type { Flow } from "../trust/bank-accounts/trust-funds.rules.ts";
import { MAX_PROPERTIES_FOR_GENERIC_PLAN, refuseOrWarn, requireFundsOfEntries } from "../trust/bank-accounts/trust-funds.ts";
import { selectOwnMovements } from "./ledgers/money-in-account.queries.ts";
import { lowestParts, partsByDay, uncoveredCents, unfundedCents, type PartsOfDay } from "./ledgers/parts-by-day.rules.ts";
import { ownersEver, withSeveralOwners } from "./ownership.rules.ts";

/**
 * Throws a 409, or under the policy `warn` adds a warning, when posted entries have taken money of an owner of a property from a locked trust account that
 * the owner does not have there, on a day or any later one, so that the other owners pay for it. Undeposited money and money in other accounts cover nothing.
 * The parts of amounts are whole cents, so a cent of each owner may be missing. The lock of the property, which is taken
 * after those of bank accounts, lets operations on several bank accounts of the property follow each other.
 */
export async function requireOwnersFunds(
  tx: OrgTx,
  settings: LedgerSettings,
  chart: Chart,
  account: LockedAccount,
  properties: readonly OwnedProperty[],
  entryIds: readonly string[],
  date: string,
): Promise<void> {
  const shared = withSeveralOwners(properties);
  // An account of one owner holds no money of others.
  if (settings.policies.trustOverdraft === "off" || account.accountType === "business" || account.ownerId || shared.length === 0) return;
  const ids = shared.map(({ propertyId }) => propertyId);
  await lockOwnersMoney(tx, ids);
  const after = await readPartsByDay(tx, chart, account, shared, date);
  const lacking = shared.filter(({ propertyId }) => after.get(propertyId)!.some((day) => day.parts.some((part) => part.ownerId !== null && part.cents < 0)));
  if (lacking.length === 0) return;
  const before = await readPartsByDay(tx, chart, account, lacking, date, entryIds);
  for (const { propertyId, propertyName } of lacking) {
    const cents = uncoveredCents(before.get(propertyId)!, after.get(propertyId)!);
    if (cents === 0) continue;
    const message = `The bank account ${account.name} would lack ${cents} cents of an owner of ${propertyName}, for whom the other owners would pay. Deposit or transfer that owner's money there or record a contribution of that owner first, or lower the amount.`;
    await refuseOrWarn(tx, settings, message);
  }
}

/** Locks the money of the owners of properties until the commit. */
const lockOwnersMoney = (tx: OrgTx, propertyIds: readonly string[]) =>
  tx.all(
    sql`select pg_advisory_xact_lock(hashtextextended('owners of ' || id, 0)) from (select distinct id from unnest(${[...propertyIds]}::text[]) as input (id) order by id) ordered`,
  );

/** Returns the lowest money of each owner of properties with several owners in a locked trust account on a day and all later ones, by `propertyId ownerId`; none for 0. */
export async function readLowestOwnMoney(
  tx: OrgTx,
  chart: Chart,
  account: LockedAccount,
  properties: readonly OwnedProperty[],
  date: string,
): Promise<Map<string, number>> {
  const lowest = new Map<string, number>();
  for (const [propertyId, days] of await readPartsByDay(tx, chart, account, properties, date))
    for (const [ownerId, cents] of lowestParts(days)) lowest.set(`${propertyId} ${ownerId}`, cents);
  return lowest;
}

/** Returns the parts of the owners of each property in an account at the end of a day and of each later day, also as they were without some entries. */
async function readPartsByDay(
  tx: OrgTx,
  chart: Chart,
  account: LockedAccount,
  properties: readonly OwnedProperty[],
  from: string,
  without: readonly string[] = [],
): Promise<Map<string, PartsOfDay[]>> {
  const ids = properties.map(({ propertyId }) => propertyId);
  const read = <T>(query: RawBuilder<T>): Promise<T[]> => (ids.length > MAX_PROPERTIES_FOR_GENERIC_PLAN ? allWithCustomPlan(tx, query) : tx.all(query));
  const movements = Map.groupBy(await read(selectOwnMovements(tx, chart, [account], properties, { from, without })), ({ propertyId }) => propertyId);
  const flows = await read(sql<Flow>`select kind, property_id, null::uuid as tenant_id, day, sum(cents)::bigint as cents
    from (${selectFlows(tx, chart, account, ids, { from })}) flow where kind = 'owner' group by 1, 2, 4`);
  const flowsOf = Map.groupBy(flows, ({ propertyId }) => propertyId!);
  return new Map(ids.map((id) => [id, partsByDay(movements.get(id) ?? [], flowsOf.get(id) ?? [])]));
}

/**
 * Throws a 409 or adds a warning when posted entries, such as a manual entry or the reversal of a deposit, have taken more from locked trust accounts than the
 * properties of their lines, or without one the management company, have there, or money that one of several owners of a property does not have there.
 */
export async function requireMoneyOfEntries(
  tx: OrgTx,
  settings: LedgerSettings,
  chart: Chart,
  accounts: readonly LockedAccount[],
  properties: readonly OwnedProperty[],
  entryIds: readonly string[],
): Promise<void> {
  await requireFundsOfEntries(tx, settings, chart, accounts, entryIds);
  if (settings.policies.trustOverdraft === "off" || withSeveralOwners(properties).length === 0 || accounts.length === 0) return;
  const date = await readFirstDay(tx, entryIds);
  for (const account of accounts) await requireOwnersFunds(tx, settings, chart, account, properties, entryIds, date);
}

async function readFirstDay(tx: OrgTx, entryIds: readonly string[]): Promise<string> {
  const row = await tx.first(
    sql<{
      date: string;
    }>`select min(entry_date) as date from journal_line where organization_id = ${tx.organizationId} and entry_id = any(${[...entryIds]}::uuid[])`,
  );
  return row!.date;
}

/**
 * Throws a 409 or adds a warning when a posted manual entry, such as one between the income of two owners of a property, gives the others more than an
 * owner has in all trust accounts and undeposited funds. The parts of amounts are whole cents, so a cent of each owner may be missing.
 */
export async function requireMoneyForOtherOwners(
  tx: OrgTx,
  settings: LedgerSettings,
  chart: Chart,
  properties: readonly OwnedProperty[],
  entryId: string,
): Promise<void> {
  const shared = withSeveralOwners(properties);
  if (settings.policies.trustOverdraft === "off" || shared.length === 0) return;
  await lockOwnersMoney(
    tx,
    shared.map(({ propertyId }) => propertyId),
  );
  const from = await readFirstDay(tx, [entryId]);
  const read = async (without: readonly string[]) => {
    const movements = await tx.all(selectOwnMovements(tx, chart, [], shared, { from, without }));
    return Map.groupBy(movements, ({ propertyId }) => propertyId);
  };
  const [before, after] = [await read([entryId]), await read([])];
  for (const property of shared) {
    const { propertyId, propertyName } = property;
    const cents = unfundedCents(before.get(propertyId) ?? [], after.get(propertyId) ?? []);
    if (cents <= ownersEver(property).length) continue;
    const message = `An owner of ${propertyName} would owe the other owners ${cents} cents that the owner does not have in the bank accounts. Record a contribution of that owner first, or lower the amount.`;
    await refuseOrWarn(tx, settings, message);
  }
}
