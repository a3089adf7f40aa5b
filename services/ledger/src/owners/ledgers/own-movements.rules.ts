/** Places of the money of the owners of a property: each movement of it, in order. */
import { partsInProportion, sumOfCents } from "@freehold/domain/parts-in-proportion";

/** Movement of the money of an owner of a property, by the owner's own ledger and transfers; with `moves`, of money that a transfer without an owner has moved. */
export interface OwnMovement {
  /** Number of such transfers up to the movement. */
  segment: number;
  day: string | null;
  ownerId: string | null;
  /** Bank account of the money, `here` for the one that is divided, or undeposited funds. Null for what has moved no money in trust. */
  place: string | null;
  cents: number;
  moves: Record<string, number> | null;
}

type Amounts = Map<string, number>;

/** Money of the owners of a property: by place and owner, and by owner what no place has; `freed` is the money by place that is no owner's any more. */
export interface OwnPlaces {
  held: Map<string, Amounts>;
  unplaced: Amounts;
  freed: Amounts;
}

const addTo = (amounts: Amounts, key: string, cents: number) => amounts.set(key, (amounts.get(key) ?? 0) + cents);

function amountsAt(held: Map<string, Amounts>, place: string): Amounts {
  const amounts = held.get(place) ?? new Map<string, number>();
  held.set(place, amounts);
  return amounts;
}

/**
 * Follows the movements of the money of the owners of a property, and calls back at the end of each day. A transfer without an owner takes the same amount from each
 * owner as it gives: first what owners lack where it arrives, else in proportion to their money in the place that it leaves.
 */
export function followMovements(movements: readonly OwnMovement[], onDay: (day: string, places: OwnPlaces) => void = () => {}): OwnPlaces {
  const places: OwnPlaces = { held: new Map(), unplaced: new Map(), freed: new Map() };
  const ordered = movements.toSorted(
    (one, other) => compare(one.day ?? "", other.day ?? "") || one.segment - other.segment || Number(one.moves === null) - Number(other.moves === null),
  );
  for (const [index, { ownerId, place, cents, moves, segment, day }] of ordered.entries()) {
    const next = ordered[index + 1];
    if (moves) moveOwnerless(places, moves);
    else if (place === null) addTo(places.unplaced, ownerId!, cents);
    else addTo(amountsAt(places.held, place), ownerId!, cents);
    if (next?.segment !== segment || next.day !== day) placeUnplaced(places);
    if (day !== null && next?.day !== day) onDay(day, places);
  }
  return places;
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/**
 * Takes what entries without money take of an owner from the owner's money in bank accounts, in proportion to it, then from undeposited money, and gives it to those to whom such
 * entries give.
 */
function placeUnplaced({ held, unplaced, freed }: OwnPlaces): void {
  for (const ownerId of unplaced.keys())
    for (const isDeposited of [true, false]) {
      const places = [...held].filter(([place, amounts]) => (place !== "undeposited") === isDeposited && (amounts.get(ownerId) ?? 0) > 0);
      const taken = partsInProportion(
        -unplaced.get(ownerId)!,
        places.map(([, amounts]) => amounts.get(ownerId)!),
      );
      for (const [index, [place, amounts]] of places.entries()) {
        addTo(amounts, ownerId, -taken[index]!);
        addTo(freed, place, taken[index]!);
      }
      addTo(unplaced, ownerId, sumOfCents(taken));
    }
  for (const [ownerId, cents] of unplaced) {
    const given = partsInProportion(cents, [...freed.values()]);
    for (const [index, place] of [...freed.keys()].entries()) {
      addTo(amountsAt(held, place), ownerId, given[index]!);
      addTo(freed, place, -given[index]!);
    }
    addTo(unplaced, ownerId, -sumOfCents(given));
  }
}

function moveOwnerless({ held }: OwnPlaces, moves: Record<string, number>): void {
  const sources = Object.entries(moves).filter(([, cents]) => cents < 0);
  const targets = Object.entries(moves).filter(([, cents]) => cents > 0);
  for (const [source, cents] of sources) {
    const arrived = partsInProportion(
      -cents,
      targets.map(([, amount]) => amount),
    );
    for (const [index, [target]] of targets.entries()) moveInProportion(amountsAt(held, source), amountsAt(held, target), arrived[index]!);
  }
}

function moveInProportion(from: Amounts, to: Amounts, cents: number): void {
  const owners = [...new Set([...from.keys(), ...to.keys()])];
  const available = (ownerId: string) => Math.max(0, from.get(ownerId) ?? 0);
  const move = (limits: readonly number[], amount: number): number => {
    const parts = partsInProportion(amount, limits);
    for (const [index, ownerId] of owners.entries()) {
      addTo(from, ownerId, -parts[index]!);
      addTo(to, ownerId, parts[index]!);
    }
    return sumOfCents(parts);
  };
  const covered = move(
    owners.map((ownerId) => Math.min(available(ownerId), Math.max(0, -(to.get(ownerId) ?? 0)))),
    cents,
  );
  move(owners.map(available), cents - covered);
}
