import { z } from "zod";
import { Document } from "./documents.ts";
import { Note } from "./notes.ts";
import { area, body } from "./operation.ts";
import { comment, portalDocuments } from "./portals.ts";
import { Property } from "./properties.ts";
import { anyOf, Instant, listQuery, NonNegativeCents, page, Search, text } from "./values.ts";
import { Vendor } from "./vendors.ts";
import { WorkOrder, WorkOrderEstimate, workOrderPriorities, workOrders, workOrderStatuses } from "./work-orders.ts";

const vendor = ["vendor"] as const;

/** A vendor's own particulars, without what the office notes of it and how it books it. */
export const PortalVendor = Vendor.omit({ notes: true, categoryId: true, outstandingCents: true, deletedAt: true }).meta({
  id: "PortalVendor",
  description: "A vendor as it sees itself.",
});
export type PortalVendor = z.output<typeof PortalVendor>;

export const WorkAddress = Property.pick({ streetLine1: true, streetLine2: true, city: true, state: true, postalCode: true }).meta({ id: "WorkAddress" });

/** A work order with all that it takes to do it. */
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
  .extend({ address: WorkAddress })
  .meta({ id: "AssignedWorkOrder", description: "A work order as the vendor sees it; the amounts are those of the vendor's own estimates." });
export type AssignedWorkOrder = z.output<typeof AssignedWorkOrder>;

const { email, phone, contactName, address, licenseExpiresOn, insurances } = Vendor.shape;
const assigned = { workOrder: AssignedWorkOrder };
const theirs = "Only what is assigned to the vendor; anything else is 404.";
const { createWorkOrderEstimate } = workOrders.operations;

export const vendorPortal = area("Vendor Portal", "portfolio", {
  getVendorPortalMe: {
    method: "GET",
    path: "/api/vendor-portal/me",
    summary: "read their own vendor account",
    access: vendor,
    returns: { vendor: PortalVendor },
    fails: [404],
  },
  updateVendorPortalMe: {
    method: "PATCH",
    path: "/api/vendor-portal/me",
    summary: "change their own vendor account",
    access: vendor,
    description:
      "How the vendor is reached, and what it has to show: contact, address, licence and insurances (which replace those it has). Its name, trade, terms and tax id are the office's to change. `email` is where letters about work go; signing in stays with the user's own address. A `documentId` of an insurance is of a document that the vendor sees, or one the insurances name already.",
    body: body({ email, phone, contactName, address, licenseExpiresOn, insurances }).partial(),
    returns: { vendor: PortalVendor },
    fails: [404, 412],
  },
  listAssignedWorkOrders: {
    method: "GET",
    path: "/api/vendor-portal/work-orders",
    summary: "list the work orders assigned to them",
    access: vendor,
    description: "Only what is assigned to the vendor.",
    query: listQuery(
      ["createdAt", "number", "dueOn", "priority", "status", "propertyName"],
      { search: Search.optional(), status: anyOf(workOrderStatuses).optional(), priority: anyOf(workOrderPriorities).optional() },
      "desc",
    ).omit({ includeDeleted: true }),
    returns: page("workOrders", AssignedWorkOrder),
  },
  getAssignedWorkOrder: {
    method: "GET",
    path: "/api/vendor-portal/work-orders/{id}",
    summary: "read a work order assigned to them",
    access: vendor,
    description: `${theirs} With the notes and documents that are shared with vendors and the vendor's own estimates, newest first, at most a hundred of each.`,
    returns: { ...assigned, notes: z.array(Note), documents: z.array(Document), estimates: z.array(WorkOrderEstimate) },
  },
  acceptAssignedWorkOrder: {
    method: "POST",
    path: "/api/vendor-portal/work-orders/{id}/accept",
    summary: "accept work orders assigned to them",
    access: vendor,
    description: "Says in `acceptedAt` that the vendor will do it; the status stays. Once, and before it is finished. Starting the work accepts it as well.",
    returns: assigned,
    fails: [409],
  },
  declineAssignedWorkOrder: {
    method: "POST",
    path: "/api/vendor-portal/work-orders/{id}/decline",
    summary: "decline work orders assigned to them",
    access: vendor,
    description:
      "Gives it back: it is assigned to no vendor, its appointment is off, and the office is told by `work_order.assigned`, with the reason in a note of its own. Also what was accepted, until the vendor has started it. Answers it as it was given back; after that it is 404 to the vendor.",
    body: body({ reason: text(1, 4000).optional() }),
    returns: assigned,
    fails: [409],
  },
  transitionAssignedWorkOrder: {
    method: "POST",
    path: "/api/vendor-portal/work-orders/{id}/transition",
    summary: "move work orders assigned to them on",
    access: vendor,
    description:
      "From `open` to `in_progress`, from there to `completed`; cancelling is the office's. `completedAt` goes with `completed` alone and cannot lie in the future. The note is shared with the vendor.",
    body: body({
      status: z.enum(["in_progress", "completed"]),
      note: text(1, 4000).optional(),
      completedAt: Instant.optional(),
      actualCents: NonNegativeCents.optional(),
    }).refine(({ status, completedAt }) => completedAt === undefined || status === "completed", {
      path: ["completedAt"],
      params: { code: "not_allowed" },
      message: "completedAt can only be sent with the status completed.",
    }),
    returns: assigned,
    fails: [409],
  },
  scheduleAssignedWorkOrder: {
    method: "POST",
    path: "/api/vendor-portal/work-orders/{id}/schedule",
    summary: "schedule work orders assigned to them",
    access: vendor,
    description: "Says when the vendor comes, in place of what was said before; `scheduledStart` null calls the appointment off.",
    body: body({ scheduledStart: Instant.nullable(), scheduledEnd: Instant.nullable().default(null) }).refine(
      ({ scheduledStart, scheduledEnd }) => scheduledStart !== null || scheduledEnd === null,
      { path: ["scheduledEnd"], params: { code: "not_allowed" }, message: "scheduledEnd can only be sent with a scheduledStart." },
    ),
    returns: assigned,
    fails: [409],
  },
  commentOnAssignedWorkOrder: {
    method: "POST",
    path: "/api/vendor-portal/work-orders/{id}/comments",
    summary: "comment on work orders assigned to them",
    access: vendor,
    description: "A note that the office and the vendor see; also once the work is finished.",
    body: comment,
    returns: { ...assigned, note: Note },
    idempotent: true,
  },
  estimateAssignedWorkOrder: {
    method: "POST",
    path: "/api/vendor-portal/work-orders/{id}/estimates",
    summary: "estimate work orders assigned to them",
    access: vendor,
    description: "The lines, if there are any, must add up to the amount; each is rounded half up to a cent. Beyond the property's limit an owner is asked.",
    body: createWorkOrderEstimate.body,
    returns: { ...assigned, estimate: WorkOrderEstimate },
    fails: [409],
    idempotent: true,
  },
  listVendorPortalDocuments: {
    method: "GET",
    path: "/api/vendor-portal/documents",
    summary: "list documents shared with vendors",
    access: vendor,
    description: "What is shared with vendors, about the vendor and the work orders assigned to it.",
    ...portalDocuments,
  },
});
