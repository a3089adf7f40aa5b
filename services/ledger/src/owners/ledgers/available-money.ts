/** Money of properties that can be paid to their owners, and the part of each owner in it. */
import { allWithCustomPlan, type OrgDb, type StatementRunner } from "@freehold/kit/db/org-db";
import { addMonths, startOfMonth } from "@freehold/kit/time/plain-date";
import type { OwnedProperty, OwnershipShare } from "@freehold/proto/portfolio/v1/portfolio";
import { byProperty } from "../../by-property.ts";
import type { Chart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { computeUnchargedFees, findSubjectOf, type Subject, type UnchargedFee } from "../../payables/management-fees/calculation/compute-fees.ts";
import { elsewhereByOwner, ownerParts, sharesOn, shareTerms, uncoveredByOwner, unpaidByOwner, withSeveralOwners } from "../ownership.rules.ts";
import { type MoneyElsewhere, selectMoneyElsewhere } from "./money-elsewhere.queries.ts";
import { selectOwnerBalances } from "./owner-ledger.queries.ts";
import { findCountedAccounts, type FiguresRow, selectPropertyFigures, type MoneyScope } from "./property-figures.queries.ts";
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
  { properties, fees: subject }: MoneySubject,
  scope: MoneyScope,
  commitments: readonly Commitment[] = [],
): Promise<AvailableMoney[]> {
  const accounts = await findCountedAccounts(db, scope.bankAccountId);
  const figures = new Map((await allWithCustomPlan(db, selectPropertyFigures(db, chart, accounts, properties, scope))).map((row) => [row.propertyId, row]));
  const balances = await allWithCustomPlan(db, selectOwnerBalances(db, properties.flatMap(shareTerms), scope.asOf, scope.countsLaterPayouts));
  const shared = withSeveralOwners(properties).flatMap(shareTerms);
  const elsewhere = shared.length === 0 ? [] : await allWithCustomPlan(db, selectMoneyElsewhere(db, chart, shared, scope));
  const fees = await computeUnchargedFees(db, feeDaysUntil(scope.asOf), subject);
  const [balancesAt, elsewhereAt, promisedAt] = [byProperty(balances), byProperty(elsewhere), byProperty(commitments)];
  return properties.map((property) => {
    const { propertyId } = property;
    const facts = { balances: balancesAt(propertyId), elsewhere: elsewhereAt(propertyId), promised: promisedAt(propertyId) };
    return moneyOf(property, scope.asOf, { ...facts, row: figures.get(propertyId)!, fees: fees.get(propertyId) ?? [] });
  });
}

/** State of the money of one property. */
interface MoneyFacts {
  row: FiguresRow;
  balances: readonly { ownerId: string; balanceCents: number }[];
  elsewhere: readonly MoneyElsewhere[];
  promised: readonly Commitment[];
  fees: readonly UnchargedFee[];
}

function moneyOf(property: OwnedProperty, asOf: string, { row, balances, elsewhere, promised, fees }: MoneyFacts): AvailableMoney {
  const { propertyId: _, unpaidExpenses, heldWorkOrderIds, ...cents } = row;
  const { reserveCents = 0, additionalReserveCents = 0 } = property;
  const managementFeesCents = fees.reduce((sum, fee) => sum + fee.cents, 0);
  const figures = { ...cents, managementFeesCents, reserveCents, additionalReserveCents };
  const ownerlessFees = fees.map((fee) => ({ ...fee, ownerId: null }));
  const unpaid = { expenses: unpaidByOwner(property, unpaidExpenses), managementFees: unpaidByOwner(property, ownerlessFees) };
  const shares = sharesOn(property, asOf);
  const ledgerBalances = new Map(balances.map(({ ownerId, balanceCents }) => [ownerId, balanceCents]));
  const absent = elsewhereByOwner(elsewhere);
  const balancesHere = new Map([...ledgerBalances].map(([ownerId, balanceCents]) => [ownerId, balanceCents - (absent.get(ownerId) ?? 0)]));
  const burden = unpaidByOwner(property, [...unpaidExpenses, ...ownerlessFees]);
  const claims = new Map(ledgerBalances);
  const deductions = [...burden, ...promised.map(({ ownerId, amountCents }) => [ownerId, amountCents] as const)];
  for (const [ownerId, deducted] of deductions) claims.set(ownerId, (claims.get(ownerId) ?? 0) - deducted);
  const uncovered = uncoveredByOwner(balancesHere, burden);
  const availableWithUncovered = [...uncovered.values()].reduce((sum, part) => sum + part, availableCents(figures));
  const availableTo = (ownerId: string) => availableWithUncovered - (uncovered.get(ownerId) ?? 0);
  const parts = ownerParts(availableWithUncovered, claims, shares, absent);
  const unpaidExpenseIds = unpaidExpenses.map(({ id }) => id);
  return { property, figures, unpaidExpenseIds, heldWorkOrderIds, shares, ledgerBalances, balancesHere, unpaid, availableTo, parts };
}
