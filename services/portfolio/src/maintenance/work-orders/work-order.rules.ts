/** Rules of work orders: status transitions, schedule, location and change history. */
import type { FieldError } from "@freehold/contract/errors";
import type { workOrderStatuses } from "@freehold/contract/maintenance/work-orders";
import { conflict, invalid } from "@freehold/kit/errors";
import { stateMachine } from "@freehold/kit/state-machine";

export type WorkOrderStatus = (typeof workOrderStatuses)[number];

/** Transitions between the statuses of a work order. */
export const workOrderStateMachine = stateMachine("work order", {
  open: ["in_progress", "cancelled"],
  in_progress: ["completed", "cancelled"],
  completed: [],
  cancelled: [],
});

/** Throws 409 when the work order is completed or cancelled. */
export function requireUnfinishedWorkOrder(status: WorkOrderStatus): void {
  if (!workOrderStateMachine.unfinished.includes(status))
    throw conflict(`The work order is ${status} and cannot be changed. Create another one.`, "invalid_transition");
}

/** Returns the timestamps that a transition sets. A completion before the recorded start moves the start to the completion. */
export function transitionTimestamps(
  status: WorkOrderStatus,
  startedAt: Date | null | undefined,
  transitionTime: Date,
): { startedAt?: Date; completedAt?: Date; cancelledAt?: Date } {
  if (status === "in_progress") return { startedAt: transitionTime };
  if (status === "cancelled") return { cancelledAt: transitionTime };
  return { completedAt: transitionTime, ...(startedAt && startedAt > transitionTime && { startedAt: transitionTime }) };
}

/** Throws 400 when the scheduled end is before the start. */
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

interface LocationRows {
  unit: { propertyId: string } | null;
  lease: { propertyId: string; unitId: string } | null;
  isTenantOnLease: boolean;
}

/** Returns an error for each of unit, lease and tenant that does not belong to the location. */
export function locationMismatches(
  { propertyId, unitId }: { propertyId: string; unitId: string | null },
  { unit, lease, isTenantOnLease }: LocationRows,
): FieldError[] {
  const errors: FieldError[] = [];
  const mismatch = (path: string, message: string) => errors.push({ path, code: "mismatch", message });
  if (unit && unit.propertyId !== propertyId) mismatch("unitId", "The unit belongs to another property. Check propertyId and unitId.");
  if (lease && lease.propertyId !== propertyId) mismatch("leaseId", "The lease belongs to another property. Check propertyId and leaseId.");
  else if (lease && unitId && lease.unitId !== unitId) mismatch("leaseId", "The lease belongs to another unit. Check unitId and leaseId.");
  if (!isTenantOnLease) mismatch("tenantId", "The tenant is not on the lease. Check leaseId and tenantId.");
  return errors;
}

/** Fields whose changes are recorded in the history. */
const trackedFields = [
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
type TrackedField = (typeof trackedFields)[number];
type Snapshot = Record<TrackedField, string | null>;

function asText(value: string | number | Date | null | undefined): string | null {
  if (value instanceof Date) return value.toISOString();
  return value === null || value === undefined ? null : String(value);
}

/** Returns the tracked fields of a work order as text. */
export const snapshot = (workOrder: Record<TrackedField, string | number | Date | null | undefined>): Snapshot =>
  Object.fromEntries(trackedFields.map((field) => [field, asText(workOrder[field])])) as Snapshot;

/** Returns the fields that differ between two snapshots, with both values. */
export const changedFields = (before: Snapshot, after: Snapshot): { field: TrackedField; from: string | null; to: string | null }[] =>
  trackedFields.flatMap((field) => (before[field] === after[field] ? [] : [{ field, from: before[field], to: after[field] }]));
