/** Status of a row of leases that has another one than its lease: what the import does to the lease, or why it refuses the row. */
import type { FieldError } from "@freehold/contract/errors";
import type { Candidate } from "@freehold/contract/imports/import-bundles";
import type { FieldValues } from "../draft.ts";
import type { Verdict } from "../match.rules.ts";

type Change = Candidate["changes"][number];

/** Step that brings a lease to the status of its row; `none` for a lease that has it already. */
export type StatusStep = "activate" | "cancel" | "end" | "none";

export interface LeaseState {
  status: string;
  /** Last day of a lease that has ended. */
  lastDay: string | undefined;
}

/** Steps by the status of a lease and that of its row. Other pairs are refused. */
const steps: Readonly<Record<string, Readonly<Record<string, StatusStep>>>> = {
  draft: { draft: "none", pending: "activate", active: "activate", cancelled: "cancel" },
  // A pending lease becomes active by itself on its first day.
  pending: { pending: "none", active: "none", cancelled: "cancel" },
  active: { active: "none", terminated: "end", expired: "end" },
  expired: { terminated: "end", expired: "end" },
  cancelled: { cancelled: "none" },
};

const endedStatuses = new Set(["expired", "terminated", "renewed"]);
const isEnd = (status: string | undefined): boolean => status === "terminated" || status === "expired";
const hasEndedWith = ({ status, lastDay }: LeaseState, { end_date }: FieldValues): boolean => endedStatuses.has(status) && lastDay === end_date;

/** Returns the step that brings a lease to the status of its row, or undefined if none does. As in a first import, a lease that is terminated before its first day is cancelled. */
function findStatusStep(lease: LeaseState, row: FieldValues, day: string): StatusStep | undefined {
  const { status = "active", start_date } = row;
  if (isEnd(status) && hasEndedWith(lease, row)) return "none";
  return steps[lease.status]?.[status === "terminated" && start_date! > day ? "cancelled" : status];
}

const remedies: Readonly<Record<string, string>> = {
  draft: "Delete it in Freehold and validate the import again, so that the row creates it anew",
  pending: "Delete it in Freehold and validate the import again, so that the row creates it anew",
  active: "If it is not in force, terminate it in Freehold",
};

function statusError({ status, lastDay }: LeaseState, row: FieldValues, { from, to }: Change): FieldError {
  const refusal =
    isEnd(to ?? undefined) && endedStatuses.has(status)
      ? `The lease ended on ${lastDay ?? "another day"} in Freehold, and an import does not move its end to ${row["end_date"]}`
      : `The lease is ${status} in Freehold, and an import does not make it ${to}`;
  const remedy = remedies[status] ?? "For another lease, add a row with its own source_id";
  const message = `${refusal}: status was ${from ?? "empty"} and is ${to}. ${remedy}; otherwise restore status in the file, or exclude the row.`;
  return { path: "status", code: "not_allowed", message };
}

/** Returns the step for a changed status of a row, or the error of the row if an import does not bring its lease to this status. */
export const statusStepOrError = (lease: LeaseState, row: FieldValues, change: Change, day: string): { step: StatusStep } | { error: FieldError } => {
  const step = findStatusStep(lease, row, day);
  return step ? { step } : { error: statusError(lease, row, change) };
};

const stateOf = ({ status, last_day }: FieldValues): LeaseState => ({ status: status!, lastDay: last_day });

/** Returns the changes of a row without the status that its lease has already, and the error for one to which an import does not bring the lease. */
export function checkStatusChange(
  lease: FieldValues,
  row: FieldValues,
  changes: Candidate["changes"],
  day: string,
): Pick<Verdict, "changes"> & { errors: FieldError[] } {
  const change = changes.find(({ field }) => field === "status");
  if (!change) return { changes, errors: [] };
  const result = statusStepOrError(stateOf(lease), row, change, day);
  if ("error" in result) return { changes, errors: [result.error] };
  return { changes: result.step === "none" ? changes.filter((each) => each !== change) : changes, errors: [] };
}

/** Adds the status of a row to the changes of the lease that it matches, if the import brings the lease to it. */
export function withMatchedStatus(verdict: Verdict, lease: FieldValues | undefined, row: FieldValues, day: string): Verdict {
  const { status } = row;
  const step = lease && status !== undefined ? findStatusStep(stateOf(lease), row, day) : undefined;
  if (step === undefined || step === "none") return verdict;
  return { ...verdict, verdict: "ready_update", changes: [...verdict.changes, { field: "status", from: lease!["status"]!, to: status! }] };
}
