import { z } from "zod";
import type { EventType } from "../events.ts";
import { operationGroup } from "../operation.ts";
import { officeRoles } from "../roles.ts";
import { csvEnum, Id, Instant, listQuery, page, PlainDate } from "../values.ts";

/**
 * Event types recorded as activity: those of portfolio resources, invites, charges, payments and journal entries. Changes of users
 * and settings are in the audit log.
 */
export const activityTypes = [
  "property.created",
  "property.updated",
  "property.deleted",
  "unit.created",
  "unit.updated",
  "unit.deleted",
  "owner.created",
  "owner.updated",
  "owner.deleted",
  "tenant.created",
  "tenant.updated",
  "tenant.deleted",
  "tenant.merged",
  "vendor.created",
  "vendor.updated",
  "vendor.deleted",
  "lease.created",
  "lease.updated",
  "lease.activated",
  "lease.renewed",
  "lease.terminated",
  "lease.expired",
  "lease.deleted",
  "occupant.released",
  "invite.created",
  "invite.resent",
  "invite.revoked",
  "invite.accepted",
  "work_order.created",
  "work_order.updated",
  "work_order.transitioned",
  "work_order.assigned",
  "inspection.created",
  "inspection.updated",
  "inspection.started",
  "inspection.completed",
  "inspection.cancelled",
  "note.created",
  "note.updated",
  "note.deleted",
  "document.created",
  "document.updated",
  "document.deleted",
  "charge.posted",
  "charge.updated",
  "charge.voided",
  "charge.credited",
  "charge.credit_reversed",
  "charge.late_fee_assessed",
  "charge.late_fee_voided",
  "charge.overdue",
  "recurring_charge.created",
  "recurring_charge.updated",
  "recurring_charge.terms_changed",
  "recurring_charge.deleted",
  "payment.received",
  "payment.allocated",
  "payment.allocation_released",
  "payment.reversed",
  "payment.refunded",
  "payment.refund_voided",
  "deposit.created",
  "deposit.voided",
  "journal_entry.posted",
  "journal_entry.reversed",
  "properties.imported",
  "units.imported",
  "owners.imported",
  "tenants.imported",
  "vendors.imported",
  "leases.imported",
  "work_orders.imported",
  "charges.imported",
  "recurring_charges.imported",
  "payments.imported",
] as const satisfies readonly EventType[];

export const ActivityItem = z
  .strictObject({
    id: Id.describe("Identifier of the event."),
    occurredAt: Instant.describe("Time at which the event occurred."),
    type: z.enum(activityTypes).describe("Type of the event."),
    entityType: z.string().describe("Type of the record that changed."),
    entityId: Id.describe("Identifier of the record that changed."),
    propertyId: Id.nullable().describe("Property that the event concerns; null for none."),
    leaseId: Id.nullable().describe("Lease that the event concerns; null for none."),
    tenantId: Id.nullable().describe("Tenant that the event concerns; for an event of a lease, its tenant at that time. Null for none."),
    actorUserId: Id.nullable().describe("User or service key that caused the event; null for the system."),
    summary: z.string().describe("Sentence that describes the event, without amounts or names."),
  })
  .meta({ id: "ActivityItem", description: "An event in the history of a property, lease or tenant. An entry contains no amounts or names." });
export type ActivityItem = z.output<typeof ActivityItem>;

const description =
  "Lists events, newest first, available within a second. An event of a lease is listed under the lease, its property and everyone on the lease at that time. " +
  "Events are kept for two years.";
const query = listQuery(["occurredAt"], {
  type: csvEnum(activityTypes).optional().describe("Types of event, repeated or comma-separated."),
  occurredAfter: PlainDate.optional().describe("Only events on or after this day in the organization's time zone."),
  occurredBefore: PlainDate.optional().describe("Only events on or before this day in the organization's time zone."),
});
const response = page("activity", ActivityItem);

export const activity = operationGroup("Activity", "portfolio", {
  listPropertyActivity: {
    method: "GET",
    path: "/api/properties/{id}/activity",
    summary: "list the activity of a property",
    access: officeRoles,
    description,
    query,
    response,
  },
  listLeaseActivity: {
    method: "GET",
    path: "/api/leases/{id}/activity",
    summary: "list the activity of a lease",
    access: officeRoles,
    description,
    query,
    response,
  },
  listTenantActivity: {
    method: "GET",
    path: "/api/tenants/{id}/activity",
    summary: "list the activity of a tenant",
    access: officeRoles,
    description,
    query,
    response,
  },
});
