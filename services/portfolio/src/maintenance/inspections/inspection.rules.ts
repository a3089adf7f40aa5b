/** What an inspection may become, and what holds it back. */
import type { Inspection, Signature } from "@freehold/contract/maintenance/inspections";
import { conflict, invalid } from "@freehold/kit/errors";
import { stateMachine } from "@freehold/kit/state-machine";
import { uninspectedItems, type StoredArea } from "./areas.rules.ts";

type Status = Inspection["status"];

export const inspectionStateMachine = stateMachine("inspection", {
  scheduled: ["in_progress", "cancelled"],
  in_progress: ["completed", "cancelled"],
  completed: [],
  cancelled: [],
});

/** What was found stays as it is once the inspection is completed or cancelled. */
export function requireUnfinishedInspection(status: Status): void {
  if (inspectionStateMachine.table[status].length === 0)
    throw conflict(`The inspection is ${status} and cannot be changed. Create another one.`, "invalid_transition");
}

/** Nothing is done about what a cancelled inspection lists. */
export function requireNotCancelled(status: Status): void {
  if (status === "cancelled") throw conflict("The inspection is cancelled. Create another one, or a work order by itself.", "invalid_transition");
}

const SHOWN = 5;

/** Refuses to complete what somebody forgot to look at. */
export function requireAllInspected(areas: readonly StoredArea[]): void {
  const forgotten = uninspectedItems(areas);
  if (forgotten.length === 0) return;
  const named = `${forgotten.slice(0, SHOWN).join(", ")}${forgotten.length > SHOWN ? ` and ${forgotten.length - SHOWN} more` : ""}`;
  throw conflict(
    `The inspection is in_progress and cannot become completed while not inspected are: ${named}. Save their condition, or send allowNotInspected.`,
    "invalid_transition",
  );
}

interface Place {
  propertyId: string;
  unitId?: string | null | undefined;
  leaseId?: string | null | undefined;
}

/** Refuses to move an inspection to another place once there is work to do on what it found. */
export function requireLocationChangeable(before: Place, after: Place, hasWork: boolean): void {
  const stays =
    before.propertyId === after.propertyId && (before.unitId ?? null) === (after.unitId ?? null) && (before.leaseId ?? null) === (after.leaseId ?? null);
  if (hasWork && !stays)
    throw conflict("An item of the inspection has a work order, so it cannot be of another place. Create another inspection.", "resource_in_use");
}

/** The signatures as they are kept; whoever did not say when signed at the end. Nobody signs in the future. */
export function stampSignatures(signatures: readonly (Omit<Signature, "signedAt"> & { signedAt?: string | undefined })[], at: Date, now: Date): Signature[] {
  const early = signatures.flatMap(({ signedAt }, place) => (signedAt !== undefined && new Date(signedAt) > now ? [`signatures.${place}.signedAt`] : []));
  if (early.length > 0) throw invalid(early.map((path) => ({ path, code: "max", message: `${path} cannot lie in the future.` })));
  return signatures.map(({ signedAt, ...who }) => ({ ...who, signedAt: (signedAt === undefined ? at : new Date(signedAt)).toISOString() }));
}

export const workOrderExistsError = () => conflict("The item already has a work order. Change that one.", "duplicate");
export const templateNameTakenError = () =>
  conflict("There already is an inspection template with this name. Choose another name.", "duplicate", [
    { path: "name", code: "unique", message: "name is taken." },
  ]);
