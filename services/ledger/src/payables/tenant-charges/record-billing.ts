/** Change of an expense by the charge that bills it to a tenant. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { now } from "@freehold/kit/time/clock";
import { Expense } from "../expenses/expense.entity.ts";

const publish = eventPublisher("ledger");

/** Raises the version of a locked expense, whose `chargeId` has changed, and publishes the change. */
export async function recordBilling(tx: OrgTx, expense: Expense): Promise<void> {
  tx.assign(expense, { updatedAt: now() });
  await publish(tx, "expense.updated", { entityId: expense.id, data: { propertyId: expense.propertyId, vendorId: expense.vendorId ?? null } });
}

/** Locks the expense that a charge bills, and records that the charge was voided. */
export async function recordVoidedBilling(tx: OrgTx, expenseId: string): Promise<void> {
  await recordBilling(tx, await tx.getForUpdate(Expense, expenseId, "Expense"));
}
