/** Import of a lease that has ended, that is terminated on a later day, or that was cancelled before it began. */
import type { importedRecords } from "@freehold/contract/imports/imported-records";
import type { Lease as LeaseView } from "@freehold/contract/leases/leases";
import type { BodyOf } from "@freehold/contract/operation";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import { today } from "@freehold/kit/time/clock";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { transaction } from "@freehold/kit/db/transaction";
import type { Clients } from "../clients.ts";
import { insertLeases } from "../leases/insert-leases.ts";
import { emptyLeaseBalance, fetchLeaseBalances } from "../leases/lease-billing.ts";
import { publishLeaseUpdated } from "../leases/lease-events.ts";
import { Lease, LeaseOccupant } from "../leases/lease.entity.ts";
import { requireTerminationAfterStart, resolveOccupants } from "../leases/lease.rules.ts";
import { leaseView } from "../leases/lease.view.ts";
import { getLeaseRow } from "../leases/leases.queries.ts";
import { startBilling } from "../leases/lifecycle/activate-lease.ts";
import { cancel } from "../leases/lifecycle/cancel-lease.ts";
import { endBilling, terminate } from "../leases/lifecycle/terminate-lease.ts";
import { requireStayInOrder } from "../leases/occupants/occupant.rules.ts";

type Body = BodyOf<typeof importedRecords.operations.importEndedLease>;

/**
 * Inserts a lease with its end, in one transaction: a terminated one ends on its last day, which may be a later day, and is charged up to it; an
 * expired one holds its unit until its last day and then expires by itself; its occupants have moved out. A cancelled one was never in force. The
 * ledger sets up the billing after the commit.
 */
export async function importEndedLease(db: OrgDb, clients: Clients, { endedAs, ...input }: Body): Promise<{ recordId: string }> {
  const occupants = resolveOccupants(input);
  const terms = terminationOf(input.endDate!, today(db.principal.timezone));
  // While the ledger, which bills the lease, is unavailable, this call throws 503 before anything is written.
  await fetchLeaseBalances(db, clients, []);
  const committed = transaction(db, async (tx): Promise<{ lease: LeaseView }> => {
    const [id] = await insertLeases(tx, [{ input: { ...input, activate: endedAs !== "cancelled" }, occupants }]);
    const lease = await tx.getForUpdate(Lease, id!, "Lease");
    if (endedAs === "cancelled") await cancel(tx, lease);
    else if (endedAs === "expired") await moveOut(tx, lease, input.endDate!);
    else {
      requireTerminationAfterStart(lease, terms.terminationDate);
      await terminate(tx, lease, terms);
    }
    return { lease: leaseView(await getLeaseRow(tx, lease.id), emptyLeaseBalance(lease.id)) };
  });
  return completeAfterCommit(committed, async ({ lease }) => {
    if (endedAs === "terminated") await endBilling(db, clients, lease, terms);
    else if (endedAs === "expired") await startBilling(db, clients, lease, input.prorateFirstMonth);
    return { recordId: lease.id };
  });
}

/** Returns the terms of a termination on a day: the other system has charged the last month of a past lease. */
const terminationOf = (terminationDate: string, day: string) => ({
  terminationDate,
  reason: "Terminated before it was imported.",
  finalRent: terminationDate > day ? ("prorate" as const) : ("none" as const),
});

/** Records the move-out of the occupants of a lease: without one, they would live there until the next lease starts. */
async function moveOut(tx: OrgTx, lease: Lease, moveOutDate: string): Promise<void> {
  for (const occupant of await tx.find(LeaseOccupant, { leaseId: lease.id })) {
    occupant.moveOutDate = moveOutDate;
    requireStayInOrder({ moveInDate: occupant.moveInDate, moveOutDate }, lease.startDate);
  }
  await tx.flush();
  await publishLeaseUpdated(tx, lease);
}
