/** Fees of a property in a period, by agreement, month and kind. */
import type { managementFeeKinds, LeaseFee, ManagementFeeAgreement } from "@freehold/contract/payables/management-fees";
import { addDays, daysInMonth, startOfMonth } from "@freehold/kit/time/plain-date";
import { appliesOn } from "../agreements/agreement.rules.ts";
import { percentOf, prorateByDays, proratedPercentOf, type Rate } from "./fee.rules.ts";
import { chargedPart, limitFees, type MonthPart, type StoredFee } from "./month-limits.rules.ts";
import { segmentsOf, type Period, type Segment } from "./segments.rules.ts";

export type Agreement = Pick<
  ManagementFeeAgreement,
  | "id"
  | "effectiveFrom"
  | "effectiveTo"
  | "feeType"
  | "percentBps"
  | "flatCents"
  | "minimumCents"
  | "maximumCents"
  | "waiveWhenVacant"
  | "includedChargeTypes"
  | "managerKeepsChargeTypes"
  | "leasingFee"
  | "renewalFee"
  | "categoryId"
>;

/** Amount of a charge that fees may count. Negative for an amount that was counted before and no longer settles the charge. */
export interface BaseItem {
  chargeId: string;
  chargeType: string;
  /** Payment and allocation that settled the charge. Null for the billed amount and when a security deposit settled the charge. */
  paymentId: string | null;
  allocationId: string | null;
  /** Credit of the charge that a security deposit has paid. Null for other amounts. */
  creditId: string | null;
  /** Day on which the money settled the charge, or on which the charge is due. */
  day: string;
  /** Day whose owners have earned the charge. */
  dueDate: string;
  amountCents: number;
}

/** Unit of a property with the days of its leases. */
export interface UnitFacts {
  marketRentCents: number;
  leases: readonly { startDate: string; lastDay: string | null }[];
}

/** Lease that has started in the period. */
export interface StartedLease {
  id: string;
  startDate: string;
  isRenewal: boolean;
  /** Rent at the start. */
  rentCents: number;
}

/** Fee of a month that a completed run has charged for a period. */
export type ChargedFee = StoredFee & Period;

/** Facts that the fees of a property are computed from. */
export interface PropertyFacts {
  propertyId: string;
  agreements: readonly Agreement[];
  items: readonly BaseItem[];
  /** Fees that were charged for the months of the period and of the items. */
  charged: readonly ChargedFee[];
  units: readonly UnitFacts[];
  /** Leases without a leasing or renewal fee yet. */
  startedLeases: readonly StartedLease[];
  /** Days from which each ownership after the first applies. */
  ownershipChanges: readonly string[];
}

/** Fee of a property, with what it is computed from. */
export interface FeeLine {
  propertyId: string;
  agreementId: string;
  categoryId: string;
  kind: (typeof managementFeeKinds)[number];
  month: string;
  leaseId: string | null;
  /**
   * Day whose owners bear the fee: those who have earned the base, those of the start of the lease or, for other fees, those of the last
   * day of the month. Null for the owners of the last day of the period.
   */
  ownedOn: string | null;
  baseCents: number;
  computedCents: number;
  minimumApplied: boolean;
  maximumApplied: boolean;
  isWaived: boolean;
  amountCents: number;
  /** Rate of a fee that depends on its base items, with the limits of its month; null for fees for leases and for waived ones. */
  rate: Rate | null;
  base: readonly BaseItem[];
}

/**
 * Returns the fees of a property. A correction of an earlier run that would make an expense negative is left to a later run: an expense
 * cannot be negative. Corrections for other owners count nevertheless.
 */
export function feeLines(facts: PropertyFacts, period: Period): FeeLine[] {
  const lines = linesOf(facts, period);
  const negative = new Set(groupByExpense(lines).flatMap(({ ownedOn, totalCents }) => (totalCents < 0 ? [ownedOn] : [])));
  if (negative.size === 0) return lines;
  const ownerDayOf = ownerDay(facts.ownershipChanges, period);
  return linesOf({ ...facts, items: facts.items.filter(({ dueDate, amountCents }) => amountCents > 0 || !negative.has(ownerDayOf(dueDate))) }, period);
}

/** Names the last day of the period in a fee of its owners, when the property is sold between the day of the expense and that day. */
export const withOwners = (line: FeeLine, changes: readonly string[], incurredOn: string, { periodEnd }: Period): FeeLine =>
  line.ownedOn === null && changes.some((change) => incurredOn < change && change <= periodEnd) ? { ...line, ownedOn: periodEnd } : line;

/** Fees that one expense contains: those of a property, an account and the owners of a day. */
export interface ExpenseOfFees extends Pick<FeeLine, "propertyId" | "categoryId" | "ownedOn"> {
  totalCents: number;
}

/** Returns the key of the expense that contains a fee. */
export const expenseKey = ({ propertyId, categoryId, ownedOn }: Pick<FeeLine, "propertyId" | "categoryId" | "ownedOn">): string =>
  `${propertyId} ${categoryId} ${ownedOn}`;

/** Returns the expenses that contain fees, with their sums. */
export const groupByExpense = (lines: readonly FeeLine[]): ExpenseOfFees[] =>
  [...Map.groupBy(lines, expenseKey).values()].map((group) => {
    const { propertyId, categoryId, ownedOn } = group[0]!;
    return { propertyId, categoryId, ownedOn, totalCents: group.reduce((sum, { amountCents }) => sum + amountCents, 0) };
  });

/** Fee before the limits of its month; without a part it has none. */
interface Draft {
  line: FeeLine;
  part?: MonthPart;
}

/** Returns the fees within the minimum and maximum of each month. */
function linesOf(facts: PropertyFacts, period: Period): FeeLine[] {
  const drafts = facts.agreements.flatMap((agreement) => draftsOf(agreement, facts, period));
  const limited = new Map<Draft, FeeLine>();
  for (const [month, group] of Map.groupBy(drafts, ({ line }) => line.month)) {
    const ofMonth = group.flatMap((draft) => (draft.part ? [{ draft, part: draft.part }] : []));
    const charged = facts.charged.filter((fee) => fee.month === month).map(chargedPart);
    const fees = limitFees(
      ofMonth.map(({ part }) => part),
      charged,
    );
    for (const [index, { draft }] of ofMonth.entries()) limited.set(draft, { ...draft.line, ...fees[index]! });
  }
  return drafts.map((draft) => limited.get(draft) ?? draft.line);
}

function draftsOf(agreement: Agreement, facts: PropertyFacts, period: Period): Draft[] {
  const items = facts.items.filter(({ day }) => appliesOn(agreement, day));
  const ownerDayOf = ownerDay(facts.ownershipChanges, period);
  return segmentsWithEarlier(segmentsOf(agreement, period), items, period).flatMap((segment) => {
    const own = items.filter(({ day }) => startOfMonth(day) === segment.month && day < period.periodStart === (segment.days === 0));
    const line = { propertyId: facts.propertyId, agreementId: agreement.id, categoryId: agreement.categoryId, month: segment.month };
    const isWaived = segment.days > 0 && agreement.waiveWhenVacant && isVacant(facts.units, segment);
    const fees = byOwnership(own, segment, ownerDayOf).flatMap((part) => [...managementFees(agreement, part, facts, isWaived), ...keptFees(agreement, part)]);
    return [...fees, ...leaseFees(agreement, segment, facts.startedLeases, ownerDayOf)].map(({ fee, part }) => ({
      line: { ...line, ...fee },
      ...(part && { part }),
    }));
  });
}

/** Part of a segment: the amounts that the owners of a day have earned. */
interface OwnedPart {
  segment: Segment;
  ownedOn: string | null;
  items: readonly BaseItem[];
}

/**
 * Divides the amounts of a segment by the owners on the due dates of their charges. The owners of its last day have all its days, by which
 * the minimum is prorated, and a part also without amounts; the others have none.
 */
function byOwnership(items: readonly BaseItem[], segment: Segment, ownerDayOf: (day: string) => string | null): OwnedPart[] {
  const groups = Map.groupBy(items, ({ dueDate }) => ownerDayOf(dueDate));
  const last = ownerDayOf(segment.to);
  // In the order of the owners, which decides the odd cents, and not in that of the amounts.
  const inOrder = [...groups].toSorted(([one], [other]) => ((one ?? "") < (other ?? "") ? -1 : 1));
  const others = inOrder.flatMap(([ownedOn, own]) => (ownedOn === last ? [] : [{ segment: { ...segment, days: 0 }, ownedOn, items: own }]));
  return [{ segment, ownedOn: last, items: groups.get(last) ?? [] }, ...others];
}

/** Returns a function that returns the last day of the ownership of a day; null for the owners of the last day of the period. */
const ownerDay =
  (changes: readonly string[], { periodEnd }: Period) =>
  (day: string): string | null => {
    const change = changes.find((start) => day < start && start <= periodEnd);
    return change === undefined ? null : addDays(change, -1);
  };

/** Returns the segments of an agreement, after empty ones for the months of items before the period that no earlier run has counted as they are. */
function segmentsWithEarlier(segments: readonly Segment[], items: readonly BaseItem[], { periodStart }: Period): readonly Segment[] {
  const earlier = new Set(items.filter(({ day }) => day < periodStart).map(({ day }) => startOfMonth(day)));
  return [...[...earlier].toSorted().map((month) => ({ month, from: month, to: month, days: 0, daysInMonth: daysInMonth(month) })), ...segments];
}

interface Fee {
  fee: Omit<FeeLine, "propertyId" | "agreementId" | "categoryId" | "month">;
  part?: MonthPart;
}
const noFlags = { minimumApplied: false, maximumApplied: false, isWaived: false };
const sumOf = (items: readonly BaseItem[]): number => items.reduce((sum, { amountCents }) => sum + amountCents, 0);

/** Returns the fee of a month, and for amounts of a month that was waived before a waived one; none for a part without days in which no amount counts. */
function managementFees(agreement: Agreement, { segment, items, ownedOn }: OwnedPart, facts: PropertyFacts, isWaived: boolean): Fee[] {
  const base = isOfItems(agreement) ? items.filter((item) => isIncluded(agreement, item)) : [];
  const fee = isWaived ? waivedFee : monthFee;
  if (segment.days > 0) return [fee(agreement, { segment, ownedOn }, base, facts)];
  const { waived = [], counted = [] } = Object.groupBy(base, ({ day }) => (wasWaived(agreement, facts.charged, day) ? "waived" : "counted"));
  return [
    ...(counted.length > 0 ? [fee(agreement, { segment, ownedOn }, counted, facts)] : []),
    ...(waived.length > 0 ? [waivedFee(agreement, { segment, ownedOn }, waived, facts)] : []),
  ];
}

/** Returns true when a run has waived the fee of an agreement for a period that contains the day. */
const wasWaived = ({ id }: Agreement, charged: readonly ChargedFee[], day: string): boolean =>
  charged.some(({ agreementId, isWaived, periodStart, periodEnd }) => isWaived && agreementId === id && periodStart <= day && day <= periodEnd);

/** Returns the fee of a month before its limits. */
function monthFee(agreement: Agreement, { segment, ownedOn }: Omit<OwnedPart, "items">, base: readonly BaseItem[], { units }: PropertyFacts): Fee {
  const { id: agreementId, minimumCents, maximumCents } = agreement;
  const percentBps = isOfItems(agreement) ? (agreement.percentBps ?? 0) : null;
  const { baseCents, fixedCents } = amountsOf(agreement, segment, base, units);
  const limits = segment.days === 0 ? { minimumCents: null, maximumCents: null } : { minimumCents, maximumCents };
  const { days } = segment;
  return {
    fee: { kind: "management", leaseId: null, ownedOn, baseCents, computedCents: 0, ...noFlags, amountCents: 0, rate: { percentBps, ...limits, days }, base },
    part: { agreementId, percentBps, baseCents, fixedCents, limits: days === 0 ? null : { ...limits, days, daysInMonth: segment.daysInMonth } },
  };
}

/** Returns the waived fee of a month, with what it would have been without its limits. */
function waivedFee(agreement: Agreement, { segment, ownedOn }: Omit<OwnedPart, "items">, base: readonly BaseItem[], { units }: PropertyFacts): Fee {
  const { baseCents, fixedCents } = amountsOf(agreement, segment, base, units);
  const computedCents = isOfItems(agreement) ? percentOf(baseCents, agreement.percentBps ?? 0) : fixedCents;
  return { fee: { kind: "management", leaseId: null, ownedOn, baseCents, computedCents, ...noFlags, isWaived: true, amountCents: 0, rate: null, base } };
}

/** Returns true when the fees of an agreement depend on the units or leases of the property. */
export const dependsOnPortfolio = (agreement: Agreement): boolean =>
  agreement.feeType === "flat_per_unit" ||
  agreement.feeType === "percent_of_market_rent" ||
  agreement.waiveWhenVacant ||
  Boolean(agreement.leasingFee ?? agreement.renewalFee);

const isOfItems = ({ feeType }: Agreement): boolean => feeType === "percent_of_collected" || feeType === "percent_of_billed";

/** Returns true for a collected amount, which belongs to a payment or a security deposit, and false for a billed one. */
const isCollected = ({ paymentId, creditId }: BaseItem): boolean => paymentId !== null || creditId !== null;

/** Returns true for an amount that the fee in percent of an agreement counts. */
const isIncluded = ({ feeType, includedChargeTypes }: Agreement, item: BaseItem): boolean =>
  includedChargeTypes.some((type) => type === item.chargeType) && isCollected(item) === (feeType === "percent_of_collected");

/** Returns the base of a month, and the prorated fee of an agreement on an amount per month, per unit, or the market rents of the units. */
function amountsOf(agreement: Agreement, segment: Segment, base: readonly BaseItem[], units: readonly UnitFacts[]) {
  if (isOfItems(agreement)) return { baseCents: sumOf(base), fixedCents: 0 };
  const { feeType, flatCents, percentBps } = agreement;
  const baseCents =
    feeType === "flat_per_month"
      ? (flatCents ?? 0)
      : feeType === "flat_per_unit"
        ? (flatCents ?? 0) * units.length
        : units.reduce((sum, { marketRentCents }) => sum + marketRentCents, 0);
  return {
    baseCents,
    fixedCents: feeType === "percent_of_market_rent" ? proratedPercentOf(baseCents, percentBps ?? 0, segment) : prorateByDays(baseCents, segment),
  };
}

/** Returns true when no lease holds any unit on any day of the segment. */
const isVacant = (units: readonly UnitFacts[], { from, to }: Segment): boolean =>
  !units.some(({ leases }) => leases.some(({ startDate, lastDay }) => startDate <= to && (lastDay === null || lastDay >= from)));

const ALL: Rate = { percentBps: 10_000, minimumCents: null, maximumCents: null };

/** Returns what the manager keeps of the collected amounts. */
function keptFees({ managerKeepsChargeTypes }: Agreement, { items, ownedOn }: OwnedPart): Fee[] {
  const base = items.filter((item) => isCollected(item) && managerKeepsChargeTypes.some((type) => type === item.chargeType));
  if (base.length === 0) return [];
  const cents = sumOf(base);
  return [{ fee: { kind: "kept", leaseId: null, ownedOn, baseCents: cents, computedCents: cents, ...noFlags, amountCents: cents, rate: ALL, base } }];
}

/** Returns the fees for leases that start, and for renewals that take over, in the segment. */
const leaseFees = (
  { leasingFee, renewalFee }: Agreement,
  { from, to, days }: Segment,
  leases: readonly StartedLease[],
  ownerDayOf: (day: string) => string | null,
): Fee[] =>
  leases
    .filter(({ startDate }) => days > 0 && from <= startDate && startDate <= to)
    .flatMap(({ id, startDate, isRenewal, rentCents }) => {
      const terms = isRenewal ? renewalFee : leasingFee;
      if (!terms) return [];
      const amountCents = leaseFeeCents(terms, rentCents);
      const baseCents = terms.type === "flat" ? amountCents : rentCents;
      return [
        {
          fee: {
            kind: isRenewal ? ("renewal" as const) : ("leasing" as const),
            leaseId: id,
            ownedOn: ownerDayOf(startDate),
            baseCents,
            computedCents: amountCents,
            ...noFlags,
            amountCents,
            rate: null,
            base: [],
          },
        },
      ];
    });

const leaseFeeCents = ({ type, cents, bps }: LeaseFee, rentCents: number): number => (type === "flat" ? (cents ?? 0) : percentOf(rentCents, bps ?? 0));
