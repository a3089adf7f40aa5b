/**
 * Catalogue of the events published by the services. The gateway relays them as server-sent events of the same name.
 * Payloads contain only ids and small status fields, never amounts or personal data.
 */
import { z } from "zod";
import { bulkImportStatuses } from "./imports/bulk-imports.ts";
import { inspectionStatuses, inspectionTypes } from "./maintenance/inspections.ts";
import { importBundleStatuses } from "./imports/import-bundles.ts";
import { leaseStatuses } from "./leases/leases.ts";
import type { Service } from "./operation.ts";
import { roles } from "./roles.ts";
import { Id, Instant, PlainDate } from "./values.ts";

export { Audience, Envelope, type Changes } from "./event-envelope.ts";

interface EventPromise {
  from: Service;
  /** Second service that publishes the event, for its own resources. */
  alsoFrom?: Service;
  /** Type of the resource the event is about; `entityId` of the envelope is its id. */
  entity: string;
  /** Description of the event in the event catalogue. Its beginning, up to a colon or semicolon, is the summary of the event in activities. */
  says: string;
  data: z.ZodObject;
}

const catalogue = <const E extends Record<string, EventPromise>>(events: E) => events;
const nothing = z.strictObject({});
const day = (description: string) => PlainDate.describe(description);
const ofUser = z.strictObject({ role: z.enum(roles).describe("Role of the user.") });
const ofUnit = z.strictObject({ propertyId: Id.describe("ID of the property of the unit.") });
const ofLease = z.strictObject({
  leaseId: Id.describe("ID of the lease."),
  tenantId: Id.describe("ID of the primary tenant of the lease."),
  propertyId: Id.describe("ID of the property of the lease."),
  unitId: Id.describe("ID of the unit of the lease."),
});
const ofPayment = z.strictObject({
  tenantId: Id.describe("ID of the tenant who paid."),
  leaseId: Id.nullable().describe("ID of the lease of the payment. Null for a payment that names only the tenant."),
});
const ofRule = z.strictObject({
  leaseId: Id.nullable().describe("ID of the lease of the rule. Null for a rule of a unit."),
  status: z.string().describe("Status of the rule."),
});
const ofWorkOrder = z.strictObject({
  propertyId: Id.describe("ID of the property of the work order."),
  unitId: Id.nullable().describe("ID of the unit of the work order, or null."),
  status: z.enum(["open", "in_progress", "completed", "cancelled"]).describe("Status of the work order."),
});
const ofInspection = z.strictObject({
  propertyId: Id.describe("ID of the property of the inspection."),
  unitId: Id.nullable().describe("ID of the unit of the inspection, or null."),
  leaseId: Id.nullable().describe("ID of the lease of the inspection, or null."),
  type: z.enum(inspectionTypes).describe("Type of the inspection."),
  status: z.enum(inspectionStatuses).describe("Status of the inspection."),
});
const aboutEntity = z.strictObject({
  entityType: z.string().describe("Type of the resource that the note or document is attached to."),
  entityId: Id.describe("ID of the resource that the note or document is attached to."),
});
const ofInvite = z.strictObject({
  kind: z.enum(["user", "tenant", "owner", "vendor"]).describe("Kind of the invited account."),
  subjectId: Id.nullable().describe("ID of the invited tenant, owner or vendor. Null for an office user."),
});
const ofBundle = z.strictObject({ status: z.enum(importBundleStatuses).describe("Status of the import bundle.") });
const progress = z.strictObject({
  phase: z.string().describe("Current phase of the import."),
  processed: z.int().min(0).describe("Number of steps completed in the current run."),
  total: z.int().min(0).describe("Number of steps of the current run."),
});

export const events = catalogue({
  "organization.created": { from: "identity", entity: "organization", says: "An organization signed up.", data: nothing },
  "organization.updated": {
    from: "identity",
    entity: "organization",
    says: "The organization's settings changed.",
    data: z.strictObject({ changed: z.array(z.string()).describe("Names of the changed members.") }),
  },
  "user.created": {
    from: "identity",
    entity: "user",
    says: "A user was invited, or created by accepting an invite.",
    data: ofUser,
  },
  "user.updated": {
    from: "identity",
    entity: "user",
    says: "The profile, consents, role or active state of a user changed.",
    data: ofUser.extend({ isActive: z.boolean().describe("Indicates that the user may sign in.") }),
  },
  "user.deleted": { from: "identity", entity: "user", says: "A user was deleted; the user's sessions were ended.", data: ofUser },
  "property.created": { from: "portfolio", entity: "property", says: "A property was added.", data: nothing },
  "property.updated": { from: "portfolio", entity: "property", says: "A property changed.", data: nothing },
  "property.deleted": { from: "portfolio", entity: "property", says: "A property was deleted.", data: nothing },
  "unit.created": { from: "portfolio", entity: "unit", says: "A unit was added.", data: ofUnit },
  "unit.updated": { from: "portfolio", entity: "unit", says: "A unit changed.", data: ofUnit },
  "unit.deleted": { from: "portfolio", entity: "unit", says: "A unit was deleted.", data: ofUnit },
  "owner.created": { from: "portfolio", entity: "owner", says: "An owner was added.", data: nothing },
  "owner.updated": { from: "portfolio", entity: "owner", says: "An owner changed.", data: nothing },
  "owner.deleted": { from: "portfolio", entity: "owner", says: "An owner was deleted.", data: nothing },
  "tenant.created": { from: "portfolio", entity: "tenant", says: "A tenant was added.", data: nothing },
  "tenant.updated": { from: "portfolio", entity: "tenant", says: "A tenant changed.", data: nothing },
  "tenant.deleted": { from: "portfolio", entity: "tenant", says: "A tenant was deleted.", data: nothing },
  "tenant.merged": {
    from: "portfolio",
    entity: "tenant",
    says: "A tenant was merged into another tenant; the duplicate was deleted.",
    data: z.strictObject({ mergedIntoTenantId: Id.describe("ID of the tenant that the duplicate was merged into.") }),
  },
  "vendor.created": { from: "portfolio", entity: "vendor", says: "A vendor was added.", data: nothing },
  "vendor.updated": { from: "portfolio", entity: "vendor", says: "A vendor changed.", data: nothing },
  "vendor.deleted": { from: "portfolio", entity: "vendor", says: "A vendor was deleted.", data: nothing },
  "lease.created": { from: "portfolio", entity: "lease", says: "A draft lease was created.", data: ofLease },
  "lease.updated": {
    from: "portfolio",
    entity: "lease",
    says: "A lease changed: its terms, rent, billing schedules, parking rights, occupants or notice, or the lease was cancelled, replaced by its renewal, or continued month-to-month.",
    data: ofLease.extend({ status: z.enum(leaseStatuses).describe("Status of the lease.") }),
  },
  "lease.activated": {
    from: "portfolio",
    entity: "lease",
    says: "A lease was activated; its status is `active` or, before its first day, `pending`.",
    data: ofLease.extend({ status: z.enum(["active", "pending"]).describe("Status of the lease: `pending` until its first day, then `active`.") }),
  },
  "lease.renewed": {
    from: "portfolio",
    entity: "lease",
    says: "A renewal of the lease was drafted.",
    data: ofLease.extend({ renewedToLeaseId: Id.describe("ID of the renewal.") }),
  },
  "lease.terminated": {
    from: "portfolio",
    entity: "lease",
    says: "A lease was terminated.",
    data: ofLease.extend({ terminationDate: day("Last day of the terminated lease.") }),
  },
  "lease.expired": {
    from: "portfolio",
    entity: "lease",
    says: "A lease expired on its last day; charging has ended.",
    data: ofLease.extend({ endDate: day("Last day of the lease.") }),
  },
  "lease.deleted": { from: "portfolio", entity: "lease", says: "A lease was deleted.", data: ofLease },
  "occupant.released": {
    from: "portfolio",
    entity: "occupant",
    says: "An occupant was released from a lease.",
    data: ofLease.extend({ releasedOn: day("Date on which the occupant was released.") }),
  },
  "invite.created": { from: "portfolio", entity: "invite", says: "A portal invite was sent.", data: ofInvite },
  "invite.resent": { from: "portfolio", entity: "invite", says: "A portal invite was sent again with a new link.", data: ofInvite },
  "invite.revoked": { from: "portfolio", entity: "invite", says: "An invite was revoked.", data: ofInvite },
  "invite.expired": {
    from: "portfolio",
    alsoFrom: "identity",
    entity: "invite",
    says: "A portal or user invite expired before it was accepted.",
    data: ofInvite.extend({ userId: Id.optional().describe("ID of the invited user. Absent for a portal invite.") }),
  },
  "invite.accepted": {
    from: "identity",
    entity: "invite",
    says: "An invite was accepted; its user was created.",
    data: ofInvite.extend({ userId: Id.describe("ID of the user who was created or who accepted the invite.") }),
  },
  "work_order.created": { from: "portfolio", entity: "work_order", says: "A work order was created.", data: ofWorkOrder },
  "work_order.updated": {
    from: "portfolio",
    entity: "work_order",
    says: "A work order changed, or an estimate for it was submitted, approved or rejected.",
    data: ofWorkOrder,
  },
  "work_order.transitioned": {
    from: "portfolio",
    entity: "work_order",
    says: "A work order was started, completed or cancelled.",
    data: ofWorkOrder.extend({ from: ofWorkOrder.shape.status.describe("Previous status of the work order.") }),
  },
  "work_order.assigned": {
    from: "portfolio",
    entity: "work_order",
    says: "A work order was assigned or unassigned; `notifies` lists the assignees to notify.",
    data: ofWorkOrder.extend({
      vendorId: Id.nullable().describe("ID of the assigned vendor, or null."),
      assignedUserId: Id.nullable().describe("ID of the assigned user, or null."),
      notifies: z.array(z.enum(["vendor", "user"])).describe("Assignees to be notified."),
    }),
  },
  "inspection.created": { from: "portfolio", entity: "inspection", says: "An inspection was scheduled.", data: ofInspection },
  "inspection.updated": {
    from: "portfolio",
    entity: "inspection",
    says: "An inspection changed: its details or findings.",
    data: ofInspection,
  },
  "inspection.started": { from: "portfolio", entity: "inspection", says: "An inspection was started.", data: ofInspection },
  "inspection.completed": { from: "portfolio", entity: "inspection", says: "An inspection was completed; it can no longer be changed.", data: ofInspection },
  "inspection.cancelled": { from: "portfolio", entity: "inspection", says: "An inspection was cancelled.", data: ofInspection },
  "inspection_template.created": { from: "portfolio", entity: "inspection_template", says: "An inspection template was added.", data: nothing },
  "inspection_template.updated": { from: "portfolio", entity: "inspection_template", says: "An inspection template changed.", data: nothing },
  "inspection_template.deleted": { from: "portfolio", entity: "inspection_template", says: "An inspection template was deleted.", data: nothing },
  "note.created": { from: "portfolio", entity: "note", says: "A note was created.", data: aboutEntity },
  "note.updated": { from: "portfolio", entity: "note", says: "A note changed.", data: aboutEntity },
  "note.deleted": { from: "portfolio", entity: "note", says: "A note was deleted.", data: aboutEntity },
  "document.created": { from: "portfolio", entity: "document", says: "A document was uploaded.", data: aboutEntity },
  "document.updated": { from: "portfolio", entity: "document", says: "The details of a document changed.", data: aboutEntity },
  "document.deleted": { from: "portfolio", entity: "document", says: "A document was deleted.", data: aboutEntity },
  "charge.posted": {
    from: "ledger",
    entity: "charge",
    says: "A charge was posted.",
    data: ofLease.extend({ dueDate: day("Date by which the charge must be paid.") }),
  },
  "charge.voided": { from: "ledger", entity: "charge", says: "A charge was voided.", data: ofLease },
  "charge.overdue": {
    from: "ledger",
    entity: "charge",
    says: "A charge became overdue: its due date passed without full payment.",
    data: ofLease.extend({ dueDate: day("Date by which the charge must be paid.") }),
  },
  "recurring_charge.created": {
    from: "ledger",
    entity: "recurring_charge",
    says: "A recurring charge was created.",
    data: ofRule,
  },
  "recurring_charge.updated": {
    from: "ledger",
    entity: "recurring_charge",
    says: "A recurring charge was paused, resumed, activated or ended.",
    data: ofRule,
  },
  "payment.received": {
    from: "ledger",
    entity: "payment",
    says: "A payment was recorded.",
    data: ofPayment.extend({ receivedAt: Instant.describe("Time at which the money was received.") }),
  },
  "payment.allocated": { from: "ledger", entity: "payment", says: "A payment was allocated to charges.", data: ofPayment },
  "payment.reversed": {
    from: "ledger",
    entity: "payment",
    says: "A payment was reversed; its charges are open again.",
    data: ofPayment.extend({ reason: z.string().describe("Reason for the reversal.") }),
  },
  "journal_entry.posted": { from: "ledger", entity: "journal_entry", says: "A manual journal entry was posted.", data: nothing },
  "journal_entry.reversed": {
    from: "ledger",
    entity: "journal_entry",
    says: "A journal entry was reversed.",
    data: z.strictObject({ reversedById: Id.describe("ID of the reversing entry.") }),
  },
  "import_bundle.status_changed": {
    from: "imports",
    entity: "import_bundle",
    says: "An import bundle was created or its status changed.",
    data: ofBundle,
  },
  "import_bundle.updated": {
    from: "imports",
    entity: "import_bundle",
    says: "Files of an import bundle were added, removed or mapped differently, or its candidates were resolved.",
    data: ofBundle,
  },
  "import_bundle.progress": {
    from: "imports",
    entity: "import_bundle",
    says: "The validation or writing of an import bundle progressed; published at most once per second.",
    data: progress,
  },
  "bulk_import.status_changed": {
    from: "imports",
    entity: "bulk_import",
    says: "A bulk import was created or its status changed.",
    data: z.strictObject({ status: z.enum(bulkImportStatuses).describe("Status of the bulk import.") }),
  },
  "bulk_import.progress": {
    from: "imports",
    entity: "bulk_import",
    says: "The validation or writing of a bulk import progressed; published at most once per second.",
    data: progress,
  },
  "import_mapping_profile.created": { from: "imports", entity: "import_mapping_profile", says: "An import mapping profile was created.", data: nothing },
  "import_mapping_profile.updated": { from: "imports", entity: "import_mapping_profile", says: "An import mapping profile changed.", data: nothing },
  "import_mapping_profile.deleted": { from: "imports", entity: "import_mapping_profile", says: "An import mapping profile was deleted.", data: nothing },
  "notification.created": {
    from: "communications",
    entity: "notification",
    says: "A notification was created for a user.",
    data: z.strictObject({ type: z.string().describe("Type of the event the notification is about.") }),
  },
});

export type EventCatalogue = typeof events;
export type EventType = keyof EventCatalogue;
export type EventData<T extends EventType> = z.output<EventCatalogue[T]["data"]>;
