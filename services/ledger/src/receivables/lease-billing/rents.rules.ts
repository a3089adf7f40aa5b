/** Which rents a lease has, one after the other. */
import { addDays } from "@freehold/kit/time/plain-date";

export interface Rent {
  /** The change that brought it; null for the rent that the lease began with. */
  changeId: string | null;
  from: string;
  /** Its last day; null while no other one follows. */
  until: string | null;
  cents: number;
}

interface Agreed {
  startDate: string;
  rentCents: number;
  rentChanges: readonly { id: string; effectiveDate: string; rentCents: number; previousRentCents: number }[];
}

/** The rent that a lease began with. */
export const firstRent = ({ rentCents, rentChanges }: Pick<Agreed, "rentCents" | "rentChanges">): number => rentChanges[0]?.previousRentCents ?? rentCents;

/** The rents of a lease in the order of their days. */
export function rentsOf(lease: Agreed): Rent[] {
  const starts = [
    { changeId: null, from: lease.startDate, cents: firstRent(lease) },
    ...lease.rentChanges.map(({ id, effectiveDate, rentCents }) => ({ changeId: id, from: effectiveDate, cents: rentCents })),
  ];
  return starts.map((rent, index) => {
    const next = starts[index + 1];
    return { ...rent, until: next ? addDays(next.from, -1) : null };
  });
}
