/** Rules of credits: their effect on the charge, their dates and their journal entries. */
import { maxDate } from "@freehold/kit/time/plain-date";
import { conflict, invalid } from "@freehold/kit/errors";
import type { Chart } from "../../chart/categories.ts";
import { ACCOUNTS_RECEIVABLE } from "../../chart/chart.ts";
import { credit, debit, type EntryLine } from "../../journal/journal.rules.ts";
import { settledAmounts, type ChargeAmounts, type SettledAmounts } from "../charges/charge.rules.ts";
import { usableOn } from "../allocations/open-amount.rules.ts";

/** Returns the charge's amounts after a credit. Throws 409 for a voided charge, and a 400 when the amount exceeds the balance. */
export function applyChargeCredit(charge: ChargeAmounts, amountCents: number): SettledAmounts {
  if (charge.status === "voided") throw conflict("A voided charge owes nothing, so it cannot be credited.", "invalid_transition");
  if (amountCents > charge.balanceCents) {
    const message = `Only ${charge.balanceCents} cents of this charge are open. Lower amountCents.`;
    throw invalid([{ path: "amountCents", code: "sum_exceeded", message }]);
  }
  return settledAmounts(charge, { ...charge, creditedCents: charge.creditedCents + amountCents });
}

/** Returns the charge's amounts after a credit is reversed. */
export const reverseChargeCredit = (charge: ChargeAmounts, amountCents: number): SettledAmounts =>
  settledAmounts(charge, { ...charge, creditedCents: charge.creditedCents - amountCents });

/** Charge with the amount that was open before it was last reopened. */
interface CreditedCharge {
  dueDate: string;
  reopenedOn: string | null;
  openBeforeReopeningCents: number | null;
}

/**
 * Returns the date of a credit: the requested one, by default today or a later due date. An amount that was not open since then
 * is credited on the day on which the charge was reopened. Throws a 400 for a date before the due date, on which the charge is posted.
 */
export function creditDate(
  { dueDate, reopenedOn, openBeforeReopeningCents }: CreditedCharge,
  amountCents: number,
  requested: string | undefined,
  today: string,
) {
  if (requested !== undefined && requested < dueDate)
    throw invalid([{ path: "creditedOn", code: "before_start", message: `creditedOn cannot be before the due date ${dueDate} of the charge.` }]);
  return usableOn({ since: reopenedOn, beforeCents: openBeforeReopeningCents }, amountCents, requested ?? maxDate(dueDate, today));
}

interface ChargeDimensions {
  id: string;
  leaseId: string;
  tenantId: string;
  propertyId: string;
  unitId: string;
  categoryId: string;
}

/** Returns the lines of a credit, which reduce the income, or the liability of a deposit. A credit has no effect on the cash basis. */
export function creditLines({ id, categoryId, ...charge }: ChargeDimensions, amountCents: number, description: string, chart: Chart): EntryLine[] {
  const { leaseId, tenantId, propertyId, unitId } = charge;
  const dimensions = { leaseId, tenantId, propertyId, unitId, chargeId: id, description };
  return [debit(categoryId, amountCents, dimensions, null), credit(chart.accountId(ACCOUNTS_RECEIVABLE), amountCents, dimensions, null)];
}

/** Returns the amount of each credit, oldest first, that a charge of the given amount receives in place of the superseded charge. */
export function carriedCents(credits: readonly number[], amountCents: number): number[] {
  let openCents = amountCents;
  return credits.map((creditCents) => {
    const carried = Math.min(creditCents, openCents);
    openCents -= carried;
    return carried;
  });
}
