/** Arithmetic of management fees: shares and prorated amounts. */

/** Returns the quotient rounded to an integer, half a unit away from zero. The denominator is positive. */
export function divideHalfUp(numerator: bigint, denominator: bigint): number {
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

/** Least and greatest fee of a whole month; null for none. */
export interface Limits {
  minimumCents: number | null;
  maximumCents: number | null;
}

/** Share of a base, and the limits of its agreement for a whole month, as stored with a fee, so that the fees of the month can be computed again. */
export interface Rate extends Limits {
  /** Null for a fixed amount. */
  percentBps: number | null;
  /** Days of the month to which the limits apply; undefined for a fee that was stored with prorated limits. */
  days?: number;
}
