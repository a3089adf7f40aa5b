import type { OrgTx } from "@freehold/kit/db/org-tx";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { announceInForce } from "../lease-events.ts";
import type { Lease } from "../lease.entity.ts";

/** Has the day come on which leases that are in force from now on start or run out, and announces them. */
export async function putInForce(tx: OrgTx, leases: readonly Lease[]): Promise<void> {
  if (leases.length === 0) return;
  await tx.flush();
  if (leases.some(({ status }) => status === "pending")) await scheduleNow(tx, "startLeases");
  if (leases.some(({ endDate }) => endDate)) await scheduleNow(tx, "expireLeases");
  await announceInForce(tx, leases);
}
