/** Fees of a property in a period, by agreement, month and kind. */
import type { managementFeeKinds, LeaseFee, ManagementFeeAgreement } from "@freehold/contract/payables/management-fees";
import { startOfMonth } from "@freehold/kit/time/plain-date";
import { appliesOn } from "../agreements/agreement.rules.ts";
import { clampFee, feeOf, percentOf, prorateByDays, proratedPercentOf, type Limits, type Rate } from "./fee.rules.ts";
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
  /** Payment and allocation that settled the charge. Null for the billed amount. */
  paymentId: string | null;
  allocationId: string | null;
  /** Day on which the money settled the charge, or on which the charge is due. */
  day: string;
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

/** Facts that the fees of a property are computed from. */
export interface PropertyFacts {
  propertyId: string;
  agreements: readonly Agreement[];
  items: readonly BaseItem[];
  units: readonly UnitFacts[];
  /** Leases without a leasing or renewal fee yet. */
  startedLeases: readonly StartedLease[];
}

/** Fee of a property, with what it is computed from. */
export interface FeeLine {
  propertyId: string;
  agreementId: string;
  categoryId: string;
  kind: (typeof managementFeeKinds)[number];
  month: string;
  leaseId: string | null;
  baseCents: number;
  computedCents: number;
  minimumApplied: boolean;
  maximumApplied: boolean;
  isWaived: boolean;
  amountCents: number;
  /** Rate of a fee that depends on its base items; null for other fees and for waived ones. */
  rate: Rate | null;
  base: readonly BaseItem[];
}

/**
 * Returns the fees of a property. A correction of an earlier run that would make the fees of an account negative is left to a later run:
 * an expense cannot be negative.
 */
export function feeLines(facts: PropertyFacts, period: Period): FeeLine[] {
  const lines = linesOf(facts, period);
  if ([...totalsByAccount(lines).values()].every((cents) => cents >= 0)) return lines;
  return linesOf({ ...facts, items: facts.items.filter(({ amountCents }) => amountCents > 0) }, period);
}

/** Returns the sums of fees by account. */
export function totalsByAccount(lines: readonly FeeLine[]): Map<string, number> {
  const groups = Map.groupBy(lines, ({ categoryId }) => categoryId);
  return new Map([...groups].map(([categoryId, group]) => [categoryId, group.reduce((sum, { amountCents }) => sum + amountCents, 0)]));
}

const linesOf = (facts: PropertyFacts, period: Period): FeeLine[] =>
  facts.agreements.flatMap((agreement) => {
    const items = facts.items.filter(({ day }) => appliesOn(agreement, day));
    const segments = segmentsOf(agreement, period);
    return segmentsWithEarlier(segments, items, period).flatMap((segment) => {
      const own = items.filter(({ day }) => segmentOf(day, segments, period) === segment.month);
      const line = { propertyId: facts.propertyId, agreementId: agreement.id, categoryId: agreement.categoryId, month: segment.month };
      return [
        ...managementLine(agreement, segment, own, facts.units).map((fee) => ({ ...line, ...fee })),
        ...keptLine(agreement, own).map((fee) => ({ ...line, ...fee })),
        ...leaseLines(agreement, segment, facts.startedLeases).map((fee) => ({ ...line, ...fee })),
      ];
    });
  });

/** Returns the month in which an item counts: its own, or the first one for an item that is dated before the period. */
const segmentOf = (day: string, segments: readonly Segment[], { periodStart }: Period): string =>
  day < periodStart ? (segments[0]?.month ?? startOfMonth(periodStart)) : startOfMonth(day);

/** Returns the segments of an agreement. One that ended before the period has an empty segment for items that an earlier run has not counted. */
function segmentsWithEarlier(segments: readonly Segment[], items: readonly BaseItem[], { periodStart }: Period): readonly Segment[] {
  if (segments.length > 0 || items.length === 0) return segments;
  return [{ month: startOfMonth(periodStart), from: periodStart, to: periodStart, days: 0, daysInMonth: 1 }];
}

type Fee = Omit<FeeLine, "propertyId" | "agreementId" | "categoryId" | "month">;
const noFlags = { minimumApplied: false, maximumApplied: false, isWaived: false };
const sumOf = (items: readonly BaseItem[]): number => items.reduce((sum, { amountCents }) => sum + amountCents, 0);

/** Returns the fee of a month; none for a segment without days in which no amount counts. */
function managementLine(agreement: Agreement, segment: Segment, items: readonly BaseItem[], units: readonly UnitFacts[]): Fee[] {
  const base = isOfItems(agreement) ? items.filter((item) => isIncluded(agreement, item)) : [];
  if (segment.days === 0 && base.length === 0) return [];
  const fee = { kind: "management" as const, leaseId: null, base };
  const rate = rateOf(agreement, segment);
  const computed = isOfItems(agreement) ? { baseCents: sumOf(base), ...feeOf(rate, sumOf(base)) } : fixedFee(agreement, segment, units, rate);
  if (agreement.waiveWhenVacant && segment.days > 0 && isVacant(units, segment))
    return [{ ...fee, ...computed, ...noFlags, isWaived: true, amountCents: 0, rate: null }];
  return [{ ...fee, ...computed, isWaived: false, rate: isOfItems(agreement) ? rate : null }];
}

const isOfItems = ({ feeType }: Agreement): boolean => feeType === "percent_of_collected" || feeType === "percent_of_billed";

/** Returns true for an amount that the fee in percent of an agreement counts: collected amounts belong to a payment, billed ones do not. */
const isIncluded = ({ feeType, includedChargeTypes }: Agreement, { chargeType, paymentId }: BaseItem): boolean =>
  includedChargeTypes.some((type) => type === chargeType) && (paymentId !== null) === (feeType === "percent_of_collected");

const limitsOf = ({ minimumCents, maximumCents }: Agreement, segment: Segment): Limits => ({
  minimumCents: minimumCents === null ? null : prorateByDays(minimumCents, segment),
  // Amounts of an agreement that has ended have no maximum of their own: the month in which it applied had one.
  maximumCents: maximumCents === null || segment.days === 0 ? null : prorateByDays(maximumCents, segment),
});
const rateOf = (agreement: Agreement, segment: Segment): Rate => ({ percentBps: agreement.percentBps ?? 0, ...limitsOf(agreement, segment) });

/** Returns the prorated fee of an agreement whose base is an amount per month, per unit, or the market rents of the units. */
function fixedFee(agreement: Agreement, segment: Segment, units: readonly UnitFacts[], limits: Limits) {
  const { feeType, flatCents, percentBps } = agreement;
  const baseCents =
    feeType === "flat_per_month"
      ? (flatCents ?? 0)
      : feeType === "flat_per_unit"
        ? (flatCents ?? 0) * units.length
        : units.reduce((sum, { marketRentCents }) => sum + marketRentCents, 0);
  const computedCents = feeType === "percent_of_market_rent" ? proratedPercentOf(baseCents, percentBps ?? 0, segment) : prorateByDays(baseCents, segment);
  return { baseCents, computedCents, ...clampFee(computedCents, limits) };
}

/** Returns true when no lease holds any unit on any day of the segment. */
const isVacant = (units: readonly UnitFacts[], { from, to }: Segment): boolean =>
  !units.some(({ leases }) => leases.some(({ startDate, lastDay }) => startDate <= to && (lastDay === null || lastDay >= from)));

const ALL: Rate = { percentBps: 10_000, minimumCents: null, maximumCents: null };

/** Returns what the manager keeps of the collected amounts. */
function keptLine({ managerKeepsChargeTypes }: Agreement, items: readonly BaseItem[]): Fee[] {
  const base = items.filter(({ chargeType, paymentId }) => paymentId !== null && managerKeepsChargeTypes.some((type) => type === chargeType));
  if (base.length === 0) return [];
  const cents = sumOf(base);
  return [{ kind: "kept", leaseId: null, baseCents: cents, computedCents: cents, ...noFlags, amountCents: cents, rate: ALL, base }];
}

/** Returns the fees for leases that start, and for renewals that take over, in the segment. */
const leaseLines = ({ leasingFee, renewalFee }: Agreement, { from, to, days }: Segment, leases: readonly StartedLease[]): Fee[] =>
  leases
    .filter(({ startDate }) => days > 0 && from <= startDate && startDate <= to)
    .flatMap(({ id, isRenewal, rentCents }) => {
      const terms = isRenewal ? renewalFee : leasingFee;
      if (!terms) return [];
      const amountCents = leaseFeeCents(terms, rentCents);
      const baseCents = terms.type === "flat" ? amountCents : rentCents;
      return [
        {
          kind: isRenewal ? ("renewal" as const) : ("leasing" as const),
          leaseId: id,
          baseCents,
          computedCents: amountCents,
          ...noFlags,
          amountCents,
          rate: null,
          base: [],
        },
      ];
    });

const leaseFeeCents = ({ type, cents, bps }: LeaseFee, rentCents: number): number => (type === "flat" ? (cents ?? 0) : percentOf(rentCents, bps ?? 0));
