/** Bugs to plant in the model of a building, each of which a history must notice. */
import { addDays } from "@freehold/kit/time/plain-date";
import type { BuildingModel } from "./building.model.ts";

/** Replaces rules of the model by wrong ones. */
type Bug = (model: BuildingModel) => void;

export const plantedBugs: Record<string, Bug> = {
  "an occupant who still lives in the unit on the day of the release": (model) => {
    const { departure } = model;
    model.departure = (lease, occupant) => addDays(departure(lease, occupant), 1);
  },
  "a guarantor who counts as resident": (model) => (model.livesThere = () => true),
  "a resident who moves in with the lease instead of on the move-in date": (model) => (model.arrival = ({ startDate }) => startDate),
  "an expired lease whose residents stay beside those of the next one": (model) => (model.hasExpired = () => false),
  "an occupant who does not join the renewal of the lease": ({ state }) => {
    state.join = (leaseId, occupant) => void state.leases.get(leaseId)!.occupants.push(occupant);
  },
  "a drafted lease that the tenant reads": (model) => {
    const { leasesReadBy, isAgreed } = model;
    model.leasesReadBy = (tenantId) => {
      model.isAgreed = (lease) => isAgreed(lease) || lease.status === "draft";
      const leases = leasesReadBy(tenantId);
      model.isAgreed = isAgreed;
      return leases;
    };
  },
  "a deleted lease that still holds its unit": ({ state }) => {
    const { withdraw } = state;
    state.withdraw = (id, status) => {
      if (status === "cancelled") withdraw(id, status);
    };
  },
  "a terminated lease that holds its unit until its end date": (model) => {
    const { lastDay } = model;
    model.lastDay = (lease) => lastDay({ ...lease, terminatedOn: null });
  },
  "a termination that keeps the renewal": ({ state }) => {
    const { withdraw, terminate } = state;
    state.terminate = (id, day) => {
      state.withdraw = () => undefined;
      terminate(id, day);
      state.withdraw = withdraw;
    };
  },
  "a withdrawn renewal whose predecessor stays superseded": ({ state }) => {
    const { withdraw } = state;
    state.withdraw = (id, status) => {
      const lease = state.leases.get(id)!;
      const predecessor = lease.renewalOf === null ? undefined : state.leases.get(lease.renewalOf);
      const supersededFrom = predecessor?.supersededFrom ?? null;
      withdraw(id, status);
      if (predecessor) predecessor.supersededFrom = supersededFrom;
    };
  },
  "a lease with rollover that ends on its end date": (model) => (model.fixedEnd = ({ endDate }) => endDate),
  "a released co-tenant who still reads the lease": (model) => {
    const { readsLease } = model;
    model.readsLease = (lease, tenantId) =>
      readsLease({ ...lease, occupants: lease.occupants.map((occupant) => ({ ...occupant, releasedOn: lease.terminatedOn })) }, tenantId);
  },
  "a guarantor or minor who reads what is shared with the tenants of the lease": (model) => (model.isTenant = () => true),
  "a note for vendors that a tenant reads": (model) => (model.isShared = ({ visibility }) => visibility !== "organization_only"),
  "a former resident who reads the notices of the building": (model) => {
    const { livesIn } = model;
    model.livesIn = (unitId, tenantId) => livesIn(unitId, tenantId) || model.leasesOf(unitId).some((lease) => model.readsLease(lease, tenantId));
  },
  "a replaced invite that is still pending": ({ state }) => {
    state.addInvite = (id) => void state.inviteStatuses.set(id, "pending");
  },
};
