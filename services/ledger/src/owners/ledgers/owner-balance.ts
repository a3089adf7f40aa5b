/** Balance of an owner: the money of the owner's properties, and what of it can be paid to the owner. */
import type { PortalOwnerBalance } from "@freehold/contract/portals/owner-portal-money";
import type { OwnerBalance, ownerLedgers } from "@freehold/contract/trust/owner-ledgers";
import type { QueryOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { today } from "@freehold/kit/time/clock";
import { getChart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { findOwnedProperties, requireOwner } from "../owned-properties.ts";
import { splitByShare } from "../ownership.rules.ts";
import { type AvailableMoney, findMoneySubject, readAvailableMoney } from "./available-money.ts";
import { type PropertyFigures, sumFigures } from "./property-figures.rules.ts";

type Query = QueryOf<typeof ownerLedgers.operations.getOwnerBalance>;

/**
 * Returns the balance of an owner at the end of a day, with the figures of the whole properties, of properties that the owner has sold those of the
 * owner. Throws 404 for an unknown owner.
 */
export const getOwnerBalance = (db: OrgDb, clients: Clients, ownerId: string, query: Query): Promise<{ balance: OwnerBalance }> =>
  readOwnerBalance(db, clients, ownerId, query, (money) =>
    money.shares.some((share) => share.ownerId === ownerId) ? money.figures : partOfFigures(money, ownerId),
  );

/** Returns the balance of an owner at the end of a day, with the owner's part of each figure. Throws 404 for an unknown owner. */
export const getWeightedOwnerBalance = (db: OrgDb, clients: Clients, ownerId: string, query: Query): Promise<{ balance: PortalOwnerBalance }> =>
  readOwnerBalance(db, clients, ownerId, query, (money) => partOfFigures(money, ownerId));

async function readOwnerBalance(
  db: OrgDb,
  clients: Clients,
  ownerId: string,
  query: Query,
  figuresOf: (money: AvailableMoney) => PropertyFigures,
): Promise<{ balance: OwnerBalance }> {
  const [{ timezone }, chart, , properties] = await Promise.all([
    getLedgerSettings(db),
    getChart(db),
    requireOwner(db, clients, ownerId),
    findOwnedProperties(db, clients, [ownerId]),
  ]);
  const asOf = query.asOf ?? today(timezone);
  const money = await readAvailableMoney(db, chart, await findMoneySubject(db, clients, properties, asOf), { asOf, timezone });
  const byProperty = money.flatMap((each) => {
    const { propertyId, propertyName } = each.property;
    const shareBps = each.shares.find((share) => share.ownerId === ownerId)?.shareBps ?? 0;
    const availableToPayCents = each.parts.get(ownerId) ?? 0;
    // A former owner may owe money, or need all money for what the owner bears.
    const isSettled = availableToPayCents === 0 && (each.ledgerBalances.get(ownerId) ?? 0) === 0;
    return shareBps === 0 && isSettled ? [] : [{ propertyId, propertyName, shareBps, ...figuresOf(each), availableToPayCents }];
  });
  return { balance: { ownerId, asOf, ...sumFigures(byProperty), byProperty } as OwnerBalance };
}

/**
 * Returns the part of an owner in the figures of a property: of the cash what is there of the owner's ledger and a part of the other money, such as that of tenants,
 * what is unpaid as the owner bears it, and the rest by the shares on the day.
 */
function partOfFigures({ figures, shares, balancesHere, unpaid }: AvailableMoney, ownerId: string): PropertyFigures {
  const own = shares.findIndex((share) => share.ownerId === ownerId);
  const partOf = (cents: number) => (own === -1 ? 0 : splitByShare(cents, shares)[own]!);
  const ownersCents = [...balancesHere.values()].reduce((sum, cents) => sum + cents, 0);
  return {
    cashCents: (balancesHere.get(ownerId) ?? 0) + partOf(figures.cashCents - ownersCents),
    securityDepositsCents: partOf(figures.securityDepositsCents),
    prepaidRentCents: partOf(figures.prepaidRentCents),
    unpaidExpensesCents: unpaid.expenses.get(ownerId) ?? 0,
    pendingCents: partOf(figures.pendingCents),
    heldEstimatesCents: partOf(figures.heldEstimatesCents),
    managementFeesCents: unpaid.managementFees.get(ownerId) ?? 0,
    reserveCents: partOf(figures.reserveCents),
    additionalReserveCents: partOf(figures.additionalReserveCents),
  };
}
