/** Limits of payouts from a bank account: the money of its owners, and the money that each owner has there at all properties together. */
import { allWithCustomPlan, type StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { OwnedProperty, Owner } from "@freehold/proto/portfolio/v1/portfolio";
import type { Chart } from "../../chart/categories.ts";
import type { LedgerSettings } from "../../settings/ledger-settings.ts";
import type { LockedAccount } from "../../trust/bank-accounts/bank-account-references.ts";
import { selectFlows } from "../../trust/bank-accounts/sub-ledgers.queries.ts";
import type { Flow } from "../../trust/bank-accounts/trust-funds.rules.ts";
import { refuseOrWarn } from "../../trust/bank-accounts/trust-funds.ts";
import { selectOwnMovements } from "../ledgers/money-in-account.queries.ts";
import { partsByDay } from "../ledgers/parts-by-day.rules.ts";
import { ownersEver, withSeveralOwners } from "../ownership.rules.ts";
import { debtorLimits, lowestOwnersMoney, ownersMoneyByDay, type MoneyAtProperty, type PayoutLimits, propertyLimits } from "./payout-limits.rules.ts";

type PayingAccount = Pick<LockedAccount, "id" | "categoryId" | "ownerId">;

/**
 * Reads the limits of payouts on a day: the lowest money on it and on all later days. The properties are those of the owners to pay, sold ones included. The money of
 * an owner with one property is read there if it is one of the given ids.
 */
export async function readPayoutLimits(
  db: StatementRunner,
  chart: Chart,
  account: PayingAccount,
  properties: readonly OwnedProperty[],
  date: string,
  propertyIds: ReadonlySet<string> = new Set(),
): Promise<PayoutLimits> {
  const ofSeveral = new Set(account.ownerId ? properties : ofOwnersWithSeveral(properties));
  const toDivide = properties.filter((property) => ofSeveral.has(property) || propertyIds.has(property.propertyId));
  const flows = await readFlows(db, chart, account, toDivide, date);
  const money = await readMoneyOfOwners(db, chart, account, toDivide, flows, date);
  return { ownersCents: lowestOwnersMoney(flows), ofDebtors: debtorLimits(money), atProperties: propertyLimits(money) };
}

/** Reads the flows of an account from a day on in the order of their days, in one pass. Those of owners name one of the given properties, or none. */
function readFlows(db: StatementRunner, chart: Chart, account: PayingAccount, properties: readonly OwnedProperty[], date: string): Promise<Flow[]> {
  const ids = properties.map(({ propertyId }) => propertyId);
  return allWithCustomPlan(
    db,
    sql<Flow>`select kind, case when kind <> 'owner' or property_id = any(${ids}::uuid[]) then property_id end as property_id, tenant_id, day, sum(cents)::bigint as cents
      from (${selectFlows(db, chart, account, undefined, { from: date })}) flow group by 1, 2, 3, 4 order by day`,
  );
}

/** Returns the properties of owners with several: the money of an owner with one property is limited there. */
function ofOwnersWithSeveral(properties: readonly OwnedProperty[]): OwnedProperty[] {
  const counts = new Map<string, number>();
  for (const ownerId of properties.flatMap(ownersEver)) counts.set(ownerId, (counts.get(ownerId) ?? 0) + 1);
  return properties.filter((property) => ownersEver(property).some((ownerId) => counts.get(ownerId)! > 1));
}

/** Returns the money of each owner at each property at the end of a day and of all later days. */
async function readMoneyOfOwners(
  db: StatementRunner,
  chart: Chart,
  account: PayingAccount,
  properties: readonly OwnedProperty[],
  flows: readonly Flow[],
  date: string,
): Promise<MoneyAtProperty[]> {
  const flowsOf = Map.groupBy(flows, ({ propertyId }) => propertyId);
  const ownersFlowsOf = (propertyId: string) => flowsOf.get(propertyId)?.filter(({ kind }) => kind === "owner") ?? [];
  const held = properties.filter(({ propertyId }) => ownersFlowsOf(propertyId).length > 0);
  const shared = new Set(account.ownerId ? [] : withSeveralOwners(held));
  const query = selectOwnMovements(db, chart, [account], [...shared], { from: date });
  const movements = Map.groupBy(shared.size === 0 ? [] : await allWithCustomPlan(db, query), ({ propertyId }) => propertyId);
  return held.flatMap((property): MoneyAtProperty[] => {
    const { propertyId } = property;
    const owners = ownersEver(property);
    if (shared.has(property)) {
      const days = partsByDay(movements.get(propertyId) ?? [], ownersFlowsOf(propertyId));
      const centsOf = (ownerId: string) => days.map(({ day, parts }) => ({ day, cents: parts.find((part) => part.ownerId === ownerId)?.cents ?? 0 }));
      // A cent of each owner may be missing.
      return owners.map((ownerId) => ({ propertyId, ownerId, oddCents: owners.length, days: centsOf(ownerId) }));
    }
    const ownerId = account.ownerId ?? owners[0];
    return ownerId ? [{ propertyId, ownerId, oddCents: 0, days: ownersMoneyByDay(flowsOf.get(propertyId)!) }] : [];
  });
}

/**
 * Throws a 409, or under the policy `warn` adds a warning, when posted payouts have taken more from a locked account than it holds of owners in all, or more than one of the
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
  const { ownersCents, ofDebtors } = await readPayoutLimits(tx, chart, account, properties, date);
  for (const { id, fullName } of owners) {
    const { cents, oddCents } = ofDebtors.get(id) ?? { cents: 0, oddCents: 0 };
    if (cents >= -oddCents) continue;
    const message = `${fullName} owes money at another property in the bank account ${account.name} and would be paid ${-cents} cents of other owners. Record a contribution of ${fullName} there, or void the payout and draft a new one.`;
    await refuseOrWarn(tx, settings, message);
  }
  if (ownersCents >= 0) return;
  const message = `The bank account ${account.name} would lack ${-ownersCents} cents of the money of its owners, because it was used for others. Deposit the missing money for those who lack it in the sub-ledgers of the account, or void the payout and draft a new one.`;
  await refuseOrWarn(tx, settings, message);
}
