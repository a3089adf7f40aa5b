/** Limits of payouts from a bank account: the money in it, and the money that each owner has there at all properties together. */
import { allWithCustomPlan, type StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { OwnedProperty, Owner } from "@freehold/proto/portfolio/v1/portfolio";
import type { Chart } from "../../chart/categories.ts";
import type { LedgerSettings } from "../../settings/ledger-settings.ts";
import type { LockedAccount } from "../../trust/bank-accounts/bank-account-references.ts";
import { selectFlows } from "../../trust/bank-accounts/sub-ledgers.queries.ts";
import { refuseOrWarn } from "../../trust/bank-accounts/trust-funds.ts";
import { selectOwnMovements } from "../ledgers/money-in-account.queries.ts";
import { partsByDay } from "../ledgers/parts-by-day.rules.ts";
import { ownersEver } from "../ownership.rules.ts";
import { debtorLimits, lowestBook, type MoneyOfDay, type PayoutLimits } from "./payout-limits.rules.ts";

/** Reads the limits of payouts on a day: the lowest money on it and on all later days. The properties are those of the owners to pay, sold ones included. */
export async function readPayoutLimits(
  db: StatementRunner,
  chart: Chart,
  account: Pick<LockedAccount, "id" | "categoryId" | "ownerId">,
  properties: readonly OwnedProperty[],
  date: string,
): Promise<PayoutLimits> {
  const flows = await allWithCustomPlan(
    db,
    sql<{ propertyId: string | null; day: string; cents: number; ownersCents: number }>`select property_id, day, sum(cents)::bigint as cents,
        coalesce(sum(cents) filter (where kind = 'owner'), 0)::bigint as owners_cents
      from (${selectFlows(db, chart, account, undefined, { from: date })}) flow group by 1, 2 order by 2`,
  );
  const ownersFlows = Map.groupBy(
    flows.map(({ propertyId, day, ownersCents }) => ({ propertyId, day, cents: ownersCents })),
    ({ propertyId }) => propertyId,
  );
  const held = properties.filter(({ propertyId }) => ownersFlows.has(propertyId));
  const shared = account.ownerId ? [] : held.filter((property) => ownersEver(property).length > 1);
  const query = selectOwnMovements(db, chart, [account], shared, { from: date });
  const movements = Map.groupBy(shared.length === 0 ? [] : await allWithCustomPlan(db, query), ({ propertyId }) => propertyId);
  const isShared = new Set(shared);
  const money = held.flatMap((property): MoneyOfDay[][] => {
    const own = ownersFlows.get(property.propertyId)!;
    if (isShared.has(property)) {
      const days = partsByDay(movements.get(property.propertyId) ?? [], own);
      return ownersEver(property).map((ownerId) =>
        days.map(({ day, parts }) => ({ ownerId, day, cents: parts.find((part) => part.ownerId === ownerId)?.cents ?? 0 })),
      );
    }
    const ownerId = account.ownerId ?? ownersEver(property)[0];
    let cents = 0;
    return ownerId ? [own.map((flow) => ({ ownerId, day: flow.day, cents: (cents += flow.cents) }))] : [];
  });
  return { bookCents: lowestBook(flows), ofDebtors: debtorLimits(money) };
}

/**
 * Throws a 409, or under the policy `warn` adds a warning, when posted payouts have taken more from a locked account than it holds in all, or more than one of the
 * paid owners, who owes money at a property, has there at all properties together.
 */
export async function requirePayoutLimits(
  tx: OrgTx,
  settings: LedgerSettings,
  chart: Chart,
  account: LockedAccount,
  owners: readonly Owner[],
  properties: readonly OwnedProperty[],
  date: string,
): Promise<void> {
  if (settings.policies.trustOverdraft === "off") return;
  const { bookCents, ofDebtors } = await readPayoutLimits(tx, chart, account, properties, date);
  for (const { id, fullName } of owners) {
    const cents = ofDebtors.get(id) ?? 0;
    if (cents >= 0) continue;
    const message = `${fullName} owes money at another property in the bank account ${account.name} and would be paid ${-cents} cents of other owners. Record a contribution of ${fullName} there, or void the payout and draft a new one.`;
    await refuseOrWarn(tx, settings, message);
  }
  if (bookCents >= 0) return;
  const message = `The bank account ${account.name} would be overdrawn by ${-bookCents} cents, because money of its owners was used for others. Deposit the missing money there, or void the payout and draft a new one.`;
  await refuseOrWarn(tx, settings, message);
}
