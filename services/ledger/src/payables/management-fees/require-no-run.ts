/** Guards of the expenses and payments of runs, which change with their run only. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { conflict } from "@freehold/kit/errors";

/** Throws a 409 for an expense that contains the fees of a run. */
export async function requireNoFeeExpense(tx: OrgTx, expenseId: string, change: string): Promise<void> {
  const row = await tx.first(
    sql<{ runId: string }>`select run_id from management_fee where organization_id = ${tx.organizationId} and expense_id = ${expenseId} limit 1`,
  );
  if (row) throw conflict(`The expense contains management fees and cannot be ${change}. Reverse the run ${row.runId} instead.`, "resource_in_use");
}

/** Throws a 409 for a payment that collected the fees of a run in a trust account. */
export async function requireNoFeeCollection(tx: OrgTx, expensePaymentId: string): Promise<void> {
  const row = await tx.first(
    sql<{ id: string }>`select id from management_fee_run where organization_id = ${tx.organizationId} and expense_payment_id = ${expensePaymentId}`,
  );
  if (row) throw conflict(`The payment collected management fees in a trust account. Reverse the run ${row.id} instead.`, "resource_in_use");
}
