/** Rules of payments: statuses, allocation to charges, and the journal lines that settle charges. */
import { invalid } from "@freehold/kit/errors";
import { stateMachine } from "@freehold/kit/state-machine";
import { applyAllocation, type ChargeAmounts } from "../charges/charge.rules.ts";
import type { Chart } from "../../chart/categories.ts";
import { ACCOUNTS_RECEIVABLE, DEPOSITS_DUE, DEPOSITS_HELD, PREPAID_RENT } from "../../chart/chart.ts";
import { credit, debit, type Dimensions, type EntryLine } from "../../journal/journal.rules.ts";

export const paymentStateMachine = stateMachine("payment", {
  pending: ["received", "failed"],
  received: ["reversed", "refunded"],
  failed: [],
  reversed: [],
  refunded: [],
});

/** Amount of a payment for one charge. */
export interface Allocation {
  chargeId: string;
  amountCents: number;
}

/** Returns the cents left of a payment after allocations, or throws a 400 when the allocations exceed the available amount. */
export function remainingCents(availableCents: number, allocations: readonly Allocation[]): number {
  const cents = availableCents - allocations.reduce((sum, { amountCents }) => sum + amountCents, 0);
  if (cents < 0)
    throw invalid([
      { path: "allocations", code: "sum_exceeded", message: `Allocations add up to ${-cents} cents more than is left of the payment. Lower them.` },
    ]);
  return cents;
}

/** Columns of a charge that the allocation of payments reads. */
export type AllocatableCharge = ChargeAmounts & { id: string; leaseId: string; tenantId: string; chargeType: string; categoryId: string; dueDate: string };

/** Allocation to a charge, with the charge's amounts before and after it. */
export interface AppliedAllocation {
  charge: AllocatableCharge;
  amountCents: number;
  chargeAfter: ReturnType<typeof applyAllocation>;
}

/** Payer of a payment: the tenant, for one lease or, without a lease, for all leases of the tenant. */
interface Payer {
  leaseId: string | null;
  tenantId: string;
}

/**
 * Applies allocations to charges. Throws a 400 that names the allocation when its charge is unknown, belongs to another lease
 * or tenant, or has a lower balance, and a 409 when the charge is voided.
 */
export function applyAllocations(allocations: readonly Allocation[], charges: readonly AllocatableCharge[], { leaseId, tenantId }: Payer): AppliedAllocation[] {
  const chargeById = new Map(charges.map((charge) => [charge.id, charge]));
  return allocations.map(({ chargeId, amountCents }, index) => {
    const path = `allocations.${index}.chargeId`;
    const charge = chargeById.get(chargeId);
    if (!charge) throw invalid([{ path, code: "not_found", message: "There is no charge with this id." }]);
    if (leaseId ? charge.leaseId !== leaseId : charge.tenantId !== tenantId) {
      const mismatchedEntity = leaseId ? "lease" : "tenant";
      throw invalid([
        { path, code: "mismatch", message: `This charge belongs to another ${mismatchedEntity}. Name charges of the payment's own ${mismatchedEntity}.` },
      ]);
    }
    return { charge, amountCents, chargeAfter: applyAllocation(charge, amountCents, `allocations.${index}.amountCents`) };
  });
}

/**
 * Allocates an amount to the open charges in the order of their due dates. Charges due on the same day follow the order of
 * their types, unlisted types last.
 */
export function allocateOldestFirst(charges: readonly AllocatableCharge[], availableCents: number, typeOrder: readonly string[]): Allocation[] {
  const rank = (type: string) => (typeOrder.includes(type) ? typeOrder.indexOf(type) : typeOrder.length);
  const sorted = charges
    .filter(({ balanceCents }) => balanceCents > 0)
    .sort((a, b) => compareText(a.dueDate, b.dueDate) || rank(a.chargeType) - rank(b.chargeType) || compareText(a.id, b.id));
  let unallocatedCents = availableCents;
  const allocations: Allocation[] = [];
  for (const { id, balanceCents } of sorted) {
    if (unallocatedCents === 0) break;
    const amountCents = Math.min(unallocatedCents, balanceCents);
    allocations.push({ chargeId: id, amountCents });
    unallocatedCents -= amountCents;
  }
  return allocations;
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Returns the journal lines that settle charges: credits to accounts receivable, which on the cash basis are credits to the
 * category of the charge. The paid part of a deposit also moves from deposits due to deposits held.
 */
export function settlementLines(allocations: readonly AppliedAllocation[], chart: Chart, dimensions: Dimensions): EntryLine[] {
  return allocations.flatMap(({ charge, amountCents }) => {
    const receivable = credit(chart.accountId(ACCOUNTS_RECEIVABLE), amountCents, dimensions, charge.categoryId);
    if (charge.categoryId !== chart.accountId(DEPOSITS_DUE)) return [receivable];
    return [receivable, debit(chart.accountId(DEPOSITS_DUE), amountCents, dimensions), credit(chart.accountId(DEPOSITS_HELD), amountCents, dimensions)];
  });
}

/** Returns the line that credits the unallocated part of a payment to prepaid rent, a liability account, or no line for 0. */
export const prepaidRentLines = (unallocatedCents: number, chart: Chart, dimensions: Dimensions): EntryLine[] =>
  unallocatedCents > 0 ? [credit(chart.accountId(PREPAID_RENT), unallocatedCents, dimensions)] : [];
