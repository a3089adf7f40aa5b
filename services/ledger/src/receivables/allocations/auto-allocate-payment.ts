/** Automatic allocation of a payment's credit on request. */
import type { BodyOf, Output } from "@freehold/contract/operation";
import type { payments } from "@freehold/contract/ledger/payments";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { getChart } from "../../chart/categories.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { Payment } from "../payments/payment.entity.ts";
import { lockOpenCharges, selectOpenCharges } from "../payments/payment.queries.ts";
import {
  allocateOldestFirst,
  applyAllocations,
  remainingCents,
  requireReceived,
  type AllocatableCharge,
  type AppliedAllocation,
} from "../payments/payment.rules.ts";
import { getPayment, postAllocations } from "../payments/payments.ts";

type Operation = typeof payments.operations.autoAllocatePayment;
type Proposal = Output<Operation>["allocations"];

interface Credit {
  leaseId?: string | null | undefined;
  tenantId: string;
  unallocatedCents: number;
}

/**
 * Allocates the credit of a received payment to open charges by due date, those due on the same day by the policy
 * `allocationOrder`, and returns the allocations in that order. A dry run returns them without changing or locking anything.
 */
export async function autoAllocatePayment(db: OrgDb, id: string, { dryRun }: BodyOf<Operation>): Promise<Output<Operation>> {
  // A transaction stores the response with the idempotency key.
  if (dryRun) return transaction(db, (tx) => proposeAllocations(tx, id));
  return transaction(db, async (tx) => {
    const payment = await tx.getForUpdate(Payment, id, "Payment");
    requireReceived(payment.status);
    const { timezone, policies } = await getLedgerSettings(tx);
    const charges = await tx.all(lockOpenCharges(tx, payerOf(payment)));
    const applied = chooseAllocations(payment, charges, policies.allocationOrder);
    if (applied.length > 0) {
      const leftCents = remainingCents(
        payment.unallocatedCents,
        applied.map(({ charge, amountCents }) => ({ chargeId: charge.id, amountCents })),
      );
      await postAllocations(tx, timezone, await getChart(tx), payment, applied, leftCents);
    }
    return { payment: await getPayment(tx, id), allocations: proposalOf(applied) };
  });
}

async function proposeAllocations(tx: OrgTx, id: string): Promise<Output<Operation>> {
  const payment = await getPayment(tx, id);
  requireReceived(payment.status);
  const charges = await tx.all(selectOpenCharges(tx, payment));
  const { policies } = await getLedgerSettings(tx);
  return { payment, allocations: proposalOf(chooseAllocations(payment, charges, policies.allocationOrder)) };
}

const payerOf = ({ leaseId, tenantId }: Credit) => ({ leaseId: leaseId ?? null, tenantId });

const chooseAllocations = (credit: Credit, charges: readonly AllocatableCharge[], allocationOrder: readonly string[]): AppliedAllocation[] =>
  applyAllocations(allocateOldestFirst(charges, credit.unallocatedCents, allocationOrder), charges, payerOf(credit));

const proposalOf = (allocations: readonly AppliedAllocation[]): Proposal =>
  allocations.map(({ charge, amountCents, chargeAfter }) => ({
    chargeId: charge.id,
    name: (charge as AllocatableCharge & { name: string }).name,
    chargeType: charge.chargeType as Proposal[number]["chargeType"],
    dueDate: charge.dueDate,
    amountCents: amountCents as Proposal[number]["amountCents"],
    balanceCents: chargeAfter.balanceCents as Proposal[number]["balanceCents"],
  }));
