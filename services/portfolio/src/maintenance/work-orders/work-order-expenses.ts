/** Expenses of work orders, which the ledger owns. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Clients } from "../../clients.ts";

/** Returns a lookup of the ids of the expenses of work orders, which finds null while the ledger is unavailable or slow. Portals show no expenses. */
export async function findExpenseIds(db: OrgDb, clients: Clients, workOrderIds: string[]): Promise<(workOrderId: string) => string[] | null> {
  if (db.principal.subjectId || workOrderIds.length === 0) return () => [];
  const response = await clients.callOptionally(db, "ledger", () => clients.ledger.listWorkOrderExpenses(db, { workOrderIds }));
  if (!response) return () => null;
  const expenses = Map.groupBy(response.expenses, ({ workOrderId }) => workOrderId);
  return (id) => (expenses.get(id) ?? []).map((expense) => expense.id);
}
