import type { OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import { ApiError } from "@freehold/kit/errors";
import type { Job } from "@freehold/kit/jobs/scheduler";
import type { Clients } from "../../clients.ts";
import { activate } from "./activate-lease.ts";
import { eachDay } from "../../each-day.ts";
import { findPendingLeases } from "../leases.queries.ts";
import { lockWithOneBefore } from "./renewal-chain.ts";

/** Activates the pending leases whose first day has come where the organization is. */
export const startLeases = (ask: Clients): Job =>
  eachDay(ask, async (db, day) => {
    const pending = await findPendingLeases(db);
    for (const { id } of pending.filter(({ startDate }) => startDate <= day)) await startLease(db, id);
    return pending.find(({ startDate }) => startDate > day)?.startDate;
  });

/** A lease that somebody else started, changed or gave up, or whose unit is gone, is left as it is and holds up no other. */
async function startLease(db: OrgDb, id: string): Promise<void> {
  try {
    await transaction(db, async (tx) => activate(tx, await lockWithOneBefore(tx, id)));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
  }
}
