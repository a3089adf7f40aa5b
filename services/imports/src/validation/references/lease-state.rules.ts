/** State in which an import writes a new lease, and the days on which the lease holds its unit. */
import type { FieldError } from "@freehold/contract/errors";
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { FieldValues } from "../draft.ts";

type LeaseState = "draft" | "cancelled" | "ended" | "in force";

/** Returns the state of a lease on the day of the import. One that was terminated before its first day is cancelled. */
function stateOf({ status, term_type: term, start_date: start, end_date: end }: FieldValues, today: string): LeaseState {
  if (status === "draft" || status === "cancelled") return status;
  if (status === "terminated" && start! > today) return "cancelled";
  const isOver = end !== undefined && end < today;
  return status === "expired" || (isOver && (status === "terminated" || term === "fixed")) ? "ended" : "in force";
}

const moneyTypes: readonly ImportEntityType[] = ["deposit", "opening_balance", "charge", "payment"];

/** Returns the error of a row of money whose new lease takes none: a cancelled lease, and for a recurring charge one that is not in force. */
export function refusedByLease(entityType: ImportEntityType, lease: FieldValues, today: string): FieldError | undefined {
  const state = stateOf(lease, today);
  const isRefused = entityType === "recurring_charge" ? state !== "in force" : moneyTypes.includes(entityType) && state === "cancelled";
  if (!isRefused) return undefined;
  const article = state === "draft" ? "a draft" : state;
  const taken = entityType === "recurring_charge" ? "recurring charges" : "charges, payments or deposits";
  const message = `The lease is ${article} and takes no ${taken}. Correct the lease, name another one, or exclude the row.`;
  return { path: "lease_source_id", code: "not_allowed", message };
}

/** Returns the error of an expired lease that does not end until the import, which would become an active one. */
export const expiryErrors = ({ status, end_date: end }: FieldValues, today: string): FieldError[] =>
  status !== "expired" || (end !== undefined && end <= today)
    ? []
    : [
        {
          path: "end_date",
          code: "not_allowed",
          message: "The lease is expired, but its end_date is after the day of the import. Set end_date to the last day of the tenancy, or correct the status.",
        },
      ];

/** First and last day on which a lease holds its unit, without a last day of an open term. */
interface Hold {
  start: string;
  end: string | undefined;
}

/** Returns the days on which a lease holds its unit, or undefined for one that never does. */
function holdOf(lease: FieldValues, today: string): Hold | undefined {
  const { status, term_type: term, start_date: start, end_date: end } = lease;
  const state = stateOf(lease, today);
  if (start === undefined || state === "draft" || state === "cancelled" || (status === "terminated" && end === start)) return undefined;
  const hasLastDay = state === "ended" || status === "terminated" || term !== "month_to_month";
  return { start, end: hasLastDay ? end : undefined };
}

const overlap = (one: Hold, other: Hold): boolean => (one.end === undefined || other.start <= one.end) && (other.end === undefined || one.start <= other.end);

interface LeaseOfUnit {
  id: string;
  rowNumber: number;
  data: FieldValues;
}

/** Returns an error by id for each lease of one unit, in the order of writing, that holds the unit on days of a lease before it. */
export function overlapErrors(leases: readonly LeaseOfUnit[], today: string): Map<string, FieldError> {
  const holding: { hold: Hold; rowNumber: number }[] = [];
  const errors = new Map<string, FieldError>();
  for (const { id, rowNumber, data } of leases) {
    const hold = holdOf(data, today);
    if (!hold) continue;
    const other = holding.find((each) => overlap(each.hold, hold));
    if (other) errors.set(id, overlapError(other.rowNumber));
    else holding.push({ hold, rowNumber });
  }
  return errors;
}

const overlapError = (rowNumber: number): FieldError => ({
  path: "start_date",
  code: "overlap",
  message: `The lease of row ${rowNumber} holds the unit on some of these days. Correct the dates or the status of one of them, or exclude one of the rows, then validate again.`,
});
