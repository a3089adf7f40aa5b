/** Leases that run out: one for a fixed term expires, one that rolls over goes on by the month. */
import { addDays } from "@freehold/kit/time/plain-date";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { transaction } from "@freehold/kit/db/transaction";
import type { Job } from "@freehold/kit/jobs/scheduler";
import { announce } from "../../announce.ts";
import type { Clients } from "../../clients.ts";
import { eachDay } from "../../each-day.ts";
import { announceUpdate, ofLease, tenantsOf } from "../lease-events.ts";
import { Lease } from "../lease.entity.ts";
import { afterItsEnd, leaseFlow } from "../lease.rules.ts";
import { findRunOut, hasRunOut, nextToRunOut } from "./run-out.queries.ts";
import { holdUnit, isTaken } from "./unit-hold.queries.ts";

/** Ends or rolls over the active leases whose last day has passed where the organization is, unless a renewal waits to take over. */
export const expireLeases = (ask: Clients): Job =>
  eachDay(ask, async (db, day) => {
    for (let due = await findRunOut(db, day); due.length > 0; due = await findRunOut(db, day, due.at(-1))) for (const id of due) await runOut(db, id, day);
    const endDate = await nextToRunOut(db, day);
    return endDate && addDays(endDate, 1);
  });

/** Whoever changed the lease meanwhile goes first; what holds of it then counts. */
const runOut = (db: OrgDb, id: string, day: string): Promise<void> =>
  transaction(db, async (tx) => {
    const [lease] = await tx.findAllForUpdate(Lease, [id]);
    if (!lease?.endDate || !(await hasRunOut(tx, id, day))) return;
    await holdUnit(tx, lease.unitId);
    if (afterItsEnd(lease, await isTaken(tx, lease)) === "expired") await expire(tx, lease, lease.endDate);
    else await rollOver(tx, lease);
  });

async function expire(tx: OrgTx, lease: Lease, endDate: string): Promise<void> {
  lease.status = leaseFlow.transition(lease.status, "expired");
  await tx.flush();
  await announce(tx, "lease.expired", { entityId: lease.id, data: { ...ofLease(lease), endDate }, audience: { tenantIds: await tenantsOf(tx, lease.id) } });
}

async function rollOver(tx: OrgTx, lease: Lease): Promise<void> {
  lease.termType = "month_to_month";
  lease.isHoldover = true;
  await tx.flush();
  await announceUpdate(tx, lease);
}
