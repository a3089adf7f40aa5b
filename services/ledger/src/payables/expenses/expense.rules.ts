/** Rules of expenses: approval, what may still change, and the journal entry. */
import type { Expense as View } from "@freehold/contract/payables/expenses";
import { conflict } from "@freehold/kit/errors";
import { stateMachine } from "@freehold/kit/state-machine";
import type { Chart } from "../../chart/categories.ts";
import { ACCOUNTS_PAYABLE } from "../../chart/chart.ts";
import { credit, debit, type Dimensions, type EntryLine } from "../../journal/journal.rules.ts";

export const approvalStateMachine = stateMachine("expense", {
  not_required: [],
  pending: ["approved", "rejected"],
  approved: ["rejected"],
  rejected: ["approved"],
});

/** Code of the account that an expense of each category is debited to. */
export const accountByCategory: Record<View["category"], string> = {
  maintenance: "5000",
  utility: "5010",
  tax: "5020",
  insurance: "5030",
  management: "5040",
  other: "5090",
};

interface Bearer {
  id: string;
  propertyId: string;
  unitId?: string | null | undefined;
  ownerId?: string | null | undefined;
  vendorId?: string | null | undefined;
}
type Posted = Pick<View, "categoryId" | "amountCents"> & Bearer;

/** Dimensions of the lines of an expense and of its settlements. */
export const expenseDimensions = ({ id, propertyId, unitId = null, ownerId = null, vendorId = null }: Bearer): Dimensions => ({
  expenseId: id,
  propertyId,
  unitId,
  ownerId,
  vendorId,
});

/** Returns the lines of an expense. It is owed, so that nothing is recognized on the cash basis. */
export function expenseLines(chart: Chart, expense: Posted): EntryLine[] {
  const dimensions = expenseDimensions(expense);
  return [debit(expense.categoryId, expense.amountCents, dimensions, null), credit(chart.accountId(ACCOUNTS_PAYABLE), expense.amountCents, dimensions, null)];
}

/** Throws a 409 unless the expense is active. */
export function requireActiveExpense({ status }: Pick<View, "status">, change: string): void {
  if (status === "voided") throw conflict(`The expense is voided and cannot be ${change}. Record a new one instead.`, "invalid_transition");
}

/** Throws a 409 when payments settle the expense. */
export function requireUnpaid({ paidCents }: Pick<View, "paidCents">, change: string): void {
  if (paidCents === 0) return;
  throw conflict(
    `Payments settle ${paidCents} cents of the expense, so it cannot be ${change}. Void them or remove their allocations first.`,
    "already_allocated",
  );
}
