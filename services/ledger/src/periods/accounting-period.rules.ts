/** Rules of accounting periods: their order, and the dates on which manual postings are allowed. */
import type { FieldError } from "@freehold/contract/errors";
import { conflict } from "@freehold/kit/errors";
import { stateMachine } from "@freehold/kit/state-machine";
import { addDays } from "@freehold/kit/time/plain-date";

export const accountingPeriodStateMachine = stateMachine("accounting period", {
  open: ["soft_closed", "closed"],
  soft_closed: ["closed", "open"],
  closed: ["open"],
});

/**
 * Throws a 409 that names the first open day for a date in a closed period. `softClosedThrough` is the last day of the closed periods,
 * null when none is closed.
 */
export function requireOpenDate(softClosedThrough: string | null, date: string): void {
  if (softClosedThrough === null || date > softClosedThrough) return;
  const firstOpenDay = addDays(softClosedThrough, 1);
  throw conflict(
    `The accounting period of ${date} is closed. Use ${firstOpenDay}, the first open day, or a later date, or reopen the period.`,
    "period_closed",
  );
}

/** Throws a 409 for a period that has not ended. */
export function requireEnded(endDate: string, today: string): void {
  if (endDate < today) return;
  throw conflict(`The accounting period ends on ${endDate}. Close it after that day.`, "invalid_transition");
}

/** Throws a 409 when an earlier month with postings is open, naming the earliest. */
export function requireEarlierPeriodsClosed(earliestOpenMonth: string | null): void {
  if (earliestOpenMonth === null) return;
  throw conflict(`Periods close in order. Close ${earliestOpenMonth.slice(0, 7)} first.`, "invalid_transition");
}

/** Throws a 409 when a later period is closed, naming the last one. */
export function requireLaterPeriodsOpen(lastClosedMonth: string | null): void {
  if (lastClosedMonth === null) return;
  throw conflict(`Periods reopen in reverse order. Reopen ${lastClosedMonth.slice(0, 7)} first.`, "invalid_transition");
}

/** Throws a 409 with the failed checks as its errors. */
export function requireChecksPassed(checklist: readonly { key: string; ok: boolean; detail: string }[]): void {
  const errors = checklist.filter(({ ok }) => !ok).map(({ key, detail }): FieldError => ({ path: key, code: "not_allowed", message: detail }));
  if (errors.length > 0)
    throw conflict("The checklist of the accounting period has open items. Resolve them, or close the period with force.", "invalid_transition", errors);
}
