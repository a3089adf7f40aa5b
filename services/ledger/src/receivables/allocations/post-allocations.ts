/** Allocation of a payment's credit in a transaction: journal entries, amounts and event. */
import { now, startOfDay } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { eventPublisher } from "@freehold/kit/db/outbox";
import type { Chart } from "../../chart/categories.ts";
import { newSortedIds } from "../../ids.ts";
import { postEntries } from "../../journal/posting.ts";
import { transferAtBank } from "../deposits/deposit-transfers.ts";
import { payerDimensionsOn } from "../credit-holders/credit-holder.rules.ts";
import { transferCreditToHolders, readCreditHolders } from "../credit-holders/credit-holders.ts";
import type { Payment } from "../payments/payment.entity.ts";
import { allocationWrites } from "../payments/payment.queries.ts";
import { applyAllocations, remainingCents, type AllocatableCharge, type Allocation, type AppliedAllocation } from "../payments/payment.rules.ts";
import { readPaymentDays } from "../payments/payments.ts";
import { allocationLines, groupBySettlementDate } from "../payments/settlement.rules.ts";
import { creditOf } from "./release-allocations.ts";
import { paymentAudience } from "../../projections/tenant-audience.ts";

const publish = eventPublisher("ledger");

/**
 * Allocates credit of a locked payment to locked charges: updates the payment and the charges, posts a journal entry for each
 * settlement date and publishes the event. Does nothing without allocations. Throws as `applyAllocations` and `remainingCents` do.
 */
export async function postAllocations<C extends AllocatableCharge>(
  tx: OrgTx,
  timezone: string,
  chart: Chart,
  payment: Payment,
  allocations: readonly Allocation[],
  charges: readonly C[],
): Promise<AppliedAllocation<C>[]> {
  if (allocations.length === 0) return [];
  const applied = applyAllocations(allocations, charges, payment);
  const unallocatedCents = remainingCents(payment.unallocatedCents, allocations);
  const holders = await readCreditHolders(tx, payment);
  const { postedOn } = await readPaymentDays(tx, payment.id);
  const { groups, creditBeforeReleaseCents } = groupBySettlementDate(applied, postedOn, creditOf(payment));
  const entries = groups.map(([date, group]) => ({
    id: newId(),
    memo: "Payment allocated",
    occurredAt: startOfDay(date, timezone),
    entryDate: date,
    source: "allocation" as const,
    document: { type: "payment" as const, id: payment.id },
    lines: allocationLines({ ...payerDimensionsOn(payment, holders, date), description: "Allocation" }, group, chart),
  }));
  type Cents = Payment["unallocatedCents"];
  tx.assign(payment, { unallocatedCents: unallocatedCents as Cents, creditBeforeReleaseCents: creditBeforeReleaseCents as Cents | null });
  await postEntries(tx, timezone, entries);
  await transferCreditToHolders(tx, timezone, chart, payment);
  await transferAtBank(tx, timezone, chart, payment, entries);
  const ids = newSortedIds(applied.length);
  const settled = groups.flatMap(([settledOn, group], index) => group.map((allocation) => ({ ...allocation, entryId: entries[index]!.id, settledOn })));
  const newAllocations = settled.map((allocation, index) => ({ ...allocation, id: ids[index]! }));
  for (const write of allocationWrites(tx, payment.id, now().toISOString(), newAllocations)) await tx.all(write);
  const { tenantId, leaseId = null } = payment;
  await publish(tx, "payment.allocated", { entityId: payment.id, data: { tenantId, leaseId }, audience: await paymentAudience(tx, payment) });
  return applied;
}
