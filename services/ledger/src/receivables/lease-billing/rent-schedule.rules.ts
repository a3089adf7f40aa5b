/** Rent schedule of a lease: its initial rent and each rent change. */
import { addDays } from "@freehold/kit/time/plain-date";

/** Rent charged from a date until the day before the next step. */
export interface RentStep {
  /** Rent change that starts the step; null for the initial rent. */
  rentChangeId: string | null;
  startDate: string;
  /** Last day before the next step; null for the last step. */
  endDate: string | null;
  rentCents: number;
}

interface LeaseRent {
  startDate: string;
  /** Current rent. */
  rentCents: number;
  /** Rent changes in the order of their effective dates. */
  rentChanges: readonly { id: string; effectiveDate: string; rentCents: number; previousRentCents: number }[];
}

/** Returns the rent at the start of the lease. */
export const initialRentCents = ({ rentCents, rentChanges }: Pick<LeaseRent, "rentCents" | "rentChanges">): number =>
  rentChanges[0]?.previousRentCents ?? rentCents;

/** Returns the steps of the lease's rent in chronological order. */
export function rentSchedule(lease: LeaseRent): RentStep[] {
  const starts = [
    { rentChangeId: null, startDate: lease.startDate, rentCents: initialRentCents(lease) },
    ...lease.rentChanges.map(({ id, effectiveDate, rentCents }) => ({ rentChangeId: id, startDate: effectiveDate, rentCents })),
  ];
  return starts.map((step, index) => {
    const next = starts[index + 1];
    return { ...step, endDate: next ? addDays(next.startDate, -1) : null };
  });
}
