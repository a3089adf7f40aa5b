/** Journal lines of management fees: their collection in a trust account, and what is taken back or offset. */
import type { Chart } from "../../../chart/categories.ts";
import { MANAGEMENT_FEES_EARNED, OWNER_RECEIVABLE } from "../../../chart/chart.ts";
import { credit, debit, type Dimensions, type EntryLine } from "../../../journal/journal.rules.ts";
import type { MoneyAccount } from "../../../trust/bank-accounts/bank-account-references.ts";

/**
 * Returns the lines by which money that has left the properties becomes money of the management company in the same account: it belongs
 * to no property and is income of the company.
 */
export const earnedLines = (chart: Chart, { accountId, bankAccountId }: MoneyAccount, amountCents: number): EntryLine[] => [
  debit(accountId, amountCents, { bankAccountId }),
  credit(chart.accountId(MANAGEMENT_FEES_EARNED), amountCents),
];

/** Amount of fees of a property, with the account that they are debited to, and the expense that charges them. */
export interface PropertyFee {
  categoryId: string;
  propertyId: string;
  amountCents: number;
  expenseId?: string | undefined;
}

const dimensionsOf = ({ propertyId, expenseId }: PropertyFee): Dimensions => ({ propertyId, expenseId: expenseId ?? null });

/** Returns the lines that give a collected fee back to the owners of the property in the same account. */
export const collectedReturnLines = (chart: Chart, bank: MoneyAccount, fee: PropertyFee): EntryLine[] => [
  debit(bank.accountId, fee.amountCents, { bankAccountId: bank.bankAccountId, propertyId: fee.propertyId }),
  credit(fee.categoryId, fee.amountCents, dimensionsOf(fee)),
  debit(chart.accountId(MANAGEMENT_FEES_EARNED), fee.amountCents),
  credit(bank.accountId, fee.amountCents, { bankAccountId: bank.bankAccountId }),
];

/** Returns the lines of a fee that was paid out and is owed to the property. Nothing is recognized on the cash basis until it is offset. */
export const owedReturnLines = (chart: Chart, fee: PropertyFee): EntryLine[] => [
  debit(chart.accountId(OWNER_RECEIVABLE), fee.amountCents, dimensionsOf(fee), null),
  credit(fee.categoryId, fee.amountCents, dimensionsOf(fee), null),
];

/** Returns the lines of the part of a new fee that offsets a fee owed to the property. */
export const offsetLines = (chart: Chart, fee: PropertyFee): EntryLine[] => [
  debit(fee.categoryId, fee.amountCents, dimensionsOf(fee), null),
  credit(chart.accountId(OWNER_RECEIVABLE), fee.amountCents, dimensionsOf(fee), null),
];
