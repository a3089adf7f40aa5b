/** Money of properties that can be paid to their owners, and the part of each owner in it. */
import { allWithCustomPlan, type OrgDb, type StatementRunner } from "@freehold/kit/db/org-db";
import { LAST_DATE } from "@freehold/contract/values";
import { today } from "@freehold/kit/time/clock";
import { maxDate } from "@freehold/kit/time/plain-date";
import type { OwnedProperty, OwnershipShare } from "@freehold/proto/portfolio/v1/portfolio";
import { byProperty } from "../../by-property.ts";
import type { Chart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { computeUnchargedFees, findUnchargedSubject, type Subject, type UnchargedFee } from "../../payables/management-fees/calculation/compute-fees.ts";
import { ownerParts, ownersRest, sharesOn, shareTerms, uncoveredByOwner, unpaidByOwner, withSeveralOwners } from "../ownership.rules.ts";
import { readMoneyAfterLaterWithdrawals } from "./later-withdrawals.queries.ts";
import { selectOwnMovements } from "./money-in-account.queries.ts";
import { divideAmongOwners } from "./money-in-account.rules.ts";
import { followMovements, type OwnMovement } from "./own-movements.rules.ts";
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
  /** Money that is available to each owner: the part that can be paid, or what the owner lacks. */
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
  return { properties, fees: await findUnchargedSubject(db, clients, existing, asOf) };
}

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
  const shared = withSeveralOwners(properties);
  const days = { to: scope.asOf, countsLaterPayouts: scope.countsLaterPayouts };
  const movements = shared.length === 0 ? [] : await allWithCustomPlan(db, selectOwnMovements(db, chart, accounts, shared, days));
  const isShared = new Set(shared.map(({ propertyId }) => propertyId));
  const day = today(scope.timezone);
  // The money of an earlier day is that of the day, unless it is to be paid out now.
  const isCurrent = scope.countsLaterPayouts === true || scope.asOf >= day;
  const ids = isCurrent ? properties.map(({ propertyId }) => propertyId) : [];
  const from = maxDate(scope.asOf, day);
  // A payout is paid from what is left of the money of the day.
  const lowest = await readMoneyAfterLaterWithdrawals(db, chart, accounts, ids, { after: scope.countsLaterPayouts ? scope.asOf : from, from });
  const drawn = withSeveralOwners(properties.filter(({ propertyId }) => lowest.has(propertyId))).flatMap(shareTerms);
  const final = drawn.length === 0 ? [] : await allWithCustomPlan(db, selectOwnerBalances(db, drawn, LAST_DATE, true));
  const fees = await computeUnchargedFees(db, scope.asOf, subject);
  const [balancesAt, movementsAt, promisedAt, finalAt] = [byProperty(balances), byProperty(movements), byProperty(commitments), byProperty(final)];
  return properties.map((property) => {
    const { propertyId } = property;
    const facts = { balances: balancesAt(propertyId), movements: isShared.has(propertyId) ? movementsAt(propertyId) : null, promised: promisedAt(propertyId) };
    const later = { lowestCents: lowest.get(propertyId), finalBalances: finalAt(propertyId) };
    return moneyOf(property, scope.asOf, { ...facts, ...later, row: figures.get(propertyId)!, fees: fees.get(propertyId) ?? [] });
  });
}

/** State of the money of one property. */
interface MoneyFacts {
  row: FiguresRow;
  balances: readonly { ownerId: string; balanceCents: number }[];
  /** Movements of the owners' money, for a property of several owners. */
  movements: readonly OwnMovement[] | null;
  promised: readonly Commitment[];
  /** Lowest money of the owners after withdrawals of later days; undefined without such ones. */
  lowestCents: number | undefined;
  /** Balances after all entries, for a property of several owners with such withdrawals. */
  finalBalances: readonly { ownerId: string; balanceCents: number }[];
  fees: readonly UnchargedFee[];
}

function moneyOf(property: OwnedProperty, asOf: string, facts: MoneyFacts): AvailableMoney {
  const { row, balances, movements, promised, finalBalances, fees } = facts;
  const { propertyId: _, unpaidExpenses, heldWorkOrderIds, ...cents } = row;
  const { reserveCents = 0, additionalReserveCents = 0 } = property;
  const managementFeesCents = fees.reduce((sum, fee) => sum + fee.cents, 0);
  const figures = { ...cents, pendingCents: cents.pendingCents + drawnCents(facts), managementFeesCents, reserveCents, additionalReserveCents };
  const ownerlessFees = fees.map((fee) => ({ ...fee, ownerId: null }));
  const unpaid = { expenses: unpaidByOwner(property, unpaidExpenses), managementFees: unpaidByOwner(property, ownerlessFees) };
  const shares = sharesOn(property, asOf);
  const ledgerBalances = new Map(balances.map(({ ownerId, balanceCents }) => [ownerId, balanceCents]));
  const ownersCents = row.cashCents - row.securityDepositsCents - row.prepaidRentCents;
  const here = movements && new Map(divideAmongOwners(ownersCents, followMovements(movements)).map((part) => [part.ownerId, part.cents]));
  const limitedToHere = (ownerId: string, balanceCents: number) => (here ? Math.min(balanceCents, here.get(ownerId) ?? 0) : balanceCents);
  const balancesHere = new Map([...ledgerBalances].map(([ownerId, balanceCents]) => [ownerId, limitedToHere(ownerId, balanceCents)]));
  const burden = unpaidByOwner(property, [...unpaidExpenses, ...ownerlessFees]);
  // Other accounts have promised their own money first.
  const claims = new Map(ledgerBalances);
  for (const { ownerId, amountCents } of promised) claims.set(ownerId, (claims.get(ownerId) ?? 0) - amountCents);
  for (const [ownerId, cents] of claims) claims.set(ownerId, limitedToHere(ownerId, cents));
  const deductions: (readonly [string, number])[] = [...burden];
  const settledLater = unpaidByOwner(
    property,
    unpaidExpenses.map((each) => ({ ...each, cents: each.laterCents })),
  );
  for (const { ownerId, balanceCents } of finalBalances) {
    const takenCents = (ledgerBalances.get(ownerId) ?? 0) - balanceCents - (settledLater.get(ownerId) ?? 0);
    deductions.push([ownerId, Math.max(0, takenCents)]);
  }
  for (const [ownerId, deducted] of deductions) claims.set(ownerId, (claims.get(ownerId) ?? 0) - deducted);
  const uncovered = uncoveredByOwner(balancesHere, burden);
  const availableWithUncovered = [...uncovered.values()].reduce((sum, part) => sum + part, availableCents(figures));
  const parts = ownerParts(availableWithUncovered, claims, shares);
  const rest = ownersRest(availableWithUncovered, claims, shares);
  const availableTo = (ownerId: string) => (parts.get(ownerId) ?? 0) || Math.min(0, rest.get(ownerId) ?? 0);
  const unpaidExpenseIds = unpaidExpenses.map(({ id }) => id);
  return { property, figures, unpaidExpenseIds, heldWorkOrderIds, shares, ledgerBalances, balancesHere, unpaid, availableTo, parts };
}

/** Returns what withdrawals of later days take of the money of the owners on the day, beyond the unpaid expenses that they settle. */
function drawnCents({ row: { cashCents, securityDepositsCents, prepaidRentCents, unpaidExpenses }, lowestCents }: MoneyFacts): number {
  if (lowestCents === undefined) return 0;
  const settledLaterCents = unpaidExpenses.reduce((sum, { laterCents }) => sum + laterCents, 0);
  return Math.max(0, cashCents - securityDepositsCents - prepaidRentCents - lowestCents - settledLaterCents);
}
