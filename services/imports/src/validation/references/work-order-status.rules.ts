/** Changes of a row to the status and the terms of its work order: the statuses that the import sets, or the errors of the row. */
import type { FieldError } from "@freehold/contract/errors";
import type { Candidate } from "@freehold/contract/imports/import-bundles";
import type { Verdict } from "../match.rules.ts";

type Change = Candidate["changes"][number];

/** Statuses to set, in order, by the status of a work order and that of its row. */
const nextStatuses: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  open: { in_progress: ["in_progress"], completed: ["in_progress", "completed"], cancelled: ["cancelled"] },
  in_progress: { completed: ["completed"], cancelled: ["cancelled"] },
};

const isFinished = (status: string): boolean => status === "completed" || status === "cancelled";

const difference = ({ field, from, to }: Change): string => `${field} was ${from ?? "empty"} and is ${to}`;
const remedy = ({ field }: Change): string => `Create another work order in Freehold for further work, and restore ${field} in the file, or exclude the row.`;

/** Returns the statuses to set for a changed status of a row, or the error of the row if the work order does not take it. */
export function nextStatusesFor(status: string, change: Change): { statuses: readonly string[] } | { error: FieldError } {
  const statuses = status === change.to ? [] : nextStatuses[status]?.[change.to!];
  if (statuses) return { statuses };
  const message = `The work order is ${status} in Freehold, and does not become ${change.to}: ${difference(change)}. ${remedy(change)}`;
  return { error: { path: "status", code: "not_allowed", message } };
}

type CheckedChanges = Pick<Verdict, "changes"> & { errors: FieldError[] };

/** Returns the changes of a row without those that its work order has already, and the errors for what the work order does not take. */
export function checkWorkOrderChanges(status: string, changes: readonly Change[]): CheckedChanges {
  const change = changes.find(({ field }) => field === "status");
  const next = change ? nextStatusesFor(status, change) : { statuses: [] };
  if ("error" in next) return { changes: [...changes], errors: [next.error] };
  // The day of the completion is set together with the status only.
  // Earlier imports have kept the day of an appointment without its time.
  const isTimeOfPast = ({ field, from, to }: Change) => field === "scheduled_date" && isFinished(status) && from !== null && to?.startsWith(`${from}T`);
  const isSettled = (each: Change) =>
    (each.field === "status" && change?.to === status) || (each.field === "completed_date" && next.statuses.length === 0) || isTimeOfPast(each);
  const remaining = changes.filter((each) => !isSettled(each));
  if (!isFinished(status)) return { changes: remaining, errors: [] };
  const errors = remaining.map((each): FieldError => {
    const message = `The work order is ${status} in Freehold and cannot be changed: ${difference(each)}. ${remedy(each)}`;
    return { path: each.field, code: "not_allowed", message };
  });
  return { changes: remaining, errors };
}
