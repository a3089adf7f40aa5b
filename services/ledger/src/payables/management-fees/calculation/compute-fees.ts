/** Fees that a run charges, computed alike for a preview. */
import type { managementFees } from "@freehold/contract/payables/management-fees";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { allWithCustomPlan, type OrgDb, type StatementRunner } from "@freehold/kit/db/org-db";
import { invalid, unknownReference } from "@freehold/kit/errors";
import { addDays, minDate, monthsBetween, startOfMonth } from "@freehold/kit/time/plain-date";
import type { OwnedProperty } from "@freehold/proto/portfolio/v1/portfolio";
import { byProperty } from "../../../by-property.ts";
import type { Clients } from "../../../clients.ts";
import { findOwnershipOf } from "../../../owners/owned-properties.ts";
import { ownershipChanges } from "../../../owners/ownership.rules.ts";
import { findAgreements } from "../agreements/agreements.ts";
import {
  hasCompletedRun,
  selectBilled,
  selectChargedFees,
  selectChargedLeases,
  selectChargedPeriods,
  selectChargedThrough,
  selectCollected,
  selectSettledByDeposits,
  sumItems,
  type CountedPeriod,
  type PropertyItem,
} from "./base.queries.ts";
import { requireUncharged } from "./charged-periods.rules.ts";
import { dependsOnPortfolio, feeLines, groupByExpense, type Agreement, type FeeLine } from "./fee-lines.rules.ts";
import { lineView } from "./line.view.ts";
import { readPortfolioFacts, type PortfolioFacts } from "./portfolio-facts.ts";
import type { Period } from "./segments.rules.ts";

type Operations = typeof managementFees.operations;
export type Request = Pick<BodyOf<Operations["createManagementFeeRun"]>, "periodStart" | "periodEnd" | "propertyIds">;

/** Properties of a request, with what portfolio knows of those whose fees depend on it. */
export interface Subject {
  propertyIds: string[];
  portfolio: ReadonlyMap<string, PortfolioFacts>;
  /** Ownerships of the properties that have owners. */
  owned: readonly OwnedProperty[];
}

/**
 * Returns the properties of a request: those that it names, or all with an agreement in the period that are not deleted. Throws a 400
 * that names an unknown or deleted property and one without an agreement. Calls portfolio, so it runs before a transaction.
 */
export async function findSubject(db: OrgDb, clients: Clients, request: Request): Promise<Subject> {
  const requested = request.propertyIds && [...new Set(request.propertyIds)];
  const agreements = await findAgreements(db, requested, request.periodStart, request.periodEnd);
  const withAgreement = [...new Set(agreements.map(({ propertyId }) => propertyId))];
  const existing = await findExisting(db, clients, requested ?? withAgreement);
  if (requested) requireAgreements(request.propertyIds!, existing, withAgreement);
  const propertyIds = withAgreement.filter((id) => existing.has(id));
  const owned = await findOwnershipOf(db, clients, propertyIds);
  return { propertyIds, portfolio: await readFactsFor(db, clients, agreements, propertyIds, () => request), owned };
}

/**
 * Returns those of some properties that have an agreement on days up to the given one that no run has charged, with what portfolio knows of them
 * on these days.
 */
export async function findUnchargedSubject(db: OrgDb, clients: Clients, properties: readonly OwnedProperty[], lastDay: string): Promise<Subject> {
  const ids = properties.map(({ propertyId }) => propertyId);
  const all = await findAgreements(db, ids, "0001-01-01", lastDay);
  const starts = await readUnchargedStarts(db, all, lastDay);
  const agreements = all.filter(({ propertyId, effectiveTo }) => effectiveTo === null || effectiveTo >= starts.get(propertyId)!);
  const withAgreement = [...new Set(agreements.map(({ propertyId }) => propertyId))];
  const periodOf = (propertyId: string) => ({ periodStart: starts.get(propertyId)!, periodEnd: lastDay });
  return { propertyIds: withAgreement, portfolio: await readFactsFor(db, clients, agreements, withAgreement, periodOf), owned: properties };
}

/** Largest number of properties whose charged periods are read with the generic plan; more use a custom plan. */
const MAX_PROPERTIES_FOR_GENERIC_PLAN = 20;

type OwnAgreement = Agreement & { propertyId: string };

/**
 * Returns the first day of each property that no run has charged: the day after the latest charged period, or for properties that were never
 * charged the first day of the earliest of their agreements, so that their fees are computed together.
 */
async function readUnchargedStarts(db: StatementRunner, agreements: readonly OwnAgreement[], lastDay: string): Promise<Map<string, string>> {
  const ids = [...new Set(agreements.map(({ propertyId }) => propertyId))];
  const query = selectChargedThrough(db, ids);
  const latest = ids.length > MAX_PROPERTIES_FOR_GENERIC_PLAN ? await allWithCustomPlan(db, query) : await db.all(query);
  const charged = new Map(latest.map(({ propertyId, chargedThrough }) => [propertyId, addDays(chargedThrough, 1)]));
  const neverCharged = agreements.filter(({ propertyId }) => !charged.has(propertyId));
  const firstDay = neverCharged.reduce((first, { effectiveFrom }) => minDate(first, effectiveFrom), lastDay);
  return new Map(ids.map((id) => [id, charged.get(id) ?? firstDay]));
}

/** Returns the days from which the ownerships of properties after their first apply. */
export const ownershipChangesOf = (properties: readonly OwnedProperty[]): Map<string, string[]> =>
  new Map(properties.map((property) => [property.propertyId, ownershipChanges(property)]));

/** Returns what portfolio knows of those properties whose agreements depend on it. */
function readFactsFor(
  db: OrgDb,
  clients: Clients,
  agreements: readonly OwnAgreement[],
  propertyIds: readonly string[],
  periodOf: (propertyId: string) => Period,
): Promise<Map<string, PortfolioFacts>> {
  const dependent = new Set(agreements.filter(dependsOnPortfolio).map(({ propertyId }) => propertyId));
  const ids = propertyIds.filter((id) => dependent.has(id));
  return readPortfolioFacts(db, clients, ids, periodOf);
}

/** Returns the ids of properties that are not deleted: a deleted one bears no expenses. */
async function findExisting(db: OrgDb, { portfolio }: Clients, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { properties } = await portfolio.getProperties(db, { ids: [...ids] });
  return new Set(properties.filter(({ isDeleted }) => !isDeleted).map(({ id }) => id));
}

function requireAgreements(requested: readonly string[], existing: ReadonlySet<string>, withAgreement: readonly string[]): void {
  for (const [index, id] of requested.entries()) {
    if (!existing.has(id)) throw unknownReference(`propertyIds.${index}`, "property");
    if (withAgreement.includes(id)) continue;
    const message = "The property has no management fee agreement in the period. Create one first, or leave the property out.";
    throw invalid([{ path: `propertyIds.${index}`, code: "not_allowed", message }]);
  }
}

/** Fee that no run has charged yet, with the day whose owners bear it. */
export interface UnchargedFee {
  ownedOn: string;
  cents: number;
}

/** Returns the fees by property that runs would charge for the days up to the given one that none has charged. */
export async function computeUnchargedFees(db: StatementRunner, periodEnd: string, { propertyIds, ...facts }: Subject): Promise<Map<string, UnchargedFee[]>> {
  const starts = await readUnchargedStarts(db, await findAgreements(db, propertyIds, "0001-01-01", periodEnd), periodEnd);
  const lines: FeeLine[] = [];
  for (const [start, ids] of Map.groupBy(propertyIds, (id) => starts.get(id) ?? addDays(periodEnd, 1))) {
    if (start > periodEnd) continue;
    lines.push(...(await computeFees(db, { periodStart: start, periodEnd }, { propertyIds: ids, ...facts }, { aggregates: true })));
  }
  const fees = groupByExpense(lines).map(({ propertyId, ownedOn, totalCents }) => ({ propertyId, ownedOn: ownedOn ?? periodEnd, cents: totalCents }));
  return Map.groupBy(fees, ({ propertyId }) => propertyId);
}

interface ItemOptions {
  paymentIds?: CountedPeriod["paymentIds"];
  /** Sums the amounts by property, charge type, day, due date and sign in the database, for callers that need only the fees. */
  aggregates?: boolean;
}

/** Returns the fees of the properties that were not charged for the period yet. Throws a 409 like `requireUncharged`. */
export async function computeFees(
  db: StatementRunner,
  request: Request,
  { propertyIds, portfolio, owned }: Subject,
  options: ItemOptions = {},
): Promise<FeeLine[]> {
  const charged = await db.all(selectChargedPeriods(db, propertyIds, request));
  const uncharged = requireUncharged(propertyIds, charged, request, request.propertyIds !== undefined);
  // Amounts of earlier periods may belong to agreements that have ended since.
  const agreements = await findAgreements(db, uncharged, "0001-01-01", request.periodEnd);
  const items = await readItems(db, agreements, request, options);
  const months = new Set([...monthsBetween(request.periodStart, request.periodEnd), ...items.map(({ day }) => startOfMonth(day))]);
  const fees = await db.all(selectChargedFees(db, uncharged, [...months]));
  const chargedLeases = new Set((await db.all(selectChargedLeases(db, uncharged))).map(({ leaseId }) => leaseId));
  const changes = ownershipChangesOf(owned);
  const [ownAgreements, ownItems, ownFees] = [byProperty(agreements), byProperty(items), byProperty(fees)];
  const lines = uncharged.flatMap((propertyId) => {
    const { units, startedLeases } = portfolio.get(propertyId) ?? { units: [], startedLeases: [] };
    const facts = { agreements: ownAgreements(propertyId), items: ownItems(propertyId), charged: ownFees(propertyId) };
    return feeLines(
      { propertyId, ownershipChanges: changes.get(propertyId) ?? [], ...facts, units, startedLeases: startedLeases.filter(({ id }) => !chargedLeases.has(id)) },
      request,
    );
  });
  requireSupportedAmounts(lines);
  return lines;
}

/** Reads the amounts that agreements may count: collected ones, and billed ones where an agreement counts these. */
async function readItems(
  db: StatementRunner,
  agreements: readonly OwnAgreement[],
  period: Period,
  { paymentIds, aggregates = false }: ItemOptions,
): Promise<PropertyItem[]> {
  const withItems = (isOfItems: (agreement: Agreement) => boolean) => [...new Set(agreements.filter(isOfItems).map(({ propertyId }) => propertyId))];
  const collected = withItems(({ feeType, managerKeepsChargeTypes }) => feeType === "percent_of_collected" || managerKeepsChargeTypes.length > 0);
  const billed = withItems(({ feeType }) => feeType === "percent_of_billed");
  const counted = { ...period, hasRuns: await hasCompletedRun(db, period), paymentIds };
  const selected = [selectCollected(db, collected, counted), selectSettledByDeposits(db, collected, counted), selectBilled(db, billed, counted)];
  const items: PropertyItem[][] = [];
  for (const query of selected) items.push(await allWithCustomPlan(db, aggregates ? sumItems(query) : query));
  return items.flat();
}

/** Throws a 400 when an amount or the sum of the fees exceeds the largest supported amount. */
function requireSupportedAmounts(lines: readonly FeeLine[]): void {
  const totalCents = lines.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const cents = [totalCents, ...lines.flatMap(({ baseCents, computedCents, amountCents }) => [baseCents, computedCents, amountCents])];
  if (cents.every(Number.isSafeInteger)) return;
  throw invalid([{ path: "periodEnd", code: "max", message: "The fees of the period exceed the largest supported amount. Choose a shorter period." }]);
}

/** Returns what a run would charge. */
export async function previewFees(
  db: OrgDb,
  clients: Clients,
  request: BodyOf<Operations["previewManagementFees"]>,
): Promise<Output<Operations["previewManagementFees"]>> {
  const lines = await computeFees(db, request, await findSubject(db, clients, request));
  const totalCents = lines.reduce((sum, { amountCents }) => sum + amountCents, 0);
  return { preview: { lines: lines.map(lineView), totalCents } } as Output<Operations["previewManagementFees"]>;
}
