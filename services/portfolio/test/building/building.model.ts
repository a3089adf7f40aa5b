/**
 * Reference model of a building on one day: residents, vacancy, and the leases, notes and documents that each tenant reads in the
 * portal. It is written from the contract and shares no code with the system.
 */
import { addDays, maxDate } from "@freehold/kit/time/plain-date";
import { wasHeld, type BuildingState, type ModelLease, type ModelOccupant, type Share } from "./building-state.ts";

const NEVER = "9999-12-31";
/** Returns the earliest of the days that are known. */
const earliest = (...days: (string | null)[]): string => days.reduce<string>((first, day) => (day && day < first ? day : first), NEVER);

export class BuildingModel {
  readonly state: BuildingState;
  readonly today: string;
  constructor(state: BuildingState, today: string) {
    this.state = state;
    this.today = today;
  }

  isAgreed = ({ status }: ModelLease): boolean => status === "agreed";
  livesThere = ({ role }: ModelOccupant): boolean => role !== "guarantor";
  isTenant = ({ role }: ModelOccupant): boolean => role === "primary" || role === "co_tenant";
  isShared = ({ visibility }: Share): boolean => visibility === "tenant_shared" || visibility === "tenant_vendor_shared";

  arrival = (lease: ModelLease, { moveInDate }: ModelOccupant): string => {
    const date = moveInDate ?? lease.startDate;
    return lease.renewalOf === null ? date : maxDate(date, lease.startDate);
  };
  /** Day from which the occupant no longer lives in the unit under the lease. */
  departure = (lease: ModelLease, { releasedOn, moveOutDate }: ModelOccupant): string =>
    earliest(releasedOn, moveOutDate, lease.supersededFrom, this.hasExpired(lease) ? (this.state.nextStart(lease) ?? null) : null);
  hasExpired = (lease: ModelLease): boolean => lease.terminatedOn === null && lease.supersededFrom === null && (this.fixedEnd(lease) ?? NEVER) < this.today;
  isResident = (lease: ModelLease, occupant: ModelOccupant, day: string): boolean =>
    this.isAgreed(lease) && this.livesThere(occupant) && this.arrival(lease, occupant) <= day && day < this.departure(lease, occupant);

  fixedEnd = (lease: ModelLease): string | null =>
    lease.termType === "fixed" || (lease.termType !== "month_to_month" && this.state.isFollowed(lease)) ? lease.endDate : null;
  /** The tenants of a lease stay until its renewal takes over, also when that is later than the end date. */
  lastDay = (lease: ModelLease): string =>
    lease.terminatedOn ?? (lease.supersededFrom === null ? earliest(this.fixedEnd(lease)) : addDays(lease.supersededFrom, -1));
  holdsUnit = (lease: ModelLease, day: string): boolean => this.isAgreed(lease) && wasHeld(lease) && lease.startDate <= day && day <= this.lastDay(lease);

  leasesOf = (unitId: string): ModelLease[] => [...this.state.leases.values()].filter((lease) => lease.unitId === unitId);
  residents = (unitId: string, day: string): ModelOccupant[] =>
    this.leasesOf(unitId).flatMap((lease) => lease.occupants.filter((occupant) => this.isResident(lease, occupant, day)));
  /** A lease that has not ended is expected to end on its last day; those who live there under one that has stay until they are released. */
  staysUntil = (lease: ModelLease, day: string): boolean => lease.terminatedOn !== null || this.hasExpired(lease) || day <= this.lastDay(lease);
  isVacant = (unitId: string, day: string): boolean =>
    !this.leasesOf(unitId).some((lease) => this.staysUntil(lease, day) && lease.occupants.some((occupant) => this.isResident(lease, occupant, day))) &&
    !this.leasesOf(unitId).some((lease) => this.holdsUnit(lease, day));

  /** Until the termination, or as one of the last tenants of an expired lease. */
  hasStayed = (lease: ModelLease, releasedOn: string): boolean => {
    if (lease.terminatedOn !== null) return releasedOn >= lease.terminatedOn;
    const isLast = lease.occupants.every((other) => !this.isTenant(other) || earliest(other.releasedOn) <= releasedOn);
    return this.hasExpired(lease) && releasedOn >= this.fixedEnd(lease)! && isLast;
  };
  /** Day of the release from a lease; undefined for who is no tenant of it, and never for who stayed until it ended. */
  release = (lease: ModelLease, tenantId: string): string | undefined =>
    lease.occupants
      .filter((occupant) => occupant.tenantId === tenantId && this.isTenant(occupant))
      .map(({ releasedOn }) => (releasedOn !== null && this.hasStayed(lease, releasedOn) ? NEVER : earliest(releasedOn)))
      .toSorted()
      .at(-1);
  /** A renewed lease is left with its renewal, or when that takes over without the tenant. */
  leftOn = (lease: ModelLease, tenantId: string): string | undefined => {
    const released = this.release(lease, tenantId);
    const { supersededFrom, renewedTo } = lease;
    if (released === undefined || supersededFrom === null || supersededFrom > this.today) return released;
    const onRenewal = released > supersededFrom && renewedTo !== null ? this.leftOn(this.state.leases.get(renewedTo)!, tenantId) : undefined;
    return onRenewal ?? earliest(released, supersededFrom);
  };
  /** A tenant reads a lease until the release; who stayed until the lease ended reads it afterwards, too. */
  readsLease = (lease: ModelLease, tenantId: string): boolean => this.isAgreed(lease) && (this.leftOn(lease, tenantId) ?? "") > this.today;
  livesIn = (unitId: string, tenantId: string): boolean =>
    this.residents(unitId, this.today).some((occupant) => occupant.tenantId === tenantId && this.isTenant(occupant));
  concerns = ({ entityType, entityId }: Share, tenantId: string): boolean => {
    if (entityType === "tenant") return entityId === tenantId;
    if (entityType === "lease") return this.readsLease(this.state.leases.get(entityId)!, tenantId);
    return this.state.unitIds.some((unitId) => (entityType === "property" || unitId === entityId) && this.livesIn(unitId, tenantId));
  };
  leasesReadBy = (tenantId: string): ModelLease[] => [...this.state.leases.values()].filter((lease) => this.readsLease(lease, tenantId));
  sharesReadBy = (tenantId: string): Share[] => [...this.state.shares.values()].filter((share) => this.isShared(share) && this.concerns(share, tenantId));
}
