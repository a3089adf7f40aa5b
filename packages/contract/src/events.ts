/**
 * Every event a service announces. NATS subject: `events.{organizationId}.{type}`; the gateway relays them as
 * server-sent events under the same name. Payloads are thin: ids and small status fields, no money, no personal data.
 */
import { z } from "zod";
import { bulkImportStatuses } from "./bulk-imports.ts";
import { inspectionStatuses, inspectionTypes } from "./inspections.ts";
import { importBundleStatuses } from "./import-bundles.ts";
import { leaseStatuses } from "./leases.ts";
import type { Service } from "./operation.ts";
import { roles } from "./roles.ts";
import { Id, Instant, PlainDate } from "./values.ts";

interface EventPromise {
  from: Service;
  /** Who else announces it, of things of its own. */
  alsoFrom?: Service;
  /** The kind of thing that changed; `entityId` in the envelope is its id. */
  entity: string;
  says: string;
  data: z.ZodObject;
}

const catalogue = <const E extends Record<string, EventPromise>>(events: E) => events;
const nothing = z.strictObject({});
const ofLease = z.strictObject({ leaseId: Id, tenantId: Id, propertyId: Id, unitId: Id });
const ofPayment = z.strictObject({ tenantId: Id, leaseId: Id.nullable() });
const ofWorkOrder = z.strictObject({ propertyId: Id, unitId: Id.nullable(), status: z.enum(["open", "in_progress", "completed", "cancelled"]) });
const ofInspection = z.strictObject({
  propertyId: Id,
  unitId: Id.nullable(),
  leaseId: Id.nullable(),
  type: z.enum(inspectionTypes),
  status: z.enum(inspectionStatuses),
});
const aboutEntity = z.strictObject({ entityType: z.string(), entityId: Id });
const inviteKind = z.enum(["user", "tenant", "owner", "vendor"]);
const ofInvite = z.strictObject({ kind: inviteKind, subjectId: Id.nullable() });

export const events = catalogue({
  "organization.created": { from: "identity", entity: "organization", says: "An organization signed up.", data: nothing },
  "organization.updated": {
    from: "identity",
    entity: "organization",
    says: "The organization's settings changed.",
    data: z.strictObject({ changed: z.array(z.string()) }),
  },
  "user.created": {
    from: "identity",
    entity: "user",
    says: "A user was invited, or came to be by accepting an invite.",
    data: z.strictObject({ role: z.enum(roles) }),
  },
  "user.updated": {
    from: "identity",
    entity: "user",
    says: "A user's particulars, consents, role or activity changed.",
    data: z.strictObject({ role: z.enum(roles), isActive: z.boolean() }),
  },
  "user.deleted": { from: "identity", entity: "user", says: "A user was deleted; the sessions have ended.", data: z.strictObject({ role: z.enum(roles) }) },
  "property.created": { from: "portfolio", entity: "property", says: "A property was added.", data: nothing },
  "property.updated": { from: "portfolio", entity: "property", says: "A property changed.", data: nothing },
  "property.deleted": { from: "portfolio", entity: "property", says: "A property was deleted.", data: nothing },
  "unit.created": { from: "portfolio", entity: "unit", says: "A unit was added.", data: z.strictObject({ propertyId: Id }) },
  "unit.updated": { from: "portfolio", entity: "unit", says: "A unit changed.", data: z.strictObject({ propertyId: Id }) },
  "unit.deleted": { from: "portfolio", entity: "unit", says: "A unit was deleted.", data: z.strictObject({ propertyId: Id }) },
  "owner.created": { from: "portfolio", entity: "owner", says: "An owner was added.", data: nothing },
  "owner.updated": { from: "portfolio", entity: "owner", says: "An owner changed.", data: nothing },
  "owner.deleted": { from: "portfolio", entity: "owner", says: "An owner was deleted.", data: nothing },
  "tenant.created": { from: "portfolio", entity: "tenant", says: "A tenant was added.", data: nothing },
  "tenant.updated": { from: "portfolio", entity: "tenant", says: "A tenant changed.", data: nothing },
  "tenant.deleted": { from: "portfolio", entity: "tenant", says: "A tenant was deleted.", data: nothing },
  "tenant.merged": {
    from: "portfolio",
    entity: "tenant",
    says: "A tenant was a duplicate of another: all of it went to that one, and it was deleted.",
    data: z.strictObject({ mergedIntoTenantId: Id }),
  },
  "vendor.created": { from: "portfolio", entity: "vendor", says: "A vendor was added.", data: nothing },
  "vendor.updated": { from: "portfolio", entity: "vendor", says: "A vendor changed.", data: nothing },
  "vendor.deleted": { from: "portfolio", entity: "vendor", says: "A vendor was deleted.", data: nothing },
  "lease.created": { from: "portfolio", entity: "lease", says: "A draft lease was written.", data: ofLease },
  "lease.updated": {
    from: "portfolio",
    entity: "lease",
    says: "A lease changed: its terms, its rent, what it bills, its parking, its people or notice on it, or it was cancelled, was followed by its renewal, or went on month to month.",
    data: ofLease.extend({ status: z.enum(leaseStatuses) }),
  },
  "lease.activated": {
    from: "portfolio",
    entity: "lease",
    says: "A lease was activated; its status is active or pending.",
    data: ofLease.extend({ status: z.enum(["active", "pending"]) }),
  },
  "lease.renewed": { from: "portfolio", entity: "lease", says: "A lease got a draft that follows it.", data: ofLease.extend({ renewedToLeaseId: Id }) },
  "lease.terminated": { from: "portfolio", entity: "lease", says: "A lease was terminated.", data: ofLease.extend({ terminationDate: PlainDate }) },
  "lease.expired": {
    from: "portfolio",
    entity: "lease",
    says: "A lease ran out on its last day; nothing is charged after it.",
    data: ofLease.extend({ endDate: PlainDate }),
  },
  "lease.deleted": { from: "portfolio", entity: "lease", says: "A lease was deleted.", data: ofLease },
  "occupant.released": {
    from: "portfolio",
    entity: "occupant",
    says: "An occupant was released from a lease.",
    data: ofLease.extend({ releasedOn: PlainDate }),
  },
  "invite.created": { from: "portfolio", entity: "invite", says: "An invite to the portal was sent.", data: ofInvite },
  "invite.resent": { from: "portfolio", entity: "invite", says: "An invite to the portal was sent again, with a new link.", data: ofInvite },
  "invite.revoked": { from: "portfolio", entity: "invite", says: "An invite was revoked.", data: ofInvite },
  "invite.expired": {
    from: "portfolio",
    alsoFrom: "identity",
    entity: "invite",
    says: "An invite to the portal or of a user of the office ran out before anybody accepted it.",
    data: ofInvite.extend({ userId: Id.optional() }),
  },
  "invite.accepted": { from: "identity", entity: "invite", says: "An invite was accepted; the user exists.", data: ofInvite.extend({ userId: Id }) },
  "work_order.created": { from: "portfolio", entity: "work_order", says: "A work order was created.", data: ofWorkOrder },
  "work_order.updated": {
    from: "portfolio",
    entity: "work_order",
    says: "A work order changed, or an estimate of it was submitted or decided.",
    data: ofWorkOrder,
  },
  "work_order.transitioned": {
    from: "portfolio",
    entity: "work_order",
    says: "A work order was started, completed or cancelled.",
    data: ofWorkOrder.extend({ from: ofWorkOrder.shape.status }),
  },
  "work_order.assigned": {
    from: "portfolio",
    entity: "work_order",
    says: "A work order was assigned, or taken from whom it was assigned to; it names who of them is to be notified.",
    data: ofWorkOrder.extend({ vendorId: Id.nullable(), assignedUserId: Id.nullable(), notifies: z.array(z.enum(["vendor", "user"])) }),
  },
  "inspection.created": { from: "portfolio", entity: "inspection", says: "An inspection was scheduled.", data: ofInspection },
  "inspection.updated": {
    from: "portfolio",
    entity: "inspection",
    says: "An inspection changed: its particulars, or what was found.",
    data: ofInspection,
  },
  "inspection.started": { from: "portfolio", entity: "inspection", says: "An inspection was started.", data: ofInspection },
  "inspection.completed": { from: "portfolio", entity: "inspection", says: "An inspection was completed; it stays as it is.", data: ofInspection },
  "inspection.cancelled": { from: "portfolio", entity: "inspection", says: "An inspection was cancelled.", data: ofInspection },
  "inspection_template.created": { from: "portfolio", entity: "inspection_template", says: "An inspection template was added.", data: nothing },
  "inspection_template.updated": { from: "portfolio", entity: "inspection_template", says: "An inspection template changed.", data: nothing },
  "inspection_template.deleted": { from: "portfolio", entity: "inspection_template", says: "An inspection template was deleted.", data: nothing },
  "note.created": { from: "portfolio", entity: "note", says: "A note was written.", data: aboutEntity },
  "note.updated": { from: "portfolio", entity: "note", says: "A note changed.", data: aboutEntity },
  "note.deleted": { from: "portfolio", entity: "note", says: "A note was deleted.", data: aboutEntity },
  "document.created": { from: "portfolio", entity: "document", says: "A document was uploaded.", data: aboutEntity },
  "document.updated": { from: "portfolio", entity: "document", says: "A document's particulars changed.", data: aboutEntity },
  "document.deleted": { from: "portfolio", entity: "document", says: "A document was deleted.", data: aboutEntity },
  "charge.posted": { from: "ledger", entity: "charge", says: "A charge was posted.", data: ofLease.extend({ dueDate: PlainDate }) },
  "charge.voided": { from: "ledger", entity: "charge", says: "A charge was voided.", data: ofLease },
  "charge.overdue": { from: "ledger", entity: "charge", says: "A charge passed its due date unpaid.", data: ofLease.extend({ dueDate: PlainDate }) },
  "recurring_charge.created": {
    from: "ledger",
    entity: "recurring_charge",
    says: "A recurring charge was set up.",
    data: z.strictObject({ leaseId: Id.nullable(), status: z.string() }),
  },
  "recurring_charge.updated": {
    from: "ledger",
    entity: "recurring_charge",
    says: "A recurring charge was paused, resumed, activated or ended.",
    data: z.strictObject({ leaseId: Id.nullable(), status: z.string() }),
  },
  "payment.received": { from: "ledger", entity: "payment", says: "A payment was recorded.", data: ofPayment.extend({ receivedAt: Instant }) },
  "payment.allocated": { from: "ledger", entity: "payment", says: "A payment was allocated to charges.", data: ofPayment },
  "payment.reversed": {
    from: "ledger",
    entity: "payment",
    says: "A payment was reversed; its charges are open again.",
    data: ofPayment.extend({ reason: z.string() }),
  },
  "journal_entry.posted": { from: "ledger", entity: "journal_entry", says: "A journal entry was posted by hand.", data: nothing },
  "journal_entry.reversed": { from: "ledger", entity: "journal_entry", says: "A journal entry was reversed.", data: z.strictObject({ reversedById: Id }) },
  "import_bundle.status_changed": {
    from: "imports",
    entity: "import_bundle",
    says: "An import bundle was made, or moved on to another status.",
    data: z.strictObject({ status: z.enum(importBundleStatuses) }),
  },
  "import_bundle.updated": {
    from: "imports",
    entity: "import_bundle",
    says: "Files of an import bundle came, went or were mapped otherwise, or candidates of it were resolved.",
    data: z.strictObject({ status: z.enum(importBundleStatuses) }),
  },
  "import_bundle.progress": {
    from: "imports",
    entity: "import_bundle",
    says: "Work on an import bundle went on; told once a second at most.",
    data: z.strictObject({ phase: z.string(), processed: z.int().min(0), total: z.int().min(0) }),
  },
  "bulk_import.status_changed": {
    from: "imports",
    entity: "bulk_import",
    says: "A bulk import was made, or moved on to another status.",
    data: z.strictObject({ status: z.enum(bulkImportStatuses) }),
  },
  "bulk_import.progress": {
    from: "imports",
    entity: "bulk_import",
    says: "Work on a bulk import went on; told once a second at most.",
    data: z.strictObject({ phase: z.string(), processed: z.int().min(0), total: z.int().min(0) }),
  },
  "import_mapping_profile.created": { from: "imports", entity: "import_mapping_profile", says: "A mapping was saved.", data: nothing },
  "import_mapping_profile.updated": { from: "imports", entity: "import_mapping_profile", says: "A saved mapping changed.", data: nothing },
  "import_mapping_profile.deleted": { from: "imports", entity: "import_mapping_profile", says: "A saved mapping was deleted.", data: nothing },
  "notification.created": {
    from: "communications",
    entity: "notification",
    says: "A user has a new notification.",
    data: z.strictObject({ type: z.string() }),
  },
});

export type EventCatalogue = typeof events;
export type EventType = keyof EventCatalogue;
export type EventData<T extends EventType> = z.output<EventCatalogue[T]["data"]>;

/** Who may see an event besides the office; nobody of the portals unless named, and only one user when it is private. */
export const Audience = z.strictObject({
  roles: z.array(z.enum(roles)),
  tenantIds: z.array(Id).default([]),
  ownerIds: z.array(Id).default([]),
  vendorIds: z.array(Id).default([]),
  userIds: z.array(Id).default([]),
});
export type Audience = z.output<typeof Audience>;

/** The members of a thing that differ, as they were and as they are. */
const Changes = z.strictObject({ before: z.record(z.string(), z.unknown()), after: z.record(z.string(), z.unknown()) });
export type Changes = z.output<typeof Changes>;

/** What travels on NATS; the gateway relays all of it but the audience and the changes, which are for the audit log. */
export const Envelope = z.strictObject({
  id: Id,
  type: z.string(),
  organizationId: Id,
  occurredAt: Instant,
  entityType: z.string(),
  entityId: Id,
  actorUserId: Id.nullable(),
  requestId: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
  changes: Changes.optional(),
  audience: Audience,
});
export type Envelope = z.output<typeof Envelope>;
