/** Billing of expenses to tenants, with a mark-up. */
import type { expenses } from "@freehold/contract/payables/expenses";
import type { BodyOf, Output } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict } from "@freehold/kit/errors";
import { getChart, requireIncomeAccount } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { loadChargeableLease } from "../../projections/load-leases.ts";
import { createChargesAtOnce } from "../../receivables/charges/charges.ts";
import { Expense } from "../expenses/expense.entity.ts";
import { requireActiveExpense } from "../expenses/expense.rules.ts";
import { getExpense } from "../expenses/expenses.ts";
import { requireWorkOrder } from "../work-orders/work-order-costs.ts";
import { requireTenantsCosts } from "../work-orders/work-order-costs.rules.ts";
import { requireNoFeeExpense } from "../management-fees/require-no-run.ts";
import { recordBilling } from "./record-billing.ts";
import { findTenantCharge } from "./require-not-billed.ts";
import { chargeTypeByCategory, requireLeaseOfExpense, requireNotRejected, withMarkup } from "./tenant-charge.rules.ts";

type Operation = typeof expenses.operations.chargeExpenseTenant;

/**
 * Charges a tenant for an expense, which is locked, so that it is billed once and neither voided nor changed meanwhile. Throws a 400 for an
 * account that is not of income and a lease of another property or unit, and a 409 for an expense that is billed already or cannot be billed.
 */
export async function chargeExpenseTenant(db: OrgDb, clients: Clients, id: string, body: BodyOf<Operation>): Promise<Output<Operation>> {
  const { leaseId, categoryId, dueDate, markupBps, chargeType, name, memo } = body;
  const chart = await getChart(db);
  const { workOrderId: billedWorkOrderId } = await getExpense(db, id);
  requireIncomeAccount(chart, categoryId, "categoryId");
  if (billedWorkOrderId) requireTenantsCosts(await requireWorkOrder(db, clients, billedWorkOrderId));
  const lease = await loadChargeableLease(db, clients, leaseId);
  return transaction(db, async (tx) => {
    const expense = await tx.getForUpdate(Expense, id, "Expense");
    requireActiveExpense(expense, "charged");
    requireNotRejected(expense);
    requireLeaseOfExpense(lease, expense);
    await requireNoFeeExpense(tx, id, "charged to a tenant");
    const billedBy = await findTenantCharge(tx, id);
    if (billedBy) throw conflict(`The charge ${billedBy} bills the expense already. Void that charge to bill the expense again.`, "duplicate");
    const { amountCents, category, workOrderId } = expense;
    const [posted] = await createChargesAtOnce(tx, [
      {
        chart,
        charge: {
          lease,
          categoryId,
          dueDate,
          amountCents: withMarkup(amountCents, markupBps ?? expense.markupBps ?? 0),
          chargeType: chargeType ?? chargeTypeByCategory[category],
          name: name ?? expense.name ?? `Expense: ${category}`,
          memo,
          expenseId: id,
          ...(workOrderId && { workOrderId }),
          isDateFixed: true,
        },
      },
    ]);
    await recordBilling(tx, expense);
    return { charge: posted!.charge, expense: await getExpense(tx, id) };
  });
}
