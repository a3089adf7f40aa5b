/** Money of properties that can be paid to their owners, and the part of each owner in it. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import type { OwnedProperty, OwnershipShare } from "@freehold/proto/portfolio/v1/portfolio";
import type { Chart } from "../../chart/categories.ts";
import { ownerParts, sharesOn, shareTerms } from "../ownership.rules.ts";
import { selectOwnerBalances } from "./owner-ledger.queries.ts";
import { selectPropertyFigures, type MoneyScope } from "./property-figures.queries.ts";
import { availableCents, type PropertyFigures } from "./property-figures.rules.ts";

/** Figures of a property at the end of a day, the documents behind them, and the part of each owner, former owners included. */
export interface AvailableMoney {
  property: OwnedProperty;
  figures: PropertyFigures;
  unpaidExpenseIds: string[];
  heldWorkOrderIds: string[];
  shares: OwnershipShare[];
  parts: Map<string, number>;
}

/** Reads the available money of properties at the end of a day, in all trust accounts or in one. */
export async function readAvailableMoney(
  db: StatementRunner,
  chart: Chart,
  properties: readonly OwnedProperty[],
  scope: MoneyScope,
): Promise<AvailableMoney[]> {
  const rows = new Map((await db.all(selectPropertyFigures(db, chart, properties, scope))).map((row) => [row.propertyId, row]));
  const balances = Map.groupBy(await db.all(selectOwnerBalances(db, properties.flatMap(shareTerms), scope.asOf)), ({ propertyId }) => propertyId);
  return properties.map((property) => {
    const { propertyId: _, unpaidExpenseIds, heldWorkOrderIds, ...row } = rows.get(property.propertyId)!;
    const figures = { ...row, reserveCents: property.reserveCents ?? 0 };
    const shares = sharesOn(property, scope.asOf);
    const balanceOf = new Map((balances.get(property.propertyId) ?? []).map(({ ownerId, balanceCents }) => [ownerId, balanceCents]));
    return { property, figures, unpaidExpenseIds, heldWorkOrderIds, shares, parts: ownerParts(availableCents(figures), balanceOf, shares) };
  });
}
