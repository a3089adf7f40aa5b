import { z } from "zod";
import { Document, portalUpload } from "../documents/documents.ts";
import { Note } from "../overview/notes.ts";
import { operationGroup, body } from "../operation.ts";
import { CommentBody, portalDocuments } from "./portals.ts";
import { csvEnum, Instant, listQuery, NonNegativeCents, page, Search, text } from "../values.ts";
import { Vendor } from "../people/vendors.ts";
import { AssignedWorkOrder } from "../maintenance/assigned-work-order.schema.ts";
import { WorkOrderEstimate, workOrderPriorities, workOrders, workOrderStatuses } from "../maintenance/work-orders.ts";

const vendor = ["vendor"] as const;

/** Vendor record as shown to the vendor, without internal remarks and accounting defaults. */
export const PortalVendor = Vendor.omit({ notes: true, categoryId: true, outstandingCents: true, deletedAt: true }).meta({
  id: "PortalVendor",
  description: "The vendor record of the caller.",
});
export type PortalVendor = z.output<typeof PortalVendor>;

/** Estimate in the vendor portal. */
const AssignedWorkOrderEstimate = WorkOrderEstimate.omit({ needsOwnerApproval: true }).meta({
  id: "AssignedWorkOrderEstimate",
  description: "An estimate as its vendor sees it.",
});

const { email, phone, contactName, address, licenseExpiresOn, insurances } = Vendor.shape;
const workOrderResponse = (description: string) => ({ workOrder: AssignedWorkOrder.describe(description) });
const { createWorkOrderEstimate } = workOrders.operations;

export const vendorPortal = operationGroup("Vendor Portal", "portfolio", {
  getVendorPortalMe: {
    method: "GET",
    path: "/api/vendor-portal/me",
    summary: "read their own vendor account",
    access: vendor,
    response: { vendor: PortalVendor.describe("Vendor record of the caller.") },
    errors: [404],
  },
  updateVendorPortalMe: {
    method: "PATCH",
    path: "/api/vendor-portal/me",
    summary: "change their own vendor account",
    access: vendor,
    description:
      "Changes the contact details, address, license and insurances; `insurances` replaces all insurance policies. The name, trade, payment terms and tax id are " +
      "changed by the office. `email` receives notices about work orders; the sign-in address of the user account does not change. Messages from an `email` or `phone` that the vendor has entered reach the vendor's conversation unless the office has recorded it for a tenant, an owner or another vendor. The `documentId` of an " +
      "insurance must refer to a document that the vendor can read or that the insurances already refer to.",
    body: body({ email, phone, contactName, address, licenseExpiresOn, insurances }).partial(),
    response: { vendor: PortalVendor.describe("Vendor record after the change.") },
    errors: [404, 412],
  },
  listAssignedWorkOrders: {
    method: "GET",
    path: "/api/vendor-portal/work-orders",
    summary: "list the work orders assigned to them",
    access: vendor,
    query: listQuery(["createdAt", "number", "dueOn", "priority", "status", "propertyName"], {
      search: Search.optional().describe(
        "Case-insensitive text to find in the title, the description, the names of property and vendor and the unit number, or a number as `17` or `#17`.",
      ),
      status: csvEnum(workOrderStatuses).optional().describe("Statuses of the work order, repeated or comma-separated."),
      priority: csvEnum(workOrderPriorities).optional().describe("Priorities of the work order, repeated or comma-separated."),
    }).omit({ includeDeleted: true }),
    response: page("workOrders", AssignedWorkOrder),
  },
  getAssignedWorkOrder: {
    method: "GET",
    path: "/api/vendor-portal/work-orders/{id}",
    summary: "read a work order assigned to them",
    access: vendor,
    description: "A work order that is not assigned to the vendor returns 404.",
    response: {
      ...workOrderResponse("Requested work order."),
      notes: z
        .array(Note)
        .describe("Notes that are shared with vendors since the former vendor was replaced, if any, and the vendor's own, newest first, at most 100."),
      documents: z.array(Document).describe("Documents of the work order that are shared with vendors, newest first, at most 100."),
      estimates: z.array(AssignedWorkOrderEstimate).describe("Estimates of the vendor for the work order, newest first, at most 100."),
    },
  },
  acceptAssignedWorkOrder: {
    method: "POST",
    path: "/api/vendor-portal/work-orders/{id}/accept",
    summary: "accept work orders assigned to them",
    access: vendor,
    description:
      "Sets `acceptedAt`; the status does not change. An accepted or finished work order returns 409. Starting the work accepts the work order as well.",
    response: workOrderResponse("Accepted work order."),
    errors: [409],
  },
  declineAssignedWorkOrder: {
    method: "POST",
    path: "/api/vendor-portal/work-orders/{id}/decline",
    summary: "decline work orders assigned to them",
    access: vendor,
    description:
      "Removes the vendor and the appointment from the work order and publishes `work_order.assigned` to the office; the reason is added as an internal note. " +
      "An accepted work order can be declined until the vendor has started it. Afterwards the work order returns 404 to the vendor.",
    body: body({ reason: text(1, 4000).optional().describe("Reason for declining, added to the work order as a note for the office.") }),
    response: workOrderResponse("Declined work order, as the vendor last sees it."),
    errors: [409],
  },
  transitionAssignedWorkOrder: {
    method: "POST",
    path: "/api/vendor-portal/work-orders/{id}/transition",
    summary: "change the status of work orders assigned to them",
    access: vendor,
    description:
      "Allows `open` to `in_progress` and `in_progress` to `completed`; other transitions return 409. Only the office can cancel a work order: `cancelled` returns 403.",
    body: body({
      status: z.enum(["in_progress", "completed", "cancelled"]).describe("New status of the work order: `in_progress` or `completed`."),
      note: text(1, 4000).optional().describe("Note to add to the work order, shared between the office and the vendor."),
      completedAt: Instant.optional().describe("Time of completion, not in the future; only with the status `completed`. Default now."),
      actualCents: NonNegativeCents.optional().describe("Actual cost of the work in cents. Default unchanged."),
    }).refine(({ status, completedAt }) => completedAt === undefined || status === "completed", {
      path: ["completedAt"],
      params: { code: "not_allowed" },
      message: "completedAt can only be sent with the status completed.",
    }),
    response: workOrderResponse("Work order after the transition."),
    errors: [409],
  },
  scheduleAssignedWorkOrder: {
    method: "POST",
    path: "/api/vendor-portal/work-orders/{id}/schedule",
    summary: "schedule work orders assigned to them",
    access: vendor,
    description: "Sets the appointment, replacing an earlier one.",
    body: body({
      scheduledStart: Instant.nullable().describe("Start of the appointment; null cancels the appointment."),
      scheduledEnd: Instant.nullable().default(null).describe("End of the appointment, not before its start; only with a `scheduledStart`. Default null."),
    }).refine(({ scheduledStart, scheduledEnd }) => scheduledStart !== null || scheduledEnd === null, {
      path: ["scheduledEnd"],
      params: { code: "not_allowed" },
      message: "scheduledEnd can only be sent with a scheduledStart.",
    }),
    response: workOrderResponse("Work order with the appointment."),
    errors: [409],
  },
  commentOnAssignedWorkOrder: {
    method: "POST",
    path: "/api/vendor-portal/work-orders/{id}/comments",
    summary: "comment on work orders assigned to them",
    access: vendor,
    description: "Adds a note that the office and the vendor can read, also to a finished work order.",
    body: CommentBody,
    response: { ...workOrderResponse("Commented work order."), note: Note.describe("Added note.") },
    idempotent: true,
  },
  uploadAssignedWorkOrderDocument: {
    method: "POST",
    path: "/api/vendor-portal/work-orders/{id}/documents",
    summary: "upload documents to work orders assigned to them",
    access: vendor,
    ...portalUpload,
    description: `Adds a file that the office and the vendor can read, such as a photo or an invoice. At most 50 files of a vendor for a work order, and 250 MiB of a vendor in 30 days. ${portalUpload.description}`,
  },
  uploadVendorConversationDocument: {
    method: "POST",
    path: "/api/vendor-portal/conversations/{id}/documents",
    summary: "upload documents to their own conversations",
    access: vendor,
    ...portalUpload,
    description: `Adds a file that the office and the vendor can read, to be sent with \`POST /api/vendor-portal/conversations/{id}/messages\` in \`documentIds\`. Refused when the conversation is closed or archived (409 \`invalid_transition\`). At most 50 files of a vendor for a conversation and 250 MiB of a vendor in 30 days. ${portalUpload.description}`,
    errors: [409],
  },
  estimateAssignedWorkOrder: {
    method: "POST",
    path: "/api/vendor-portal/work-orders/{id}/estimates",
    summary: "submit estimates for work orders assigned to them",
    access: vendor,
    description: "An estimate above the property's `maintenanceLimitCents` needs an owner's approval.",
    body: createWorkOrderEstimate.body,
    response: { ...workOrderResponse("Work order with the estimate."), estimate: AssignedWorkOrderEstimate.describe("Submitted estimate.") },
    errors: [409],
    idempotent: true,
  },
  listVendorPortalDocuments: {
    method: "GET",
    path: "/api/vendor-portal/documents",
    summary: "list documents shared with vendors",
    access: vendor,
    description: "Lists documents shared with vendors about the vendor and the work orders assigned to it, and the vendor's files of conversations.",
    ...portalDocuments,
  },
});
