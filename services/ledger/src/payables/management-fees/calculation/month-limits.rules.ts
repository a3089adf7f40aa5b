/** Minimum and maximum of the fees of a property and month, whatever agreements apply in it and however many runs charge it. */
import { daysInMonth as daysOf } from "@freehold/kit/time/plain-date";
import { partsInProportion } from "@freehold/domain/parts-in-proportion";
import { divideHalfUp, percentOf, prorateByDays, type Limits, type Rate, type Share } from "./fee.rules.ts";

/** Fee of a month before its limits, of one agreement. */
export interface MonthPart {
  agreementId: string;
  /** Share of the base in basis points; null for a fixed amount. */
  percentBps: number | null;
  baseCents: number;
  fixedCents: number;
  /** Limits of the agreement for a whole month, with the days on which they apply. Null for waived fees and for amounts of an earlier run's days. */
  limits: (Limits & Share) | null;
}

/** Part that a run has charged. */
export type ChargedPart = MonthPart & { amountCents: number };

/** Fee of a month as stored. */
export interface StoredFee {
  agreementId: string;
  month: string;
  baseCents: number;
  computedCents: number;
  amountCents: number;
  isWaived: boolean;
  rate: Rate | null;
}

/** Returns the part of a month that a stored fee has charged. */
export function chargedPart({ agreementId, month, baseCents, computedCents, amountCents, isWaived, rate }: StoredFee): ChargedPart {
  const percentBps = rate?.percentBps ?? null;
  const daysInMonth = daysOf(month);
  const limits = rate && rate.days !== 0 ? { ...rate, days: rate.days ?? daysInMonth, daysInMonth } : null;
  return { agreementId, percentBps, baseCents, fixedCents: isWaived ? 0 : computedCents, limits, amountCents };
}

/** Fee of a part within the limits of its month. */
export interface LimitedFee {
  computedCents: number;
  amountCents: number;
  minimumApplied: boolean;
  maximumApplied: boolean;
}

/**
 * Returns the fees of the parts of a month that are not charged yet: the month is charged the sum of its parts between its minimum and its
 * maximum, less what earlier runs have charged. Without a correction no fee is negative.
 */
export function limitFees(parts: readonly MonthPart[], charged: readonly ChargedPart[]): LimitedFee[] {
  const all = [...charged, ...parts];
  const { computed, totalCents, minimumCents } = totalOf(all);
  const own = computed.slice(charged.length);
  const isCorrection = own.some((cents) => cents < 0);
  const dueCents = Math.max(totalCents - sum(charged.map(({ amountCents }) => amountCents)), isCorrection ? -Infinity : 0);
  const amounts = distribute(parts, own, dueCents, byAgreement(all, computed));
  return own.map((computedCents, index) => {
    const amountCents = amounts[index]!;
    const [minimumApplied, maximumApplied] = [
      amountCents > computedCents && totalCents === minimumCents,
      amountCents < computedCents && totalCents < sum(computed),
    ];
    return { computedCents, amountCents, minimumApplied, maximumApplied };
  });
}

/**
 * Returns by how much the charged parts of a month are lower without an amount that no longer counts in the base of one of them: of that
 * part first, then of the others from the last. The minimum of the month stays due, and no fee rises.
 */
export function lowerFees(charged: readonly ChargedPart[], index: number, cents: number): number[] {
  const rest = charged.map((part, each) => (each === index ? { ...part, baseCents: part.baseCents - cents } : part));
  let leftCents = Math.max(0, sum(charged.map(({ amountCents }) => amountCents)) - totalOf(rest).totalCents);
  const lowered = charged.map(() => 0);
  for (const each of [index, ...[...charged.keys()].toReversed()]) {
    const taken = Math.max(0, Math.min(leftCents, charged[each]!.amountCents - lowered[each]!));
    lowered[each]! += taken;
    leftCents -= taken;
  }
  return lowered;
}

/** Returns the parts before the limits of their month, and their sum within them. */
function totalOf(parts: readonly MonthPart[]): { computed: number[]; totalCents: number; minimumCents: number | null } {
  const computed = computeParts(parts);
  const minimumCents = weigh(parts, ({ minimumCents: cents }) => cents);
  return { computed, minimumCents, totalCents: Math.max(minimumCents ?? -Infinity, capped(parts, computed)) };
}

/** Computes the parts in their order. The shares at one rate add up to the share of their whole base, rounded once. */
function computeParts(parts: readonly MonthPart[]): number[] {
  const bases = new Map<number, number>();
  return parts.map(({ percentBps, baseCents, fixedCents }) => {
    if (percentBps === null) return fixedCents;
    const before = bases.get(percentBps) ?? 0;
    bases.set(percentBps, before + baseCents);
    return percentOf(before + baseCents, percentBps) - percentOf(before, percentBps);
  });
}

/** Returns a limit of the month: those of its agreements prorated by their days and rounded once; null when none of them has one. */
function weigh(parts: readonly MonthPart[], limitOf: (limits: Limits) => number | null): number | null {
  const limits = parts.flatMap(({ limits: own }) => (own && limitOf(own) !== null ? own : []));
  if (limits.length === 0) return null;
  const cents = limits.reduce((total, each) => total + BigInt(limitOf(each)!) * BigInt(each.days), 0n);
  return divideHalfUp(cents, BigInt(limits[0]!.daysInMonth));
}

/** Fee of an agreement in a month before its limits, and its maximum of a whole month. */
interface AgreementFee {
  cents: number;
  maximumCents: number | null;
}

function byAgreement(parts: readonly MonthPart[], computed: readonly number[]): Map<string, AgreementFee> {
  const groups = Map.groupBy(parts.keys(), (index) => parts[index]!.agreementId);
  return new Map(
    [...groups].map(([agreementId, indexes]) => {
      const maxima = indexes.flatMap((index) => parts[index]!.limits?.maximumCents ?? []);
      return [agreementId, { cents: sum(indexes.map((index) => computed[index]!)), maximumCents: maxima.length > 0 ? Math.max(...maxima) : null }];
    }),
  );
}

/**
 * Returns the sum of the parts below the maximum: an agreement gives at most its own maximum of a whole month, and the agreements with a
 * maximum together at most theirs, prorated by days. Those without one are not limited.
 */
function capped(parts: readonly MonthPart[], computed: readonly number[]): number {
  const agreements = [...byAgreement(parts, computed).values()];
  const free = agreements.flatMap(({ cents, maximumCents }) => (maximumCents === null ? cents : []));
  const limited = agreements.flatMap(({ cents, maximumCents }) => (maximumCents === null ? [] : Math.min(cents, maximumCents)));
  return sum(free) + Math.min(sum(limited), weigh(parts, ({ maximumCents }) => maximumCents) ?? Infinity);
}

/**
 * Distributes the fee that is due over the parts: a surplus to those with a minimum, up to their days of it. What is cut off is that of
 * agreements above their own maximum, then of the parts with a maximum, then of all, each time in proportion to their fees, so that the owners of
 * a property that was sold in the month bear the maximum like the fees.
 */
function distribute(parts: readonly MonthPart[], computed: readonly number[], dueCents: number, agreements: ReadonlyMap<string, AgreementFee>): number[] {
  const amounts = [...computed];
  let restCents = dueCents - sum(amounts);
  const move = (index: number, cents: number) => {
    amounts[index]! += cents;
    restCents -= cents;
  };
  const cut = (isCut: (part: MonthPart) => boolean, atMostCents = Infinity) => {
    const indexes = [...parts.keys()].filter((index) => isCut(parts[index]!) && amounts[index]! > 0);
    const cutCents = partsInProportion(
      Math.min(atMostCents, 0 - restCents),
      indexes.map((index) => amounts[index]!),
    );
    for (const [each, index] of indexes.entries()) move(index, 0 - cutCents[each]!);
  };
  for (const [index, { limits }] of parts.entries())
    if (restCents > 0 && limits?.minimumCents) move(index, Math.min(restCents, Math.max(0, prorateByDays(limits.minimumCents, limits) - amounts[index]!)));
  for (const [id, { cents, maximumCents }] of agreements)
    if (maximumCents !== null && cents > maximumCents) cut(({ agreementId }) => agreementId === id, cents - maximumCents);
  cut(({ agreementId }) => agreements.get(agreementId)!.maximumCents !== null);
  cut(() => true);
  if (parts.length > 0) move(parts.length - 1, restCents);
  return amounts;
}

const sum = (cents: readonly number[]): number => cents.reduce((total, each) => total + each, 0);
