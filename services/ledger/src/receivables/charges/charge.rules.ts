/** Rules of a charge: its statuses, the effect of allocations on its balance, and when it is overdue. */
import type { Charge } from "@freehold/contract/ledger/charges";
import { conflict, invalid } from "@freehold/kit/errors";
import { stateMachine } from "@freehold/kit/state-machine";
import { daysBetween } from "@freehold/kit/time/plain-date";

type Status = Charge["status"];

export const chargeStateMachine = stateMachine<Status>("charge", {
  pending: ["partially_paid", "paid", "voided"],
  partially_paid: ["pending", "paid"],
  paid: ["pending", "partially_paid"],
  voided: [],
});

/** Amounts of a charge, where the balance is the amount less allocations and credits, and its status. */
export interface ChargeAmounts {
  amountCents: number;
  allocatedCents: number;
  creditedCents: number;
  balanceCents: number;
  status: Status;
}

/** Amounts and status of a charge after a part of it was settled or reopened. */
export type SettledAmounts = Omit<ChargeAmounts, "amountCents">;

/** Returns the balance and the status of a charge with other allocated and credited amounts. */
export function settledAmounts({ amountCents, status: from }: ChargeAmounts, settled: Pick<ChargeAmounts, "allocatedCents" | "creditedCents">): SettledAmounts {
  const { allocatedCents, creditedCents } = settled;
  const balanceCents = amountCents - allocatedCents - creditedCents;
  const status: Status = balanceCents === 0 ? "paid" : balanceCents < amountCents ? "partially_paid" : "pending";
  return { allocatedCents, creditedCents, balanceCents, status: status === from ? status : chargeStateMachine.transition(from, status) };
}

type AllocationEffect = Omit<SettledAmounts, "creditedCents">;

const withAllocatedCents = (charge: ChargeAmounts, allocatedCents: number): AllocationEffect => {
  const { creditedCents: _, ...effect } = settledAmounts(charge, { ...charge, allocatedCents });
  return effect;
};

/** Returns the charge's amounts after an allocation. Throws 409 for a voided charge, and a 400 at `path` when the amount exceeds the balance. */
export function applyAllocation(charge: ChargeAmounts, amountCents: number, path: string): AllocationEffect {
  if (charge.status === "voided") {
    const message = "A voided charge cannot be paid. Remove it from the allocations.";
    throw conflict(message, "invalid_transition", [{ path: path.replace(/amountCents$/, "chargeId"), code: "not_allowed", message }]);
  }
  if (amountCents > charge.balanceCents) {
    throw invalid([{ path, code: "sum_exceeded", message: `Only ${charge.balanceCents} cents of this charge are open. Lower ${path}.` }]);
  }
  return withAllocatedCents(charge, charge.allocatedCents + amountCents);
}

/** Returns the charge's amounts after an allocation is removed. */
export const releaseAllocation = (charge: ChargeAmounts, amountCents: number): AllocationEffect =>
  withAllocatedCents(charge, charge.allocatedCents - amountCents);

/** Returns the status of the voided charge, or throws 409 when a payment or a credit settles a part of it or its status cannot be voided. */
export function requireVoidable(charge: ChargeAmounts): Status {
  if (charge.allocatedCents > 0)
    throw conflict("A payment is allocated to this charge. Reverse the payment or remove its allocation first.", "already_allocated");
  if (charge.creditedCents > 0) throw conflict("A credit reduces this charge. Reverse the credit first.", "resource_in_use");
  return chargeStateMachine.transition(charge.status, "voided");
}

/** Throws 409 for a charge that repays the refunded part of a returned payment. Such a charge is credited to prepaid rent. */
export function requireAdjustable({ categoryId }: { categoryId: string }, prepaidRentId: string): void {
  if (categoryId === prepaidRentId)
    throw conflict(
      "The charge repays the refund of a returned payment. It cannot be voided or credited, and its due date cannot be changed.",
      "resource_in_use",
    );
}

/** Throws 409 when the charge is voided, or when a payment or a credit settles a part of it. */
export function requireUnsettled({ status, allocatedCents, creditedCents }: ChargeAmounts): void {
  if (status === "voided") throw conflict("The charge is voided and cannot be changed. Create a new charge.", "invalid_transition");
  if (allocatedCents > 0) throw conflict("A payment is allocated to this charge. Reverse the payment or remove its allocation first.", "already_allocated");
  if (creditedCents > 0) throw conflict("A credit reduces this charge. Reverse the credit first.", "already_allocated");
}

/** Returns the days past due, or 0 for a charge that is paid, voided or not yet past due. */
export const daysOverdue = ({ balanceCents, dueDate }: { balanceCents: number; dueDate: string }, today: string): number =>
  balanceCents > 0 && dueDate < today ? daysBetween(dueDate, today) : 0;
