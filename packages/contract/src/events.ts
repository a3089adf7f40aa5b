/**
 * Catalogue of the events published by the services. The gateway relays them as server-sent events of the same name.
 * Payloads contain ids, statuses, dates, progress counts and short codes, never amounts or personal data.
 */
import { z } from "zod";
import { conversationChannels, conversationStatuses, senderTypes } from "./communications/conversations.ts";
import { defineEvents } from "./event-definition.ts";
import { bulkImportStatuses } from "./imports/bulk-imports.ts";
import { importedLedgerEvents, importedPortfolioEvents } from "./imports/imported-events.ts";
import { leaseStatuses } from "./leases/leases.ts";
import {
  noData,
  day,
  userData,
  changedUserData,
  accessData,
  unitData,
  leaseData,
  workOrderData,
  inspectionData,
  attachmentData,
  inviteData,
  blastData,
  emailAccountData,
  suppressionData,
  bundleData,
  progressData,
} from "./event-data.ts";
import { ledgerEvents } from "./ledger/ledger-events.ts";
import { Id } from "./values.ts";

export { Audience, Envelope, type Changes } from "./event-envelope.ts";

export const events = defineEvents({
  "organization.created": { from: "identity", entity: "organization", description: "An organization signed up.", data: noData },
  "organization.updated": {
    from: "identity",
    entity: "organization",
    description: "The organization's settings changed.",
    data: z.strictObject({
      changed: z.array(z.string()).describe("Names of the changed members."),
      timezone: z.string().optional().describe("IANA time zone of the organization after the change."),
    }),
  },
  "user.created": {
    from: "identity",
    entity: "user",
    description: "A user was created: by signing up, by being invited, or by accepting a portal invite.",
    data: userData,
  },
  "user.updated": {
    from: "identity",
    entity: "user",
    description: "The profile, consents, role, active state or subject of a user changed, or the password was reset.",
    data: changedUserData.extend({ isActive: z.boolean().describe("Indicates that the user may sign in.") }),
  },
  "user.deleted": { from: "identity", entity: "user", description: "A user was deleted; the user's sessions were ended.", data: changedUserData },
  "service_key.rotated": { from: "identity", entity: "service_key", description: "A service key got a new secret; its access tokens ended.", data: accessData },
  "service_key.revoked": { from: "identity", entity: "service_key", description: "A service key was revoked; its access tokens ended.", data: accessData },
  "property.created": { from: "portfolio", entity: "property", description: "A property was added.", data: noData },
  "property.updated": { from: "portfolio", entity: "property", description: "A property changed.", data: noData },
  "property.deleted": { from: "portfolio", entity: "property", description: "A property was deleted.", data: noData },
  "unit.created": { from: "portfolio", entity: "unit", description: "A unit was added.", data: unitData },
  "unit.updated": { from: "portfolio", entity: "unit", description: "A unit changed.", data: unitData },
  "unit.deleted": { from: "portfolio", entity: "unit", description: "A unit was deleted.", data: unitData },
  "owner.created": { from: "portfolio", entity: "owner", description: "An owner was added.", data: noData },
  "owner.updated": { from: "portfolio", entity: "owner", description: "An owner changed.", data: noData },
  "owner.deleted": { from: "portfolio", entity: "owner", description: "An owner was deleted.", data: noData },
  "tenant.created": { from: "portfolio", entity: "tenant", description: "A tenant was added.", data: noData },
  "tenant.updated": { from: "portfolio", entity: "tenant", description: "A tenant changed.", data: noData },
  "tenant.deleted": { from: "portfolio", entity: "tenant", description: "A tenant was deleted.", data: noData },
  "tenant.merged": {
    from: "portfolio",
    entity: "tenant",
    description: "A tenant was merged into another tenant; the duplicate was deleted.",
    data: z.strictObject({ mergedIntoTenantId: Id.describe("ID of the tenant that the duplicate was merged into.") }),
  },
  "vendor.created": { from: "portfolio", entity: "vendor", description: "A vendor was added.", data: noData },
  "vendor.updated": { from: "portfolio", entity: "vendor", description: "A vendor changed.", data: noData },
  "vendor.deleted": { from: "portfolio", entity: "vendor", description: "A vendor was deleted.", data: noData },
  "lease.created": {
    from: "portfolio",
    entity: "lease",
    description: "A draft lease was created, which may be the renewal of another lease.",
    data: leaseData.extend({ renewedFromLeaseId: Id.nullable().describe("ID of the lease that the draft renews, or null.") }),
  },
  "lease.updated": {
    from: "portfolio",
    entity: "lease",
    description:
      "A lease changed: its terms, rent, billing schedules, parking rights, occupants or notice, or the lease was cancelled, continued month-to-month, or given a renewal or rid of one.",
    data: leaseData.extend({ status: z.enum(leaseStatuses).describe("Status of the lease.") }),
  },
  "lease.activated": {
    from: "portfolio",
    entity: "lease",
    description: "A lease was activated; its status is `active` or, before its first day, `pending`.",
    data: leaseData.extend({ status: z.enum(["active", "pending"]).describe("Status of the lease: `pending` until its first day, then `active`.") }),
  },
  "lease.renewed": {
    from: "portfolio",
    entity: "lease",
    description: "The renewal of the lease has begun and replaces it.",
    data: leaseData.extend({ renewedToLeaseId: Id.describe("ID of the renewal.") }),
  },
  "lease.terminated": {
    from: "portfolio",
    entity: "lease",
    description: "A lease was terminated.",
    data: leaseData.extend({ terminationDate: day("Last day of the terminated lease.") }),
  },
  "lease.expired": {
    from: "portfolio",
    entity: "lease",
    description: "A lease expired on its last day; charging has ended.",
    data: leaseData.extend({ endDate: day("Last day of the lease.") }),
  },
  "lease.deleted": { from: "portfolio", entity: "lease", description: "A lease was deleted.", data: leaseData },
  "occupant.released": {
    from: "portfolio",
    entity: "occupant",
    description: "An occupant was released from a lease.",
    data: leaseData.extend({ releasedOn: day("Date on which the occupant was released.") }),
  },
  "invite.created": {
    from: "portfolio",
    alsoFrom: "identity",
    entity: "invite",
    description: "An invite was sent: to a portal, or to a user of the office.",
    data: inviteData.extend({ userId: Id.optional().describe("ID of the invited user. Absent for a portal invite.") }),
  },
  "invite.resent": { from: "portfolio", entity: "invite", description: "A portal invite was sent again with a new link.", data: inviteData },
  "invite.revoked": {
    from: "portfolio",
    alsoFrom: "identity",
    entity: "invite",
    description: "A portal or user invite was revoked, or replaced by another one.",
    data: inviteData.extend({ userId: Id.optional().describe("ID of the invited user. Absent for a portal invite.") }),
  },
  "invite.expired": {
    from: "portfolio",
    alsoFrom: "identity",
    entity: "invite",
    description: "A portal or user invite expired before it was accepted.",
    data: inviteData.extend({ userId: Id.optional().describe("ID of the invited user. Absent for a portal invite.") }),
  },
  "invite.accepted": {
    from: "identity",
    entity: "invite",
    description: "An invite was accepted; its user can sign in.",
    data: inviteData.extend({ userId: Id.describe("ID of the user who was created or who accepted the invite.") }),
  },
  "work_order.created": { from: "portfolio", entity: "work_order", description: "A work order was created.", data: workOrderData },
  "work_order.updated": {
    from: "portfolio",
    entity: "work_order",
    description: "A work order changed, or an estimate for it was submitted, approved or rejected.",
    data: workOrderData,
  },
  "work_order.transitioned": {
    from: "portfolio",
    entity: "work_order",
    description: "A work order was started, completed or cancelled.",
    data: workOrderData.extend({ from: workOrderData.shape.status.describe("Previous status of the work order.") }),
  },
  "work_order.assigned": {
    from: "portfolio",
    entity: "work_order",
    description: "A work order was assigned or unassigned; `notifies` lists the assignees to notify.",
    data: workOrderData.extend({
      vendorId: Id.nullable().describe("ID of the assigned vendor, or null. Other users of portals get null."),
      assignedUserId: Id.nullable().describe("ID of the assigned user, or null. Users of portals get null."),
      notifies: z.array(z.enum(["vendor", "user"])).describe("Assignees to be notified."),
    }),
  },
  "inspection.created": { from: "portfolio", entity: "inspection", description: "An inspection was scheduled.", data: inspectionData },
  "inspection.updated": {
    from: "portfolio",
    entity: "inspection",
    description: "An inspection changed: its details or findings.",
    data: inspectionData,
  },
  "inspection.started": { from: "portfolio", entity: "inspection", description: "An inspection was started.", data: inspectionData },
  "inspection.completed": {
    from: "portfolio",
    entity: "inspection",
    description: "An inspection was completed; it can no longer be changed.",
    data: inspectionData,
  },
  "inspection.cancelled": { from: "portfolio", entity: "inspection", description: "An inspection was cancelled.", data: inspectionData },
  "inspection_template.created": { from: "portfolio", entity: "inspection_template", description: "An inspection template was added.", data: noData },
  "inspection_template.updated": { from: "portfolio", entity: "inspection_template", description: "An inspection template changed.", data: noData },
  "inspection_template.deleted": { from: "portfolio", entity: "inspection_template", description: "An inspection template was deleted.", data: noData },
  "note.created": { from: "portfolio", entity: "note", description: "A note was created.", data: attachmentData },
  "note.updated": { from: "portfolio", entity: "note", description: "A note changed.", data: attachmentData },
  "note.deleted": { from: "portfolio", entity: "note", description: "A note was deleted.", data: attachmentData },
  "document.created": { from: "portfolio", entity: "document", description: "A document was uploaded.", data: attachmentData },
  "document.updated": { from: "portfolio", entity: "document", description: "The details of a document changed.", data: attachmentData },
  "document.deleted": { from: "portfolio", entity: "document", description: "A document was deleted.", data: attachmentData },
  ...ledgerEvents,
  ...importedPortfolioEvents,
  ...importedLedgerEvents,
  "import_bundle.status_changed": {
    from: "imports",
    entity: "import_bundle",
    description: "An import bundle was created or its status changed.",
    data: bundleData,
  },
  "import_bundle.updated": {
    from: "imports",
    entity: "import_bundle",
    description: "Files of an import bundle were added, removed or mapped differently, or its candidates were resolved.",
    data: bundleData,
  },
  "import_bundle.progress": {
    from: "imports",
    entity: "import_bundle",
    description: "The validation or writing of an import bundle progressed; published at most once per second.",
    data: progressData,
  },
  "bulk_import.status_changed": {
    from: "imports",
    entity: "bulk_import",
    description: "A bulk import was created or its status changed.",
    data: z.strictObject({ status: z.enum(bulkImportStatuses).describe("Status of the bulk import.") }),
  },
  "bulk_import.progress": {
    from: "imports",
    entity: "bulk_import",
    description: "The validation or writing of a bulk import progressed; published at most once per second.",
    data: progressData,
  },
  "import_mapping_profile.created": { from: "imports", entity: "import_mapping_profile", description: "An import mapping profile was created.", data: noData },
  "import_mapping_profile.updated": { from: "imports", entity: "import_mapping_profile", description: "An import mapping profile changed.", data: noData },
  "import_mapping_profile.deleted": { from: "imports", entity: "import_mapping_profile", description: "An import mapping profile was deleted.", data: noData },
  "blast.queued": { from: "communications", entity: "blast", description: "A blast was queued for sending.", data: blastData },
  "blast.progress": {
    from: "communications",
    entity: "blast",
    description: "Messages of a blast were queued or attempted; published about once a second while it is sent.",
    data: blastData,
  },
  "blast.completed": { from: "communications", entity: "blast", description: "Each message of a blast was attempted.", data: blastData },
  "blast.failed": { from: "communications", entity: "blast", description: "No message of a blast could be sent.", data: blastData },
  "conversation.message_received": {
    from: "communications",
    entity: "conversation",
    description: "A message was sent in a conversation, by the office or by the tenant or vendor.",
    data: z.strictObject({
      messageId: Id.describe("ID of the message."),
      channel: z.enum(conversationChannels).describe("Channel of the message."),
      senderType: z.enum(senderTypes).describe("Type of the sender: `staff` for the office, `tenant`, `vendor`, or `system`."),
    }),
  },
  "conversation.updated": {
    from: "communications",
    entity: "conversation",
    description: "A conversation was started without a message, closed, reopened or archived, or its subject changed.",
    data: z.strictObject({ status: z.enum(conversationStatuses).describe("Status of the conversation.") }),
  },
  "email_account.created": { from: "communications", entity: "email_account", description: "An e-mail account was added.", data: emailAccountData },
  "email_account.updated": {
    from: "communications",
    entity: "email_account",
    description: "An e-mail account changed, was verified, or became the default.",
    data: emailAccountData,
  },
  "email_account.failed": {
    from: "communications",
    entity: "email_account",
    description: "The DNS records of a verified e-mail account are gone; e-mails are sent from the address of the system.",
    data: emailAccountData,
  },
  "email_account.deleted": { from: "communications", entity: "email_account", description: "An e-mail account was deleted.", data: emailAccountData },
  "sms_opt_out.created": {
    from: "communications",
    entity: "sms_opt_out",
    description: "A phone number has stopped text messages, by STOP or at the SMS provider.",
    data: noData,
  },
  "sms_opt_out.ended": { from: "communications", entity: "sms_opt_out", description: "A phone number accepts text messages again, by START.", data: noData },
  "suppression.created": { from: "communications", entity: "suppression", description: "An e-mail address was suppressed.", data: suppressionData },
  "suppression.deleted": {
    from: "communications",
    entity: "suppression",
    description: "The suppression of an e-mail address was lifted.",
    data: suppressionData,
  },
  "notification.created": {
    from: "communications",
    entity: "notification",
    description: "A notification was created for a user.",
    data: z.strictObject({ type: z.string().describe("Type of the event the notification is about.") }),
  },
});

export type EventCatalogue = typeof events;
export type EventType = keyof EventCatalogue;
export type EventData<T extends EventType> = z.output<EventCatalogue[T]["data"]>;

export const eventTypes = Object.keys(events) as [EventType, ...EventType[]];
/** Types that had another name: the event stream and the outboxes contain it for as long as they keep events. */
const renamedTypes: ReadonlyMap<string, EventType> = new Map([
  ["management_fee_run.completed", "management_fee.run_completed"],
  ["management_fee_run.reversed", "management_fee.run_reversed"],
  ["management_fee_run.fees_taken_back", "management_fee.fees_taken_back"],
]);

/** Returns the present name of a type. */
export const currentEventType = (type: string): string => renamedTypes.get(type) ?? type;

export const isEventType = (text: string): text is EventType => Object.hasOwn(events, text);
