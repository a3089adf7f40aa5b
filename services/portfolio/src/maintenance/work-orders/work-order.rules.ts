/** What a work order may become, what it may be changed to, and what of it is kept in its history. */
import type { FieldError } from "@freehold/contract/errors";
import type { workOrderStatuses } from "@freehold/contract/maintenance/work-orders";
import { conflict, invalid } from "@freehold/kit/errors";
import { stateMachine } from "@freehold/kit/state-machine";

export type WorkOrderStatus = (typeof workOrderStatuses)[number];

export const workOrderStateMachine = stateMachine("work order", {
  open: ["in_progress", "cancelled"],
  in_progress: ["completed", "cancelled"],
  completed: [],
  cancelled: [],
});

/** The statuses in which there is still something to do. */
export const unfinishedStatuses: readonly WorkOrderStatus[] = ["open", "in_progress"];

/** Nothing of the work is changed once it is completed or cancelled. */
export function requireUnfinishedWorkOrder(status: WorkOrderStatus): void {
  if (!unfinishedStatuses.includes(status)) throw conflict(`The work order is ${status} and cannot be changed. Create another one.`, "invalid_transition");
}

/** The moments that a move sets. Work that was done before anybody said that it had started, started when it was done. */
export function transitionTimestamps(
  status: WorkOrderStatus,
  startedAt: Date | null | undefined,
  at: Date,
): { startedAt?: Date; completedAt?: Date; cancelledAt?: Date } {
  if (status === "in_progress") return { startedAt: at };
  if (status === "cancelled") return { cancelledAt: at };
  return { completedAt: at, ...(startedAt && startedAt > at && { startedAt: at }) };
}

/** A visit ends after it starts. */
export function requireEndAfterStart({
  scheduledStart,
  scheduledEnd,
}: {
  scheduledStart?: Date | null | undefined;
  scheduledEnd?: Date | null | undefined;
}): void {
  if (scheduledStart && scheduledEnd && scheduledEnd < scheduledStart)
    throw invalid([{ path: "scheduledEnd", code: "before_start", message: "scheduledEnd must not be before scheduledStart." }]);
}

interface Found {
  unit: { propertyId: string } | null;
  lease: { propertyId: string; unitId: string } | null;
  isUnderLease: boolean;
}

/** What does not belong together of where the work is and who it is for. */
export function locationMismatches({ propertyId, unitId }: { propertyId: string; unitId: string | null }, { unit, lease, isUnderLease }: Found): FieldError[] {
  const wrong: FieldError[] = [];
  const mismatch = (path: string, message: string) => wrong.push({ path, code: "mismatch", message });
  if (unit && unit.propertyId !== propertyId) mismatch("unitId", "The unit belongs to another property. Check propertyId and unitId.");
  if (lease && lease.propertyId !== propertyId) mismatch("leaseId", "The lease is of another property. Check propertyId and leaseId.");
  else if (lease && unitId && lease.unitId !== unitId) mismatch("leaseId", "The lease is of another unit. Check unitId and leaseId.");
  if (!isUnderLease) mismatch("tenantId", "The tenant is not under the lease. Check leaseId and tenantId.");
  return wrong;
}

/** The fields whose changes are kept. */
const kept = [
  "propertyId",
  "unitId",
  "leaseId",
  "tenantId",
  "vendorId",
  "assignedUserId",
  "title",
  "description",
  "category",
  "priority",
  "status",
  "entryPermission",
  "entryNotes",
  "requestedAt",
  "dueOn",
  "scheduledStart",
  "scheduledEnd",
  "acceptedAt",
  "startedAt",
  "completedAt",
  "cancelledAt",
  "estimateCents",
  "approvedEstimateCents",
  "actualCents",
  "chargeableTo",
  "visibility",
] as const;
type Kept = (typeof kept)[number];
type Snapshot = Record<Kept, string | null>;

function asText(value: string | number | Date | null | undefined): string | null {
  if (value instanceof Date) return value.toISOString();
  return value === null || value === undefined ? null : String(value);
}

/** What a work order says at a moment, as its history keeps it. */
export const snapshot = (workOrder: Record<Kept, string | number | Date | null | undefined>): Snapshot =>
  Object.fromEntries(kept.map((field) => [field, asText(workOrder[field])])) as Snapshot;

/** The fields that differ, with what they were and what they became. */
export const changedFields = (before: Snapshot, after: Snapshot): { field: Kept; from: string | null; to: string | null }[] =>
  kept.flatMap((field) => (before[field] === after[field] ? [] : [{ field, from: before[field], to: after[field] }]));
