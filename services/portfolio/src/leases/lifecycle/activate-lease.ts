import type { Lease as LeaseView, leases } from "@freehold/contract/leases";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict } from "@freehold/kit/errors";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import type { Clients } from "../../clients.ts";
import { holdLive } from "../../references.ts";
import { askMoney, tellLedger, type Billing } from "../billing/lease-billing.ts";
import { type Lease, LeaseOccupant } from "../lease.entity.ts";
import { leaseFlow, refuseStartAfterEnd, statusOnceActivated } from "../lease.rules.ts";
import { leaseView } from "../lease.view.ts";
import { findLease } from "../leases.queries.ts";
import { lockWithOneBefore, supersede } from "./renewal-chain.ts";
import { putInForce } from "./put-in-force.ts";
import { holdUnit, refuseHeldByTerminated } from "./unit-hold.queries.ts";

type Operation = (typeof leases)["operations"]["activateLease"];
type Terms = BodyOf<Operation>;

/** Activates a draft: active at once or pending until its start. Its rent starts to post when the ledger has heard of it. */
export async function activateLease(db: OrgDb, ask: Clients, id: string, { activateOn, chargeProration }: Terms): Promise<Output<Operation>> {
  const money = await askMoney(db, ask, [id]);
  const work = transaction(db, async (tx) => {
    const lease = await lockWithOneBefore(tx, id);
    if (!chargeProration) lease.prorateFirstMonth = false;
    await activate(tx, lease, activateOn);
    const answer: Output<Operation> = { lease: leaseView(await findLease(tx, id), money.get(id)), recurringChargeRules: [], charges: [] };
    return answer;
  });
  return completeAfterCommit(work, async (answer) => ({ lease: answer.lease, ...(await startBilling(db, ask, answer.lease, chargeProration)) }));
}

/** Has the ledger bill a lease that was just activated. */
export const startBilling = (db: OrgDb, ask: Clients, lease: LeaseView, chargeProration: boolean): Promise<Billing> =>
  tellLedger(
    db,
    ask,
    lease,
    "The lease is active; its recurring charges will be set up as soon as the ledger answers. Read the lease again in a moment.",
    (forLedger) => ask.startLeaseBilling(db, { lease: forLedger, chargeProration }),
  );

/** Puts a locked lease in force. It must have a primary occupant and its unit to itself. */
export async function activate(tx: OrgTx, lease: Lease, activateOn?: string): Promise<void> {
  if (activateOn) refuseStartAfterEnd(lease, activateOn);
  const startDate = activateOn ?? lease.startDate;
  const status = statusOnceActivated(startDate, today(tx.principal.timezone));
  leaseFlow.transition(lease.status, status);
  await holdPlace(tx, lease);
  await startOn(tx, lease, startDate);
  await refuseHeldByTerminated(tx, [lease]);
  if (lease.renewedFromLeaseId) await supersede(tx, lease.renewedFromLeaseId, startDate, status, activateOn ? "activateOn" : "startDate");
  lease.status = status;
  await putInForce(tx, [lease]);
}

/** The place must still be there when the lease starts to hold it. */
async function holdPlace(tx: OrgTx, { propertyId, unitId }: Lease): Promise<void> {
  const isThere = (await holdLive(tx, "property", [propertyId])).size === 1 && (await holdUnit(tx, unitId));
  if (!isThere) throw conflict("The unit of the lease was deleted.", "invalid_transition");
}

/** Sets the start, and has those move in with it who were to move in on the day it replaces. */
async function startOn(tx: OrgTx, lease: Lease, startDate: string): Promise<void> {
  const occupants = await tx.find(LeaseOccupant, { leaseId: lease.id, removedAt: null });
  if (!occupants.some(({ isPrimary, releasedOn }) => isPrimary && !releasedOn))
    throw conflict("The lease has no primary occupant. Name one first.", "invalid_transition");
  for (const occupant of occupants) if (occupant.moveInDate === lease.startDate) occupant.moveInDate = startDate;
  lease.startDate = startDate;
}
