/**
 * Operations of portfolio for imports, called over gRPC and not part of the API. Each writes one row of a file with everything that the
 * row says, or nothing.
 */
import { z } from "zod";
import { leaseOccupants } from "../leases/lease-occupants.ts";
import { LeaseChanges, NewLease } from "../leases/lease.schema.ts";
import { rentChanges } from "../leases/rent-changes.ts";
import { workOrders } from "../maintenance/work-orders.ts";
import { workOrderStatuses } from "../maintenance/work-order.schema.ts";
import { operationGroup } from "../operation.ts";
import { tenants } from "../people/tenants.ts";
import { properties } from "../properties/properties.ts";
import { units } from "../properties/units.ts";
import { adminsAndManagers } from "../roles.ts";
import { Id, Instant, NonNegativeCents, PlainDate } from "../values.ts";

const { reserveCents, managementStartDate } = properties.operations.updateProperty.body.shape;

export const importedRecords = operationGroup("Imported records", "portfolio", {
  importProperty: {
    method: "POST",
    path: "/imports/properties",
    summary: "import properties",
    access: adminsAndManagers,
    body: properties.operations.createProperty.body.omit({ ownerIds: true, initialUnit: true }).extend({ reserveCents, managementStartDate }),
    response: { recordId: Id },
  },
  importUnit: {
    method: "POST",
    path: "/imports/units",
    summary: "import units",
    access: adminsAndManagers,
    body: units.operations.createUnit.body.omit({ feeTemplates: true }),
    response: { recordId: Id },
  },
  importTenant: {
    method: "POST",
    path: "/imports/tenants",
    summary: "import tenants",
    access: adminsAndManagers,
    body: tenants.operations.createTenant.body.omit({ rejectDuplicates: true }),
    response: { recordId: Id },
  },
  importLease: {
    method: "POST",
    path: "/imports/leases",
    summary: "import leases",
    access: adminsAndManagers,
    body: NewLease.safeExtend({
      continuedTenantIds: z
        .array(Id)
        .optional()
        .describe(
          "Tenants of other leases of the unit with the same people in another order: the lease continues one of these leases like one of its own tenant.",
        ),
      continuedLeaseIds: z.array(Id).optional().describe("Leases with the same people in another order, of which the lease may continue one."),
    }),
    response: { recordId: Id },
  },
  importEndedLease: {
    method: "POST",
    path: "/imports/ended-leases",
    summary: "import ended leases",
    access: adminsAndManagers,
    body: NewLease.safeExtend({
      endedAs: z
        .enum(["expired", "terminated", "cancelled"])
        .describe("How the lease ended or, with a later `endDate` of a terminated lease, ends on its `endDate`; `cancelled` for a lease that never began."),
    }).refine(({ endDate, endedAs }) => endDate !== undefined || endedAs === "cancelled", {
      path: ["endDate"],
      params: { code: "required" },
      message: "endDate is required for a lease that has ended.",
    }),
    response: { recordId: Id },
  },
  importLeaseChange: {
    method: "POST",
    path: "/imports/leases/{id}/changes",
    summary: "import changes of leases",
    access: adminsAndManagers,
    body: LeaseChanges.extend({
      billFrom: NewLease.shape.billFrom,
      rentChange: rentChanges.operations.createRentChange.body
        .optional()
        .describe("New rent of an active lease, in the place of a rent change with the same effective date. Default no change of the rent."),
      withdrawnRent: z
        .strictObject({ effectiveDate: PlainDate, rentCents: NonNegativeCents })
        .optional()
        .describe(
          "Rent of a renewal that an earlier import recorded and that is withdrawn or moved: the rent changes to `rentCents` on or after `effectiveDate` that have not taken effect are deleted. Default none.",
        ),
      transition: z
        .enum(["activate", "cancel", "terminate"])
        .optional()
        .describe("Transition of the lease, made after all other changes. Default none: the lease keeps its status."),
      terminationDate: PlainDate.optional().describe("Last day of a lease that the import terminates. Required with the transition `terminate`."),
    }).refine(({ transition, terminationDate }) => transition !== "terminate" || terminationDate !== undefined, {
      path: ["terminationDate"],
      params: { code: "required" },
      message: "terminationDate is required for the transition terminate.",
    }),
    response: { recordId: Id },
  },
  importOccupant: {
    method: "POST",
    path: "/imports/occupants",
    summary: "import occupants",
    access: adminsAndManagers,
    body: leaseOccupants.operations.createOccupant.body.safeExtend({
      leaseId: Id.describe("Lease of the occupant. It may have ended."),
      moveInDate: PlainDate.optional().describe("Day on which the occupant moved in. Default the move-in date of the lease, or its start date."),
    }),
    response: { recordId: Id },
  },
  importWorkOrder: {
    method: "POST",
    path: "/imports/work-orders",
    summary: "import work orders",
    access: adminsAndManagers,
    body: workOrders.operations.createWorkOrder.body.extend({
      status: z.enum(workOrderStatuses).describe("Status of the work order."),
      completedAt: Instant.optional().describe("Time of completion of a completed work order. Default now."),
    }),
    response: { recordId: Id },
  },
  importWorkOrderChange: {
    method: "POST",
    path: "/imports/work-orders/{id}/changes",
    summary: "import changes of work orders",
    access: adminsAndManagers,
    body: workOrders.operations.updateWorkOrder.body.extend({
      transitions: z.array(z.enum(workOrderStatuses)).describe("Statuses to set, in order, after all other changes."),
      completedAt: Instant.optional().describe("Time of completion of a work order that the import completes. Default now."),
    }),
    response: { recordId: Id },
  },
});
