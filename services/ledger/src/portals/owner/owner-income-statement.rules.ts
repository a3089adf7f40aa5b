/** Rules of the income statement of an owner. */
import type { OwnerIncomeStatement } from "@freehold/contract/portals/owner-portal-money";

/** Sum of an owner on an account at a property in cents; expenses are negative. */
export interface AccountAmount {
  propertyId: string;
  accountCode: string;
  accountName: string;
  accountType: "income" | "expense";
  ownCents: number;
}

type Statement = Pick<OwnerIncomeStatement, "incomeCents" | "expenseCents" | "netIncomeCents" | "properties">;

const sumOf = (amounts: readonly AccountAmount[], type: AccountAmount["accountType"]): number =>
  amounts.reduce((sum, { accountType, ownCents }) => (accountType === type ? sum + ownCents : sum), 0);

const figuresOf = (amounts: readonly AccountAmount[]) => {
  const [incomeCents, costCents] = [sumOf(amounts, "income"), sumOf(amounts, "expense")];
  return { incomeCents, expenseCents: 0 - costCents, netIncomeCents: incomeCents + costCents };
};

/** Returns the sums of each property with amounts, in the order of the properties, and of all together. */
export function incomeStatement(properties: readonly { propertyId: string; propertyName: string }[], amounts: readonly AccountAmount[]): Statement {
  const byProperty = Map.groupBy(amounts, ({ propertyId }) => propertyId);
  return {
    ...figuresOf(amounts),
    properties: properties.flatMap(({ propertyId, propertyName }) => {
      const own = byProperty.get(propertyId);
      if (!own) return [];
      const rows = own.map(({ accountCode, accountName, accountType, ownCents }) => ({
        accountCode,
        accountName,
        accountType,
        amountCents: accountType === "expense" ? 0 - ownCents : ownCents,
      }));
      return [{ propertyId, propertyName, ...figuresOf(own), rows }];
    }),
  } as Statement;
}
