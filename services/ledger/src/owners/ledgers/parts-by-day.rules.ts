/** Parts of the owners of a property in a bank account on each day. */
import { divideAmongOwners, type OwnedPart } from "./money-in-account.rules.ts";
import { sumOfCents } from "@freehold/domain/parts-in-proportion";
import { followMovements, type OwnMovement } from "./own-movements.rules.ts";

/** Parts at the end of a day, and what of them the owners' own movements have brought to the account. */
export interface PartsOfDay {
  day: string;
  parts: OwnedPart[];
  own: ReadonlyMap<string, number>;
}

/** Returns the parts of the owners at the end of each day on which their money, or the money of the property in the account, has moved. */
export function partsByDay(movements: readonly OwnMovement[], flows: readonly { day: string; cents: number }[]): PartsOfDay[] {
  const moneyOn = Map.groupBy(flows, ({ day }) => day);
  const idle = [...moneyOn.keys()].map((day): OwnMovement => ({ segment: 0, day, ownerId: null, place: null, cents: 0, moves: {} }));
  let moneyCents = 0;
  const days: PartsOfDay[] = [];
  followMovements([...movements, ...idle], (day, places) => {
    for (const { cents } of moneyOn.get(day) ?? []) moneyCents += cents;
    days.push({ day, parts: divideAmongOwners(moneyCents, places), own: new Map(places.held.get("here")) });
  });
  return days;
}

/** Returns the lowest part of each owner at the end of a day. An owner who has no part on a day has nothing then. */
export function lowestParts(days: readonly PartsOfDay[]): Map<string, number> {
  const owners = new Set(days.flatMap(({ parts }) => parts.flatMap(({ ownerId }) => ownerId ?? [])));
  const partOf = ({ parts }: PartsOfDay, ownerId: string) => parts.find((part) => part.ownerId === ownerId)?.cents ?? 0;
  return new Map([...owners].map((ownerId) => [ownerId, Math.min(...days.map((day) => partOf(day, ownerId)))]));
}

const lastUntil = (days: readonly PartsOfDay[], day: string): PartsOfDay | undefined => days.findLast((each) => each.day <= day);

/** Returns the largest amount that an owner lacks on a day, of which an operation has taken some, and which the other owners cover. */
export function uncoveredCents(before: readonly PartsOfDay[], after: readonly PartsOfDay[]): number {
  return Math.max(
    0,
    ...after.flatMap(({ day, parts, own }) => {
      const othersCents = parts.reduce((sum, { ownerId, cents }) => sum + (ownerId === null ? 0 : Math.max(0, cents)), 0);
      const earlier = lastUntil(before, day)?.own;
      return parts.flatMap(({ ownerId, cents }) =>
        ownerId !== null && cents < 0 && (own.get(ownerId) ?? 0) < (earlier?.get(ownerId) ?? 0) ? [Math.min(-cents, othersCents)] : [],
      );
    }),
  );
}

/** Money of owners at the end of a day in all places, and what each owes: lacks in a place or in none. */
interface TotalsOfDay {
  day: string;
  totals: ReadonlyMap<string, number>;
  owed: ReadonlyMap<string, number>;
}

function totalsByDay(movements: readonly OwnMovement[]): TotalsOfDay[] {
  const days: TotalsOfDay[] = [];
  followMovements(movements, (day, { held, unplaced }) => {
    const places = [...held.values(), unplaced];
    const owners = [...new Set(places.flatMap((amounts) => [...amounts.keys()]))];
    const amountsOf = (ownerId: string) => places.map((amounts) => amounts.get(ownerId) ?? 0);
    const totals = new Map(owners.map((ownerId) => [ownerId, sumOfCents(amountsOf(ownerId))]));
    const owed = new Map(owners.map((ownerId) => [ownerId, sumOfCents(amountsOf(ownerId).map((cents) => Math.max(0, -cents)))]));
    days.push({ day, totals, owed });
  });
  return days;
}

/** Returns the largest amount on a day that an operation has given to other owners and that the owner who gives it does not have. */
export function unfundedCents(before: readonly OwnMovement[], after: readonly OwnMovement[]): number {
  const daysBefore = totalsByDay(before);
  return Math.max(
    0,
    ...totalsByDay(after).flatMap(({ day, totals, owed }) => {
      const earlier = daysBefore.findLast((each) => each.day <= day);
      const givenCents = sumOfCents([...totals].map(([ownerId, cents]) => Math.max(0, cents - (earlier?.totals.get(ownerId) ?? 0))));
      return [...owed].map(([ownerId, cents]) => Math.min(givenCents, cents - (earlier?.owed.get(ownerId) ?? 0)));
    }),
  );
}
