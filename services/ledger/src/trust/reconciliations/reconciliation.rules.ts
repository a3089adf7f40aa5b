/** Rules of reconciliations: their states, figures and the three-way proof. */
import type { Reconciliation, ThreeWay } from "@freehold/contract/trust/reconciliations";
import { conflict, invalid } from "@freehold/kit/errors";
import { stateMachine } from "@freehold/kit/state-machine";

export const reconciliationStateMachine = stateMachine("reconciliation", { draft: ["finalized", "voided"], finalized: ["voided"], voided: [] });

/** Throws a 409 unless a reconciliation is a draft. */
export function requireDraftReconciliation({ status }: Pick<Reconciliation, "status">): void {
  if (status === "draft") return;
  throw conflict(`The reconciliation is ${status}, and only a draft can be changed. Void it, and create a new one.`, "invalid_transition");
}

type Figures = Pick<Reconciliation, "openingBalanceCents" | "statementEndingBalanceCents" | "clearedDepositsCents" | "clearedWithdrawalsCents">;

/** Returns the cleared balance of a reconciliation and its difference to the statement. */
export function balanceOf({ openingBalanceCents, statementEndingBalanceCents, clearedDepositsCents, clearedWithdrawalsCents }: Figures) {
  const clearedBalanceCents = openingBalanceCents + clearedDepositsCents - clearedWithdrawalsCents;
  return { clearedBalanceCents, differenceCents: statementEndingBalanceCents - clearedBalanceCents } as Pick<
    Reconciliation,
    "clearedBalanceCents" | "differenceCents"
  >;
}

/** Throws a 409 unless the cleared transactions explain the balance of the statement. */
export function requireNoDifference(figures: Figures): void {
  const { clearedBalanceCents, differenceCents } = balanceOf(figures);
  if (differenceCents === 0) return;
  const message = `The cleared transactions result in ${clearedBalanceCents} cents, and the statement ends with ${figures.statementEndingBalanceCents}: ${differenceCents} cents are not explained. Clear what the statement shows, record what is missing, or correct the statement's balance.`;
  throw conflict(message, "reconciliation_out_of_balance");
}

/** Throws a 400 unless a statement ends after the last one. */
export function requireEndAfter(statementEndDate: string, lastEndDate: string | null): void {
  if (lastEndDate === null || statementEndDate > lastEndDate) return;
  const message = `The last finalized statement of the account ends on ${lastEndDate}. Choose a later day.`;
  throw invalid([{ path: "statementEndDate", code: "before_start", message }]);
}

/** Throws a 400 for a statement that ends after today: it would clear what the bank has not seen, and no later statement could follow it. */
export function requireEndedStatement(statementEndDate: string, day: string): void {
  if (statementEndDate <= day) return;
  throw invalid([{ path: "statementEndDate", code: "max", message: `The statement ends after today, ${day}. Choose that day or an earlier one.` }]);
}

/** Figures of a three-way proof. */
export interface ProofFigures {
  statementEndingBalanceCents: number;
  depositsInTransitCents: number;
  outstandingChecksCents: number;
  bookCents: number;
  byBeneficiary: ThreeWay["byBeneficiary"];
}

/**
 * Returns the three-way proof of an account. What a trust account owes is the sum of the balances that are not negative, so money of
 * one beneficiary that was used for another shows as a variance. A business account owes nothing to others.
 */
export function threeWayProof(figures: ProofFigures, isBusiness: boolean): ThreeWay {
  const { statementEndingBalanceCents, depositsInTransitCents, outstandingChecksCents, bookCents, byBeneficiary } = figures;
  const adjustedBankCents = statementEndingBalanceCents + depositsInTransitCents - outstandingChecksCents;
  const liabilityCents = byBeneficiary.reduce((sum, { balanceCents }) => sum + (isBusiness ? balanceCents : Math.max(0, balanceCents)), 0);
  const isBalanced = adjustedBankCents === bookCents && bookCents === liabilityCents;
  return { adjustedBankCents, depositsInTransitCents, outstandingChecksCents, bookCents, liabilityCents, byBeneficiary, isBalanced } as ThreeWay;
}

/** Throws a 409 for a proof that does not balance, unless the variance is acknowledged. */
export function requireVarianceAcknowledged({ adjustedBankCents, bookCents, liabilityCents, isBalanced }: ThreeWay, isAcknowledged: boolean): void {
  if (isBalanced || isAcknowledged) return;
  const message = `The three-way proof does not balance: the bank has ${adjustedBankCents} cents, the books have ${bookCents}, and ${liabilityCents} are owed to beneficiaries. Correct the balances of the beneficiaries, or set acknowledgeThreeWayVariance with a note.`;
  throw conflict(message, "reconciliation_out_of_balance");
}
