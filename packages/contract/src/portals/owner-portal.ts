import { z } from "zod";
import type { leaseStatuses } from "../leases/leases.ts";
import { operationGroup, body } from "../operation.ts";
import { Owner } from "../people/owners.ts";
import { portalDocuments, PortalLease, PortalOrganization } from "./portals.ts";
import { Property } from "../properties/properties.ts";
import { csvEnum, Cents, Id, listQuery, page, Search, text } from "../values.ts";
import { estimateStatuses, WorkOrder, WorkOrderEstimate, workOrderStatuses } from "../maintenance/work-orders.ts";

const owner = ["owner"] as const;

/** Owner record as shown to the owner. */
export const PortalOwner = Owner.omit({ balanceCents: true, deletedAt: true }).meta({ id: "PortalOwner", description: "The owner record of the caller." });

/** Property view of the owner portal, without the other owners and bank accounts. */
export const OwnedProperty = Property.omit({
  ownerIds: true,
  relations: true,
  overduePostedRentCents: true,
  operatingBankAccountId: true,
  depositBankAccountId: true,
  deletedAt: true,
})
  .extend({
    shareBps: z.int().min(1).max(10_000).nullable().describe("Current share of the owner in basis points: 5000 is one half. Null when no shares are recorded."),
  })
  .meta({ id: "OwnedProperty", description: "A property as its owners see it." });
export type OwnedProperty = z.output<typeof OwnedProperty>;

/** Lease view of the owner portal, without the occupants other than the tenant. */
export const OwnedLease = PortalLease.omit({ occupants: true }).meta({ id: "OwnedLease", description: "A lease as the owners of the property see it." });

/** Lease statuses visible to owners: those of leases that were activated. */
export const agreedStatuses = ["pending", "active", "expired", "terminated", "renewed"] as const satisfies readonly (typeof leaseStatuses)[number][];

/** Work order view of the owner portal, with costs and without the arrangements between office and tenant. */
export const OwnedWorkOrder = WorkOrder.omit({
  leaseId: true,
  tenantId: true,
  tenantName: true,
  assignedUserId: true,
  entryPermission: true,
  entryNotes: true,
  visibility: true,
  createdByUserId: true,
}).meta({ id: "OwnedWorkOrder", description: "A work order as the owners of the property see it." });

export const OwnerApproval = WorkOrderEstimate.extend({
  vendorName: z.string().nullable().describe("Name of the vendor that submitted the estimate; null without a vendor."),
  limitCents: Cents.describe("`maintenanceLimitCents` of the property in cents, or the limit at the decision; estimates above it need an owner's approval."),
  workOrder: z
    .strictObject({
      id: Id.describe("Unique identifier of the work order."),
      number: z.int().describe("Sequential number of the work order within the organization."),
      title: z.string().describe("Short title of the work."),
      status: z.enum(workOrderStatuses),
      propertyId: Id.describe("Property where the work is done."),
      propertyName: z.string().describe("Name of the property."),
      unitNumber: z.string().nullable().describe("Number of the unit; null without a unit, or for a unit without a number."),
    })
    .describe("Work order that the estimate is for."),
}).meta({ id: "OwnerApproval", description: "An estimate above the maintenance limit of its property, which needs an owner's approval." });
export type OwnerApproval = z.output<typeof OwnerApproval>;

const decision = body({ note: text(1, 500).optional().describe("Remark on the decision, kept with the estimate.") });

export const ownerPortal = operationGroup("Portal", "portfolio", {
  getOwnerPortalMe: {
    method: "GET",
    path: "/api/portal/owner/me",
    summary: "read their own owner account",
    access: owner,
    response: {
      owner: PortalOwner.describe("Owner record of the caller."),
      organization: PortalOrganization.describe("Organization that manages the owner's properties."),
    },
    errors: [404],
  },
  listOwnedProperties: {
    method: "GET",
    path: "/api/portal/owner/properties",
    summary: "list their own properties",
    access: owner,
    description: "Lists the properties that the owner owns today.",
    query: listQuery(["name", "city", "units", "occupiedUnits", "createdAt"], {
      search: Search.optional().describe("Case-insensitive text to find in the name, street, city and postal code."),
    }).omit({ includeDeleted: true }),
    response: page("properties", OwnedProperty),
  },
  getOwnedProperty: {
    method: "GET",
    path: "/api/portal/owner/properties/{id}",
    summary: "read one of their own properties",
    access: owner,
    response: { property: OwnedProperty.describe("Requested property.") },
  },
  listOwnedLeases: {
    method: "GET",
    path: "/api/portal/owner/leases",
    summary: "list the leases of their own properties",
    access: owner,
    description: "Lists the leases of properties that the owner owns today. Draft and cancelled leases are omitted.",
    query: listQuery(["startDate", "endDate", "tenantName", "propertyName", "unitNumber", "rentCents", "status", "createdAt"], {
      search: Search.optional().describe("Case-insensitive text to find in the names of the tenant and the property and in the unit number."),
      propertyId: Id.optional().describe("Only leases of this property."),
      unitId: Id.optional().describe("Only leases of this unit."),
      status: csvEnum(agreedStatuses).optional().describe("Statuses of the lease, repeated or comma-separated."),
    }).omit({ includeDeleted: true }),
    response: page("leases", OwnedLease),
  },
  listOwnedWorkOrders: {
    method: "GET",
    path: "/api/portal/owner/work-orders",
    summary: "list the work orders of their own properties",
    access: owner,
    description: "Lists the work orders of properties that the owner owns today.",
    query: listQuery(["createdAt", "number", "dueOn", "priority", "status", "propertyName"], {
      search: Search.optional().describe(
        "Case-insensitive text to find in the title, the description, the names of property and vendor and the unit number, or a number as `17` or `#17`.",
      ),
      propertyId: Id.optional().describe("Only work orders of this property."),
      unitId: Id.optional().describe("Only work orders of this unit."),
      status: csvEnum(workOrderStatuses).optional().describe("Statuses of the work order, repeated or comma-separated."),
    }).omit({ includeDeleted: true }),
    response: page("workOrders", OwnedWorkOrder),
  },
  listOwnerPortalDocuments: {
    method: "GET",
    path: "/api/portal/owner/documents",
    summary: "list documents shared with owners",
    access: owner,
    description: "Lists documents shared with owners about the owner and the owner's properties, with their units, leases and work orders.",
    ...portalDocuments,
  },
  listOwnerApprovals: {
    method: "GET",
    path: "/api/portal/owner/approvals",
    summary: "list approvals awaiting an owner",
    access: owner,
    description:
      "Lists the estimates above `maintenanceLimitCents` for properties that the owner owns today, including decided estimates; " +
      "`status=submitted` lists those that await approval.",
    query: listQuery(["createdAt", "amountCents"], {
      status: csvEnum(estimateStatuses).optional().describe("Statuses of the estimate, repeated or comma-separated."),
      propertyId: Id.optional().describe("Only estimates for this property."),
    }).omit({ includeDeleted: true }),
    response: page("approvals", OwnerApproval),
  },
  approveOwnerApproval: {
    method: "POST",
    path: "/api/portal/owner/approvals/{id}/approve",
    summary: "approve estimates awaiting an owner",
    access: owner,
    description: "Approves the estimate and rejects all other estimates of the work order. The approval of one owner is sufficient.",
    body: decision,
    response: { approval: OwnerApproval.describe("Approved estimate.") },
    errors: [409],
  },
  rejectOwnerApproval: {
    method: "POST",
    path: "/api/portal/owner/approvals/{id}/reject",
    summary: "reject estimates awaiting an owner",
    access: owner,
    body: decision,
    response: { approval: OwnerApproval.describe("Rejected estimate.") },
    errors: [409],
  },
});
