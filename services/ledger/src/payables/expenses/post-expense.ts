import type { Expense as View } from "@freehold/contract/payables/expenses";
import { newId } from "@freehold/kit/db/entity";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { startOfDay } from "@freehold/kit/time/clock";
import { truncate } from "@freehold/kit/truncate";
import { getChart, type Chart } from "../../chart/categories.ts";
import { postEntries, type NewEntry } from "../../journal/posting.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { expenseLines } from "./expense.rules.ts";

type Posted = Pick<View, "id" | "name" | "category" | "categoryId" | "amountCents" | "incurredOn" | "propertyId"> &
  Partial<Pick<View, "unitId" | "ownerId" | "vendorId" | "invoiceNumber">>;

/** Posts the journal entry of an expense on the day on which it was incurred, and returns the id of the entry. */
export async function postExpense(tx: OrgTx, expense: Posted): Promise<string> {
  const { timezone } = await getLedgerSettings(tx);
  const entry = expenseEntry(timezone, await getChart(tx), expense);
  await postEntries(tx, timezone, [entry]);
  return entry.id;
}

/** Returns the journal entry of an expense, on the day on which it was incurred. */
export function expenseEntry(timezone: string, chart: Chart, expense: Posted): NewEntry {
  const title = expense.name ?? `Expense: ${expense.category}`;
  return {
    id: newId(),
    memo: truncate(expense.invoiceNumber ? `${title} (invoice ${expense.invoiceNumber})` : title, 500),
    occurredAt: startOfDay(expense.incurredOn, timezone),
    entryDate: expense.incurredOn,
    source: "expense",
    isDateFixed: true,
    document: { type: "expense", id: expense.id },
    lines: expenseLines(chart, expense),
  };
}
