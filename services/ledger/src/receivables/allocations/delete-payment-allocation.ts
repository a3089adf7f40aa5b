/** Removal of one allocation, whose amount becomes credit of the payment again. */
import type { Output } from "@freehold/contract/operation";
import type { payments } from "@freehold/contract/ledger/payments";
import { now, startOfDay, today } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { conflict, notFound } from "@freehold/kit/errors";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { maxDate } from "@freehold/kit/time/plain-date";
import { getChart, type Chart } from "../../chart/categories.ts";
import { PREPAID_RENT } from "../../chart/chart.ts";
import type { Charge } from "../charges/charge.entity.ts";
import { postEntries } from "../../journal/posting.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { followInDeposit } from "../deposits/deposit-transfers.ts";
import { Payment, PaymentAllocation } from "../payments/payment.entity.ts";
import { getPayment, payerOf, readReceiptDate } from "../payments/payments.ts";
import { releaseAllocations, reopenCharges, returnToCredit, type ReleasedAllocation } from "./release-allocations.ts";
import { postponedReleaseLines, prepaidTransferLines, releaseLines } from "../payments/settlement.rules.ts";

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
    const chart = await getChart(tx);
    const day = today(timezone);
    const entryId = newId();
    const [released] = await releaseAllocations(tx, { paymentId: id, allocationId, releaseEntryId: entryId }, day);
    const [charge] = await reopenCharges(tx, [released!], day);
    const receivedOn = await readReceiptDate(tx, payment);
    const isHeldAtCharge = await isPrepaidAtCharge(tx, chart, payment, charge!, released!);
    returnToCredit(tx, payment, [isHeldAtCharge ? { ...released!, settledOn: receivedOn } : released!], day);
    const payer = { ...payerOf(payment), description: "Allocation removed" };
    const amount = { charge: charge!, amountCents: allocation.amountCents };
    const { releasedOn } = released!;
    const parts = isHeldAtCharge
      ? [
          { date: releasedOn, lines: postponedReleaseLines(payer, amount, chart) },
          { date: maxDate(day, receivedOn), lines: prepaidTransferLines(payer, amount, chart) },
        ]
      : [{ date: releasedOn, lines: releaseLines(payer, amount, chart) }];
    const entries = [...Map.groupBy(parts, ({ date }) => date)].map(([date, group], index) => ({
      id: index === 0 ? entryId : newId(),
      memo: "Payment allocation removed",
      occurredAt: date > day ? startOfDay(date, timezone) : now(),
      entryDate: date,
      source: "allocation" as const,
      document: { type: "payment" as const, id },
      lines: group.flatMap(({ lines }) => lines),
    }));
    await postEntries(tx, timezone, entries);
    await followInDeposit(tx, timezone, chart, payment, entries);
    const { tenantId } = payment;
    await publish(tx, "payment.allocation_released", {
      entityId: id,
      data: { tenantId, leaseId: payment.leaseId ?? null, chargeId: charge!.id },
      audience: { tenantIds: [tenantId] },
    });
    return { payment: await getPayment(tx, id) };
  });
}

/**
 * Tells whether the released amount was prepaid rent at the property of the charge since the receipt: it was allocated with the
 * receipt to a charge that is settled later, and the payer has no lease at that property.
 */
async function isPrepaidAtCharge(tx: OrgTx, chart: Chart, payment: Payment, { propertyId }: Charge, { entryId }: ReleasedAllocation): Promise<boolean> {
  if (payment.propertyId === propertyId) return false;
  const line = await tx.first(sql`select 1 as found from journal_line where organization_id = ${tx.organizationId} and entry_id = ${entryId}
    and account_id = ${chart.accountId(PREPAID_RENT)} and property_id = ${propertyId} and debit_cents > 0`);
  return line !== undefined;
}
