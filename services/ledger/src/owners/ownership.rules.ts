/** Rules of ownership: who owns which part of a property on which day, and of each amount. */
import { sumOfCents } from "@freehold/domain/parts-in-proportion";
import { addDays } from "@freehold/kit/time/plain-date";
import type { OwnedProperty, OwnershipShare } from "@freehold/proto/portfolio/v1/portfolio";

type Ownerships = Pick<OwnedProperty, "ownerships">;
type Share = Pick<OwnershipShare, "shareBps">;

/** Share of an owner in a property from the first to the last day, both included. */
export interface ShareTerm {
  propertyId: string;
  ownerId: string;
  firstDay: string;
  lastDay: string;
  shareBps: number;
  /** Shares of the other owners. */
  otherBps: number[];
  /** Indicates that cents left over belong to this share: the largest, and the first of equal ones. */
  takesRemainder: boolean;
}

/** Returns the terms of all shares in a property. The first ownership applies also to the days before it. */
export const shareTerms = ({ propertyId, ownerships }: Ownerships & Pick<OwnedProperty, "propertyId">): ShareTerm[] =>
  ownerships.flatMap(({ effectiveDate, shares }, index) =>
    shares.map(({ ownerId, shareBps }, own) => ({
      propertyId,
      ownerId,
      firstDay: index === 0 ? "-infinity" : effectiveDate!,
      lastDay: lastDayBefore(ownerships[index + 1]?.effectiveDate),
      shareBps,
      otherBps: shares.filter((_, other) => other !== own).map((other) => other.shareBps),
      takesRemainder: own === remainderIndex(shares),
    })),
  );

const lastDayBefore = (day: string | undefined): string => (day === undefined ? "infinity" : addDays(day, -1));

/** Returns the days from which each ownership of a property after the first applies. */
export const ownershipChanges = ({ ownerships }: Ownerships): string[] => ownerships.slice(1).map(({ effectiveDate }) => effectiveDate!);

/** Returns the shares of a property on a day; none for a property without owners. */
export const sharesOn = ({ ownerships }: Ownerships, day: string): OwnershipShare[] =>
  (ownerships.findLast(({ effectiveDate }, index) => index === 0 || effectiveDate! <= day) ?? { shares: [] }).shares;

/** Returns the owners who have, had or will have a share of a property, each once. */
export const ownersEver = ({ ownerships }: Ownerships): string[] => [...new Set(ownerships.flatMap(({ shares }) => shares.map(({ ownerId }) => ownerId)))];

/** Returns those of some properties that have, had or will have several owners. */
export const withSeveralOwners = (properties: readonly OwnedProperty[]): OwnedProperty[] => properties.filter((property) => ownersEver(property).length > 1);

/** Returns the owners who have had a share of a property up to a day, each once. */
export const ownersUntil = ({ ownerships }: Ownerships, day: string): string[] => [
  ...new Set(
    ownerships.filter(({ effectiveDate }, index) => index === 0 || effectiveDate! <= day).flatMap(({ shares }) => shares.map(({ ownerId }) => ownerId)),
  ),
];

/** Returns the parts of an amount by share in whole cents. Cents left over belong to the largest share, the first of equal ones. */
export const splitByShare = (amountCents: number, shares: readonly Share[]): number[] =>
  splitByWeight(
    amountCents,
    shares.map(({ shareBps }) => shareBps),
  );

/** Returns the parts of an amount by weight in whole cents. Cents left over belong to the largest weight, the first of equal ones. */
function splitByWeight(amountCents: number, weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + BigInt(weight), 0n);
  const parts = weights.map((weight) => Number((BigInt(Math.abs(amountCents)) * BigInt(weight)) / total));
  const remainder = Math.abs(amountCents) - parts.reduce((sum, part) => sum + part, 0);
  const taker = weights.indexOf(Math.max(...weights));
  return parts.map((part, index) => Math.sign(amountCents) * (index === taker ? part + remainder : part) || 0);
}

/**
 * Returns the part of each owner in the available money of a property: the claim of the owner, less of what is not available a part by share. A claim is the money of
 * the owner there, at most the balance of the owner's ledger, less what the owner bears or was promised already. So an owner who sold a share
 * is still paid what was earned before, and nobody is paid more than the own ledger has, even when the company has advanced money. When
 * an owner owes money, the others are paid in proportion to their parts, since no more than the available money can be paid. Nobody is
 * paid when none is available.
 */
export function ownerParts(availableCents: number, claims: ReadonlyMap<string, number>, shares: readonly OwnershipShare[]): Map<string, number> {
  const rest = ownersRest(availableCents, claims, shares);
  const owners = [...rest.keys()];
  const positive = owners.map((ownerId) => Math.max(0, rest.get(ownerId)!));
  const payableCents = Math.min(availableCents, sumOfCents(positive));
  const parts = payableCents > 0 ? splitByWeight(payableCents, positive) : positive.map(() => 0);
  return new Map(owners.map((ownerId, index) => [ownerId, parts[index]!]));
}

/** Returns what is left to each owner of the available money of a property, before the others are paid less for what one of them owes. Negative for that owner. */
export function ownersRest(availableCents: number, claims: ReadonlyMap<string, number>, shares: readonly OwnershipShare[]): Map<string, number> {
  const rest = new Map([...shares.map(({ ownerId }) => [ownerId, 0] as const), ...claims]);
  const heldBack = splitByShare(Math.max(0, sumOfCents([...claims.values()]) - availableCents), shares);
  for (const [index, { ownerId }] of shares.entries()) rest.set(ownerId, rest.get(ownerId)! - heldBack[index]!);
  return rest;
}

/** Amount that owners of a property have yet to pay: the owner that it names or those of a day. */
export interface Burden {
  ownerId: string | null;
  ownedOn: string;
  cents: number;
}

/** Unpaid expense of a property. */
export interface UnpaidExpense extends Burden {
  id: string;
  /** Part of the amount that payments after the day have settled. */
  laterCents: number;
}

/** Returns what each owner bears of what is unpaid. */
export function unpaidByOwner(property: Ownerships, expenses: readonly Burden[]): Map<string, number> {
  const burden = new Map<string, number>();
  const add = (ownerId: string, cents: number) => burden.set(ownerId, (burden.get(ownerId) ?? 0) + cents);
  for (const { ownerId, ownedOn, cents } of expenses) {
    const shares = sharesOn(property, ownedOn);
    if (ownerId) add(ownerId, cents);
    else for (const [index, part] of splitByShare(cents, shares).entries()) add(shares[index]!.ownerId, part);
  }
  return burden;
}

/** Returns what each owner bears of what is unpaid beyond the balance of the own ledger. No money of other owners is kept for it. */
export const uncoveredByOwner = (balances: ReadonlyMap<string, number>, burden: ReadonlyMap<string, number>): Map<string, number> =>
  new Map([...burden].map(([ownerId, cents]) => [ownerId, Math.max(0, cents - Math.max(0, balances.get(ownerId) ?? 0))]));

const remainderIndex = (shares: readonly Share[]): number =>
  shares.reduce((largest, { shareBps }, index) => (shareBps > shares[largest]!.shareBps ? index : largest), 0);
