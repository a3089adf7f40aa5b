import { now, startOfDay, today } from "@freehold/kit/clock";
import { OrgDb, transaction } from "@freehold/kit/db";
import type { Job } from "@freehold/kit/schedule";
import { ifItAnswers } from "../asking.ts";
import type { Clients } from "../clients.ts";
import { Property } from "../properties/property.entity.ts";
import { followOwnership } from "./ownership.ts";
import { ownershipsToCome } from "./ownership.queries.ts";

const HOUR = 3_600_000;
const SOON = 5_000;

/** Has the owners of properties follow the ownerships whose day has come where the organization is, and comes again for the next. */
export const applyOwnership =
  (ask: Clients): Job =>
  async (system) => {
    const organization = await ifItAnswers(ask.identity.getOrganization(system, {}));
    if (!organization) return new Date(now().getTime() + SOON);
    const { timezone } = organization;
    const db = new OrgDb(system.database, { ...system.scope, timezone });
    const toCome = await ownershipsToCome(db);
    const due = new Set(toCome.filter(({ effectiveDate }) => effectiveDate <= today(timezone)).map(({ propertyId }) => propertyId));
    for (const propertyId of due)
      await transaction(db, async (tx) => {
        const [property] = await tx.lockAll(Property, [propertyId]);
        if (property && !property.deletedAt) await followOwnership(tx, property, timezone);
      });
    const next = toCome.find(({ effectiveDate }) => effectiveDate > today(timezone));
    const inAnHour = now().getTime() + HOUR;
    return new Date(next ? Math.min(startOfDay(next.effectiveDate, timezone).getTime(), inAnHour) : inAnHour);
  };
