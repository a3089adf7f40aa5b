/** Rules of the costs of work orders. */
import { conflict } from "@freehold/kit/errors";
import type { WorkOrder } from "@freehold/proto/portfolio/v1/portfolio";
import type { ProjectedLease } from "../../projections/projections.ts";

/** Throws a 409 for a cancelled work order. */
export function requireUncancelled(status: string): void {
  if (status === "cancelled") throw conflict("The work order is cancelled and causes no costs. Create a new work order.", "invalid_transition");
}

/** Records that an expense has in common with its work order. */
export type CommonRecords = Record<"propertyId" | "unitId" | "workOrderId", string | null>;

/** Returns the members of an expense that differ from those of its work order. Members that are left out are those of the work order. */
export const differingMembers = (sent: { [M in keyof CommonRecords]?: string | null | undefined }, workOrder: CommonRecords): (keyof CommonRecords)[] =>
  (["propertyId", "unitId", "workOrderId"] as const).filter((member) => sent[member] !== undefined && sent[member] !== workOrder[member]);

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
