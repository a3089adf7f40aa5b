/** Removal of one allocation, whose amount becomes credit of the payment again. */
import type { Output } from "@freehold/contract/operation";
import type { payments } from "@freehold/contract/ledger/payments";
import { now, startOfDay, today } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { newId } from "@freehold/kit/db/entity";
import { conflict, notFound } from "@freehold/kit/errors";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { getChart } from "../../chart/categories.ts";
import { postEntries } from "../../journal/posting.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { Payment, PaymentAllocation } from "../payments/payment.entity.ts";
import { getPayment, payerOf } from "../payments/payments.ts";
import { releaseAllocations, reopenCharges, returnToCredit } from "./release-allocations.ts";
import { releaseLines } from "../payments/settlement.rules.ts";

const publish = eventPublisher("ledger");

/**
 * Takes one allocation back: the charge is open and the amount is credit of the payment from today, or from the day on which the
 * allocation settles the charge when that is later. Throws 404 for an unknown allocation, and 409 when it has been released.
 */
export function deletePaymentAllocation(db: OrgDb, id: string, allocationId: string): Promise<Output<typeof payments.operations.deletePaymentAllocation>> {
  return transaction(db, async (tx) => {
    const { timezone } = await getLedgerSettings(tx);
    const payment = await tx.getForUpdate(Payment, id, "Payment");
    const allocation = await tx.findOne(PaymentAllocation, { id: allocationId, paymentId: id });
    if (!allocation) throw notFound("Allocation");
    if (allocation.releasedAt) throw conflict("The allocation has already been removed. Read the payment again.", "invalid_transition");
    const day = today(timezone);
    const entryId = newId();
    const released = await releaseAllocations(tx, { paymentId: id, allocationId, releaseEntryId: entryId }, day);
    const [charge] = await reopenCharges(tx, released, day);
    returnToCredit(tx, payment, released, day);
    const { releasedOn } = released[0]!;
    const lines = releaseLines(
      { ...payerOf(payment), description: "Allocation removed" },
      { charge: charge!, amountCents: allocation.amountCents },
      await getChart(tx),
    );
    const occurredAt = releasedOn > day ? startOfDay(releasedOn, timezone) : now();
    const document = { type: "payment", id } as const;
    await postEntries(tx, timezone, [
      { id: entryId, memo: "Payment allocation removed", occurredAt, entryDate: releasedOn, source: "allocation", document, lines },
    ]);
    const { tenantId } = payment;
    await publish(tx, "payment.allocation_released", {
      entityId: id,
      data: { tenantId, leaseId: payment.leaseId ?? null, chargeId: charge!.id },
      audience: { tenantIds: [tenantId] },
    });
    return { payment: await getPayment(tx, id) };
  });
}
