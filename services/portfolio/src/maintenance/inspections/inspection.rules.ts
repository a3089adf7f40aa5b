/** Rules of inspections: status transitions and signatures. */
import type { Inspection, Signature } from "@freehold/contract/maintenance/inspections";
import { conflict, futureTimeAt, invalid } from "@freehold/kit/errors";
import { stateMachine } from "@freehold/kit/state-machine";

type Status = Inspection["status"];

/** Transitions between the statuses of an inspection. */
export const inspectionStateMachine = stateMachine("inspection", {
  scheduled: ["in_progress", "cancelled"],
  in_progress: ["completed", "cancelled"],
  completed: [],
  cancelled: [],
});

/** Throws 409 when the inspection is completed or cancelled. */
export function requireUnfinishedInspection(status: Status): void {
  if (!inspectionStateMachine.unfinished.includes(status))
    throw conflict(`The inspection is ${status} and cannot be changed. Create another one.`, "invalid_transition");
}

/** Throws 409 when the inspection is cancelled. */
export function requireNotCancelled(status: Status): void {
  if (status === "cancelled") throw conflict("The inspection is cancelled. Create another inspection, or a separate work order.", "invalid_transition");
}

interface Location {
  propertyId: string;
  unitId?: string | null | undefined;
  leaseId?: string | null | undefined;
}

/** Throws 409 when an inspection that has work orders would move to another property, unit or lease. */
export function requireLocationChangeable(before: Location, after: Location, hasWorkOrders: boolean): void {
  const isSameLocation =
    before.propertyId === after.propertyId && (before.unitId ?? null) === (after.unitId ?? null) && (before.leaseId ?? null) === (after.leaseId ?? null);
  if (hasWorkOrders && !isSameLocation)
    throw conflict(
      "An item of the inspection has a work order, so it cannot be moved to another property, unit or lease. Create another inspection.",
      "resource_in_use",
    );
}

/** Returns the signatures to store; those without a time get `defaultTime`. Throws 400 for times in the future. */
export function stampSignatures(
  signatures: readonly (Omit<Signature, "signedAt"> & { signedAt?: string | undefined })[],
  defaultTime: Date,
  now: Date,
): Signature[] {
  const futurePaths = signatures.flatMap(({ signedAt }, index) => (signedAt !== undefined && new Date(signedAt) > now ? [`signatures.${index}.signedAt`] : []));
  if (futurePaths.length > 0) throw invalid(futurePaths.map(futureTimeAt));
  return signatures.map(({ signedAt, ...signature }) => ({
    ...signature,
    signedAt: (signedAt === undefined ? defaultTime : new Date(signedAt)).toISOString(),
  }));
}

export const workOrderExistsError = () => conflict("The item already has a work order. Change that one.", "duplicate");
export const templateNameTakenError = () =>
  conflict("There already is an inspection template with this name. Choose another name.", "duplicate", [
    { path: "name", code: "unique", message: "name is taken." },
  ]);
