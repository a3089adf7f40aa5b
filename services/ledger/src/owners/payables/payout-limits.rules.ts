/** Rules of the limits of payouts from a bank account. */
import { partsInProportion, sumOfCents } from "@freehold/domain/parts-in-proportion";
import type { Flow } from "../../trust/bank-accounts/trust-funds.rules.ts";

/** Most that payouts from a bank account can take. */
export interface PayoutLimits {
  /** Lowest money of all owners in the account, less what tenants or the company lack there. */
  ownersCents: number;
  /** Lowest money in the account of each owner who owes some at a property: that at all properties together. */
  ofDebtors: ReadonlyMap<string, OwnersMoney>;
  /** Lowest money in the account of each owner at a property, by `propertyId ownerId`. */
  atProperties: ReadonlyMap<string, number>;
}

/** Money of an owner, and the cents of it that the rounding of the parts of the owners may take or give. */
export interface OwnersMoney {
  cents: number;
  oddCents: number;
}

/** Money of an owner at a property: at the end of each day, and until the next one in order. */
export interface MoneyAtProperty {
  propertyId: string;
  ownerId: string;
  oddCents: number;
  days: readonly { day: string; cents: number }[];
}

/**
 * Returns the money of owners at the end of each day, by flows in the order of their days. The money that tenants and the company have in the account pays no owner,
 * and what one of them lacks was taken from the owners.
 */
export function ownersMoneyByDay(flows: readonly Flow[]): { day: string; cents: number }[] {
  const others = new Map<string, number>();
  let cents = 0;
  return [...Map.groupBy(flows, ({ day }) => day)].map(([day, group]) => {
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
    return { day, cents };
  });
}

/** Returns the lowest money of owners at the end of a day; 0 without flows. */
export const lowestOwnersMoney = (flows: readonly Flow[]): number => (flows.length === 0 ? 0 : Math.min(...ownersMoneyByDay(flows).map(({ cents }) => cents)));

/** Returns the lowest sum of the money of each owner at several properties at the end of a day, of the owners who owe money at one of them on a day. */
export function debtorLimits(money: readonly MoneyAtProperty[]): Map<string, OwnersMoney> {
  const debtors = [...Map.groupBy(money, ({ ownerId }) => ownerId)].filter(([, own]) => own.some(({ days }) => days.some(({ cents }) => cents < 0)));
  return new Map(
    debtors.map(([ownerId, own]) => {
      const moneyOn = (day: string) => sumOfCents(own.map(({ days }) => days.findLast((each) => each.day <= day)?.cents ?? 0));
      const cents = Math.min(...new Set(own.flatMap(({ days }) => days.map(({ day }) => moneyOn(day)))));
      return [ownerId, { cents, oddCents: sumOfCents(own.map((each) => each.oddCents)) }];
    }),
  );
}

const keyOf = (propertyId: string, ownerId: string) => `${propertyId} ${ownerId}`;

/** Returns the lowest money of each owner at each property, by `propertyId ownerId`. */
export const propertyLimits = (money: readonly MoneyAtProperty[]): Map<string, number> =>
  new Map(money.map(({ propertyId, ownerId, days }) => [keyOf(propertyId, ownerId), Math.min(...days.map(({ cents }) => cents))]));

/** Amount that is to be paid to an owner of the money of a property. */
export interface Payable {
  ownerId: string;
  propertyId: string;
  amountCents: number;
}

/**
 * Returns the amounts of payouts as far as an account can pay them besides those that are promised already. Each payout is lowered to the money that its owner has
 * at the property, those of an owner who owes money elsewhere in proportion to what the owner has in all, and then all payouts to what the account holds of owners.
 * A promised payout that can no longer be paid in full promises what can be paid of it.
 */
export function limitPayouts(payouts: readonly Payable[], limits: PayoutLimits, promised: readonly Payable[]): number[] {
  const promises = limitAmounts(promised, limits, []);
  return limitAmounts(
    payouts,
    limits,
    promised.map((each, index) => ({ ...each, amountCents: promises[index]! })),
  );
}

function limitAmounts(payables: readonly Payable[], { ownersCents, ofDebtors, atProperties }: PayoutLimits, promised: readonly Payable[]): number[] {
  const amounts = payables.map(({ ownerId, propertyId, amountCents }) =>
    Math.max(0, Math.min(amountCents, atProperties.get(keyOf(propertyId, ownerId)) ?? amountCents)),
  );
  const limit = (isCounted: (each: Payable) => boolean, cents: number) => {
    const indexes = [...payables.keys()].filter((index) => isCounted(payables[index]!));
    const left = cents - sumOfCents(promised.filter(isCounted).map(({ amountCents }) => amountCents));
    const parts = partsInProportion(
      left,
      indexes.map((index) => amounts[index]!),
    );
    for (const [position, index] of indexes.entries()) amounts[index] = parts[position]!;
  };
  for (const [ownerId, { cents }] of ofDebtors) limit((each) => each.ownerId === ownerId, cents);
  limit(() => true, ownersCents);
  return amounts;
}
