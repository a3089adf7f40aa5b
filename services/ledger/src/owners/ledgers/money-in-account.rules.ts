/** Division of the money of a property in a bank account among its owners. */
import { partsInProportion } from "@freehold/domain/parts-in-proportion";
import type { OwnedProperty } from "@freehold/proto/portfolio/v1/portfolio";

/** Money of an owner of a property by the owner's own ledger, in all accounts and in one bank account; without an owner, money that was moved for all owners. */
export interface OwnMoney {
  ownerId: string | null;
  /** Balance of the owner's ledger at the property. */
  balanceCents: number;
  /** Part of the balance that has moved elsewhere, in undeposited funds and other bank accounts, and what transfers for the owner have moved there. */
  elsewhereCents: number;
  /** Part of the balance that has moved in the account, and what transfers for the owner have moved there. */
  hereCents: number;
  /** Sum of all transfers for the owner: what a business account has paid in. Without an owner, what was moved to the account from other ones. */
  transferredCents: number;
}

/** Part of the money of a property: that of an owner, or with null that of no owner. */
export interface OwnedPart {
  ownerId: string | null;
  cents: number;
}

/** Returns what an owner has in the account. What has moved nowhere counts here, unless the owner would lack it only because it counts in several accounts. */
function ownCents({ balanceCents, elsewhereCents, hereCents, transferredCents }: OwnMoney): number {
  const cents = balanceCents + transferredCents - elsewhereCents;
  return balanceCents < 0 ? cents : Math.max(cents, Math.min(0, hereCents));
}

const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, cents) => sum + cents, 0);

/**
 * Divides the money of a property in an account among its owners, without parts of zero. What transfers without an owner have moved from other accounts
 * covers what an owner lacks here, and else belongs to the owners in proportion to their money there; what they have moved away is taken from the owners in
 * proportion. Other money of no owner covers what an owner lacks, too, and what is short of the owners' money although nobody lacks it is taken from
 * them. Amounts are divided in whole cents, so a cent of each owner may be missing; these are taken from the other owners as well. The parts add up
 * to the money of the property.
 */
export function divideAmongOwners(moneyCents: number, money: readonly OwnMoney[]): OwnedPart[] {
  const owners = money.filter(({ ownerId }) => ownerId !== null);
  const parts = owners.map(ownCents);
  const add = (cents: number, sign: 1 | -1, limits: readonly number[]): number => {
    if (cents <= 0 || sumOf(limits) === 0) return 0;
    const amounts = partsInProportion(cents, limits);
    for (const [index, amount] of amounts.entries()) parts[index]! += sign * amount;
    return sumOf(amounts);
  };
  const lacking = () => parts.map((cents) => Math.max(0, -cents));
  const positive = () => parts.map((cents) => Math.max(0, cents));
  const elsewhere = owners.map(({ elsewhereCents }) => Math.max(0, elsewhereCents));
  const movedCents = money.find(({ ownerId }) => ownerId === null)?.transferredCents ?? 0;
  add(movedCents - add(movedCents, 1, lacking()), 1, elsewhere);
  add(-movedCents, -1, positive());
  let ownerlessCents = moneyCents - sumOf(parts);
  ownerlessCents -= add(ownerlessCents, 1, lacking());
  ownerlessCents += add(-ownerlessCents, -1, positive());
  const oddCents = sumOf(lacking());
  if (oddCents <= owners.length && sumOf(parts) >= 0) add(add(oddCents, 1, lacking()), -1, positive());
  return [...owners.map(({ ownerId }, index) => ({ ownerId, cents: parts[index]! })), { ownerId: null, cents: ownerlessCents }].filter(
    ({ cents }) => cents !== 0,
  );
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
  ownMoney: readonly (OwnMoney & { propertyId: string })[],
  emptyRow: (property: OwnedProperty) => R,
): (R & { ownerId: string | null })[] {
  const moneyOf = Map.groupBy(ownMoney, ({ propertyId }) => propertyId);
  const isShared = new Set<string | null>(shared.map(({ propertyId }) => propertyId));
  const { whole = [], toDivide = [] } = Object.groupBy(rows, ({ kind, propertyId }) => (kind === "owner" && isShared.has(propertyId) ? "toDivide" : "whole"));
  const rowOf = new Map(toDivide.map((row) => [row.propertyId, row]));
  const divided = shared.flatMap((property) => {
    const row = rowOf.get(property.propertyId) ?? emptyRow(property);
    return divideAmongOwners(row.balanceCents, moneyOf.get(property.propertyId) ?? []).map(({ ownerId, cents }) => ({ ...row, ownerId, balanceCents: cents }));
  });
  return [...whole.map((row) => ({ ...row, ownerId: row.kind === "owner" ? (ownerIds.get(row.propertyId!) ?? null) : null })), ...divided];
}
