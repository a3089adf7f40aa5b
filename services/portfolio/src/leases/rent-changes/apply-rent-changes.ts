import { transaction } from "@freehold/kit/db/transaction";
import type { Job } from "@freehold/kit/jobs/scheduler";
import type { Clients } from "../../clients.ts";
import { eachDay } from "../../each-day.ts";
import { Lease } from "../lease.entity.ts";
import { followRentChanges } from "./rent-changes.ts";
import { rentChangesToCome } from "./rent-changes.queries.ts";

/** Has running leases follow the rent changes whose day has come where the organization is. */
export const applyRentChanges = (ask: Clients): Job =>
  eachDay(ask, async (db, day) => {
    const toCome = await rentChangesToCome(db);
    const due = new Set(toCome.filter(({ effectiveDate }) => effectiveDate <= day).map(({ leaseId }) => leaseId));
    for (const leaseId of due)
      await transaction(db, async (tx) => {
        const [lease] = await tx.findAllForUpdate(Lease, [leaseId]);
        if (lease?.status === "active" && !lease.deletedAt) await followRentChanges(tx, lease);
      });
    return toCome.find(({ effectiveDate }) => effectiveDate > day)?.effectiveDate;
  });
