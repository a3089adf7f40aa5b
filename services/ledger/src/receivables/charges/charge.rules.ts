/** What may happen to a charge, and what is left of it. */
import type { Charge } from "@freehold/contract/charges";
import { conflict, invalid } from "@freehold/kit/errors";
import { stateMachine } from "@freehold/kit/state-machine";

type Status = Charge["status"];

export const chargeFlow = stateMachine<Status>("charge", {
  pending: ["partially_paid", "paid", "voided"],
  partially_paid: ["pending", "paid", "partially_paid"],
  paid: ["pending", "partially_paid"],
  voided: [],
});

export interface Owed {
  amountCents: number;
  allocatedCents: number;
  creditedCents: number;
  balanceCents: number;
  status: Status;
}

type Settled = Pick<Owed, "allocatedCents" | "balanceCents" | "status">;

const after = (charge: Owed, allocatedCents: number): Settled => {
  const balanceCents = charge.amountCents - allocatedCents - charge.creditedCents;
  const status: Status = balanceCents === 0 ? "paid" : allocatedCents + charge.creditedCents > 0 ? "partially_paid" : "pending";
  return { allocatedCents, balanceCents, status: status === charge.status ? status : chargeFlow.transition(charge.status, status) };
};

/** A charge after money is applied to it. A voided one takes none (409), and none takes more than is open (400 at the path). */
export function settle(charge: Owed, amountCents: number, path: string): Settled {
  if (charge.status === "voided") throw conflict("A voided charge cannot be paid. Remove it from the allocations.", "invalid_transition");
  if (amountCents > charge.balanceCents) {
    throw invalid([{ path, code: "sum_exceeded", message: `Only ${charge.balanceCents} cents of this charge are open. Lower ${path}.` }]);
  }
  return after(charge, charge.allocatedCents + amountCents);
}

/** A charge after money that was applied to it is taken back. */
export const unsettle = (charge: Owed, amountCents: number): Settled => after(charge, charge.allocatedCents - amountCents);

/** A charge can be voided only while nothing is applied to it. */
export function requireVoidable(charge: Owed): Status {
  if (charge.allocatedCents > 0)
    throw conflict("A payment is allocated to this charge. Reverse the payment or remove its allocation first.", "already_allocated");
  return chargeFlow.transition(charge.status, "voided");
}

/** Days a charge is late on a day; 0 when it is settled or not late. */
export function daysOverdue(
  { balanceCents, dueDate }: { balanceCents: number; dueDate: string },
  today: string,
  daysBetween: (from: string, to: string) => number,
): number {
  return balanceCents > 0 && dueDate < today ? daysBetween(dueDate, today) : 0;
}
