/** Guard of expenses that are billed to a tenant. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { conflict } from "@freehold/kit/errors";

/** Returns the id of the charge that bills a locked expense to a tenant and is not voided, or undefined. */
export async function findTenantCharge(tx: OrgTx, expenseId: string): Promise<string | undefined> {
  const row = await tx.first(
    sql<{ id: string }>`select id from charge where organization_id = ${tx.organizationId} and expense_id = ${expenseId} and status <> 'voided'`,
  );
  return row?.id;
}

/** Throws a 409 while a charge bills a locked expense to a tenant. */
export async function requireNotBilled(tx: OrgTx, expenseId: string, change: string): Promise<void> {
  const chargeId = await findTenantCharge(tx, expenseId);
  if (chargeId) throw conflict(`The charge ${chargeId} bills the expense to a tenant, so it cannot be ${change}. Void the charge first.`, "resource_in_use");
}
