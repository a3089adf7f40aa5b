import { z } from "zod";
import { Document } from "./documents.ts";
import { Note } from "./notes.ts";
import { area, body } from "./operation.ts";
import { ParkingRight } from "./parking-rights.ts";
import { comment, portalDocuments, PortalLease, PortalOrganization } from "./portals.ts";
import { RecurringChargeRule } from "./recurring-charges.ts";
import { Tenant } from "./tenants.ts";
import { anyOf, Id, listQuery, page, Search, text } from "./values.ts";
import { WorkOrder, workOrderStatuses } from "./work-orders.ts";

const tenant = ["tenant"] as const;

/** A tenant's own particulars. */
export const PortalTenant = Tenant.omit({ dateOfBirth: true, balanceCents: true, mergedIntoTenantId: true, deletedAt: true }).meta({
  id: "PortalTenant",
  description: "A tenant as it sees itself.",
});

export const PortalParkingRight = ParkingRight.omit({ notes: true, deletedAt: true }).meta({
  id: "PortalParkingRight",
  description: "A parking right as the lease's tenants see it.",
});

/** A work order without its costs and without what the office plans. */
export const MaintenanceRequest = WorkOrder.pick({
  id: true,
  organizationId: true,
  number: true,
  propertyId: true,
  propertyName: true,
  unitId: true,
  unitNumber: true,
  leaseId: true,
  title: true,
  description: true,
  category: true,
  priority: true,
  status: true,
  source: true,
  entryPermission: true,
  entryNotes: true,
  requestedAt: true,
  vendorName: true,
  scheduledStart: true,
  scheduledEnd: true,
  startedAt: true,
  completedAt: true,
  cancelledAt: true,
  createdAt: true,
  updatedAt: true,
}).meta({ id: "MaintenanceRequest", description: "A work order as the tenant sees it." });
export type MaintenanceRequest = z.output<typeof MaintenanceRequest>;

export const tenantPortal = area("Portal", "portfolio", {
  getTenantPortalMe: {
    method: "GET",
    path: "/api/portal/me",
    summary: "read their own tenant account",
    access: tenant,
    description: "`leases` as `GET /api/portal/leases`; `features` says what can be done in the portal.",
    returns: {
      tenant: PortalTenant,
      organization: PortalOrganization,
      leases: z.array(PortalLease),
      features: z.strictObject({ onlinePayments: z.boolean(), autopay: z.boolean(), maintenance: z.boolean() }),
    },
    fails: [404],
  },
  listTenantPortalLeases: {
    method: "GET",
    path: "/api/portal/leases",
    summary: "list their own leases",
    access: tenant,
    description:
      "All leases, whatever their status, that name the tenant as primary occupant or co-tenant and from which it was not released; on the day of its release a lease is gone, but a lease that has ended stays with whoever was there to its end. Newest first, at most a hundred.",
    returns: { leases: z.array(PortalLease) },
  },
  getTenantPortalLease: {
    method: "GET",
    path: "/api/portal/leases/{id}",
    summary: "read one of their own leases",
    access: tenant,
    returns: {
      lease: PortalLease,
      parkingRights: z.array(PortalParkingRight),
      recurringChargeRules: z.array(RecurringChargeRule).meta({ description: "None while the ledger does not answer." }),
    },
  },
  listMaintenanceRequests: {
    method: "GET",
    path: "/api/portal/maintenance-requests",
    summary: "list their own maintenance requests",
    access: tenant,
    description: "What the tenant asked for, and other work for the tenant that the office shares with it (`source` tells which). Search as in work orders.",
    query: listQuery(["createdAt", "number", "status"], { search: Search.optional(), status: anyOf(workOrderStatuses).optional() }, "desc").omit({
      includeDeleted: true,
    }),
    returns: page("workOrders", MaintenanceRequest),
  },
  createMaintenanceRequest: {
    method: "POST",
    path: "/api/portal/maintenance-requests",
    summary: "ask for maintenance",
    access: tenant,
    description:
      "Becomes an open work order of the office, for the unit of the lease. `leaseId` can be left out by whoever has one lease that is not over; where there is none, or it is over, 409 `lease_not_active`. `entryPermitted` says whether somebody may come in while nobody is at home; left out, it was not said.",
    body: body({
      leaseId: Id.optional(),
      title: WorkOrder.shape.title,
      description: text(1, 8000),
      category: WorkOrder.shape.category.default("other"),
      priority: WorkOrder.shape.priority.default("normal"),
      entryPermitted: z.boolean().optional(),
      entryNotes: WorkOrder.shape.entryNotes.optional(),
    }),
    returns: { workOrder: MaintenanceRequest },
    fails: [409],
    idempotent: true,
  },
  getMaintenanceRequest: {
    method: "GET",
    path: "/api/portal/maintenance-requests/{id}",
    summary: "read one of their own maintenance requests",
    access: tenant,
    description: "With the notes and documents about it that are shared with the tenant, newest first, at most a hundred of each.",
    returns: { workOrder: MaintenanceRequest, notes: z.array(Note), documents: z.array(Document) },
  },
  commentOnMaintenanceRequest: {
    method: "POST",
    path: "/api/portal/maintenance-requests/{id}/comments",
    summary: "comment on their own maintenance requests",
    access: tenant,
    description: "A note that the office and the tenant see; also once the work is finished.",
    body: comment,
    returns: { workOrder: MaintenanceRequest, note: Note },
    idempotent: true,
  },
  cancelMaintenanceRequest: {
    method: "POST",
    path: "/api/portal/maintenance-requests/{id}/cancel",
    summary: "cancel their own maintenance requests",
    access: tenant,
    description: "As long as it is `open`, and only what the tenant asked for itself: other work is refused with 403 `scope_forbidden`.",
    returns: { workOrder: MaintenanceRequest },
    fails: [409],
  },
  listTenantPortalDocuments: {
    method: "GET",
    path: "/api/portal/documents",
    summary: "list documents shared with tenants",
    access: tenant,
    description: "What is shared with tenants, about the tenant, its leases, its home and its maintenance requests.",
    ...portalDocuments,
  },
});
