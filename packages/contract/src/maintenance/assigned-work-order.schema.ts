import type { z } from "zod";
import { Property } from "../properties/properties.ts";
import { WorkOrder } from "./work-order.schema.ts";

export const WorkAddress = Property.pick({ streetLine1: true, streetLine2: true, city: true, state: true, postalCode: true }).meta({
  id: "WorkAddress",
  description: "The address of a property.",
});

/** Work order view of the vendor portal, with the address of the work. */
export const AssignedWorkOrder = WorkOrder.omit({
  leaseId: true,
  tenantId: true,
  vendorId: true,
  vendorName: true,
  assignedUserId: true,
  chargeableTo: true,
  expenseIds: true,
  inspectionId: true,
  visibility: true,
  createdByUserId: true,
})
  .extend({ address: WorkAddress.describe("Address of the property where the work is done.") })
  .meta({
    id: "AssignedWorkOrder",
    description:
      "A work order as its vendor sees it; `estimateCents` and `approvedEstimateCents` are those of the vendor's own estimates, and `actualCents` is 0 until recorded since a former vendor was replaced.",
  });
export type AssignedWorkOrder = z.output<typeof AssignedWorkOrder>;
