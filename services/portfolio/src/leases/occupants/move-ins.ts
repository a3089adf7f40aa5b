/** Move-in dates that follow the dates of a lease which has not begun. */
import { minDate } from "@freehold/kit/time/plain-date";
import type { Lease, LeaseOccupant } from "../lease.entity.ts";

function changeMoveIns(occupants: readonly LeaseOccupant[], changed: (moveInDate: string) => string): void {
  for (const occupant of occupants) {
    if (!occupant.moveInDate) continue;
    const date = changed(occupant.moveInDate);
    if (date !== occupant.moveInDate) occupant.moveInDate = occupant.moveOutDate ? minDate(date, occupant.moveOutDate) : date;
  }
}

/**
 * Changes the start date of a lease. The move-in dates of the lease and of its occupants follow: those on the former start date, and those
 * after it that would now precede the start. Earlier ones, as with an early possession or on a renewal, stay.
 */
export function moveStartDate(lease: Lease, occupants: readonly LeaseOccupant[], startDate: string): void {
  const { startDate: formerStart } = lease;
  const moved = (date: string): string => (date === formerStart || (date > formerStart && date < startDate) ? startDate : date);
  lease.startDate = startDate;
  if (lease.moveInDate) lease.moveInDate = moved(lease.moveInDate);
  changeMoveIns(occupants, moved);
}

/** Changes the move-in date of a lease, and that of the occupants who move in with the lease. Null stands for the start date. */
export function changeMoveInDate(lease: Lease, occupants: readonly LeaseOccupant[], moveInDate: string | null): void {
  const [former, date] = [lease.moveInDate ?? lease.startDate, moveInDate ?? lease.startDate];
  lease.moveInDate = moveInDate;
  changeMoveIns(occupants, (each) => (each === former ? date : each));
}
