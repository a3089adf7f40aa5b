/** Rules of late fees: the day of the fee, its amount and its limits. */
import type { Policies } from "@freehold/contract/identity/accounts";
import { addDays, daysBetween } from "@freehold/kit/time/plain-date";

/** Late-fee terms of a lease. */
export interface LateFeeTerms {
  type: "none" | "flat" | "percent" | "daily";
  /** Amount of a flat fee, or of one day of a daily fee, in cents. */
  amountCents: number;
  /** Rate of a percent fee in basis points of the unpaid balance. */
  percentBps: number;
  graceDays: number;
}

/** Late-fee terms of a charge, fixed when it is posted, with the limits of the organization's policies on that day. */
export interface ChargeLateFeeTerms extends LateFeeTerms {
  maxCents: number | null;
  maxBps: number | null;
  /** Time at which the rent was first posted, for a charge that replaces another one. The daily job assesses the charge as if posted then. */
  firstPostedAt?: string;
}

/** Returns the terms that a rent charge of a lease bears, or null when the lease has no late fee. */
export function chargeLateFeeTerms(terms: LateFeeTerms | null, { lateFeeMaxCents, lateFeeMaxBps }: Policies): ChargeLateFeeTerms | null {
  const rate = terms?.type === "percent" ? terms.percentBps : terms?.amountCents;
  return terms && terms.type !== "none" && rate! > 0 ? { ...terms, maxCents: lateFeeMaxCents, maxBps: lateFeeMaxBps } : null;
}

/** Returns the first day of a late fee: the day after the grace period, which starts after the due date. */
export const lateFeeDay = (dueDate: string, { graceDays }: Pick<LateFeeTerms, "graceDays">): string => addDays(dueDate, graceDays + 1);

/** Money or credit that settled a part of a charge: a payment counts from the day of its receipt. */
export interface DatedSettlement {
  settledOn: string;
  amountCents: number;
}

/** Charge with its settlements and the fees assessed for it, voided ones with 0 cents. */
export interface RentToAssess {
  amountCents: number;
  dueDate: string;
  terms: ChargeLateFeeTerms;
  settlements: readonly DatedSettlement[];
  fees: readonly { dayIndex: number; amountCents: number }[];
}

/** Fee for one day. `amountCents` is 0 when there is a `reason` to charge none. */
export interface LateFee {
  dayIndex: number;
  date: string;
  amountCents: number;
  reason: "paid_in_time" | "limit_reached" | "no_amount" | "already_assessed" | null;
}

/** Fees of a charge through a date, and the next day to assess; null when there is none. */
export interface Assessment {
  fees: LateFee[];
  nextDay: string | null;
}

/** Returns the amount of a charge that is open at the start of a day. */
const openAtStartOf = (day: string, amountCents: number, settlements: readonly DatedSettlement[]): number =>
  amountCents - settlements.reduce((sum, settlement) => sum + (settlement.settledOn < day ? settlement.amountCents : 0), 0);

/** Days of a daily fee in one assessment; the next assessment continues after them. */
const MAX_DAYS = 366;

/** Assesses the late fees of a charge through a date. A flat or percent fee is due once, a daily fee for each day on which the charge is open. */
export function assessCharge(charge: RentToAssess, through: string): Assessment {
  const firstDay = lateFeeDay(charge.dueDate, charge.terms);
  const dayCount = charge.terms.type === "daily" ? Math.min(daysBetween(firstDay, through) + 1, MAX_DAYS + nextIndex(charge)) : 1;
  const limitCents = totalLimitCents(charge, firstDay);
  let totalCents = charge.fees.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const fees: LateFee[] = [];
  for (let dayIndex = 0; dayIndex < dayCount; dayIndex++) {
    const fee = { dayIndex, date: addDays(firstDay, dayIndex) };
    const openCents = openAtStartOf(fee.date, charge.amountCents, charge.settlements);
    const isAssessed = charge.fees.some((assessed) => assessed.dayIndex === dayIndex);
    if (openCents <= 0) return { fees: isAssessed || dayIndex > 0 ? fees : [{ ...fee, amountCents: 0, reason: "paid_in_time" }], nextDay: null };
    if (isAssessed) {
      if (charge.terms.type !== "daily") fees.push({ ...fee, amountCents: 0, reason: "already_assessed" });
      continue;
    }
    const amountCents = Math.min(fullAmountCents(charge.terms, openCents), limitCents - totalCents);
    if (amountCents <= 0)
      return { fees: [...fees, { ...fee, amountCents: 0, reason: totalCents >= limitCents ? "limit_reached" : "no_amount" }], nextDay: null };
    fees.push({ ...fee, amountCents, reason: null });
    totalCents += amountCents;
  }
  return { fees, nextDay: charge.terms.type === "daily" ? addDays(firstDay, dayCount) : null };
}

const nextIndex = ({ fees }: RentToAssess): number => fees.reduce((next, { dayIndex }) => Math.max(next, dayIndex + 1), 0);

/** Returns a share of an amount in basis points, rounded down. The product is computed as a bigint, because it may exceed the safe integers. */
const shareCents = (cents: number, bps: number): number => Number((BigInt(cents) * BigInt(bps)) / 10_000n);

const fullAmountCents = ({ type, amountCents, percentBps }: LateFeeTerms, openCents: number): number =>
  type === "percent" ? shareCents(openCents, percentBps) : amountCents;

/** Returns the maximum of all fees of a charge: the lower of the limits in cents and in basis points of the amount open on the first day. */
function totalLimitCents({ amountCents, settlements, terms: { maxCents, maxBps } }: RentToAssess, firstDay: string): number {
  const shareLimitCents = maxBps === null ? Infinity : shareCents(Math.max(openAtStartOf(firstDay, amountCents, settlements), 0), maxBps);
  return Math.min(maxCents ?? Infinity, shareLimitCents);
}

/** Returns true for an open late fee to which no payment is allocated, also when a part of it was waived. */
export const isUnpaid = ({ balanceCents, allocatedCents }: { balanceCents: number; allocatedCents: number }): boolean =>
  balanceCents > 0 && allocatedCents === 0;
