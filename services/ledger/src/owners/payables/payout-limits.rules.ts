/** Rules of the limits of payouts from a bank account. */
import { partsInProportion, sumOfCents } from "@freehold/domain/parts-in-proportion";
import type { Flow } from "../../trust/bank-accounts/trust-funds.rules.ts";

/** Most that payouts from a bank account can take. */
export interface PayoutLimits {
  /** Lowest money of all owners in the account, less what tenants or the company lack there. */
  ownersCents: number;
  /** Lowest money in the account of each owner who owes some at a property: that at all properties together. */
  ofDebtors: ReadonlyMap<string, number>;
}

/** Money of an owner at a property at the end of a day and until the next one in order. */
export interface MoneyOfDay {
  ownerId: string;
  day: string;
  cents: number;
}

/**
 * Returns the lowest money of all owners at the end of a day, by flows in the order of their days; 0 without flows. The money that tenants and the company have in the
 * account pays no owner, and what one of them lacks was taken from the owners.
 */
export function lowestOwnersMoney(flows: readonly Flow[]): number {
  const others = new Map<string, number>();
  let [cents, lowest] = [0, Infinity];
  for (const group of Map.groupBy(flows, ({ day }) => day).values()) {
    for (const flow of group) {
      if (flow.kind === "owner") {
        cents += flow.cents;
        continue;
      }
      const key = `${flow.kind} ${flow.propertyId} ${flow.tenantId}`;
      const [before, after] = [others.get(key) ?? 0, (others.get(key) ?? 0) + flow.cents];
      others.set(key, after);
      cents += Math.min(0, after) - Math.min(0, before);
    }
    lowest = Math.min(lowest, cents);
  }
  return flows.length === 0 ? 0 : lowest;
}

/** Returns the lowest sum of the money of each owner at several properties at the end of a day, of the owners who owe money at one of them on a day. */
export function debtorLimits(properties: readonly (readonly MoneyOfDay[])[]): Map<string, number> {
  const byOwner = Map.groupBy(
    properties.filter((days) => days.length > 0),
    (days) => days[0]!.ownerId,
  );
  const debtors = [...byOwner].filter(([, own]) => own.some((days) => days.some(({ cents }) => cents < 0)));
  return new Map(
    debtors.map(([ownerId, own]) => {
      const moneyOn = (day: string) => sumOfCents(own.map((days) => days.findLast((each) => each.day <= day)?.cents ?? 0));
      return [ownerId, Math.min(...new Set(own.flatMap((days) => days.map(({ day }) => moneyOn(day)))))];
    }),
  );
}

interface Amount {
  ownerId: string;
  amountCents: number;
}

/**
 * Returns the amounts of payouts as far as an account can pay them besides those that are promised already. Payouts of an owner who owes money are lowered in
 * proportion to what the owner has in all, and then all payouts to what the account holds of owners.
 */
export function limitPayouts(payouts: readonly Amount[], { ownersCents, ofDebtors }: PayoutLimits, promised: readonly Amount[]): number[] {
  const amounts = payouts.map(({ amountCents }) => amountCents);
  const limit = (indexes: readonly number[], cents: number, promises: readonly Amount[]) => {
    const left = cents - sumOfCents(promises.map(({ amountCents }) => amountCents));
    const parts = partsInProportion(
      left,
      indexes.map((index) => amounts[index]!),
    );
    for (const [position, index] of indexes.entries()) amounts[index] = parts[position]!;
  };
  const isOf = (ownerId: string) => (each: Amount) => each.ownerId === ownerId;
  for (const [ownerId, cents] of ofDebtors)
    limit(
      [...payouts.keys()].filter((index) => payouts[index]!.ownerId === ownerId),
      cents,
      promised.filter(isOf(ownerId)),
    );
  limit([...payouts.keys()], ownersCents, promised);
  return amounts;
}
