/** Balance of an owner: the money of the owner's properties, and what of it can be paid to the owner. */
import type { OwnerBalance, ownerLedgers } from "@freehold/contract/trust/owner-ledgers";
import type { QueryOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { today } from "@freehold/kit/time/clock";
import { getChart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { findOwnedProperties, requireOwner } from "../owned-properties.ts";
import { findMoneySubject, readAvailableMoney } from "./available-money.ts";
import { sumFigures } from "./property-figures.rules.ts";

/** Returns the balance of an owner at the end of a day. Throws 404 for an unknown owner. */
export async function getOwnerBalance(
  db: OrgDb,
  clients: Clients,
  ownerId: string,
  query: QueryOf<typeof ownerLedgers.operations.getOwnerBalance>,
): Promise<{ balance: OwnerBalance }> {
  const [{ timezone }, chart, , properties] = await Promise.all([
    getLedgerSettings(db),
    getChart(db),
    requireOwner(db, clients, ownerId),
    findOwnedProperties(db, clients, [ownerId]),
  ]);
  const asOf = query.asOf ?? today(timezone);
  const money = await readAvailableMoney(db, chart, await findMoneySubject(db, clients, properties, asOf), { asOf, timezone });
  const byProperty = money.flatMap(({ property: { propertyId, propertyName }, figures, shares, parts }) => {
    const shareBps = shares.find((share) => share.ownerId === ownerId)?.shareBps ?? 0;
    const availableToPayCents = parts.get(ownerId) ?? 0;
    return shareBps === 0 && availableToPayCents === 0 ? [] : [{ propertyId, propertyName, shareBps, ...figures, availableToPayCents }];
  });
  return { balance: { ownerId, asOf, ...sumFigures(byProperty), byProperty } as OwnerBalance };
}
