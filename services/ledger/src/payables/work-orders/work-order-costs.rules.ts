/** Rules of the costs of work orders. */
import { conflict, invalid } from "@freehold/kit/errors";
import type { WorkOrder } from "@freehold/proto/portfolio/v1/portfolio";
import type { ProjectedLease } from "../../projections/projections.ts";

/** Throws a 409 for a cancelled work order. */
export function requireUncancelled(status: string): void {
  if (status === "cancelled") throw conflict("The work order is cancelled and causes no costs. Create a new work order.", "invalid_transition");
}

/** Throws a 400 that names each member of an expense that differs from the one of its work order. Members that are left out are those of the work order. */
export function requireSameRecords<T extends object>(sent: { [Member in keyof T]?: unknown }, workOrder: T): void {
  const members = (Object.keys(workOrder) as (keyof T & string)[]).filter((member) => sent[member] !== undefined && sent[member] !== workOrder[member]);
  if (members.length === 0) return;
  throw invalid(members.map((path) => ({ path, code: "mismatch", message: `${path} differs from that of the work order. Leave ${path} out.` })));
}

/** Throws a 409 for a work order whose costs the tenant does not bear. */
export function requireTenantsCosts({ status, chargeableTo }: Pick<WorkOrder, "status" | "chargeableTo">): void {
  requireUncancelled(status);
  if (chargeableTo === "owner" || chargeableTo === "organization")
    throw conflict(`The work order is chargeable to the ${chargeableTo}. Set its chargeableTo to tenant first.`, "invalid_transition");
}

/** Returns the lease of a work order. Throws a 409 when the costs of the work order cannot be charged to a tenant. */
export function requireChargeableLease(workOrder: Pick<WorkOrder, "status" | "chargeableTo">, lease: ProjectedLease | undefined): ProjectedLease {
  requireTenantsCosts(workOrder);
  if (!lease) throw conflict("The work order has no lease that could be charged. Set its leaseId first.", "invalid_transition");
  if (lease.isTenantDeleted) throw conflict("The tenant of the lease was deleted and cannot be charged.", "invalid_transition");
  return lease;
}
