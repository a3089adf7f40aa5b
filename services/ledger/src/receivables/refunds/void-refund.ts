/** Void of a refund that was not made after all, such as a check that was never cashed. */
import { truncate } from "@freehold/kit/truncate";
import type { refunds } from "@freehold/contract/ledger/refunds";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { eventPublisher } from "@freehold/kit/db/outbox";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict } from "@freehold/kit/errors";
import { localDateOf } from "@freehold/kit/time/clock";
import { maxDate } from "@freehold/kit/time/plain-date";
import { getChart } from "../../chart/categories.ts";
import { lockOpenDate, reverseEntries } from "../../journal/posting.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { returnToCredit } from "../allocations/release-allocations.ts";
import { transferCreditToHolders } from "../credit-holders/credit-holders.ts";
import { lockAccountsOfEntries } from "../../trust/bank-accounts/trust-funds.ts";
import { Payment, PaymentRefund } from "../payments/payment.entity.ts";
import { paymentStateMachine } from "../payments/payment.rules.ts";
import { getPayment, resolveTimeNotBefore } from "../payments/payments.ts";
import { paymentAudience } from "../../projections/tenant-audience.ts";

type Operation = typeof refunds.operations.voidRefund;
const publish = eventPublisher("ledger");

/**
 * Voids a refund: its entry is reversed, and the amount is credit of the payment again from the day of the void. Throws 404 for an
 * unknown refund, 400 for a time before the refund, and 409 when the refund is void, the payment was reversed or the bank account is archived.
 */
export function voidRefund(db: OrgDb, id: string, refundId: string, { reason, voidedAt: time }: BodyOf<Operation>): Promise<Output<Operation>> {
  return transaction(db, async (tx) => {
    const { timezone } = await getLedgerSettings(tx);
    const payment = await tx.getForUpdate(Payment, id, "Payment");
    const refund = await tx.getForUpdate(PaymentRefund, refundId, "Refund", { paymentId: id });
    if (refund.voidedAt) throw conflict("The refund has already been voided. Read the payment again.", "invalid_transition");
    if (payment.status === "reversed")
      throw conflict("The payment was reversed, and its lease was charged the refund. The refund cannot be voided.", "resource_in_use");
    await lockAccountsOfEntries(tx, [refund.entryId]);
    const voidedAt = resolveTimeNotBefore(refund.refundedAt, time, "voidedAt", "refundedAt of the refund");
    await reverseEntries(tx, timezone, [refund.entryId], { occurredAt: voidedAt, memo: truncate(`Refund voided: ${reason}`, 500) });
    const voidedOn = maxDate(await lockOpenDate(tx, localDateOf(voidedAt, timezone)), refund.refundedOn);
    await transferCreditToHolders(tx, timezone, await getChart(tx), payment);
    returnToCredit(tx, payment, [{ amountCents: refund.amountCents, settledOn: refund.refundedOn }], voidedOn);
    tx.assign(payment, {
      refundedCents: (payment.refundedCents - refund.amountCents) as Payment["refundedCents"],
      ...(payment.status === "refunded" && { status: paymentStateMachine.transition(payment.status, "received") }),
    });
    tx.assign(refund, { voidedAt, voidedOn, voidReason: reason });
    const { tenantId, leaseId = null } = payment;
    await publish(tx, "payment.refund_voided", { entityId: id, data: { tenantId, leaseId }, audience: await paymentAudience(tx, payment) });
    const view = await getPayment(tx, id);
    return { payment: view, refund: view.refunds.find((each) => each.id === refundId)! };
  });
}
