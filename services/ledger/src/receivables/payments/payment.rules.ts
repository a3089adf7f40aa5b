/** Rules of payments: statuses, and the allocation to charges. */
import { conflict, invalid } from "@freehold/kit/errors";
import { stateMachine } from "@freehold/kit/state-machine";
import { applyAllocation, type ChargeAmounts } from "../charges/charge.rules.ts";

export const paymentStateMachine = stateMachine("payment", {
  pending: ["received", "failed"],
  received: ["reversed", "refunded"],
  failed: [],
  reversed: [],
  refunded: ["reversed", "received"],
});

/** Throws a 409 unless the payment is received, the only status in which its credit can be used. */
export function requireReceived(status: string, use: "allocated" | "refunded" = "allocated"): void {
  if (status !== "received") throw conflict(`The payment is ${status}. Only received payments can be ${use}.`, "invalid_transition");
}

/** Part of a payment that settles one charge. */
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
  /** For a deposit: the renewal for which its paid part is held, after a renewal took over the charge's lease. */
  depositLeaseId?: string | null | undefined;
  dueDate: string;
  /** First day on which the whole balance is open; null if it always was. See `Charge.reopenedOn`. */
  reopenedOn: string | null;
  /** Part of the balance that was also open on every day from the due date to `reopenedOn`, so a settlement may be dated before `reopenedOn`. */
  openBeforeReopeningCents: number | null;
  /** For an unpaid late fee: the id of the overdue rent charge, the day of the fee, and the open amount of the rent at the start of that day. */
  lateFeeFor?: { chargeId: string; day: string; openCents: number } | null;
  /**
   * True if the payment can settle the charge. With a lease, it can settle charges of all leases of the same tenancy; without a
   * lease, charges of the paying tenant and of every lease that the tenant is on.
   */
  isOfPayer: boolean;
};

/** Allocation to a charge, with the charge's amounts before and after it. */
export interface AppliedAllocation<C extends AllocatableCharge = AllocatableCharge> {
  charge: C;
  amountCents: number;
  chargeAfter: ReturnType<typeof applyAllocation>;
}

/**
 * Payer of a payment: a tenant, who pays for the tenancy of one lease (the lease and its renewals) or, without a lease, for all
 * leases that the tenant is on.
 */
export interface Payer {
  leaseId?: string | null | undefined;
  tenantId: string;
}

/**
 * Applies allocations to charges. Throws a 400 that names the allocation when its charge is unknown, belongs to another tenancy
 * or tenant, or has a lower balance, and a 409 when the charge is voided.
 */
export function applyAllocations<C extends AllocatableCharge>(allocations: readonly Allocation[], charges: readonly C[], payer: Payer): AppliedAllocation<C>[] {
  const chargeById = new Map(charges.map((charge) => [charge.id, charge]));
  return allocations.map(({ chargeId, amountCents }, index) => {
    const path = `allocations.${index}.chargeId`;
    const charge = chargeById.get(chargeId);
    if (!charge) throw invalid([{ path, code: "not_found", message: "There is no charge with this id." }]);
    requireChargeOfPayer(charge, payer, path);
    return { charge, amountCents, chargeAfter: applyAllocation(charge, amountCents, `allocations.${index}.amountCents`) };
  });
}

/** Throws a 400 at `path` for a charge of another tenancy or tenant than the payer's. */
export function requireChargeOfPayer({ isOfPayer }: Pick<AllocatableCharge, "isOfPayer">, { leaseId }: Pick<Payer, "leaseId">, path: string): void {
  if (isOfPayer) return;
  const entity = leaseId ? "lease" : "tenant";
  throw invalid([{ path, code: "mismatch", message: `This charge belongs to another ${entity}. Name charges of the payment's own ${entity}.` }]);
}

/** Money to allocate, with the day of its receipt. */
export interface ReceivedMoney {
  amountCents: number;
  receivedOn: string;
}

/**
 * Allocates money to the open charges in the order of their due dates. Charges due on the same day follow the order of their
 * types. Unlisted types follow the listed ones, but come before deposits where these end the list: rent and costs are paid first. An unpaid late fee is skipped when the money was received before the day of the fee and settles the
 * overdue rent, because the fee is then not owed.
 */
export function allocateOldestFirst(
  charges: readonly AllocatableCharge[],
  { amountCents: availableCents, receivedOn }: ReceivedMoney,
  typeOrder: readonly string[],
): Allocation[] {
  const endsWithDeposits = typeOrder.length > 1 && typeOrder.at(-1) === "deposit";
  const rankOfUnlisted = endsWithDeposits ? typeOrder.indexOf("deposit") - 0.5 : typeOrder.length;
  const rank = (type: string) => (typeOrder.includes(type) ? typeOrder.indexOf(type) : rankOfUnlisted);
  const sorted = charges
    .filter(({ balanceCents }) => balanceCents > 0)
    .sort((a, b) => compareText(a.dueDate, b.dueDate) || rank(a.chargeType) - rank(b.chargeType) || compareText(a.id, b.id));
  let unallocatedCents = availableCents;
  const allocations: Allocation[] = [];
  const isSettledInTime = ({ chargeId, day, openCents }: NonNullable<AllocatableCharge["lateFeeFor"]>) =>
    openCents <= (receivedOn < day ? (allocations.find((allocation) => allocation.chargeId === chargeId)?.amountCents ?? 0) : 0);
  for (const { id, balanceCents, lateFeeFor } of sorted) {
    if (unallocatedCents === 0) break;
    if (lateFeeFor && isSettledInTime(lateFeeFor)) continue;
    const amountCents = Math.min(unallocatedCents, balanceCents);
    allocations.push({ chargeId: id, amountCents });
    unallocatedCents -= amountCents;
  }
  return allocations;
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
