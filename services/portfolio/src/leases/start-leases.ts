import { now, startOfDay, today } from "@freehold/kit/clock";
import { OrgDb, transaction } from "@freehold/kit/db";
import { ApiError } from "@freehold/kit/errors";
import type { Job } from "@freehold/kit/schedule";
import { ifItAnswers } from "../asking.ts";
import type { Clients } from "../clients.ts";
import { activate, lockWithOneBefore } from "./activate-lease.ts";
import { findPendingLeases } from "./leases.queries.ts";

const HOUR = 3_600_000;
const SOON = 5_000;

/** Activates the pending leases whose first day has come where the organization is, and comes again when the next one starts. */
export const startLeases =
  (ask: Clients): Job =>
  async (system) => {
    const organization = await ifItAnswers(ask.identity.getOrganization(system, {}));
    if (!organization) return new Date(now().getTime() + SOON);
    const { timezone } = organization;
    const db = new OrgDb(system.database, { ...system.scope, timezone });
    const pending = await findPendingLeases(db);
    for (const { id } of pending.filter(({ startDate }) => startDate <= today(timezone))) await startLease(db, id);
    const next = pending.find(({ startDate }) => startDate > today(timezone));
    const inAnHour = now().getTime() + HOUR;
    return new Date(next ? Math.min(startOfDay(next.startDate, timezone).getTime(), inAnHour) : inAnHour);
  };

/** A lease that somebody else started, or whose unit is gone, is left as it is and holds up no other. */
async function startLease(db: OrgDb, id: string): Promise<void> {
  try {
    await transaction(db, async (tx) => activate(tx, await lockWithOneBefore(tx, id)));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
  }
}
