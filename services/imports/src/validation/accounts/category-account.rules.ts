/** Accounts of the chart to which rows of money are posted. */
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { FieldValues } from "../draft.ts";

export interface ChartAccount {
  id: string;
  code: string;
  accountType: string;
}

/** Equity account of the earnings before the first entry in the ledger. */
export const RETAINED_EARNINGS_ACCOUNT = "3900";

const acceptedTypes: Partial<Record<ImportEntityType, { accountType: string; example: string }>> = {
  recurring_charge: { accountType: "income", example: "4000" },
  charge: { accountType: "income", example: "4000" },
  expense: { accountType: "expense", example: "5000" },
};

/** Tells whether a row names an account of the chart. A deposit is always credited to the deposit liability. */
export const namesAccount = (entityType: ImportEntityType, { category_code: code, type }: FieldValues): boolean =>
  acceptedTypes[entityType] !== undefined && code !== undefined && !(entityType === "charge" && type === "deposit");

/** Returns the sentence on an account that the ledger refuses for a row, or undefined. */
export function accountProblem(entityType: ImportEntityType, code: string, accounts: readonly ChartAccount[]): string | undefined {
  const { accountType, example } = acceptedTypes[entityType]!;
  const account = accounts.find((each) => each.code === code);
  const accepted = accounts.filter((each) => each.accountType === accountType).map((each) => each.code);
  const remedy = `Set it to an ${accountType} account, such as ${accepted.includes(example) ? example : accepted[0]}, or leave category_code empty.`;
  if (!account) return `category_code: The chart of accounts has no account ${code}. ${remedy}`;
  const isAccepted = account.accountType === accountType || (entityType === "charge" && code === RETAINED_EARNINGS_ACCOUNT);
  return isAccepted ? undefined : `category_code: ${code} is not an ${accountType} account. ${remedy}`;
}
