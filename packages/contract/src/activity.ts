import { z } from "zod";
import type { EventType } from "./events.ts";
import { area } from "./operation.ts";
import { office } from "./roles.ts";
import { anyOf, Id, Instant, listQuery, page, PlainDate } from "./values.ts";

/** The events that are remembered as activity: what happens to properties, their people and their money. Users and settings have the audit log. */
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
  "charge.voided",
  "charge.overdue",
  "recurring_charge.created",
  "recurring_charge.updated",
  "payment.received",
  "payment.allocated",
  "payment.reversed",
  "journal_entry.posted",
  "journal_entry.reversed",
] as const satisfies readonly EventType[];

export const ActivityItem = z
  .strictObject({
    id: Id.meta({ description: "The id of the event." }),
    occurredAt: Instant,
    type: z.enum(activityTypes).meta({ description: "The type of the event." }),
    entityType: z.string(),
    entityId: Id,
    propertyId: Id.nullable(),
    leaseId: Id.nullable(),
    tenantId: Id.nullable().meta({ description: "Whom it is about; of a lease its tenant at that time." }),
    actorUserId: Id.nullable().meta({ description: "The user or the service key that did it; null for what the system did by itself." }),
    summary: z.string(),
  })
  .meta({ id: "ActivityItem", description: "One thing that happened. It names neither amounts nor people; the ids lead to them." });
export type ActivityItem = z.output<typeof ActivityItem>;

const description =
  "Newest first, within a second of what happened. What concerns a lease is shown on the lease, on its property and on everyone who lives under it at that time. Days are the organization's, both ends included. Kept for two years.";
const query = listQuery(
  ["occurredAt"],
  { type: anyOf(activityTypes).optional(), occurredAfter: PlainDate.optional(), occurredBefore: PlainDate.optional() },
  "desc",
);
const returns = page("activity", ActivityItem);

export const activity = area("Activity", "portfolio", {
  listPropertyActivity: {
    method: "GET",
    path: "/api/properties/{id}/activity",
    summary: "read the activity of a property",
    access: office,
    description,
    query,
    returns,
  },
  listLeaseActivity: { method: "GET", path: "/api/leases/{id}/activity", summary: "read the activity of a lease", access: office, description, query, returns },
  listTenantActivity: {
    method: "GET",
    path: "/api/tenants/{id}/activity",
    summary: "read the activity of a tenant",
    access: office,
    description,
    query,
    returns,
  },
});
