/** Rules of payouts to owners: their states, and the calculation of what an owner is paid. */
import type { OwnerPayable, PayoutTerm, skipReasons } from "@freehold/contract/trust/owner-payables";
import { invalid } from "@freehold/kit/errors";
import { stateMachine } from "@freehold/kit/state-machine";
import type { Owner, OwnershipShare } from "@freehold/proto/portfolio/v1/portfolio";
import { splitByShare } from "../ownership.rules.ts";
import { availableCents, type PropertyFigures } from "../ledgers/property-figures.rules.ts";

export const ownerPayableStateMachine = stateMachine("owner payout", {
  draft: ["approved", "voided"],
  approved: ["paid", "voided"],
  paid: ["voided"],
  voided: [],
});

type Figures = PropertyFigures & { additionalReserveNote?: string | undefined; unpaidExpenseIds: readonly string[]; heldWorkOrderIds: readonly string[] };

/** Returns the terms of a payout, which add up to it: the part of the owner, less what of it the bank account cannot pay. */
export function payoutTerms(figures: Figures, partCents: number, amountCents: number): PayoutTerm[] {
  const term = (key: PayoutTerm["key"], label: string, cents: number, refs: readonly string[] = []) =>
    ({ key, label, amountCents: cents || 0, refs: [...refs] }) as PayoutTerm;
  return [
    term("cash", "Money in the bank account", figures.cashCents),
    term("deposits_held", "Security deposits held", -figures.securityDepositsCents),
    term("prepaid", "Prepaid rent", -figures.prepaidRentCents),
    term("unpaid_expenses", "Unpaid expenses", -figures.unpaidExpensesCents, figures.unpaidExpenseIds),
    term("pending_payments", "Payments that are pending or after the period", -figures.pendingCents),
    term("held_estimates", "Approved estimates", -figures.heldEstimatesCents, figures.heldWorkOrderIds),
    term("management_fees", "Management fees not charged yet", -figures.managementFeesCents),
    term("reserve", "Reserve", -figures.reserveCents),
    term("additional_reserve", ["Additional reserve", figures.additionalReserveNote].filter(Boolean).join(": "), -figures.additionalReserveCents),
    term("share", "Part of other owners", partCents - availableCents(figures)),
    term("account_shortage", "Owed at other properties, or missing in the bank account", amountCents - partCents),
  ];
}

type SkipReason = (typeof skipReasons)[number];

/** Reserves of a property. */
type Reserves = Pick<PropertyFigures, "reserveCents" | "additionalReserveCents">;

/** Returns the part of an owner in the reserves of a property by share; none for a former owner. */
export function reservePart({ reserveCents, additionalReserveCents }: Reserves, shares: readonly OwnershipShare[], ownerId: string): Reserves {
  const own = shares.findIndex((share) => share.ownerId === ownerId);
  const partOf = (cents: number) => (own === -1 ? 0 : splitByShare(cents, shares)[own]!);
  return { reserveCents: partOf(reserveCents), additionalReserveCents: partOf(additionalReserveCents) };
}

/** Returns the reason for which an owner is paid nothing of the money that is available to the owner at a property, or undefined for a payout. */
export function skipReason(
  available: number,
  figures: Reserves,
  owner: Pick<Owner, "holdPayouts" | "payoutMethod">,
  partCents: number,
): SkipReason | undefined {
  const reservedCents = figures.reserveCents + figures.additionalReserveCents;
  if (owner.holdPayouts) return "hold";
  if (available < 0 && available + reservedCents >= 0) return "reserve";
  if (available < 0) return "negative";
  if (partCents === 0) return reservedCents > 0 && available === 0 ? "reserve" : "below_minimum";
  if (owner.payoutMethod === "none") return "no_bank_details";
  return undefined;
}

/**
 * Returns the payouts that are paid by check, each with its number: numbered from the first one in the order of the ids. Throws a 400 when they are
 * paid from several bank accounts, whose checks have numbers of their own.
 */
export function numberChecks<P extends Pick<OwnerPayable, "id" | "method" | "bankAccountId">>(
  payables: readonly P[],
  ids: readonly string[],
  firstNumber: number,
): [payable: P, number: string][] {
  const checks = payables.filter(({ method }) => method === "check").toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
  if (new Set(checks.map(({ bankAccountId }) => bankAccountId)).size > 1) {
    const message = "The checks are of several bank accounts, and each account has numbers of its own. Pay the payouts of one account at a time.";
    throw invalid([{ path: "firstCheckNumber", code: "not_allowed", message }]);
  }
  return checks.map((payable, index) => [payable, String(firstNumber + index)]);
}
