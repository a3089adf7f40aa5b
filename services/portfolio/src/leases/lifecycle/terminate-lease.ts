import type { leases } from "@freehold/contract/leases/leases";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { minDate } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import type { Clients } from "../../clients.ts";
import { publish } from "../../publish.ts";
import { fetchLeaseBalances, syncLeaseBilling } from "../lease-billing.ts";
import { findLeaseTenantIds, leaseEventData } from "../lease-events.ts";
import { Lease, LeaseOccupant } from "../lease.entity.ts";
import { leaseStateMachine, requireTerminationAfterStart } from "../lease.rules.ts";
import { leaseView } from "../lease.view.ts";
import { getLeaseRow } from "../leases.queries.ts";
import { isUnitTaken, leaseOverlapError, lockUnit } from "./unit-holds.ts";

type Operation = (typeof leases)["operations"]["terminateLease"];
type TerminationTerms = BodyOf<Operation>;

/** Terminates a lease and releases its occupants on the termination date. The ledger bills the last month after the commit. */
export async function terminateLease(db: OrgDb, clients: Clients, id: string, terms: TerminationTerms): Promise<Output<Operation>> {
  const { terminationDate, finalRent, terminationFeeCents } = terms;
  const balances = await fetchLeaseBalances(db, clients, [id]);
  const committed = transaction(db, async (tx): Promise<Output<Operation>> => {
    const lease = await tx.getForUpdate(Lease, id, "Lease", { deletedAt: null });
    requireTerminationAfterStart(lease, terminationDate);
    await terminate(tx, lease, terms);
    return { lease: leaseView(await getLeaseRow(tx, id), balances.get(id)), charges: [] };
  });
  return completeAfterCommit(committed, async ({ lease }) => {
    const { charges } = await syncLeaseBilling(
      db,
      clients,
      lease,
      "The lease is terminated; its last month will be settled as soon as the ledger is available again. Read the lease again in a moment.",
      (message) =>
        clients.ledger.endLeaseBilling(db, { lease: message, terminationDate, finalRent, ...(terminationFeeCents !== undefined && { terminationFeeCents }) }),
    );
    return { lease, charges };
  });
}

async function terminate(tx: OrgTx, lease: Lease, { terminationDate, reason, noticeGivenOn, finalRent, terminationFeeCents }: TerminationTerms): Promise<void> {
  lease.status = leaseStateMachine.transition(lease.status, "terminated");
  await lockUnit(tx, lease.unitId);
  if (await isUnitTaken(tx, lease, terminationDate)) throw leaseOverlapError();
  lease.terminationDate = terminationDate;
  lease.terminationReason = reason ?? null;
  lease.finalRent = finalRent;
  lease.terminationFeeCents = terminationFeeCents ?? null;
  if (noticeGivenOn) lease.noticeGivenOn = noticeGivenOn;
  for (const occupant of await tx.find(LeaseOccupant, { leaseId: lease.id, removedAt: null })) {
    occupant.releasedOn = minDate(occupant.releasedOn ?? terminationDate, terminationDate);
    occupant.moveOutDate ??= terminationDate;
  }
  await publish(tx, "lease.terminated", {
    entityId: lease.id,
    data: { ...leaseEventData(lease), terminationDate },
    audience: { tenantIds: await findLeaseTenantIds(tx, lease.id) },
  });
}
