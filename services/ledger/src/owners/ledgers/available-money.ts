/** Money of properties that can be paid to their owners, and the part of each owner in it. */
import { allWithCustomPlan, type OrgDb, type StatementRunner } from "@freehold/kit/db/org-db";
import { addMonths, startOfMonth } from "@freehold/kit/time/plain-date";
import type { OwnedProperty, OwnershipShare } from "@freehold/proto/portfolio/v1/portfolio";
import type { Chart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { computeUnchargedFees, findSubjectOf, type Subject } from "../../payables/management-fees/calculation/compute-fees.ts";
import { moneyElsewhere, ownerParts, sharesOn, shareTerms, uncoveredByOwner, unpaidByOwner, withSeveralOwners } from "../ownership.rules.ts";
import { selectMoneyElsewhere } from "./money-elsewhere.queries.ts";
import { selectOwnerBalances } from "./owner-ledger.queries.ts";
import { selectPropertyFigures, type MoneyScope } from "./property-figures.queries.ts";
import { availableCents, type PropertyFigures } from "./property-figures.rules.ts";

/** Figures of a property at the end of a day, the documents behind them, and the part of each owner, former owners included. */
export interface AvailableMoney {
  property: OwnedProperty;
  figures: PropertyFigures;
  unpaidExpenseIds: string[];
  heldWorkOrderIds: string[];
  shares: OwnershipShare[];
  /** Balance of the ledger of each owner on the cash basis. */
  ledgerBalances: Map<string, number>;
  /** The part of these balances that is in the counted trust accounts. */
  balancesHere: Map<string, number>;
  /** Parts of each owner in the unpaid expenses and in the fees that are not charged yet. */
  unpaid: { expenses: Map<string, number>; managementFees: Map<string, number> };
  /** Money that is available to each owner: that of the property, without what other owners bear beyond their own money. */
  availableTo: (ownerId: string) => number;
  parts: Map<string, number>;
}

/** Properties whose money is read, with the facts that their management fees are computed from. */
export interface MoneySubject {
  properties: OwnedProperty[];
  fees: Subject;
}

/** Amount that an owner was promised of the money of a property: a payout that is drafted or approved. */
export interface Commitment {
  ownerId: string;
  propertyId: string;
  amountCents: number;
}

/** Reads from portfolio what the uncharged fees of properties are computed from, before a transaction begins. */
export async function findMoneySubject(db: OrgDb, clients: Clients, properties: OwnedProperty[], asOf: string): Promise<MoneySubject> {
  const existing = properties.filter(({ isDeleted }) => !isDeleted);
  return { properties, fees: await findSubjectOf(db, clients, existing, feeDaysUntil(asOf)) };
}

/** Days whose fees may not be charged yet: those of the month, and of the month before, which is charged when it has ended. */
const feeDaysUntil = (day: string) => ({ periodStart: startOfMonth(addMonths(day, -1)), periodEnd: day });

/** Reads the available money of properties at the end of a day, in all trust accounts or in one. Commitments reduce the parts of their owners. */
export async function readAvailableMoney(
  db: StatementRunner,
  chart: Chart,
  { properties, fees }: MoneySubject,
  scope: MoneyScope,
  commitments: readonly Commitment[] = [],
): Promise<AvailableMoney[]> {
  const rows = new Map((await allWithCustomPlan(db, selectPropertyFigures(db, chart, properties, scope))).map((row) => [row.propertyId, row]));
  const terms = properties.flatMap(shareTerms);
  const owned = await allWithCustomPlan(db, selectOwnerBalances(db, terms, scope.asOf, scope.countsLaterPayouts));
  const balances = Map.groupBy(owned, ({ propertyId }) => propertyId);
  const shared = withSeveralOwners(properties).flatMap(shareTerms);
  const elsewhere = shared.length === 0 ? [] : await allWithCustomPlan(db, selectMoneyElsewhere(db, chart, shared, scope));
  const uncharged = await computeUnchargedFees(db, feeDaysUntil(scope.asOf), fees);
  const elsewhereBy = Map.groupBy(elsewhere, ({ propertyId }) => propertyId);
  const promised = Map.groupBy(commitments, ({ propertyId }) => propertyId);
  return properties.map((property) => {
    const { propertyId } = property;
    const { propertyId: _, unpaidExpenses, heldWorkOrderIds, ...row } = rows.get(propertyId)!;
    const ownFees = uncharged.get(propertyId) ?? [];
    const managementFeesCents = ownFees.reduce((sum, { cents }) => sum + cents, 0);
    const { reserveCents = 0, additionalReserveCents = 0 } = property;
    const figures = { ...row, managementFeesCents, reserveCents, additionalReserveCents };
    const shares = sharesOn(property, scope.asOf);
    const ledgerBalances = new Map((balances.get(propertyId) ?? []).map(({ ownerId, balanceCents }) => [ownerId, balanceCents]));
    const claims = new Map(ledgerBalances);
    const deduct = (ownerId: string, cents: number) => claims.set(ownerId, (claims.get(ownerId) ?? 0) - cents);
    const ownerless = ownFees.map((fee) => ({ ...fee, ownerId: null }));
    const unpaid = { expenses: unpaidByOwner(property, unpaidExpenses), managementFees: unpaidByOwner(property, ownerless) };
    const burden = unpaidByOwner(property, [...unpaidExpenses, ...ownerless]);
    for (const [ownerId, cents] of burden) deduct(ownerId, cents);
    for (const { ownerId, amountCents } of promised.get(propertyId) ?? []) deduct(ownerId, amountCents);
    const unpaidExpenseIds = unpaidExpenses.map(({ id }) => id);
    const absent = moneyElsewhere(elsewhereBy.get(propertyId) ?? []);
    const balancesHere = new Map([...ledgerBalances].map(([ownerId, cents]) => [ownerId, cents - (absent.get(ownerId) ?? 0)]));
    const uncovered = uncoveredByOwner(balancesHere, burden);
    const availableWithUncovered = [...uncovered.values()].reduce((sum, cents) => sum + cents, availableCents(figures));
    const availableTo = (ownerId: string) => availableWithUncovered - (uncovered.get(ownerId) ?? 0);
    const parts = ownerParts(availableWithUncovered, claims, shares, absent);
    return { property, figures, unpaidExpenseIds, heldWorkOrderIds, shares, ledgerBalances, balancesHere, unpaid, availableTo, parts };
  });
}
