/** State in which an import writes the lease of a row, and the days on which a new lease holds its unit. */
import type { FieldError } from "@freehold/contract/errors";
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { FieldValues } from "../draft.ts";

/** Returns the status in which an import writes the lease of a row. A pending one is active from its first day on, and one that is terminated before that day is cancelled. */
export function importedStatus({ status = "active", start_date: start }: FieldValues, day: string): string {
  const hasBegun = start === undefined || start <= day;
  if (status === "terminated" && !hasBegun) return "cancelled";
  return status === "pending" && hasBegun ? "active" : status;
}

/** Returns the last day of a lease that its row terminates or expires, or whose fixed term has passed; undefined for other leases. */
export function importedLastDay(row: FieldValues, day: string): string | undefined {
  const { end_date: end, term_type: term } = row;
  const status = importedStatus(row, day);
  const hasPassed = status !== "draft" && status !== "cancelled" && term === "fixed" && end !== undefined && end < day;
  return status === "terminated" || status === "expired" || hasPassed ? end : undefined;
}

/** Tells whether the lease of a row is cancelled or has ended on the day of the import. One that is terminated for a later day has not. */
export function isOver(row: FieldValues, day: string): boolean {
  const status = importedStatus(row, day);
  const lastDay = importedLastDay(row, day);
  return status === "cancelled" || status === "expired" || (lastDay !== undefined && lastDay < day);
}

const moneyTypes: readonly ImportEntityType[] = ["deposit", "opening_balance", "charge", "payment"];

/** Returns the error of a new row of money whose lease takes none: a cancelled lease, and for a recurring charge a draft or one that is over. */
export function refusedByLease(entityType: ImportEntityType, lease: FieldValues, today: string): FieldError | undefined {
  const status = importedStatus(lease, today);
  const isRefused = entityType === "recurring_charge" ? status === "draft" || isOver(lease, today) : moneyTypes.includes(entityType) && status === "cancelled";
  if (!isRefused) return undefined;
  const state = status === "draft" ? "a draft" : status === "cancelled" ? "cancelled" : "ended";
  const taken = entityType === "recurring_charge" ? "recurring charges" : "charges, payments or deposits";
  const message = `The lease is ${state} and takes no ${taken}. Correct the lease, name another one, or exclude the row.`;
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

/** Returns the days on which a lease holds its unit, or undefined for one that never does, such as one that was terminated on its first day. */
function holdOf(lease: FieldValues, today: string): Hold | undefined {
  const { term_type: term, start_date: start, end_date: end } = lease;
  const status = importedStatus(lease, today);
  if (start === undefined || status === "draft" || status === "cancelled" || (status === "terminated" && end === start)) return undefined;
  return { start, end: importedLastDay(lease, today) ?? (term === "month_to_month" ? undefined : end) };
}

const overlap = (one: Hold, other: Hold): boolean => (one.end === undefined || other.start <= one.end) && (other.end === undefined || one.start <= other.end);

/** Tells whether two leases hold their unit on the same days. */
export function holdsOverlap(one: FieldValues, other: FieldValues, today: string): boolean {
  const [hold, otherHold] = [holdOf(one, today), holdOf(other, today)];
  return hold !== undefined && otherHold !== undefined && overlap(hold, otherHold);
}

interface LeaseOfUnit {
  id: string;
  rowNumber: number;
  data: FieldValues;
  /** False for a lease that the import does not let hold its unit on other days than before. */
  isNew: boolean;
  /** Fields of the lease before the import; undefined for a new one. */
  before?: FieldValues | undefined;
}

/**
 * Returns an error by id for each new or changed lease of one unit, in the order of writing, that holds the unit on days of a lease before it, unless
 * both overlapped before, such as a lease and its renewal, or the later one renews the one before, which `isRenewal` tells.
 */
export function overlapErrors<L extends LeaseOfUnit>(
  leases: readonly L[],
  today: string,
  isRenewal: (earlier: L, later: L) => boolean,
): Map<string, FieldError> {
  const holding: { hold: Hold; lease: L }[] = [];
  const errors = new Map<string, FieldError>();
  const overlappedBefore = (one: FieldValues | undefined, other: FieldValues | undefined) =>
    one !== undefined && other !== undefined && one["unit"] === other["unit"] && holdsOverlap(one, other, today);
  for (const lease of leases) {
    const hold = holdOf(lease.data, today);
    if (!hold) continue;
    const isConflict = (other: { hold: Hold; lease: L }) =>
      overlap(other.hold, hold) && !overlappedBefore(other.lease.before, lease.before) && !isRenewal(other.lease, lease);
    const conflict = lease.isNew ? holding.find(isConflict) : undefined;
    if (conflict) errors.set(lease.id, overlapError(conflict.lease.rowNumber));
    else holding.push({ hold, lease });
  }
  return errors;
}

const overlapError = (rowNumber: number): FieldError => ({
  path: "start_date",
  code: "overlap",
  message: `The lease of row ${rowNumber} holds the unit on some of these days. Correct the dates or the status of one of them, or exclude one of the rows, then validate again.`,
});
