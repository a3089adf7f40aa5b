/** State of the lease of a row after the import: that of a new row, or that of the lease in Freehold with the changes of the row. */
import type { Candidate } from "@freehold/contract/imports/import-bundles";
import type { FieldValues } from "../draft.ts";

/** Evaluated candidate of a lease. */
export interface LeaseCandidate {
  data: FieldValues;
  verdict: string | null;
  decision: string | null;
  hasErrors: boolean;
  changes: Candidate["changes"];
  /** Fields of the lease in Freehold that the row represents; null for a new lease, and for one whose state is not known. */
  record: FieldValues | null;
}

const endedStatuses: ReadonlySet<string | undefined> = new Set(["expired", "terminated", "renewed"]);

/** Tells whether a row activates a draft. */
export const isActivated = ({ changes, hasErrors, decision }: LeaseCandidate): boolean =>
  !hasErrors && decision !== "exclude" && changes.some(({ field, from }) => field === "status" && from === "draft");

/** Fields of a lease that determine on which days it holds which unit. */
const holdFields: ReadonlySet<string> = new Set(["status", "start_date", "end_date", "term_type", "unit_source_id", "unit_number"]);

/** Tells whether a row changes the days on which its lease holds its unit, or the unit. */
export const changesHold = ({ changes, hasErrors, decision }: Pick<LeaseCandidate, "changes" | "hasErrors" | "decision">): boolean =>
  !hasErrors && decision !== "exclude" && changes.some(({ field }) => holdFields.has(field));

/** Returns the fields of a lease before the import, or undefined for a new lease and one whose state is not known. */
export const stateBeforeImport = (lease: LeaseCandidate): FieldValues | undefined =>
  lease.verdict === "ready_create" ? undefined : leaseAfterImport({ ...lease, changes: [] });

/** Returns the fields of a lease after the import, or undefined for a new one that is not imported and for one whose state is not known. */
export function leaseAfterImport({ data, verdict, decision, hasErrors, changes, record }: LeaseCandidate): FieldValues | undefined {
  const isWritten = !hasErrors && decision !== "exclude";
  if (verdict === "ready_create") return isWritten ? data : undefined;
  if (!record) return undefined;
  const { status, last_day: lastDay } = record;
  const { end_date: endDate, ...terms } = record;
  const end = endedStatuses.has(status) ? lastDay : endDate;
  // A renewed lease has ended.
  const current: FieldValues = { ...terms, ...(end !== undefined && { end_date: end }), status: status === "renewed" ? "expired" : status! };
  if (!isWritten) return current;
  // The first day of a lease that has begun stays: another one in its row is that of a later term.
  const isBegun = status !== "draft" && status !== "pending";
  return { ...current, ...Object.fromEntries(changes.flatMap(({ field, to }) => (to === null || (isBegun && field === "start_date") ? [] : [[field, to]]))) };
}

/** Tells whether two leases are certainly not one with its renewal, which has the same unit: a new lease renews none. */
export function areOfDifferentTenancies(one: LeaseCandidate & { id: string }, other: LeaseCandidate & { id: string }): boolean {
  if (one.id === other.id) return false;
  return one.verdict === "ready_create" || other.verdict === "ready_create" || one.record?.["unit"] !== other.record?.["unit"];
}
