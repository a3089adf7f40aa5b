/** Expenses of work orders, for portfolio. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { WorkOrderExpense } from "@freehold/proto/ledger/v1/ledger";

/** Returns the ids of the expenses of work orders, without voided ones, oldest first. */
export const findWorkOrderExpenses = (db: StatementRunner, workOrderIds: readonly string[]): Promise<WorkOrderExpense[]> =>
  db.all(sql<WorkOrderExpense>`select id, work_order_id from expense
    where organization_id = ${db.organizationId} and work_order_id = any(${[...workOrderIds]}::uuid[]) and status = 'active' order by created_at, id`);
