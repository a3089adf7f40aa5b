/** Occupants of a renewal that has not begun: they leave it with the lease that it renews. */
import type { Occupant } from "@freehold/contract/leases/lease-occupants";
import { now } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { Lease, LeaseOccupant } from "../lease.entity.ts";
import { publishLeaseUpdated } from "../lease-events.ts";
import { isUnbegun } from "../lease.rules.ts";
import { occupantView } from "./occupant.view.ts";
import { getOccupantRow } from "./occupants.queries.ts";

/**
 * Applies the removal, the release, or a changed or cleared move-out of an occupant to the draft or pending renewal of the lease, if the
 * same person is on it. A move-out is applied only if the renewal still has the former move-out date. `before` is the occupant before the
 * change. The lease of the occupant is locked. Returns the id of the changed renewal.
 */
export async function updateRenewalOccupant(tx: OrgTx, lease: Lease, occupant: LeaseOccupant, before: Occupant): Promise<string | undefined> {
  const { moveInDate, moveOutDate = null, releasedOn = null } = occupant;
  const hasLeft = Boolean(occupant.removedAt) || releasedOn !== before.releasedOn;
  if (!lease.renewedToLeaseId || (moveOutDate === before.moveOutDate && !hasLeft)) return undefined;
  const renewal = await tx.getForUpdate(Lease, lease.renewedToLeaseId, "Lease");
  if (renewal.deletedAt || !isUnbegun(renewal)) return undefined;
  const candidates = await tx.find(LeaseOccupant, { leaseId: renewal.id, releasedOn: null, removedAt: null });
  const same = candidates.find((candidate) => isSamePerson(candidate, occupant) && (hasLeft || (candidate.moveOutDate ?? null) === before.moveOutDate));
  if (!same || (same.isPrimary && hasLeft)) return undefined;
  const renewalBefore = occupantView(await getOccupantRow(tx, same.id));
  if (occupant.removedAt) same.removedAt = now();
  else {
    // As on a renewal that is drafted after the move-out, the stay is the one on the previous lease.
    const renewalMoveIn = renewal.moveInDate === lease.moveInDate ? undefined : renewal.moveInDate;
    tx.assign(same, { moveInDate: (moveOutDate ? undefined : renewalMoveIn) ?? moveInDate ?? lease.startDate, moveOutDate, releasedOn });
  }
  tx.assign(renewal, { updatedAt: now() });
  await publishLeaseUpdated(tx, renewal);
  tx.changeTracker?.recordChange(renewal.id, "occupant", renewalBefore, same.removedAt ? null : occupantView(await getOccupantRow(tx, same.id)));
  return renewal.id;
}

const isSamePerson = (one: LeaseOccupant, other: LeaseOccupant): boolean =>
  other.tenantId ? one.tenantId === other.tenantId : !one.tenantId && one.fullName === other.fullName;
