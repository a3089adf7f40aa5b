/** What a renewal means for the rules of the lease before it: they end the day before it starts, unless it is given up. */
import { addDays, minDate } from "@freehold/kit/time/plain-date";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { lockRules } from "../recurring-charges/recurring-charges.ts";

interface Follower {
  id: string;
  startDate: string;
}

/** A lease that is followed by another charges up to the day before. Said again with another day, that one counts. */
export async function endRulesBefore(tx: OrgTx, leaseId: string, { id, startDate }: Follower): Promise<void> {
  const lastDay = addDays(startDate, -1);
  for (const rule of await lockRules(tx, sql`lease_id = ${leaseId} and status <> 'ended'`)) {
    if (rule.followedByLeaseId !== id) tx.assign(rule, { followedByLeaseId: id, ownEndDate: rule.endDate ?? null });
    tx.assign(rule, { endDate: rule.ownEndDate ? minDate(rule.ownEndDate, lastDay) : lastDay });
  }
}

/** The rules that were to end for a lease go on as if it had never been. */
export async function letRulesGoOn(tx: OrgTx, followerId: string): Promise<void> {
  for (const rule of await lockRules(tx, sql`followed_by_lease_id = ${followerId} and status <> 'ended'`))
    tx.assign(rule, { endDate: rule.ownEndDate ?? null, followedByLeaseId: null, ownEndDate: null });
}
