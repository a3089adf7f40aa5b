import type { leases } from "@freehold/contract/leases";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { minDate } from "@freehold/kit/time/plain-date";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import { announce } from "../../announce.ts";
import type { Clients } from "../../clients.ts";
import { ofLease, tenantsOf } from "../lease-events.ts";
import { askMoney, tellLedger } from "../billing/lease-billing.ts";
import { Lease, LeaseOccupant } from "../lease.entity.ts";
import { leaseFlow, refuseTerminationBeforeStart } from "../lease.rules.ts";
import { leaseView } from "../lease.view.ts";
import { findLease } from "../leases.queries.ts";
import { holdUnit, isTaken, overlap } from "./unit-hold.queries.ts";

type Operation = (typeof leases)["operations"]["terminateLease"];
type Terms = BodyOf<Operation>;

/** Ends a lease on a day and releases everyone from it that day; the ledger settles the last month. */
export async function terminateLease(db: OrgDb, ask: Clients, id: string, terms: Terms): Promise<Output<Operation>> {
  const { terminationDate, finalRent, terminationFeeCents } = terms;
  const money = await askMoney(db, ask, [id]);
  const work = transaction(db, async (tx) => {
    const lease = await tx.getForUpdate(Lease, id, "Lease", { deletedAt: null });
    refuseTerminationBeforeStart(lease, terminationDate);
    await terminate(tx, lease, terms);
    const answer: Output<Operation> = { lease: leaseView(await findLease(tx, id), money.get(id)), charges: [] };
    return answer;
  });
  return completeAfterCommit(work, async ({ lease }) => {
    const { charges } = await tellLedger(
      db,
      ask,
      lease,
      "The lease is terminated; its last month will be settled as soon as the ledger answers. Read the lease again in a moment.",
      (forLedger) =>
        ask.ledger.endLeaseBilling(db, { lease: forLedger, terminationDate, finalRent, ...(terminationFeeCents !== undefined && { terminationFeeCents }) }),
    );
    return { lease, charges };
  });
}

async function terminate(tx: OrgTx, lease: Lease, { terminationDate, reason, noticeGivenOn, finalRent, terminationFeeCents }: Terms): Promise<void> {
  lease.status = leaseFlow.transition(lease.status, "terminated");
  await holdUnit(tx, lease.unitId);
  if (await isTaken(tx, lease, terminationDate)) throw overlap();
  lease.terminationDate = terminationDate;
  lease.terminationReason = reason ?? null;
  lease.finalRent = finalRent;
  lease.terminationFeeCents = terminationFeeCents ?? null;
  if (noticeGivenOn) lease.noticeGivenOn = noticeGivenOn;
  for (const occupant of await tx.find(LeaseOccupant, { leaseId: lease.id, removedAt: null })) {
    occupant.releasedOn = minDate(occupant.releasedOn ?? terminationDate, terminationDate);
    occupant.moveOutDate ??= terminationDate;
  }
  await announce(tx, "lease.terminated", {
    entityId: lease.id,
    data: { ...ofLease(lease), terminationDate },
    audience: { tenantIds: await tenantsOf(tx, lease.id) },
  });
}
