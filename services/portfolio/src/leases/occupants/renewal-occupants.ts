/** Occupants of a renewal that has not begun: they join it, leave it and are renamed with the lease that it renews. */
import type { Occupant } from "@freehold/contract/leases/lease-occupants";
import { now } from "@freehold/kit/time/clock";
import { maxDate } from "@freehold/kit/time/plain-date";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { Lease, LeaseOccupant } from "../lease.entity.ts";
import { publishLeaseUpdated } from "../lease-events.ts";
import { isUnbegun } from "../lease.rules.ts";
import { occupantView } from "./occupant.view.ts";
import { getOccupantRow } from "./occupants.queries.ts";

/** Move-in date that a renewal sets for its occupants; undefined when they keep the dates of the lease that it renews. */
const ownMoveInDate = (renewal: Lease, lease: Lease): string | undefined =>
  renewal.moveInDate === lease.moveInDate ? undefined : (renewal.moveInDate ?? undefined);

/**
 * Returns the move-in date of an occupant on a renewal: that of the renewal, unless the occupant moves in later. An occupant who has moved
 * out stays liable until the release, but does not live there again.
 */
export function renewalMoveIn(lease: Lease, { moveInDate, moveOutDate }: LeaseOccupant, renewalMoveInDate: string | undefined): string {
  const own = moveInDate ?? lease.startDate;
  return renewalMoveInDate && !moveOutDate ? maxDate(own, renewalMoveInDate) : own;
}

/** Adds an occupant of a lease to its renewal and returns the copy. */
export function copyToRenewal(
  tx: OrgTx,
  lease: Lease,
  renewal: Lease,
  occupant: LeaseOccupant,
  position: number,
  renewalMoveInDate: string | undefined,
): LeaseOccupant {
  const { tenantId, fullName, isPrimary, role, providerRole, relationship, notes, moveOutDate, releasedOn, releasedAt } = occupant;
  const person = { tenantId, fullName, isPrimary, role, providerRole, relationship, notes, moveOutDate, releasedOn, releasedAt };
  return tx.create(LeaseOccupant, { ...person, leaseId: renewal.id, position, moveInDate: renewalMoveIn(lease, occupant, renewalMoveInDate) });
}

/** Locks the draft or pending renewal of a locked lease and returns it, if there is one. */
async function lockUnbegunRenewal(tx: OrgTx, { renewedToLeaseId }: Lease): Promise<Lease | undefined> {
  if (!renewedToLeaseId) return undefined;
  const renewal = await tx.getForUpdate(Lease, renewedToLeaseId, "Lease");
  return renewal.deletedAt || !isUnbegun(renewal) ? undefined : renewal;
}

const isSamePerson = (one: Pick<LeaseOccupant, "tenantId" | "fullName">, other: Pick<LeaseOccupant, "tenantId" | "fullName">): boolean =>
  other.tenantId ? one.tenantId === other.tenantId : !one.tenantId && one.fullName === other.fullName;

/**
 * Adds an occupant who was added to a lease to its draft or pending renewal, unless that person is on it. Returns the id of the
 * changed renewal.
 */
export async function addRenewalOccupant(tx: OrgTx, lease: Lease, occupant: LeaseOccupant): Promise<string | undefined> {
  const renewal = await lockUnbegunRenewal(tx, lease);
  if (!renewal) return undefined;
  const occupants = await tx.find(LeaseOccupant, { leaseId: renewal.id, removedAt: null });
  if (occupants.some((other) => isSamePerson(other, occupant))) return undefined;
  const copy = copyToRenewal(tx, lease, renewal, occupant, occupants.length, ownMoveInDate(renewal, lease));
  tx.assign(renewal, { updatedAt: now() });
  await publishLeaseUpdated(tx, renewal);
  tx.changeTracker?.recordChange(renewal.id, "occupant", null, occupantView(await getOccupantRow(tx, copy.id)));
  return renewal.id;
}

/**
 * Applies a change of an occupant to the draft or pending renewal of the lease, if the same person is on it with the same release: the
 * removal, the release, another move-in, a changed or cleared move-out, another name, tenant or role. Dates are applied only if the renewal
 * still has the former ones. `before` is the occupant before the change. The lease of the occupant is locked. Returns the id of the changed renewal.
 */
export async function updateRenewalOccupant(tx: OrgTx, lease: Lease, occupant: LeaseOccupant, before: Occupant): Promise<string | undefined> {
  const { tenantId = null, fullName, role, moveInDate = null, moveOutDate = null, releasedOn = null, releasedAt = null } = occupant;
  const hasLeft = Boolean(occupant.removedAt) || releasedOn !== before.releasedOn;
  const hasOtherMoveIn = moveInDate !== before.moveInDate;
  const isRenamed = tenantId !== before.tenantId || fullName !== before.fullName;
  const hasOtherRole = role !== before.role;
  if (moveOutDate === before.moveOutDate && !hasOtherMoveIn && !hasLeft && !isRenamed && !hasOtherRole) return undefined;
  const renewal = await lockUnbegunRenewal(tx, lease);
  if (!renewal) return undefined;
  const occupants = await tx.find(LeaseOccupant, { leaseId: renewal.id, removedAt: null });
  const counterpart = occupants.find((candidate) => (candidate.releasedOn ?? null) === before.releasedOn && isSamePerson(candidate, before));
  if (!counterpart || (counterpart.isPrimary && hasLeft)) return undefined;
  const renewalBefore = occupantView(await getOccupantRow(tx, counterpart.id));
  const isAlreadyOnRenewal = occupants.some((other) => other !== counterpart && isSamePerson(other, occupant));
  if (isRenamed && !isAlreadyOnRenewal) tx.assign(counterpart, { tenantId, fullName });
  if (hasOtherRole && counterpart.role === before.role) tx.assign(counterpart, { role });
  if (occupant.removedAt) counterpart.removedAt = now();
  else if (hasOtherMoveIn && (counterpart.moveInDate ?? null) === before.moveInDate)
    tx.assign(counterpart, { moveInDate: renewalMoveIn(lease, occupant, undefined) });
  if (!occupant.removedAt && (hasLeft || (moveOutDate !== before.moveOutDate && (counterpart.moveOutDate ?? null) === before.moveOutDate)))
    // Copies the move-in and move-out of the lease, like `copyToRenewal` for a renewal drafted after the move-out.
    tx.assign(counterpart, { moveInDate: renewalMoveIn(lease, occupant, ownMoveInDate(renewal, lease)), moveOutDate, releasedOn, releasedAt });
  tx.assign(renewal, { updatedAt: now() });
  await publishLeaseUpdated(tx, renewal);
  tx.changeTracker?.recordChange(renewal.id, "occupant", renewalBefore, counterpart.removedAt ? null : occupantView(await getOccupantRow(tx, counterpart.id)));
  return renewal.id;
}
