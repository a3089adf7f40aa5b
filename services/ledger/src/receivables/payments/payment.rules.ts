/** Rules of payments: statuses, allocation to charges, and the journal lines that settle charges. */
import { invalid } from "@freehold/kit/errors";
import { stateMachine } from "@freehold/kit/state-machine";
import { applyAllocation, type ChargeAmounts } from "../charges/charge.rules.ts";
import type { Chart } from "../../chart/categories.ts";
import { ACCOUNTS_RECEIVABLE, DEPOSITS_DUE, DEPOSITS_HELD, PREPAID_RENT, UNDEPOSITED_FUNDS } from "../../chart/chart.ts";
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
  const leftCents = availableCents - allocations.reduce((sum, { amountCents }) => sum + amountCents, 0);
  if (leftCents < 0)
    throw invalid([
      { path: "allocations", code: "sum_exceeded", message: `Allocations add up to ${-leftCents} cents more than is left of the payment. Lower them.` },
    ]);
  return leftCents;
}

/** Columns of a charge that the allocation of payments reads. */
export type AllocatableCharge = ChargeAmounts & {
  id: string;
  leaseId: string;
  tenantId: string;
  propertyId: string;
  unitId: string;
  chargeType: string;
  categoryId: string;
  dueDate: string;
  /** True if the paying tenant is on the charge's lease; always false when the payment names a lease. */
  isPayer: boolean;
};

/** Allocation to a charge, with the charge's amounts before and after it. */
export interface AppliedAllocation {
  charge: AllocatableCharge;
  amountCents: number;
  chargeAfter: ReturnType<typeof applyAllocation>;
}

/** Payer of a payment: the tenant, for one lease or, without a lease, for all leases that the tenant is on. */
export interface Payer {
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
    if (leaseId ? charge.leaseId !== leaseId : charge.tenantId !== tenantId && !charge.isPayer) {
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

/** Dimensions of a payer's money: the tenant, and the lease with its property and unit when the payment names one. */
export type PayerDimensions = Required<Pick<Dimensions, "tenantId" | "leaseId" | "propertyId" | "unitId">> & Pick<Dimensions, "description">;

/**
 * Returns the journal lines of a received payment. The money is debited to undeposited funds, split by the properties whose
 * charges it settles, so that the entry balances in each property; the unallocated rest is prepaid rent at the payer's property.
 */
export function paymentLines(payer: PayerDimensions, allocations: readonly AppliedAllocation[], unallocatedCents: number, chart: Chart): EntryLine[] {
  const centsByProperty = sumByProperty(allocations);
  if (unallocatedCents > 0) centsByProperty.set(payer.propertyId, (centsByProperty.get(payer.propertyId) ?? 0) + unallocatedCents);
  return [
    ...[...centsByProperty].map(([propertyId, cents]) => debit(chart.accountId(UNDEPOSITED_FUNDS), cents, atProperty(payer, propertyId))),
    ...settlementLines(allocations, chart, payer.description),
    ...(unallocatedCents > 0 ? [credit(chart.accountId(PREPAID_RENT), unallocatedCents, payer)] : []),
  ];
}

/**
 * Returns the journal lines of an allocation after the payment was recorded: prepaid rent settles the charges. Money that
 * settles a charge of another property than the payer's moves to that property.
 */
export function allocationLines(payer: PayerDimensions, allocations: readonly AppliedAllocation[], chart: Chart): EntryLine[] {
  const centsByProperty = sumByProperty(allocations);
  const allocatedCents = [...centsByProperty.values()].reduce((sum, cents) => sum + cents, 0);
  const money = chart.accountId(UNDEPOSITED_FUNDS);
  const moved = [...centsByProperty].filter(([propertyId]) => propertyId !== payer.propertyId);
  return [
    debit(chart.accountId(PREPAID_RENT), allocatedCents, payer),
    ...moved.flatMap(([propertyId, cents]) => [credit(money, cents, payer), debit(money, cents, atProperty(payer, propertyId))]),
    ...settlementLines(allocations, chart, payer.description),
  ];
}

const atProperty = (payer: PayerDimensions, propertyId: string | null): PayerDimensions =>
  propertyId === payer.propertyId ? payer : { ...payer, propertyId, unitId: null };

function sumByProperty(allocations: readonly AppliedAllocation[]): Map<string | null, number> {
  const centsByProperty = new Map<string | null, number>();
  for (const { charge, amountCents } of allocations) centsByProperty.set(charge.propertyId, (centsByProperty.get(charge.propertyId) ?? 0) + amountCents);
  return centsByProperty;
}

/**
 * Returns the journal lines that settle charges, with the dimensions of each charge, whoever paid: credits to accounts
 * receivable, which on the cash basis are credits to the category of the charge. The paid part of a deposit also moves from
 * deposits due to deposits held.
 */
export function settlementLines(allocations: readonly AppliedAllocation[], chart: Chart, description: string | null | undefined): EntryLine[] {
  return allocations.flatMap(({ charge, amountCents }) => {
    const { leaseId, tenantId, propertyId, unitId } = charge;
    const dimensions = { leaseId, tenantId, propertyId, unitId, description: description ?? null };
    const receivable = credit(chart.accountId(ACCOUNTS_RECEIVABLE), amountCents, dimensions, charge.categoryId);
    if (charge.categoryId !== chart.accountId(DEPOSITS_DUE)) return [receivable];
    return [receivable, debit(chart.accountId(DEPOSITS_DUE), amountCents, dimensions), credit(chart.accountId(DEPOSITS_HELD), amountCents, dimensions)];
  });
}
