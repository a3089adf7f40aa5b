/** Expiry of leases after their last day. */
import { localDateOf, today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { transaction } from "@freehold/kit/db/transaction";
import type { Job } from "@freehold/kit/jobs/scheduler";
import type { Clients } from "../../clients.ts";
import { calendarJob } from "../../jobs/calendar-job.ts";
import { workThrough } from "@freehold/kit/jobs/work-through";
import { publish } from "../../publish.ts";
import { findLeaseTenantIds, leaseEventData, publishLeaseUpdated } from "../lease-events.ts";
import { Lease } from "../lease.entity.ts";
import { endOfTermOutcome, leaseStateMachine } from "../lease.rules.ts";
import { findLeasesPastEnd, findNextEndDate, isPastEnd } from "./expire-leases.queries.ts";
import { isUnitTaken, lockUnit } from "./unit-holds.ts";

/**
 * Creates the job that expires active leases whose last day has passed, and converts those with rollover to month-to-month.
 * A lease with a pending renewal is left to the renewal's activation.
 */
export const expireLeases = (clients: Clients): Job =>
  calendarJob(clients, async (db, day) => {
    const due: string[] = [];
    for (let ids = await findLeasesPastEnd(db, day); ids.length > 0; ids = await findLeasesPastEnd(db, day, ids.at(-1))) due.push(...ids);
    await workThrough(due, (id) =>
      transaction(db, async (tx) => {
        const [lease] = await tx.findAllForUpdate(Lease, [id]);
        if (lease) await endTerm(tx, lease, day);
      }),
    );
    const nextEndDate = await findNextEndDate(db, day);
    return nextEndDate && addDays(nextEndDate, 1);
  });

/** Ends the terms of locked leases that are entered or changed after their last day, so that the response has the status that the next one has. */
export async function endPastTerms(tx: OrgTx, leases: readonly Lease[]): Promise<void> {
  const day = today(tx.principal.timezone);
  await tx.flush();
  for (const lease of leases) await endTerm(tx, lease, day);
}

/** Ends the term of a locked lease, unless its last day has not passed. */
async function endTerm(tx: OrgTx, lease: Lease, day: string): Promise<void> {
  const { id, unitId, endDate } = lease;
  if (!endDate || endDate >= day || !(await isPastEnd(tx, id, day))) return;
  await lockUnit(tx, unitId);
  if (endOfTermOutcome(lease, await isUnitTaken(tx, lease)) === "expired") await expire(tx, lease, endDate);
  else await continueMonthToMonth(tx, lease);
}

async function expire(tx: OrgTx, lease: Lease, endDate: string): Promise<void> {
  lease.status = leaseStateMachine.transition(lease.status, "expired");
  await tx.flush();
  await publish(tx, "lease.expired", {
    entityId: lease.id,
    data: { ...leaseEventData(lease), endDate },
    audience: { tenantIds: await findLeaseTenantIds(tx, lease.id) },
    // A lease that had ended before it was entered, for instance by an import.
    isHistory: endDate < localDateOf(lease.createdAt, tx.principal.timezone),
  });
}

async function continueMonthToMonth(tx: OrgTx, lease: Lease): Promise<void> {
  lease.termType = "month_to_month";
  lease.isHoldover = true;
  await tx.flush();
  await publishLeaseUpdated(tx, lease);
}
