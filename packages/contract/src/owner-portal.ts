import { z } from "zod";
import type { leaseStatuses } from "./leases.ts";
import { area, body } from "./operation.ts";
import { Owner } from "./owners.ts";
import { portalDocuments, PortalLease, PortalOrganization } from "./portals.ts";
import { Property } from "./properties.ts";
import { anyOf, Cents, Id, listQuery, page, Search, text } from "./values.ts";
import { estimateStatuses, WorkOrder, WorkOrderEstimate, workOrderStatuses } from "./work-orders.ts";

const owner = ["owner"] as const;

/** An owner's own particulars. */
export const PortalOwner = Owner.omit({ balanceCents: true, deletedAt: true }).meta({ id: "PortalOwner", description: "An owner as it sees itself." });

/** A property without who else owns it. */
export const OwnedProperty = Property.omit({
  ownerIds: true,
  relations: true,
  overduePostedRentCents: true,
  operatingBankAccountId: true,
  depositBankAccountId: true,
  deletedAt: true,
})
  .extend({
    shareBps: z.int().min(1).max(10_000).nullable().meta({ description: "The owner's own share today in basis points; null while nobody has said it." }),
  })
  .meta({ id: "OwnedProperty", description: "A property as one of its owners sees it." });
export type OwnedProperty = z.output<typeof OwnedProperty>;

/** A lease without the people who live there, but for the tenant. */
export const OwnedLease = PortalLease.omit({ occupants: true }).meta({ id: "OwnedLease", description: "A lease as an owner of the property sees it." });

/** The statuses of a lease that was ever agreed on. */
export const agreedStatuses = ["pending", "active", "expired", "terminated", "renewed"] as const satisfies readonly (typeof leaseStatuses)[number][];

/** A work order with what it costs, without how the office and the tenant arrange it. */
export const OwnedWorkOrder = WorkOrder.omit({
  leaseId: true,
  tenantId: true,
  tenantName: true,
  assignedUserId: true,
  entryPermission: true,
  entryNotes: true,
  visibility: true,
  createdByUserId: true,
}).meta({ id: "OwnedWorkOrder", description: "A work order as an owner of the property sees it." });

export const OwnerApproval = WorkOrderEstimate.extend({
  vendorName: z.string().nullable(),
  limitCents: Cents.meta({ description: "The property's `maintenanceLimitCents`, beyond which the owner is asked." }),
  workOrder: z.strictObject({
    id: Id,
    number: z.int(),
    title: z.string(),
    status: z.enum(workOrderStatuses),
    propertyId: Id,
    propertyName: z.string(),
    unitNumber: z.string().nullable(),
  }),
}).meta({ id: "OwnerApproval", description: "An estimate that takes the word of an owner." });
export type OwnerApproval = z.output<typeof OwnerApproval>;

const own = "Of the properties that are the owner's today.";
const decision = body({ note: text(1, 500).optional() });

export const ownerPortal = area("Portal", "portfolio", {
  getOwnerPortalMe: {
    method: "GET",
    path: "/api/portal/owner/me",
    summary: "read their own owner account",
    access: owner,
    returns: { owner: PortalOwner, organization: PortalOrganization },
    fails: [404],
  },
  listOwnedProperties: {
    method: "GET",
    path: "/api/portal/owner/properties",
    summary: "list their own properties",
    access: owner,
    description: "Those that are the owner's today.",
    query: listQuery(["name", "city", "units", "occupiedUnits", "createdAt"], { search: Search.optional() }).omit({ includeDeleted: true }),
    returns: page("properties", OwnedProperty),
  },
  getOwnedProperty: {
    method: "GET",
    path: "/api/portal/owner/properties/{id}",
    summary: "read one of their own properties",
    access: owner,
    returns: { property: OwnedProperty },
  },
  listOwnedLeases: {
    method: "GET",
    path: "/api/portal/owner/leases",
    summary: "list the leases of their own properties",
    access: owner,
    description: `${own} Drafts and what came of none are left out.`,
    query: listQuery(
      ["startDate", "endDate", "tenantName", "propertyName", "unitNumber", "rentCents", "status", "createdAt"],
      { search: Search.optional(), propertyId: Id.optional(), unitId: Id.optional(), status: anyOf(agreedStatuses).optional() },
      "desc",
    ).omit({ includeDeleted: true }),
    returns: page("leases", OwnedLease),
  },
  listOwnedWorkOrders: {
    method: "GET",
    path: "/api/portal/owner/work-orders",
    summary: "list the work orders of their own properties",
    access: owner,
    description: own,
    query: listQuery(
      ["createdAt", "number", "dueOn", "priority", "status", "propertyName"],
      { search: Search.optional(), propertyId: Id.optional(), unitId: Id.optional(), status: anyOf(workOrderStatuses).optional() },
      "desc",
    ).omit({ includeDeleted: true }),
    returns: page("workOrders", OwnedWorkOrder),
  },
  listOwnerPortalDocuments: {
    method: "GET",
    path: "/api/portal/owner/documents",
    summary: "list documents shared with owners",
    access: owner,
    description: "What is shared with owners, about the owner and its properties, their units, leases and work orders.",
    ...portalDocuments,
  },
  listOwnerApprovals: {
    method: "GET",
    path: "/api/portal/owner/approvals",
    summary: "list the estimates that wait for an owner's word",
    access: owner,
    description: `Estimates beyond the \`maintenanceLimitCents\` of the property. ${own} Also what was decided: \`status=submitted\` lists what waits.`,
    query: listQuery(["createdAt", "amountCents"], { status: anyOf(estimateStatuses).optional(), propertyId: Id.optional() }, "desc").omit({
      includeDeleted: true,
    }),
    returns: page("approvals", OwnerApproval),
  },
  approveOwnerApproval: {
    method: "POST",
    path: "/api/portal/owner/approvals/{id}/approve",
    summary: "approve what waits for an owner's word",
    access: owner,
    description: "Rejects all other estimates of the work order. One owner's word is enough.",
    body: decision,
    returns: { approval: OwnerApproval },
    fails: [409],
  },
  rejectOwnerApproval: {
    method: "POST",
    path: "/api/portal/owner/approvals/{id}/reject",
    summary: "reject what waits for an owner's word",
    access: owner,
    body: decision,
    returns: { approval: OwnerApproval },
    fails: [409],
  },
});
