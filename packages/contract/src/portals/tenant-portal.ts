import { z } from "zod";
import { Document, portalUpload } from "../documents/documents.ts";
import { Note } from "../overview/notes.ts";
import { operationGroup, body } from "../operation.ts";
import { ParkingRight } from "../leases/parking-rights.ts";
import { CommentBody, portalDocuments, PortalLease, PortalOrganization } from "./portals.ts";
import { RecurringChargeRule } from "../ledger/recurring-charges.ts";
import { Tenant } from "../people/tenants.ts";
import { csvEnum, Id, listQuery, page, Search, text } from "../values.ts";
import { WorkOrder, workOrderStatuses } from "../maintenance/work-orders.ts";

const tenant = ["tenant"] as const;

/** Tenant record as shown to the tenant. */
export const PortalTenant = Tenant.omit({ dateOfBirth: true, balanceCents: true, mergedIntoTenantId: true, deletedAt: true }).meta({
  id: "PortalTenant",
  description: "The tenant record of the caller.",
});

export const PortalParkingRight = ParkingRight.omit({ notes: true, deletedAt: true }).meta({
  id: "PortalParkingRight",
  description: "A parking right as the tenants of the lease see it.",
});

/** Recurring charge in the tenant portal, without the account that it is credited to. */
export const PortalRecurringCharge = RecurringChargeRule.omit({ categoryId: true, deletedAt: true }).meta({
  id: "PortalRecurringCharge",
  description: "A recurring charge of a lease as its tenants see it.",
});

/** Work order view of the tenant portal, without costs and internal planning. */
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

const Features = z.strictObject({
  onlinePayments: z.boolean().describe("Whether the tenant can pay online."),
  autopay: z.boolean().describe("Whether the tenant can set up automatic payments."),
  maintenance: z.boolean().describe("Whether the tenant can submit maintenance requests."),
});

export const tenantPortal = operationGroup("Portal", "portfolio", {
  getTenantPortalMe: {
    method: "GET",
    path: "/api/portal/me",
    summary: "read their own tenant account",
    access: tenant,
    response: {
      tenant: PortalTenant.describe("Tenant record of the caller."),
      organization: PortalOrganization.describe("Organization that the tenant rents from."),
      leases: z.array(PortalLease).describe("Leases of the tenant, as returned by `GET /api/portal/leases`."),
      features: Features.describe("Features available to the tenant in the portal."),
    },
    errors: [404],
  },
  listTenantPortalLeases: {
    method: "GET",
    path: "/api/portal/leases",
    summary: "list their own leases",
    access: tenant,
    description:
      "Lists the leases on which the tenant is the primary occupant or a co-tenant, except drafts and cancelled leases. A lease disappears on the day on " +
      "which the tenant is released from it; a lease that has ended remains listed for the tenants who stayed until its end.",
    response: { leases: z.array(PortalLease).describe("Leases of the tenant, newest first, at most 100.") },
  },
  getTenantPortalLease: {
    method: "GET",
    path: "/api/portal/leases/{id}",
    summary: "read one of their own leases",
    access: tenant,
    response: {
      lease: PortalLease.describe("Requested lease."),
      parkingRights: z.array(PortalParkingRight).describe("Parking rights of the lease."),
      recurringChargeRules: z
        .array(PortalRecurringCharge)
        .describe("Recurring charges of the lease, oldest first, without drafts; empty while the ledger is unavailable."),
    },
  },
  listMaintenanceRequests: {
    method: "GET",
    path: "/api/portal/maintenance-requests",
    summary: "list their own maintenance requests",
    access: tenant,
    description: "Lists the requests of the tenant and other work orders for the tenant that the office shares; `source` distinguishes them.",
    query: listQuery(["createdAt", "number", "status"], {
      search: Search.optional().describe(
        "Case-insensitive text to find in the title, the description, the names of property and vendor and the unit number, or a number as `17` or `#17`.",
      ),
      status: csvEnum(workOrderStatuses).optional().describe("Statuses of the maintenance request, repeated or comma-separated."),
    }).omit({ includeDeleted: true }),
    response: page("workOrders", MaintenanceRequest),
  },
  createMaintenanceRequest: {
    method: "POST",
    path: "/api/portal/maintenance-requests",
    summary: "submit maintenance requests",
    access: tenant,
    description:
      "Creates an open work order for the unit of the lease. Returns 409 `lease_not_active` unless the tenant lives in the unit under the lease, until the move-out " +
      "or the release, or is going to move in. The copies of `documentIds` are uploads of the tenant: the office and the tenant read them, and the office can share them with the vendor. They count towards the 250 MiB of a tenant in 30 days.",
    body: body({
      leaseId: Id.optional().describe(
        "Lease that the request concerns. Default the tenant's only active lease, or only lease of residence when none is active; required with several.",
      ),
      title: WorkOrder.shape.title.describe("Short title of the problem."),
      description: text(1, 8000).describe("Description of the problem."),
      category: WorkOrder.shape.category.default("other").describe("Category of the work. Default `other`."),
      priority: WorkOrder.shape.priority.default("normal").describe("Priority of the work. Default `normal`."),
      entryPermitted: z.boolean().optional().describe("Whether the unit may be entered while nobody is at home. Default unknown."),
      entryNotes: WorkOrder.shape.entryNotes.optional(),
      documentIds: z
        .array(Id)
        .max(20)
        .optional()
        .describe("IDs of documents of the portal, such as photos of a conversation. The request has copies of them. Default: none."),
    }),
    response: { workOrder: MaintenanceRequest.describe("Submitted maintenance request.") },
    errors: [409],
    idempotent: true,
  },
  getMaintenanceRequest: {
    method: "GET",
    path: "/api/portal/maintenance-requests/{id}",
    summary: "read one of their own maintenance requests",
    access: tenant,
    description:
      "A tenant who was released from the unit reads the notes and documents that were shared before the release. If the work order has changed since, vendor, " +
      "appointment and entry notes are null.",
    response: {
      workOrder: MaintenanceRequest.describe("Requested maintenance request."),
      notes: z.array(Note).describe("Notes about the request that are shared with the tenant, newest first, at most 100."),
      documents: z.array(Document).describe("Documents of the request that are shared with the tenant, newest first, at most 100."),
    },
  },
  commentOnMaintenanceRequest: {
    method: "POST",
    path: "/api/portal/maintenance-requests/{id}/comments",
    summary: "comment on their own maintenance requests",
    access: tenant,
    description:
      "Adds a note that the office and the tenant can read, also to a finished request. A request for a unit from which the tenant was released returns 403 " +
      "`scope_forbidden`.",
    body: CommentBody,
    response: { workOrder: MaintenanceRequest.describe("Commented maintenance request."), note: Note.describe("Added note.") },
    idempotent: true,
  },
  uploadMaintenanceRequestDocument: {
    method: "POST",
    path: "/api/portal/maintenance-requests/{id}/documents",
    summary: "upload documents to their own maintenance requests",
    access: tenant,
    ...portalUpload,
    description: `Adds a file that the office and the tenant can read; the office can share it with the vendor. At most 50 files of a tenant for a request, and 250 MiB of a tenant in 30 days. ${portalUpload.description}`,
  },
  uploadTenantConversationDocument: {
    method: "POST",
    path: "/api/portal/conversations/{id}/documents",
    summary: "upload documents to their own conversations",
    access: tenant,
    ...portalUpload,
    description: `Adds a file that the office and the tenant can read, to be sent with \`POST /api/portal/conversations/{id}/messages\` in \`documentIds\`. Refused when the conversation is closed or archived (409 \`invalid_transition\`). At most 50 files of a tenant for a conversation and 250 MiB of a tenant in 30 days. ${portalUpload.description}`,
    errors: [409],
  },
  cancelMaintenanceRequest: {
    method: "POST",
    path: "/api/portal/maintenance-requests/{id}/cancel",
    summary: "cancel their own maintenance requests",
    access: tenant,
    description:
      "Cancels a request in the status `open` that the tenant submitted. A work order from another source, the request of a former tenant of the work order, and a " +
      "request for a unit from which the tenant was released return 403 `scope_forbidden`.",
    response: { workOrder: MaintenanceRequest.describe("Cancelled maintenance request.") },
    errors: [409],
  },
  listTenantPortalDocuments: {
    method: "GET",
    path: "/api/portal/documents",
    summary: "list documents shared with tenants",
    access: tenant,
    description:
      "Lists documents shared with tenants about the tenant, the tenant's leases, current unit and property, maintenance requests, and the tenant's files of conversations.",
    ...portalDocuments,
  },
});
