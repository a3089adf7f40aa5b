import { transaction } from "@freehold/kit/db/transaction";
import type { Job } from "@freehold/kit/jobs/scheduler";
import type { Clients } from "../../clients.ts";
import { calendarJob } from "../../jobs/calendar-job.ts";
import { workThrough } from "@freehold/kit/jobs/work-through";
import { Property } from "../property.entity.ts";
import { applyEffectiveOwnership } from "./ownership.ts";
import { findUnappliedOwnerships } from "./ownership.queries.ts";

/** Creates the job that updates the owners of properties on the effective date of an ownership. */
export const applyOwnership = (clients: Clients): Job =>
  calendarJob(clients, async (db, day) => {
    const unapplied = await findUnappliedOwnerships(db);
    const propertyIds = new Set(unapplied.filter(({ effectiveDate }) => effectiveDate <= day).map(({ propertyId }) => propertyId));
    await workThrough(propertyIds, (propertyId) =>
      transaction(db, async (tx) => {
        const [property] = await tx.findAllForUpdate(Property, [propertyId]);
        if (property && !property.deletedAt) await applyEffectiveOwnership(tx, property);
      }),
    );
    return unapplied.find(({ effectiveDate }) => effectiveDate > day)?.effectiveDate;
  });
