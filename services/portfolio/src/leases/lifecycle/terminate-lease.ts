import type { Lease as LeaseView, leases } from "@freehold/contract/leases/leases";
import type { BodyOf, Output } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import type { Clients } from "../../clients.ts";
import { withPostingHold } from "../../rpc/posting-hold.ts";
import { conflict } from "@freehold/kit/errors";
import type { LeaseBalance } from "@freehold/proto/ledger/v1/ledger";
import { publish } from "../../publish.ts";
import { type Billing, fetchLeaseBalances, syncLeaseBilling, tryCancelBilling } from "../lease-billing.ts";
import { findLeaseTenantIds, leaseEventData, publishFollowedLeases, publishLeaseUpdated } from "../lease-events.ts";
import { Lease, LeaseOccupant } from "../lease.entity.ts";
import { isUnbegun, leaseStateMachine, requireTerminationAfterStart } from "../lease.rules.ts";
import { leaseView } from "../lease.view.ts";
import { getLeaseRow } from "../leases.queries.ts";
import { stayUntilTermination } from "../occupants/occupant.rules.ts";
import { requireNoPostings } from "./cancel-lease.ts";
import { detachRenewal, lockUnit, requireUnitNotTakenUntil } from "./unit-holds.ts";

type Operation = (typeof leases)["operations"]["terminateLease"];
type TerminationTerms = BodyOf<Operation>;

/**
 * Terminates a lease and releases its occupants on the termination date. A draft or pending renewal is cancelled with it. The ledger bills
 * the last month after the commit.
 */
export async function terminateLease(db: OrgDb, clients: Clients, id: string, terms: TerminationTerms): Promise<Output<Operation>> {
  const { renewedToLeaseId: renewalId } = await getLeaseRow(db, id);
  const idsToHold = renewalId !== null && isUnbegun(await getLeaseRow(db, renewalId)) ? [renewalId] : [];
  const committed = withPostingHold(db, clients, idsToHold, async (inHeldTransaction) => {
    const balances = await fetchLeaseBalances(db, clients, renewalId ? [id, renewalId] : [id]);
    return inHeldTransaction(async (tx): Promise<Output<Operation>> => {
      if (renewalId) await tx.findAllForUpdate(Lease, [id, renewalId]);
      const lease = await tx.getForUpdate(Lease, id, "Lease", { deletedAt: null });
      const cancelledRenewalId = await terminateWithRenewal(tx, lease, terms, renewalId, balances);
      return { lease: leaseView(await getLeaseRow(tx, id), balances.get(id)), charges: [], cancelledRenewalId };
    });
  });
  return completeAfterCommit(committed, async ({ lease, cancelledRenewalId }) => {
    const { charges } = await endBilling(db, clients, lease, terms);
    // After the call that ends the billing: until then, cancelling the billing of the renewal would let the recurring charges of the lease continue.
    if (cancelledRenewalId) await tryCancelBilling(db, clients, cancelledRenewalId, { isDeleted: false });
    return { lease, charges, cancelledRenewalId };
  });
}

/**
 * Terminates a locked lease, cancels its locked draft or pending renewal and returns the id of the renewal, or null without one. `renewalId` is the renewal
 * that was read before the lock, whose balance is among `balances`.
 */
export async function terminateWithRenewal(
  tx: OrgTx,
  lease: Lease,
  terms: TerminationTerms,
  renewalId: string | null,
  balances: ReadonlyMap<string, LeaseBalance>,
): Promise<string | null> {
  requireTerminationAfterStart(lease, terms.terminationDate);
  const renewal = await cancelRenewal(tx, lease, renewalId, balances);
  await terminate(tx, lease, terms);
  if (renewal) await publishLeaseUpdated(tx, renewal);
  return renewal?.id ?? null;
}

/** Ends the billing of a terminated lease in the ledger. Throws 503 when the ledger fails; the lease stays terminated. */
export const endBilling = (
  db: OrgDb,
  clients: Clients,
  lease: LeaseView,
  { terminationDate, finalRent, terminationFeeCents }: TerminationTerms,
): Promise<Billing> =>
  syncLeaseBilling(
    db,
    clients,
    lease,
    "The lease is terminated; its last month will be settled as soon as the ledger is available again. Read the lease again in a moment.",
    (message) =>
      clients.ledger.endLeaseBilling(db, { lease: message, terminationDate, finalRent, ...(terminationFeeCents !== undefined && { terminationFeeCents }) }),
  );

/** Cancels the locked renewal of a lease that is being terminated and returns it. Throws 409 when it has begun or the office has posted money on it. */
async function cancelRenewal(
  tx: OrgTx,
  lease: Lease,
  expectedRenewalId: string | null,
  balances: ReadonlyMap<string, LeaseBalance>,
): Promise<Lease | undefined> {
  if (!lease.renewedToLeaseId) return undefined;
  if (lease.renewedToLeaseId !== expectedRenewalId)
    throw conflict(
      "The lease was renewed at the same moment. Read it again, and repeat the termination if the renewal is to be cancelled.",
      "invalid_transition",
    );
  const renewal = await tx.findOne(Lease, { id: lease.renewedToLeaseId });
  if (!renewal || !isUnbegun(renewal))
    throw conflict(`The lease is ${lease.status} and its renewal has begun. Terminate the renewal instead.`, "invalid_transition");
  const balance = balances.get(renewal.id);
  // The ledger voids what it has charged in advance.
  requireNoPostings(balance && { ...balance, hasUnreversedEntries: balance.hasEntriesToUndo }, "The renewal of the lease");
  renewal.status = leaseStateMachine.transition(renewal.status, "cancelled");
  await detachRenewal(tx, lease);
  return renewal;
}

/** Terminates a locked lease and releases its occupants on the termination date. */
export async function terminate(
  tx: OrgTx,
  lease: Lease,
  { terminationDate, reason, noticeGivenOn, finalRent, terminationFeeCents }: TerminationTerms,
): Promise<void> {
  lease.status = leaseStateMachine.transition(lease.status, "terminated");
  await lockUnit(tx, lease.unitId);
  await requireUnitNotTakenUntil(tx, lease, terminationDate);
  lease.terminationDate = terminationDate;
  lease.terminationReason = reason ?? null;
  lease.finalRent = finalRent;
  lease.terminationFeeCents = terminationFeeCents ?? null;
  if (noticeGivenOn) lease.noticeGivenOn = noticeGivenOn;
  const occupants = await tx.find(LeaseOccupant, { leaseId: lease.id, removedAt: null });
  for (const occupant of occupants) tx.assign(occupant, stayUntilTermination(occupant, terminationDate));
  await publish(tx, "lease.terminated", {
    entityId: lease.id,
    data: { ...leaseEventData(lease), terminationDate },
    audience: { tenantIds: await findLeaseTenantIds(tx, lease.id) },
  });
  await publishFollowedLeases(tx, [lease]);
}
