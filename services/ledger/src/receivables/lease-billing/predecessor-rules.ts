/** Recurring charges of a lease that is renewed: they end the day before the successor lease starts, unless it is cancelled. */
import { addDays, minDate } from "@freehold/kit/time/plain-date";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { lockRecurringCharges } from "../recurring-charges/recurring-charges.ts";

interface Successor {
  id: string;
  startDate: string;
}

/** Ends the recurring charges of a lease the day before its successor starts. May be repeated when the start date changes. */
export async function endPredecessorRules(tx: OrgTx, leaseId: string, { id, startDate }: Successor): Promise<void> {
  const lastDay = addDays(startDate, -1);
  for (const rule of await lockRecurringCharges(tx, sql`lease_id = ${leaseId} and status <> 'ended'`)) {
    if (rule.followedByLeaseId !== id) tx.assign(rule, { followedByLeaseId: id, ownEndDate: rule.endDate ?? null });
    tx.assign(rule, { endDate: rule.ownEndDate ? minDate(rule.ownEndDate, lastDay) : lastDay });
  }
}

/** Restores the end dates of the recurring charges that were to end for a successor lease. */
export async function reinstatePredecessorRules(tx: OrgTx, successorId: string): Promise<void> {
  for (const rule of await lockRecurringCharges(tx, sql`followed_by_lease_id = ${successorId} and status <> 'ended'`))
    tx.assign(rule, { endDate: rule.ownEndDate ?? null, followedByLeaseId: null, ownEndDate: null });
}
