/** Division of the money of a property in a bank account among its owners. */
import { partsInProportion, sumOfCents } from "@freehold/domain/parts-in-proportion";
import type { OwnedProperty } from "@freehold/proto/portfolio/v1/portfolio";
import { followMovements, type OwnMovement, type OwnPlaces } from "./own-movements.rules.ts";

/** Part of the money of a property: that of an owner, or with null that of no owner. */
export interface OwnedPart {
  ownerId: string | null;
  cents: number;
}

/**
 * Divides the money of a property in an account among its owners, without parts of zero: what each has there. Money of no owner covers what an owner lacks, and
 * belongs to an owner for whom it was received elsewhere, such as in a business account; what is short of the owners' money although nobody lacks it is taken from
 * them. Amounts are divided in whole cents, so a cent of each owner may be missing; these are taken from the other owners as well. The parts add up
 * to the money of the property.
 */
export function divideAmongOwners(moneyCents: number, { held, unplaced }: OwnPlaces): OwnedPart[] {
  const here = held.get("here") ?? new Map<string, number>();
  const owners = [...new Set([...[...held.values()].flatMap((amounts) => [...amounts.keys()]), ...unplaced.keys()])];
  const parts = owners.map((ownerId) => here.get(ownerId) ?? 0);
  const add = (cents: number, sign: 1 | -1, limits: readonly number[]): number => {
    if (cents <= 0) return 0;
    const amounts = partsInProportion(cents, limits);
    for (const [index, amount] of amounts.entries()) parts[index]! += sign * amount;
    return sumOfCents(amounts);
  };
  const lacking = () => parts.map((cents) => Math.max(0, -cents));
  const positive = () => parts.map((cents) => Math.max(0, cents));
  const surplus = owners.map((ownerId) => Math.max(0, unplaced.get(ownerId) ?? 0));
  let ownerlessCents = moneyCents - sumOfCents(parts);
  ownerlessCents -= add(ownerlessCents, 1, lacking());
  ownerlessCents -= add(ownerlessCents, 1, surplus);
  ownerlessCents += add(-ownerlessCents, -1, positive());
  const oddCents = sumOfCents(lacking());
  if (oddCents <= owners.length && sumOfCents(parts) >= 0) add(add(oddCents, 1, lacking()), -1, positive());
  return [...owners.map((ownerId, index) => ({ ownerId, cents: parts[index]! })), { ownerId: null, cents: ownerlessCents }].filter(({ cents }) => cents !== 0);
}

/** Row of a sub-ledger of a bank account; of kind `owner` with the money of all owners of a property. */
interface SubLedgerRow {
  kind: string;
  propertyId: string | null;
  balanceCents: number;
}

/** Owners of the money of the properties in a bank account. */
export interface AccountOwners {
  /** ID of the owner by property: the owner of the account, else the only one that the property has had up to the day, whose money all its money is. */
  ownerIds: ReadonlyMap<string, string>;
  /** Properties that have had several owners up to the day, whose money is divided among them. */
  shared: readonly OwnedProperty[];
}

/**
 * Returns the sub-ledgers of a bank account with the owners of the money. A property that has had several owners gets a row for each who has or lacks
 * money, also when these add up to zero, and one without an owner for money that belongs to none. `emptyRow` is the row of a property without money.
 */
export function divideByOwner<R extends SubLedgerRow>(
  rows: readonly R[],
  { ownerIds, shared }: AccountOwners,
  movements: readonly (OwnMovement & { propertyId: string })[],
  emptyRow: (property: OwnedProperty) => R,
): (R & { ownerId: string | null })[] {
  const movementsOf = Map.groupBy(movements, ({ propertyId }) => propertyId);
  const isShared = new Set<string | null>(shared.map(({ propertyId }) => propertyId));
  const { whole = [], toDivide = [] } = Object.groupBy(rows, ({ kind, propertyId }) => (kind === "owner" && isShared.has(propertyId) ? "toDivide" : "whole"));
  const rowOf = new Map(toDivide.map((row) => [row.propertyId, row]));
  const divided = shared.flatMap((property) => {
    const row = rowOf.get(property.propertyId) ?? emptyRow(property);
    const places = followMovements(movementsOf.get(property.propertyId) ?? []);
    return divideAmongOwners(row.balanceCents, places).map(({ ownerId, cents }) => ({ ...row, ownerId, balanceCents: cents }));
  });
  return [...whole.map((row) => ({ ...row, ownerId: row.kind === "owner" ? (ownerIds.get(row.propertyId!) ?? null) : null })), ...divided];
}
