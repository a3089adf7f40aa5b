/** Changes of a row to the status and the terms of its lease: the transition that the import makes, or the error of the row. */
import type { FieldError } from "@freehold/contract/errors";
import type { Candidate } from "@freehold/contract/imports/import-bundles";
import type { FieldValues } from "../draft.ts";
import { comparableFields, type Verdict } from "../match.rules.ts";
import { UNDO_MONEY } from "./agreed-terms.rules.ts";
import { expiryErrors, importedLastDay, importedStatus } from "./lease-state.rules.ts";

type Change = Candidate["changes"][number];

/** Transition that brings a lease to the status of its row; `none` for a lease that has it already. */
export type LeaseTransition = "activate" | "cancel" | "end" | "none";

/** Lease in Freehold with the last day of one that has ended. */
interface CurrentStatus {
  status: string;
  lastDay: string | undefined;
}

/** Transitions by the current status of a lease and the status in which an import writes its row. Other pairs are refused. */
const transitions: Readonly<Record<string, Readonly<Record<string, LeaseTransition>>>> = {
  draft: { draft: "none", pending: "activate", active: "activate", cancelled: "cancel" },
  // A pending lease becomes active by itself on its first day.
  pending: { pending: "none", active: "none", cancelled: "cancel" },
  active: { active: "none", terminated: "end", expired: "end" },
  expired: { terminated: "end", expired: "end" },
  // The tenancy of a renewed lease goes on.
  renewed: { active: "none" },
  cancelled: { cancelled: "none" },
};

const endedStatuses: ReadonlySet<string> = new Set(["expired", "terminated", "renewed"]);

/** Tells whether a lease has ended on the last day of its row, or is cancelled like its row. */
function hasSameEnd({ status, lastDay }: CurrentStatus, row: FieldValues, day: string): boolean {
  if (status === "cancelled") return importedStatus(row, day) === "cancelled";
  const end = importedLastDay(row, day);
  return endedStatuses.has(status) && end !== undefined && end === lastDay;
}

const recreate = "Delete it in Freehold and validate the import again, so that the row creates it anew";
const remedies: Readonly<Record<string, string>> = { draft: recreate, pending: recreate, active: "If it is not in force, terminate it in Freehold" };

function statusError(lease: CurrentStatus, row: FieldValues, { from, to }: Change): FieldError {
  const isEnd = to === "terminated" || to === "expired";
  const refusal =
    isEnd && endedStatuses.has(lease.status) ? endRefusal(lease, row) : `The lease is ${lease.status} in Freehold, and an import does not make it ${to}`;
  const remedy = remedies[lease.status] ?? "For another lease, add a row with its own source_id";
  const message = `${refusal}: status was ${from ?? "empty"} and is ${to}. ${remedy}; otherwise restore status in the file, or exclude the row.`;
  return { path: "status", code: "not_allowed", message };
}

const endRefusal = ({ lastDay }: CurrentStatus, { end_date }: FieldValues): string =>
  `The lease ended on ${lastDay ?? "another day"} in Freehold, and an import does not move its end to ${end_date}`;

/** Returns the transition for a changed status of a row, or the error of the row if an import does not bring its lease to this status. */
export function transitionFor(lease: CurrentStatus, row: FieldValues, change: Change, day: string): { transition: LeaseTransition } | { error: FieldError } {
  const transition = hasSameEnd(lease, row, day) ? "none" : transitions[lease.status]?.[importedStatus(row, day)];
  return transition ? { transition } : { error: statusError(lease, row, change) };
}

/** Fields that state how a lease has ended. */
const endFields: ReadonlySet<string> = new Set(["status", "end_date", "term_type"]);
/** Terms of a lease that do not change once it has ended. */
const termFields: ReadonlySet<string> = new Set([
  "end_date",
  "term_type",
  "rent",
  "rent_charge_day",
  "lease_kind",
  "move_in_date",
  "late_fee_type",
  "late_fee_amount",
  "late_fee_percent",
  "late_fee_grace_days",
]);

const termError = (lease: CurrentStatus, row: FieldValues, { field, from, to }: Change): FieldError => {
  const refusal =
    field === "end_date" && endedStatuses.has(lease.status) ? endRefusal(lease, row) : `The lease is ${lease.status} in Freehold and cannot be changed`;
  const message = `${refusal}: ${field} was ${from ?? "empty"} and is ${to}. Restore ${field} in the file, or exclude the row.`;
  return { path: field, code: "not_allowed", message };
};

const cancellationError = ({ from, to }: Change): FieldError => ({
  path: "status",
  code: "not_allowed",
  message: `Money is posted on the lease, so an import does not cancel it: status was ${from ?? "empty"} and is ${to}. ${UNDO_MONEY}; otherwise restore status in the file, or exclude the row.`,
});

const isRolledOver = ({ field, from, to }: Change): boolean => field === "term_type" && from === "fixed" && to === "fixed_with_rollover";

type CheckedChanges = Pick<Verdict, "changes"> & { errors: FieldError[] };

/** Returns the changes of a row without those that its lease has already, and the errors for a status or for terms that the lease does not take. */
export function checkLeaseChanges({ status, last_day, money }: FieldValues, row: FieldValues, changes: Candidate["changes"], day: string): CheckedChanges {
  const lease: CurrentStatus = { status: status!, lastDay: last_day };
  const change = changes.find(({ field }) => field === "status");
  const result = change ? transitionFor(lease, row, change, day) : { transition: "none" };
  if ("error" in result) return { changes, errors: [result.error] };
  if (result.transition === "cancel" && money !== undefined) return { changes, errors: [cancellationError(change!)] };
  const futureEnd = result.transition === "end" ? expiryErrors(row, day) : [];
  if (futureEnd.length > 0) return { changes, errors: futureEnd };
  const isSettled = hasSameEnd(lease, row, day);
  // A holdover of a lease that has ended already is none: the row with its next term is imported.
  const isEndedHoldover = (each: Change) => isRolledOver(each) && endedStatuses.has(lease.status) && row["end_date"] === lease.lastDay;
  const remaining = changes.filter(
    (each) => !isEndedHoldover(each) && (isSettled ? !endFields.has(each.field) : each !== change || result.transition !== "none"),
  );
  if (lease.status !== "cancelled" && !endedStatuses.has(lease.status)) return { changes: remaining, errors: [] };
  const terms = remaining.filter(({ field }) => termFields.has(field) && !(result.transition === "end" && endFields.has(field)));
  return { changes: remaining, errors: terms.map((each) => termError(lease, row, each)) };
}

/** Returns the verdict on a row that matches a lease with the status of the row among its changes, and the errors for what the lease does not take. */
export function withMatchedStatus(verdict: Verdict, lease: FieldValues | undefined, row: FieldValues, day: string): Verdict & { errors?: FieldError[] } {
  if (!lease) return verdict;
  const { status } = row;
  const statusChange = status === undefined || status === lease["status"] ? [] : [{ field: "status", from: lease["status"]!, to: status }];
  const { changes, errors } = checkLeaseChanges(lease, row, [...verdict.changes, ...statusChange], day);
  const isChanged = changes.some(({ field }) => field === "status" || comparableFields.lease!.includes(field));
  return { ...verdict, ...(isChanged ? { verdict: "ready_update", changes } : { verdict: "unchanged", changes: [] }), errors };
}
