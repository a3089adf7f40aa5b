/** Budgets made from another budget or from the ledger. */
import type { Budget as View, budgets } from "@freehold/contract/ledger/budgets";
import type { BodyOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import { listCategories } from "../chart/categories.ts";
import type { Clients } from "../clients.ts";
import { newSortedIds } from "../ids.ts";
import { readActuals } from "./actuals.queries.ts";
import { adjustLines, budgetLines, exactAmounts, type LineAmounts } from "./budget-line.rules.ts";
import { monthsOfFiscalYear } from "./budget.rules.ts";
import { requireProperty } from "../require-property.ts";
import { addDraft, changeBudget, getBudget, lockBudget } from "./budgets.ts";

type Operations = typeof budgets.operations;

/** Returns the lines with adjusted amounts and new ids. Throws a 400 when the amounts exceed the largest supported amount. */
const adjustedLines = (lines: readonly LineAmounts[], adjustBps: number) => budgetLines(adjustLines(lines, adjustBps), newSortedIds(lines.length), "adjustBps");

/** Creates a draft of a fiscal year with the terms of a budget and its amounts changed by basis points. Throws a 400 when the property was deleted. */
export async function copyBudget(
  db: OrgDb,
  clients: Clients,
  id: string,
  { fiscalYear, adjustBps }: BodyOf<Operations["copyBudget"]>,
): Promise<{ budget: View }> {
  await requireProperty(db, clients, (await getBudget(db, id)).propertyId);
  return transaction(db, async (tx) => {
    const { propertyId = null, name, startMonth, basis, lines } = await lockBudget(tx, id);
    const exactLines = lines.map((line) => ({ ...line, amountsCents: exactAmounts(line.amountsCents) }));
    return addDraft(tx, { propertyId, name, fiscalYear, startMonth, basis, lines: adjustedLines(exactLines, adjustBps) });
  });
}

/** Replaces the lines of a budget by the actual amounts of a fiscal year, by default the one before, changed by basis points. */
export async function fillBudgetFromActuals(
  db: OrgDb,
  id: string,
  { fiscalYear, adjustBps, basis }: BodyOf<Operations["fillBudgetFromActuals"]>,
): Promise<{ budget: View }> {
  const accounts = await listCategories(db);
  return transaction(db, (tx) =>
    changeBudget(tx, id, async (budget) => {
      const months = monthsOfFiscalYear({ fiscalYear: fiscalYear ?? budget.fiscalYear - 1, startMonth: budget.startMonth });
      const actuals = await readActuals(tx, { basis: basis ?? budget.basis, propertyId: budget.propertyId ?? undefined }, months);
      const lines = accounts.flatMap((account) => {
        const amountsCents = actuals.get(account.id);
        return amountsCents ? [{ categoryId: account.id, amountsCents, note: null }] : [];
      });
      return { lines: adjustedLines(lines, adjustBps) };
    }),
  );
}
