/** Activation and archival of budgets. */
import type { Budget as View } from "@freehold/contract/ledger/budgets";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import { budgetStateMachine } from "./budget.rules.ts";
import { getBudget, lockBudget, publishBudgetEvent } from "./budgets.ts";

/** Activates a draft. Throws a 409 when its property has another active budget for the fiscal year, which the database detects. */
export const activateBudget = (db: OrgDb, id: string): Promise<{ budget: View }> => transitionBudget(db, id, "active", "budget.activated");

/** Archives a draft or an active budget. */
export const archiveBudget = (db: OrgDb, id: string): Promise<{ budget: View }> => transitionBudget(db, id, "archived", "budget.archived");

const transitionBudget = (db: OrgDb, id: string, to: View["status"], event: "budget.activated" | "budget.archived"): Promise<{ budget: View }> =>
  transaction(db, async (tx) => {
    const budget = await lockBudget(tx, id);
    tx.assign(budget, { status: budgetStateMachine.transition(budget.status, to) });
    await publishBudgetEvent(tx, event, budget);
    return { budget: await getBudget(tx, id) };
  });
