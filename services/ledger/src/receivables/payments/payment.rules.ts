/** The arithmetic of payments: what is left, what goes where. */
import { invalid } from "@freehold/kit/errors";
import { stateMachine } from "@freehold/kit/state-machine";
import { settle, type Owed } from "../charges/charge.rules.ts";
import type { Chart } from "../../chart/categories.ts";
import { DEPOSITS_DUE, DEPOSITS_HELD, PREPAID_RENT, RECEIVABLE } from "../../chart/chart.ts";
import { credit, debit, type Line, type Subject } from "../../journal/journal.rules.ts";

export const paymentFlow = stateMachine("payment", {
  pending: ["received", "failed"],
  received: ["reversed", "refunded"],
  failed: [],
  reversed: [],
  refunded: [],
});

export interface Allocation {
  chargeId: string;
  amountCents: number;
}

/** What is left of an amount after its allocations; allocating more than there is is refused. */
export function unallocated(availableCents: number, allocations: readonly Allocation[]): number {
  const rest = availableCents - allocations.reduce((sum, { amountCents }) => sum + amountCents, 0);
  if (rest < 0)
    throw invalid([
      { path: "allocations", code: "sum_exceeded", message: `Allocations add up to ${-rest} cents more than is left of the payment. Lower them.` },
    ]);
  return rest;
}

export type OpenCharge = Owed & { id: string; leaseId: string; tenantId: string; chargeType: string; categoryId: string; dueDate: string };

export interface Application {
  charge: OpenCharge;
  amountCents: number;
  settled: ReturnType<typeof settle>;
}

interface Payer {
  leaseId: string | null;
  tenantId: string;
}

/** Applies explicit allocations to charges: each must be the organization's, of the same lease, and open for that much. */
export function applyAllocations(allocations: readonly Allocation[], charges: readonly OpenCharge[], payer: Payer): Application[] {
  const byId = new Map(charges.map((charge) => [charge.id, charge]));
  return allocations.map(({ chargeId, amountCents }, index) => {
    const path = `allocations.${index}.chargeId`;
    const charge = byId.get(chargeId);
    if (!charge) throw invalid([{ path, code: "not_found", message: "There is no charge with this id." }]);
    const isTheirs = payer.leaseId ? charge.leaseId === payer.leaseId : charge.tenantId === payer.tenantId;
    if (!isTheirs) throw invalid([{ path, code: "mismatch", message: "This charge belongs to another lease. Name charges of the payment's own lease." }]);
    return { charge, amountCents, settled: settle(charge, amountCents, `allocations.${index}.amountCents`) };
  });
}

/** Oldest due date first; on the same day by the organization's order of charge types, what it does not name last. */
export function allocateOldestFirst(charges: readonly OpenCharge[], availableCents: number, order: readonly string[]): Allocation[] {
  const rank = (type: string) => (order.includes(type) ? order.indexOf(type) : order.length);
  const sorted = charges
    .filter(({ balanceCents }) => balanceCents > 0)
    .sort((a, b) => compare(a.dueDate, b.dueDate) || rank(a.chargeType) - rank(b.chargeType) || compare(a.id, b.id));
  let left = availableCents;
  const allocations: Allocation[] = [];
  for (const { id, balanceCents } of sorted) {
    if (left === 0) break;
    const amountCents = Math.min(left, balanceCents);
    allocations.push({ chargeId: id, amountCents });
    left -= amountCents;
  }
  return allocations;
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * What applying money to charges posts on the far side of the cash or the credit: receivables go down, and what is paid
 * of a deposit moves from due to held. The cash view sees the account that was settled instead of receivables.
 */
export function settlementLines(applications: readonly Application[], chart: Chart, subject: Subject): Line[] {
  return applications.flatMap(({ charge, amountCents }) => {
    const paid = credit(chart.idOf(RECEIVABLE), amountCents, subject, charge.categoryId);
    if (charge.categoryId !== chart.idOf(DEPOSITS_DUE)) return [paid];
    return [paid, debit(chart.idOf(DEPOSITS_DUE), amountCents, subject), credit(chart.idOf(DEPOSITS_HELD), amountCents, subject)];
  });
}

/** The rest of a payment is a liability, never income. */
export const prepaidLine = (restCents: number, chart: Chart, subject: Subject): Line[] =>
  restCents > 0 ? [credit(chart.idOf(PREPAID_RENT), restCents, subject)] : [];
