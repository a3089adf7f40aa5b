/** Records of a building as a history changes them. */
import { minDate } from "@freehold/kit/time/plain-date";

export type Role = "primary" | "co_tenant" | "occupant" | "guarantor";

export interface ModelOccupant {
  id: string;
  tenantId: string;
  role: Role;
  moveInDate: string | null;
  moveOutDate: string | null;
  releasedOn: string | null;
}

export interface ModelLease {
  id: string;
  unitId: string;
  /** `agreed` covers every lease that was activated, whatever its status is called since. */
  status: "draft" | "agreed" | "cancelled" | "deleted";
  termType: "fixed" | "fixed_with_rollover" | "month_to_month";
  startDate: string;
  endDate: string | null;
  terminatedOn: string | null;
  renewalOf: string | null;
  renewedTo: string | null;
  /** Day on which an activated renewal takes over. */
  supersededFrom: string | null;
  occupants: ModelOccupant[];
}

/** Note or document. */
export interface Share {
  id: string;
  kind: "note" | "document";
  entityType: "lease" | "unit" | "property" | "tenant";
  entityId: string;
  visibility: string;
}

/** A lease that was terminated on its first day was signed by mistake and never held its unit, unless it continues another lease. */
export const wasHeld = ({ terminatedOn, startDate, renewalOf }: ModelLease): boolean => terminatedOn !== startDate || renewalOf !== null;

export class BuildingState {
  readonly unitIds: readonly string[];
  readonly today: string;
  readonly leases = new Map<string, ModelLease>();
  readonly shares = new Map<string, Share>();
  readonly inviteStatuses = new Map<string, string>();
  readonly tenantOfInvite = new Map<string, string>();
  readonly deletedTenantIds = new Set<string>();
  constructor(unitIds: readonly string[], today: string) {
    this.unitIds = unitIds;
    this.today = today;
  }

  #renewalNotBegun({ renewedTo }: ModelLease): ModelLease | undefined {
    const renewal = renewedTo === null ? undefined : this.leases.get(renewedTo);
    return renewal && (renewal.status === "draft" || (renewal.status === "agreed" && renewal.startDate > this.today)) ? renewal : undefined;
  }

  /** First day of the next lease of the unit. */
  nextStart = ({ unitId, startDate }: ModelLease): string | undefined =>
    [...this.leases.values()]
      .filter((other) => other.unitId === unitId && other.status === "agreed" && other.startDate > startDate && wasHeld(other))
      .map((other) => other.startDate)
      .toSorted()[0];
  isFollowed = (lease: ModelLease): boolean => this.nextStart(lease) !== undefined;

  /** Ends a lease with rollover for good when its last day has passed and another lease follows, although that may be withdrawn later. */
  #expire(lease: ModelLease): void {
    if (lease.termType === "fixed_with_rollover" && lease.endDate! < this.today && this.isFollowed(lease)) lease.termType = "fixed";
  }

  addLease = (lease: ModelLease): void => {
    this.leases.set(lease.id, lease);
    if (lease.renewalOf) this.leases.get(lease.renewalOf)!.renewedTo = lease.id;
  };

  #revokeInvites(tenantId: string): void {
    for (const [id, invited] of this.tenantOfInvite) if (invited === tenantId) this.inviteStatuses.set(id, "revoked");
  }

  /** Deletes a tenant, whose invites are revoked. */
  deleteTenant = (id: string): void => {
    this.deletedTenantIds.add(id);
    this.#revokeInvites(id);
  };

  /** Adds an invite, which revokes the earlier ones of the tenant. */
  addInvite = (id: string, tenantId: string): void => {
    this.#revokeInvites(tenantId);
    this.inviteStatuses.set(id, "pending");
    this.tenantOfInvite.set(id, tenantId);
  };

  /** Activates a lease. A renewal takes over on its first day, and nobody who moves in with the lease or later precedes its start. */
  activate = (id: string, startDate: string): void => {
    const lease = this.leases.get(id)!;
    for (const occupant of lease.occupants)
      if (occupant.moveInDate === lease.startDate || (occupant.moveInDate! > lease.startDate && occupant.moveInDate! < startDate))
        occupant.moveInDate = startDate;
    Object.assign(lease, { status: "agreed", startDate });
    const predecessor = lease.renewalOf === null ? undefined : this.leases.get(lease.renewalOf)!;
    if (predecessor?.status === "agreed" && predecessor.terminatedOn === null) predecessor.supersededFrom = startDate;
    this.#expire(lease);
  };

  /** Cancels or deletes a lease. The lease that it renews continues. */
  withdraw = (id: string, status: "cancelled" | "deleted"): void => {
    const lease = this.leases.get(id)!;
    lease.status = status;
    const predecessor = lease.renewalOf === null ? undefined : this.leases.get(lease.renewalOf)!;
    if (predecessor?.renewedTo === id) {
      Object.assign(predecessor, { renewedTo: null, supersededFrom: null });
      this.#expire(predecessor);
    }
  };

  /** Terminates a lease, releases its occupants and cancels its renewal, if that has not begun. */
  terminate = (id: string, day: string): void => {
    const lease = this.leases.get(id)!;
    lease.terminatedOn = day;
    for (const occupant of lease.occupants) {
      occupant.releasedOn = minDate(occupant.releasedOn ?? day, day);
      occupant.moveOutDate ??= day;
    }
    const renewal = this.#renewalNotBegun(lease);
    if (renewal) this.withdraw(renewal.id, "cancelled");
  };

  /** Adds an occupant, also to the renewal of the lease, if that has not begun. `renewalOccupantId` is the id there. */
  join = (leaseId: string, occupant: ModelOccupant, renewalOccupantId?: string): void => {
    const lease = this.leases.get(leaseId)!;
    lease.occupants.push(occupant);
    const renewal = this.#renewalNotBegun(lease);
    if (renewal && !renewal.occupants.some(({ tenantId }) => tenantId === occupant.tenantId))
      renewal.occupants.push({ ...occupant, id: renewalOccupantId ?? "missing" });
  };

  /** Records that an occupant moves out, or is released on a day, also on the renewal of the lease, if that has not begun. */
  leave = (leaseId: string, occupantId: string, moveOutDate: string | null, releasedOn: string | null): void => {
    const lease = this.leases.get(leaseId)!;
    const occupant = lease.occupants.find(({ id }) => id === occupantId)!;
    const twin = this.#renewalNotBegun(lease)?.occupants.find((other) => other.tenantId === occupant.tenantId && other.releasedOn === occupant.releasedOn);
    const follows = twin && (releasedOn === null ? twin.moveOutDate === occupant.moveOutDate : twin.role !== "primary");
    Object.assign(occupant, { moveOutDate: moveOutDate ?? occupant.moveOutDate ?? releasedOn, releasedOn: releasedOn ?? occupant.releasedOn });
    if (follows) Object.assign(twin, { moveInDate: occupant.moveInDate, moveOutDate: occupant.moveOutDate, releasedOn: releasedOn ?? twin.releasedOn });
  };

  /** Removes an occupant who was added by mistake. */
  remove = (leaseId: string, occupantId: string): void => {
    const lease = this.leases.get(leaseId)!;
    const { tenantId, releasedOn } = lease.occupants.find(({ id }) => id === occupantId)!;
    lease.occupants = lease.occupants.filter(({ id }) => id !== occupantId);
    const renewal = this.#renewalNotBegun(lease);
    if (renewal)
      renewal.occupants = renewal.occupants.filter((other) => other.tenantId !== tenantId || other.role === "primary" || other.releasedOn !== releasedOn);
  };
}
