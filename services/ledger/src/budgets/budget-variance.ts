import type { budgets, BudgetVariance } from "@freehold/contract/ledger/budgets";
import type { QueryOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { today } from "@freehold/kit/time/clock";
import { listCategories } from "../chart/categories.ts";
import { readActuals } from "./actuals.queries.ts";
import { comparedMonths } from "./budget.rules.ts";
import { getBudget } from "./budgets.ts";
import { compareWithActuals } from "./variance.rules.ts";

type Operation = (typeof budgets.operations)["getBudgetVariance"];

/** Compares a budget with the ledger from the first month of its fiscal year through a month, by default the last one that has ended. */
export async function getBudgetVariance(db: OrgDb, id: string, query: QueryOf<Operation>): Promise<BudgetVariance> {
  const budget = await getBudget(db, id);
  const basis = query.basis ?? budget.basis;
  const months = comparedMonths(budget, query.through, today(db.principal.timezone));
  const actuals = await readActuals(db, { basis, propertyId: budget.propertyId ?? undefined }, months);
  const comparison = compareWithActuals(await listCategories(db), budget.lines, actuals, months);
  return { budgetId: id, basis, startDate: months[0]!, through: months.at(-1)!.slice(0, 7), ...comparison };
}
