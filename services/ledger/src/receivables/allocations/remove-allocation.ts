/** Removal of an allocation in a transaction: journal entries, amounts and event. */
import { now, startOfDay, today } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { maxDate, minDate } from "@freehold/kit/time/plain-date";
import type { Chart } from "../../chart/categories.ts";
import { PREPAID_RENT } from "../../chart/chart.ts";
import type { Charge } from "../charges/charge.entity.ts";
import { postEntries } from "../../journal/posting.ts";
import { payerDimensionsOn } from "../credit-holders/credit-holder.rules.ts";
import { transferCreditToHolders, readCreditHolders } from "../credit-holders/credit-holders.ts";
import { transferAtBank } from "../deposits/deposit-transfers.ts";
import type { Payment, PaymentAllocation } from "../payments/payment.entity.ts";
import { readPaymentDays } from "../payments/payments.ts";
import { releaseAllocations, reopenCharges, returnToCredit, type ReleasedAllocation } from "./release-allocations.ts";
import { postponedReleaseLines, prepaidTransferLines, releaseLines } from "../payments/settlement.rules.ts";
import { paymentAudience } from "../../projections/tenant-audience.ts";

const publish = eventPublisher("ledger");

/**
 * Removes a live allocation of a locked payment: the charge is open and the amount is credit of the payment from `day`, or from the
 * day on which the allocation settles the charge if that day is later; money that was prepaid rent of the property until then is credit from today at the latest. With `isCarried`, the amount is kept for the charges that
 * replace the charge. Returns the locked charge.
 */
export async function removeAllocation(
  tx: OrgTx,
  timezone: string,
  chart: Chart,
  payment: Payment,
  allocation: PaymentAllocation,
  day: string,
  isCarried = false,
): Promise<Charge> {
  const { id } = payment;
  const entryId = newId();
  const [released] = await releaseAllocations(tx, { paymentId: id, allocationId: allocation.id, releaseEntryId: entryId, isCarried }, day);
  const [charge] = await reopenCharges(tx, [released!], day);
  const { postedOn } = await readPaymentDays(tx, id);
  const isPrepaidAtProperty = await wasPrepaidAtProperty(tx, chart, payment, charge!, released!);
  // Money that was prepaid at the property from the receipt on need not wait for a later day of the settlement.
  const availableOn = maxDate(minDate(day, today(timezone)), postedOn);
  if (isPrepaidAtProperty) returnToCredit(tx, payment, [{ ...released!, settledOn: postedOn }], availableOn);
  else returnToCredit(tx, payment, [released!], day);
  const holders = await readCreditHolders(tx, payment);
  const payer = (date: string) => ({ ...payerDimensionsOn(payment, holders, date), description: "Allocation removed" });
  const amount = { charge: charge!, amountCents: allocation.amountCents };
  const { releasedOn } = released!;
  const parts = isPrepaidAtProperty
    ? [
        { date: releasedOn, lines: postponedReleaseLines(payer(releasedOn), amount, chart) },
        { date: availableOn, lines: prepaidTransferLines(payer(availableOn), amount, chart) },
      ]
    : [{ date: releasedOn, lines: releaseLines(payer(releasedOn), amount, chart) }];
  const entries = [...Map.groupBy(parts, ({ date }) => date)].map(([date, group], index) => ({
    id: index === 0 ? entryId : newId(),
    memo: "Payment allocation removed",
    occurredAt: date === today(timezone) ? now() : startOfDay(date, timezone),
    entryDate: date,
    source: "allocation" as const,
    document: { type: "payment" as const, id },
    lines: group.flatMap(({ lines }) => lines),
  }));
  await postEntries(tx, timezone, entries);
  await transferCreditToHolders(tx, timezone, chart, payment);
  await transferAtBank(tx, timezone, chart, payment, entries);
  const { tenantId } = payment;
  await publish(tx, "payment.allocation_released", {
    entityId: id,
    data: { tenantId, leaseId: payment.leaseId ?? null, chargeId: charge!.id },
    audience: await paymentAudience(tx, payment),
  });
  return charge!;
}

/**
 * Returns true if the released amount was prepaid rent of the charge's property from the receipt on: it was allocated with the receipt to
 * a charge that is settled later, and the payment is for no lease at that property.
 */
async function wasPrepaidAtProperty(tx: OrgTx, chart: Chart, payment: Payment, { propertyId }: Charge, { entryId }: ReleasedAllocation): Promise<boolean> {
  if (payment.propertyId === propertyId) return false;
  const line = await tx.first(sql`select 1 as found from journal_line where organization_id = ${tx.organizationId} and entry_id = ${entryId}
    and account_id = ${chart.accountId(PREPAID_RENT)} and property_id = ${propertyId} and debit_cents > 0`);
  return line !== undefined;
}
