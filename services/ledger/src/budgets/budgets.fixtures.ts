/** Budgets for tests. */
import type { Budget } from "@freehold/contract/ledger/budgets";
import type { Colleague } from "../../../../test/support/office.ts";

/** Returns the same amount for each month of a year. */
export const everyMonth = (cents: number): number[] => Array.from({ length: 12 }, () => cents);

/** Creates the draft of a budget, by default of the portfolio for the calendar year 2026 and without lines. */
export const aBudget = async (office: Colleague, terms: object = {}): Promise<Budget> =>
  (await office.call("createBudget", { body: { name: "Budget", fiscalYear: 2026, startMonth: 1, ...terms } })).budget;
