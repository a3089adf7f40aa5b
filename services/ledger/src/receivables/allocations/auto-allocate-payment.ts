/** Automatic allocation of a payment's credit on request. */
import type { BodyOf, Output } from "@freehold/contract/operation";
import type { payments } from "@freehold/contract/ledger/payments";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { getChart } from "../../chart/categories.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { Payment } from "../payments/payment.entity.ts";
import { lockOpenCharges, selectOpenCharges } from "../payments/payment.queries.ts";
import { allocateOldestFirst, applyAllocations, requireReceived, type AllocatableCharge, type AppliedAllocation } from "../payments/payment.rules.ts";
import { getPayment, readCredit } from "../payments/payments.ts";
import { postAllocations } from "./post-allocations.ts";

type Operation = typeof payments.operations.autoAllocatePayment;
type AllocationViews = Output<Operation>["allocations"];

/**
 * Allocates the credit of a received payment to open charges by due date, those due on the same day by the policy
 * `allocationOrder`, and returns the allocations in that order. A dry run returns them without a change.
 */
export function autoAllocatePayment(db: OrgDb, id: string, { dryRun }: BodyOf<Operation>): Promise<Output<Operation>> {
  // A dry run is a transaction, too: it stores the response with the idempotency key.
  return transaction(db, async (tx) => {
    const payment = await tx.getForUpdate(Payment, id, "Payment");
    requireReceived(payment.status);
    const { timezone, policies } = await getLedgerSettings(tx);
    const charges = await tx.all(dryRun ? selectOpenCharges(tx, payment) : lockOpenCharges(tx, payment));
    const allocations = allocateOldestFirst(charges, await readCredit(tx, payment), policies.allocationOrder);
    const applied = dryRun
      ? applyAllocations(allocations, charges, payment)
      : await postAllocations(tx, timezone, await getChart(tx), payment, allocations, charges);
    return { payment: await getPayment(tx, id), allocations: allocationViews(applied) };
  });
}

const allocationViews = (allocations: readonly AppliedAllocation<AllocatableCharge & { name: string }>[]): AllocationViews =>
  allocations.map(({ charge, amountCents, chargeAfter }) => ({
    chargeId: charge.id,
    name: charge.name,
    chargeType: charge.chargeType as AllocationViews[number]["chargeType"],
    dueDate: charge.dueDate,
    amountCents: amountCents as AllocationViews[number]["amountCents"],
    balanceCents: chargeAfter.balanceCents as AllocationViews[number]["balanceCents"],
  }));
