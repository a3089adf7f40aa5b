import { transaction } from "@freehold/kit/db/transaction";
import type { Job } from "@freehold/kit/jobs/scheduler";
import type { Clients } from "../../clients.ts";
import { calendarJob } from "../../jobs/calendar-job.ts";
import { workThrough } from "@freehold/kit/jobs/work-through";
import { Lease } from "../lease.entity.ts";
import { recalculateRents } from "./rent-changes.ts";
import { findUnappliedRentChanges } from "./rent-changes.queries.ts";

/** Creates the job that updates the rent of active leases on the effective date of a rent change. */
export const applyRentChanges = (clients: Clients): Job =>
  calendarJob(clients, async (db, day) => {
    const unappliedChanges = await findUnappliedRentChanges(db);
    const leaseIds = new Set(unappliedChanges.filter(({ effectiveDate }) => effectiveDate <= day).map(({ leaseId }) => leaseId));
    await workThrough(leaseIds, (leaseId) =>
      transaction(db, async (tx) => {
        const [lease] = await tx.findAllForUpdate(Lease, [leaseId]);
        if (lease?.status === "active" && !lease.deletedAt) await recalculateRents(tx, lease);
      }),
    );
    return unappliedChanges.find(({ effectiveDate }) => effectiveDate > day)?.effectiveDate;
  });
