/** Removal of one allocation, whose amount becomes credit of the payment again. */
import type { Output } from "@freehold/contract/operation";
import type { payments } from "@freehold/contract/ledger/payments";
import { today } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { conflict, notFound } from "@freehold/kit/errors";
import { getChart } from "../../chart/categories.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { Payment, PaymentAllocation } from "../payments/payment.entity.ts";
import { getPayment } from "../payments/payments.ts";
import { lockDepositOfAllocation, requireUnusedDeposit } from "../../trust/security-deposits/require-unused-deposit.ts";
import { removeAllocation } from "./remove-allocation.ts";

/**
 * Removes one allocation: the charge is open and the amount is credit of the payment from today, or from the day on which the
 * allocation settles the charge if that day is later. Throws 404 for an unknown allocation, and 409 when it has been released or is the
 * payment of a security deposit that has been used.
 */
export function deletePaymentAllocation(db: OrgDb, id: string, allocationId: string): Promise<Output<typeof payments.operations.deletePaymentAllocation>> {
  return transaction(db, async (tx) => {
    await lockDepositOfAllocation(tx, id, allocationId);
    const { timezone } = await getLedgerSettings(tx);
    const payment = await tx.getForUpdate(Payment, id, "Payment");
    const allocation = await tx.findOne(PaymentAllocation, { id: allocationId, paymentId: id });
    if (!allocation) throw notFound("Allocation");
    if (allocation.releasedAt) throw conflict("The allocation has already been removed. Read the payment again.", "invalid_transition");
    const charge = await removeAllocation(tx, timezone, await getChart(tx), payment, allocation, today(timezone));
    await requireUnusedDeposit(tx, charge.id);
    return { payment: await getPayment(tx, id) };
  });
}
