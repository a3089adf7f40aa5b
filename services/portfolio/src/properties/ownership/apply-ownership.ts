import { transaction } from "@freehold/kit/db/transaction";
import type { Job } from "@freehold/kit/jobs/scheduler";
import type { Clients } from "../../clients.ts";
import { eachDay } from "../../each-day.ts";
import { Property } from "../property.entity.ts";
import { followOwnership } from "./ownership.ts";
import { ownershipsToCome } from "./ownership.queries.ts";

/** Has the owners of properties follow the ownerships whose day has come where the organization is. */
export const applyOwnership = (ask: Clients): Job =>
  eachDay(ask, async (db, day) => {
    const toCome = await ownershipsToCome(db);
    const due = new Set(toCome.filter(({ effectiveDate }) => effectiveDate <= day).map(({ propertyId }) => propertyId));
    for (const propertyId of due)
      await transaction(db, async (tx) => {
        const [property] = await tx.findAllForUpdate(Property, [propertyId]);
        if (property && !property.deletedAt) await followOwnership(tx, property);
      });
    return toCome.find(({ effectiveDate }) => effectiveDate > day)?.effectiveDate;
  });
