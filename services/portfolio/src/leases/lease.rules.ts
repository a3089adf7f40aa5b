/** What a lease may become, who lives under it, and on which days it may start and end. */
import type { FieldError } from "@freehold/contract/errors";
import type { leases } from "@freehold/contract/leases";
import type { BodyOf } from "@freehold/contract/operation";
import { addDays, minDate } from "@freehold/kit/time/plain-date";
import { conflict, invalid } from "@freehold/kit/errors";
import { stateMachine } from "@freehold/kit/state-machine";

type Terms = BodyOf<(typeof leases)["operations"]["createLease"]>;
type Given = Terms["occupants"][number];
export type OccupantTerms = Given & { isPrimary: boolean; moveInDate: string };

export const leaseFlow = stateMachine("lease", {
  draft: ["active", "pending", "cancelled"],
  pending: ["active", "cancelled"],
  active: ["renewed", "expired", "terminated"],
  expired: ["terminated"],
  renewed: [],
  terminated: [],
  cancelled: [],
});

/** What can be done to a lease as it stands, besides moving it on. */
const possibleIn = {
  "be changed": ["draft", "pending", "active"],
  "be given notice on": ["active"],
  "have its notice withdrawn": ["active"],
  "have its rent changed": ["active"],
  "take in an occupant": ["draft", "pending", "active"],
  "release an occupant": ["active", "expired"],
  "lose an occupant": ["draft", "pending", "active", "expired"],
} as const;

/** Refuses what cannot be done to a lease as it stands, naming it. */
export function requireStatus({ status }: { status: string }, act: keyof typeof possibleIn): void {
  const allowed: readonly string[] = possibleIn[act];
  if (allowed.includes(status)) return;
  throw conflict(`The lease is ${status} and cannot ${act}. It must be ${allowed.join(" or ")} for that.`, "invalid_transition");
}

/** What becomes of a lease after its last day: one that rolls over goes on, unless the unit is let to somebody else by then. */
export const afterItsEnd = ({ termType }: { termType: string }, isTaken: boolean): "expired" | "by the month" =>
  termType === "fixed_with_rollover" && !isTaken ? "by the month" : "expired";

/** What an activated lease is on a day: active once it has started, pending before. */
export const statusOnceActivated = (startDate: string, today: string): "active" | "pending" => (startDate <= today ? "active" : "pending");

/** Everyone who lives under a new lease. Its tenant is the one primary occupant: named as such, or added. */
export function occupantsOf({
  tenantId,
  occupants,
  moveInDate,
  startDate,
}: Pick<Terms, "tenantId" | "occupants" | "moveInDate" | "startDate">): OccupantTerms[] {
  const wrong: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, { tenantId: who, role, isPrimary }] of occupants.entries()) {
    const path = `occupants.${index}`;
    if ((role === "primary") !== (isPrimary ?? role === "primary"))
      wrong.push({ path: `${path}.isPrimary`, code: "mismatch", message: `${path}.isPrimary must be true for the primary occupant and for nobody else.` });
    else if ((role === "primary") !== (who === tenantId))
      wrong.push({ path: `${path}.role`, code: "mismatch", message: `The lease's tenant is its primary occupant, and nobody else is. Check ${path}.role.` });
    if (who !== undefined && seen.has(who)) wrong.push({ path: `${path}.tenantId`, code: "unique", message: `${path} names a tenant a second time.` });
    if (who !== undefined) seen.add(who);
  }
  if (wrong.length > 0) throw invalid(wrong);
  const primary: Given[] = seen.has(tenantId) ? [] : [{ tenantId, role: "primary" }];
  return [...primary, ...occupants].map((occupant) => ({
    ...occupant,
    isPrimary: occupant.role === "primary",
    moveInDate: occupant.moveInDate ?? moveInDate ?? startDate,
  }));
}

interface Span {
  status: string;
  termType: string;
  startDate: string;
  endDate?: string | null | undefined;
  isHoldover: boolean;
}

/** Whether a lease ends by itself on its end date. One by the month, or held over, goes on until somebody ends it. */
const endsByItself = ({ termType, isHoldover }: Span) => termType !== "month_to_month" && !isHoldover;

/** Refuses a renewal that does not come after the lease it follows. */
export function refuseEarlyRenewal(old: Span, startDate: string, path: string): void {
  if (startDate <= old.startDate)
    throw invalid([{ path, code: "before_start", message: `${path} must be after ${old.startDate}, the day on which the lease before it starts.` }]);
  if (old.endDate && endsByItself(old) && startDate <= old.endDate)
    throw invalid([{ path, code: "overlap", message: `${path} must be after ${old.endDate}, the last day of the lease before it.` }]);
}

/** The last day of a lease that another one follows from a day on. */
export const endBefore = ({ endDate }: { endDate?: string | null | undefined }, startDate: string): string => {
  const dayBefore = addDays(startDate, -1);
  return endDate ? minDate(endDate, dayBefore) : dayBefore;
};

/** Refuses to renew a lease that is not running. */
export function refuseUnlessActive({ status }: { status: string }): void {
  if (status !== "active") throw conflict(`The lease is ${status}. Only an active lease can be renewed.`, "lease_not_active");
}

/** Refuses to end a lease before it has started. */
export function refuseTerminationBeforeStart({ startDate }: { startDate: string }, terminationDate: string): void {
  if (terminationDate < startDate)
    throw invalid([
      { path: "terminationDate", code: "before_start", message: `terminationDate cannot be before ${startDate}, the day on which the lease starts.` },
    ]);
}

/** Refuses a plan to move out before the lease has started. */
export function refuseMoveOutBeforeStart({ startDate }: { startDate: string }, plannedMoveOutDate: string): void {
  if (plannedMoveOutDate < startDate)
    throw invalid([
      { path: "plannedMoveOutDate", code: "before_start", message: `plannedMoveOutDate cannot be before ${startDate}, the day on which the lease starts.` },
    ]);
}

/** Refuses to start a lease after its end. */
export function refuseStartAfterEnd({ endDate }: { endDate?: string | null | undefined }, activateOn: string): void {
  if (endDate && activateOn > endDate)
    throw invalid([{ path: "activateOn", code: "max", message: `activateOn can be at most ${endDate}, the last day of the lease.` }]);
}
