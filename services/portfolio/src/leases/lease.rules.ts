/** Rules of a lease: its transitions, the occupants of a new lease, and the days on which a lease may start and end. */
import type { FieldError } from "@freehold/contract/errors";
import type { leases } from "@freehold/contract/leases/leases";
import type { BodyOf } from "@freehold/contract/operation";
import { addDays, minDate } from "@freehold/kit/time/plain-date";
import { conflict, invalid } from "@freehold/kit/errors";
import { stateMachine } from "@freehold/kit/state-machine";
import { primaryOccupantError } from "./occupants/occupant.rules.ts";

type LeaseInput = BodyOf<(typeof leases)["operations"]["createLease"]>;
type OccupantInput = LeaseInput["occupants"][number];
/** An occupant of a new lease, with the defaults filled in. */
export type ResolvedOccupant = OccupantInput & { isPrimary: boolean; moveInDate: string };

/** Transitions between the statuses of a lease. */
export const leaseStateMachine = stateMachine("lease", {
  draft: ["active", "pending", "cancelled"],
  pending: ["active", "cancelled"],
  active: ["renewed", "expired", "terminated"],
  expired: ["terminated"],
  renewed: [],
  terminated: [],
  cancelled: [],
});

/** Tells whether a lease has not begun: it can be cancelled, and its occupants follow those of the lease that it renews. */
export const isUnbegun = ({ status }: { status: string }): boolean => status === "draft" || status === "pending";

/** Statuses in which each action other than a transition is allowed. The key completes the sentence "The lease cannot …". */
const allowedStatuses = {
  "be changed": ["draft", "pending", "active"],
  "have a notice recorded": ["active"],
  "have its notice withdrawn": ["active"],
  "have its rent changed": ["active"],
  "have an occupant added": ["draft", "pending", "active"],
  "have an occupant released": ["active", "expired"],
  "have an occupant removed": ["draft", "pending", "active", "expired"],
} as const;

/** Throws 409 when the status of the lease does not allow the action. */
export function requireLeaseStatus({ status }: { status: string }, action: keyof typeof allowedStatuses): void {
  const allowed: readonly string[] = allowedStatuses[action];
  if (allowed.includes(status)) return;
  throw conflict(`The lease is ${status} and cannot ${action}. It must be ${allowed.join(" or ")} for that.`, "invalid_transition");
}

/**
 * Returns the outcome for a lease whose last day has passed. A lease with rollover continues month to month, unless another
 * lease takes the unit.
 */
export const endOfTermOutcome = ({ termType }: { termType: string }, isUnitTaken: boolean): "expired" | "month_to_month" =>
  termType === "fixed_with_rollover" && !isUnitTaken ? "month_to_month" : "expired";

/** Returns the status of a lease after its activation: active from its start date on, pending before. */
export const activatedStatus = (startDate: string, today: string): "active" | "pending" => (startDate <= today ? "active" : "pending");

/** Returns the occupants of a new lease. The tenant of the lease is its only primary occupant and is added when the request does not list it. */
export function resolveOccupants({
  tenantId,
  occupants,
  moveInDate,
  startDate,
}: Pick<LeaseInput, "tenantId" | "occupants" | "moveInDate" | "startDate">): ResolvedOccupant[] {
  const errors: FieldError[] = [];
  const seenTenantIds = new Set<string>();
  for (const [index, occupant] of occupants.entries()) {
    const path = `occupants.${index}`;
    const { tenantId: occupantTenantId } = occupant;
    const error = primaryOccupantError({ tenantId }, occupant, `${path}.`);
    if (error) errors.push(error);
    if (occupantTenantId === undefined) continue;
    if (seenTenantIds.has(occupantTenantId))
      errors.push({ path: `${path}.tenantId`, code: "unique", message: `${path}.tenantId names a tenant a second time. List each tenant once.` });
    seenTenantIds.add(occupantTenantId);
  }
  if (errors.length > 0) throw invalid(errors);
  const primary: OccupantInput[] = seenTenantIds.has(tenantId) ? [] : [{ tenantId, role: "primary" }];
  return [...primary, ...occupants].map((occupant) => ({
    ...occupant,
    isPrimary: occupant.role === "primary",
    moveInDate: occupant.moveInDate ?? moveInDate ?? startDate,
  }));
}

interface PredecessorTerm {
  status: string;
  termType: string;
  startDate: string;
  endDate?: string | null | undefined;
  isHoldover: boolean;
}

/** Tells whether a lease ends on its end date. A month-to-month lease and a holdover continue until they are terminated or renewed. */
const hasFixedEnd = ({ termType, isHoldover }: PredecessorTerm) => termType !== "month_to_month" && !isHoldover;

/**
 * Throws 400 unless a renewal starts after the first day of its predecessor and after the predecessor's fixed end, if any. `path`
 * names the start date in the request.
 */
export function requireStartAfterPredecessor(predecessor: PredecessorTerm, startDate: string, path: string): void {
  if (startDate <= predecessor.startDate)
    throw invalid([{ path, code: "before_start", message: `${path} must be after ${predecessor.startDate}, the day on which the lease before it starts.` }]);
  if (predecessor.endDate && hasFixedEnd(predecessor) && startDate <= predecessor.endDate)
    throw invalid([{ path, code: "overlap", message: `${path} must be after ${predecessor.endDate}, the last day of the lease before it.` }]);
}

/** Returns the end date of a lease whose renewal starts on `startDate`: the day before, or its own earlier end. */
export const endDateBeforeRenewal = ({ endDate }: { endDate?: string | null | undefined }, startDate: string): string => {
  const dayBefore = addDays(startDate, -1);
  return endDate ? minDate(endDate, dayBefore) : dayBefore;
};

/** Throws 409 unless the lease is active. */
export function requireRenewable({ status }: { status: string }): void {
  if (status !== "active") throw conflict(`The lease is ${status}. Only an active lease can be renewed.`, "invalid_transition");
}

/** Throws 400 when the termination date is before the first day of the lease. */
export function requireTerminationAfterStart({ startDate }: { startDate: string }, terminationDate: string): void {
  if (terminationDate < startDate)
    throw invalid([
      { path: "terminationDate", code: "before_start", message: `terminationDate cannot be before ${startDate}, the day on which the lease starts.` },
    ]);
}

/** Throws 400 when the planned move-out date is before the first day of the lease. */
export function requireMoveOutAfterStart({ startDate }: { startDate: string }, plannedMoveOutDate: string): void {
  if (plannedMoveOutDate < startDate)
    throw invalid([
      { path: "plannedMoveOutDate", code: "before_start", message: `plannedMoveOutDate cannot be before ${startDate}, the day on which the lease starts.` },
    ]);
}

/** Throws 400 when the requested start is after the last day of the lease. */
export function requireStartBeforeEnd({ endDate }: { endDate?: string | null | undefined }, activateOn: string): void {
  if (endDate && activateOn > endDate)
    throw invalid([{ path: "activateOn", code: "max", message: `activateOn can be at most ${endDate}, the last day of the lease.` }]);
}
