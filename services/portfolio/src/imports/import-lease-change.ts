/** Import of a changed row of a lease: its terms, its rent and its status are written together or not at all. */
import type { importedRecords } from "@freehold/contract/imports/imported-records";
import type { Lease as LeaseView } from "@freehold/contract/leases/leases";
import type { BodyOf } from "@freehold/contract/operation";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { Clients } from "../clients.ts";
import { fetchLeaseBalances, syncRentCharges, tryCancelBilling, tryReviseBilling } from "../leases/lease-billing.ts";
import { Lease, LeaseOccupant } from "../leases/lease.entity.ts";
import { isUnbegun } from "../leases/lease.rules.ts";
import { leaseView } from "../leases/lease.view.ts";
import { getLeaseRow, type LeaseRow } from "../leases/leases.queries.ts";
import { activate, startBilling } from "../leases/lifecycle/activate-lease.ts";
import { cancelUnposted } from "../leases/lifecycle/cancel-lease.ts";
import { endBilling, terminateWithRenewal } from "../leases/lifecycle/terminate-lease.ts";
import { replaceRentChange, withdrawRentChanges } from "../leases/rent-changes/rent-changes.ts";
import { changeTerms } from "../leases/update-lease.ts";
import { withPostingHold } from "../rpc/posting-hold.ts";

type Body = BodyOf<typeof importedRecords.operations.importLeaseChange>;
type Transition = Body["transition"];

interface Committed {
  lease: LeaseView;
  cancelledRenewalId: string | null;
}

/**
 * Changes a lease by the rules of `updateLease`, `createRentChange`, `activateLease`, `cancelLease` and `terminateLease`, in this order and in one
 * transaction. A new rent replaces a rent change with the same effective date, and a withdrawn rent is deleted before. The ledger revises, starts or ends the billing after the commit.
 */
export async function importLeaseChange(db: OrgDb, clients: Clients, id: string, change: Body): Promise<{ recordId: string }> {
  const { rentChange, withdrawnRent, transition, terminationDate, billFrom, ...terms } = change;
  const row = await getLeaseRow(db, id);
  const renewal = transition === "terminate" && row.renewedToLeaseId ? await getLeaseRow(db, row.renewedToLeaseId) : undefined;
  const chargedThrough = (rentChange ?? withdrawnRent) && (await clients.ledger.getRentChargedThrough(db, { leaseId: id })).through;
  const termination = { terminationDate: terminationDate!, reason: "Terminated before it was imported again.", finalRent: "prorate" as const };
  const committed = withPostingHold(db, clients, idsToHold(transition, row, renewal), async (inHeldTransaction) => {
    const balances = await fetchLeaseBalances(db, clients, renewal ? [id, renewal.id] : [id]);
    return inHeldTransaction(async (tx): Promise<Committed> => {
      const lease = await lockWithRelated(tx, id, [row.renewedFromLeaseId, renewal?.id]);
      if (billFrom !== undefined) tx.assign(lease, { billFrom });
      // Before the terms, by which the lease may end.
      if (withdrawnRent) await withdrawRentChanges(tx, lease, withdrawnRent, chargedThrough);
      if (Object.keys(terms).length > 0) await changeTerms(tx, lease, terms, balances.get(id));
      if (rentChange) await replaceRentChange(tx, lease, rentChange, chargedThrough);
      if (transition === "activate") await activate(tx, [lease]);
      if (transition === "cancel") await cancelUnposted(tx, lease, balances.get(id));
      if (transition === "terminate") await forgetImportedMoveOuts(tx, lease);
      const cancelledRenewalId = transition === "terminate" ? await terminateWithRenewal(tx, lease, termination, renewal?.id ?? null, balances) : null;
      return { lease: leaseView(await getLeaseRow(tx, id), balances.get(id)), cancelledRenewalId };
    });
  });
  return completeAfterCommit(committed, async ({ lease, cancelledRenewalId }) => {
    if (transition === "terminate") await endBilling(db, clients, lease, termination);
    else if (transition === "cancel") await tryCancelBilling(db, clients, id, { isDeleted: false });
    else {
      if (transition === "activate") await startBilling(db, clients, lease, true);
      if (rentChange ?? withdrawnRent) await syncRentCharges(db, clients, id, RENT_NOT_BILLED);
      else await tryReviseBilling(db, clients, id);
    }
    if (cancelledRenewalId) await tryCancelBilling(db, clients, cancelledRenewalId, { isDeleted: false });
    return { recordId: id };
  });
}

const RENT_NOT_BILLED = "The lease is changed; the recurring charges will follow as soon as the ledger is available again. Read the lease again in a moment.";

/** Returns the ids of the leases on which nothing may be posted meanwhile: a cancelled lease, or the cancelled renewal of a terminated one. */
function idsToHold(transition: Transition, row: LeaseRow, renewal: LeaseRow | undefined): string[] {
  const cancelled = transition === "cancel" ? row : renewal;
  return cancelled && isUnbegun(cancelled) ? [cancelled.id] : [];
}

/** Locks a lease with those that it renews and that renew it, in id order. Throws 404 and 412 like `getForUpdate`. */
async function lockWithRelated(tx: OrgTx, id: string, relatedIds: readonly (string | null | undefined)[]): Promise<Lease> {
  const others = relatedIds.filter((each) => typeof each === "string");
  if (others.length > 0) await tx.findAllForUpdate(Lease, [id, ...others]);
  return tx.getForUpdate(Lease, id, "Lease", { deletedAt: null });
}

/** Clears the move-outs on the last day of an expired lease, which an import had derived from this day: they follow its termination. */
async function forgetImportedMoveOuts(tx: OrgTx, { id, status, endDate }: Lease): Promise<void> {
  if (status !== "expired" || !endDate) return;
  for (const occupant of await tx.find(LeaseOccupant, { leaseId: id, removedAt: null, releasedOn: null, moveOutDate: endDate })) occupant.moveOutDate = null;
}
