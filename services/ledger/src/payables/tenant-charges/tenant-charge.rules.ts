/** Rules of charges that bill an expense to a tenant. */
import type { Charge } from "@freehold/contract/ledger/charges";
import type { Expense } from "@freehold/contract/payables/expenses";
import type { Cents } from "@freehold/contract/values";
import { conflict, invalid } from "@freehold/kit/errors";
import type { ProjectedLease } from "../../projections/projections.ts";

/** Type of the charge that bills an expense of each category. */
export const chargeTypeByCategory: Record<Expense["category"], Charge["chargeType"]> = {
  maintenance: "damage",
  utility: "utility",
  tax: "tax",
  insurance: "insurance",
  management: "other",
  other: "other",
};

/** Returns the amount of an expense with a mark-up, rounded half up to the cent. Throws a 400 for more than an amount can be. */
export function withMarkup(amountCents: number, markupBps: number): Cents {
  const cents = (BigInt(amountCents) * BigInt(10_000 + markupBps) + 5_000n) / 10_000n;
  if (cents <= Number.MAX_SAFE_INTEGER) return Number(cents) as Cents;
  throw invalid([{ path: "markupBps", code: "max", message: "The amount with this mark-up is too large. Lower markupBps." }]);
}

/** Throws a 409 for an expense that was rejected. */
export function requireNotRejected({ approvalStatus }: Pick<Expense, "approvalStatus">): void {
  if (approvalStatus === "rejected") throw conflict("The expense is rejected and cannot be charged. Approve it first.", "invalid_transition");
}

/** Throws a 400 for a lease of another property than that of the expense, or of another unit. */
export function requireLeaseOfExpense(
  lease: Pick<ProjectedLease, "propertyId" | "unitId">,
  expense: { propertyId: string; unitId?: string | null | undefined },
): void {
  const refuse = (place: string) =>
    invalid([
      { path: "leaseId", code: "mismatch", message: `The lease is of another ${place} than the expense. Name a lease of the ${place} of the expense.` },
    ]);
  if (lease.propertyId !== expense.propertyId) throw refuse("property");
  if (expense.unitId && lease.unitId !== expense.unitId) throw refuse("unit");
}
