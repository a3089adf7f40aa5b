/** Occupants of a renewal that has not begun: they leave it with the lease that it renews. */
import { now } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { Lease, LeaseOccupant } from "../lease.entity.ts";
import { publishLeaseUpdated } from "../lease-events.ts";
import { occupantView } from "./occupant.view.ts";
import { getOccupantRow } from "./occupants.queries.ts";

/**
 * Applies a changed or cleared move-out, or the release, of an occupant to the draft or pending renewal of the lease, if the same person is
 * on it and the renewal still has the former move-out date. The lease of the occupant is locked. Returns the id of the changed renewal.
 */
export async function updateRenewalOccupant(tx: OrgTx, lease: Lease, occupant: LeaseOccupant, previousMoveOutDate: string | null): Promise<string | undefined> {
  const { moveInDate, moveOutDate = null, releasedOn } = occupant;
  if (!lease.renewedToLeaseId || (moveOutDate === previousMoveOutDate && !releasedOn)) return undefined;
  const renewal = await tx.getForUpdate(Lease, lease.renewedToLeaseId, "Lease");
  if (renewal.deletedAt || !["draft", "pending"].includes(renewal.status)) return undefined;
  const candidates = await tx.find(LeaseOccupant, { leaseId: renewal.id, releasedOn: null, removedAt: null });
  const same = candidates.find((candidate) => isSamePerson(candidate, occupant) && (candidate.moveOutDate ?? null) === previousMoveOutDate);
  if (!same) return undefined;
  const before = occupantView(await getOccupantRow(tx, same.id));
  // As on a renewal that is drafted after the move-out, the stay is the one on the previous lease.
  const renewalMoveIn = renewal.moveInDate === lease.moveInDate ? undefined : renewal.moveInDate;
  const firstDay = (moveOutDate ? undefined : renewalMoveIn) ?? moveInDate ?? lease.startDate;
  tx.assign(same, { moveInDate: firstDay, moveOutDate, ...(!same.isPrimary && { releasedOn }) });
  tx.assign(renewal, { updatedAt: now() });
  await publishLeaseUpdated(tx, renewal);
  tx.changeTracker?.recordChange(renewal.id, "occupant", before, occupantView(await getOccupantRow(tx, same.id)));
  return renewal.id;
}

const isSamePerson = (one: LeaseOccupant, other: LeaseOccupant): boolean =>
  other.tenantId ? one.tenantId === other.tenantId : !one.tenantId && one.fullName === other.fullName;
