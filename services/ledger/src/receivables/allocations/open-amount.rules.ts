/**
 * Rules of open amounts: the balance of a charge and the unallocated credit of a payment. A released amount is open again only from
 * the day of the release, so that on no day more is settled or used than was open.
 */
import { maxDate } from "@freehold/kit/time/plain-date";

/** Open amount in cents. It is available in full from `since` on; before that day only `beforeCents` of it are. Without `since` it is available on every day. */
export interface OpenAmount {
  cents: number;
  since: string | null;
  beforeCents: number | null;
}

/** Released amount, and the day on which it had settled a charge. */
export interface ReleasedAmount {
  amountCents: number;
  settledOn: string;
}

const sumCents = (amounts: readonly ReleasedAmount[]): number => amounts.reduce((sum, { amountCents }) => sum + amountCents, 0);

/**
 * Returns the open amount after a release. An amount that is released on or before the day of its settlement was open on every
 * day, so its release has no effect on earlier days.
 */
export function reopen({ cents, since, beforeCents }: OpenAmount, released: readonly ReleasedAmount[], releasedOn: string): OpenAmount {
  const withoutEffect = released.filter(({ settledOn }) => settledOn >= releasedOn);
  const restoredCents = sumCents(withoutEffect.filter(({ settledOn }) => since !== null && settledOn < since));
  const openBeforeCents = cents + sumCents(withoutEffect);
  const reopened = { cents: cents + sumCents(released), since, beforeCents };
  if (withoutEffect.length === released.length && restoredCents === 0) return reopened;
  return {
    ...reopened,
    since: withoutEffect.length === released.length ? since : maxDate(releasedOn, since ?? releasedOn),
    beforeCents: Math.min((beforeCents ?? openBeforeCents) + restoredCents, openBeforeCents),
  };
}

/** Returns the first day, not before `date`, on which an amount can be used. */
export const usableOn = ({ since, beforeCents }: Omit<OpenAmount, "cents">, amountCents: number, date: string): string =>
  since !== null && date < since && amountCents > (beforeCents ?? 0) ? since : date;
