/** Arithmetic of management fees: shares, prorated amounts, and the minimum and maximum of a month. */

/** Returns the quotient rounded to an integer, half a unit away from zero. The denominator is positive. */
function divideHalfUp(numerator: bigint, denominator: bigint): number {
  const magnitude = numerator < 0n ? -numerator : numerator;
  const rounded = (2n * magnitude + denominator) / (2n * denominator);
  return Number(numerator < 0n ? -rounded : rounded);
}

const BPS = 10_000n;

/** Days of a month to which a fee applies. */
export interface Share {
  days: number;
  daysInMonth: number;
}

/** Returns a share of an amount in basis points, rounded half up to the cent. */
export const percentOf = (cents: number, bps: number): number => divideHalfUp(BigInt(cents) * BigInt(bps), BPS);

/** Returns an amount of a month prorated by days, rounded half up to the cent. */
export const prorateByDays = (cents: number, { days, daysInMonth }: Share): number => divideHalfUp(BigInt(cents) * BigInt(days), BigInt(daysInMonth));

/** Returns a share of an amount of a month prorated by days, rounded once. */
export const proratedPercentOf = (cents: number, bps: number, { days, daysInMonth }: Share): number =>
  divideHalfUp(BigInt(cents) * BigInt(bps) * BigInt(days), BPS * BigInt(daysInMonth));

/** Least and greatest fee of a month; null for none. */
export interface Limits {
  minimumCents: number | null;
  maximumCents: number | null;
}

export interface Clamped {
  amountCents: number;
  minimumApplied: boolean;
  maximumApplied: boolean;
}

/** Returns a computed fee between its minimum and maximum. */
export function clampFee(computedCents: number, { minimumCents, maximumCents }: Limits): Clamped {
  const minimumApplied = minimumCents !== null && computedCents < minimumCents;
  const maximumApplied = maximumCents !== null && computedCents > maximumCents;
  return { amountCents: minimumApplied ? minimumCents : maximumApplied ? maximumCents : computedCents, minimumApplied, maximumApplied };
}

/** Share of a base with its limits, as stored with a fee, so that the fee can be computed again when its base shrinks. */
export interface Rate extends Limits {
  percentBps: number;
}

/** Returns the fee of a base at a rate. */
export const feeOf = ({ percentBps, ...limits }: Rate, baseCents: number): Clamped & { computedCents: number } => {
  const computedCents = percentOf(baseCents, percentBps);
  return { computedCents, ...clampFee(computedCents, limits) };
};

/** Fee with what remains of it. */
export interface ChargedFee {
  baseCents: number;
  amountCents: number;
  /** Null for a fee that does not depend on its base, such as a waived one. */
  rate: Rate | null;
}

/**
 * Returns the fee without an amount that no longer counts in its base, and by how much it is lower. The minimum of the month stays due, and
 * a fee never rises.
 */
export function feeWithout({ baseCents, amountCents, rate }: ChargedFee, cents: number): ChargedFee & { loweredCents: number } {
  const rest = baseCents - cents;
  const newCents = rate === null ? amountCents : Math.min(amountCents, feeOf(rate, rest).amountCents);
  return { baseCents: rest, amountCents: newCents, rate, loweredCents: amountCents - newCents };
}
