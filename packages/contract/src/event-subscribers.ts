/** Services that consume each event. An event is sent to its subscribers only; a service whose handlers differ from this table does not start. */
import { notificationTypeNames } from "./communications/notification-types.ts";
import { events, type EventType } from "./events.ts";
import type { Service } from "./operation.ts";
import { activityTypes } from "./overview/activity.ts";

/**
 * Events of the ledger that the audit log records: manual changes by users. Posted charges, recorded payments and their allocations
 * are found in the journal only.
 */
const auditedLedgerEvents: readonly EventType[] = [
  "charge.updated",
  "charge.voided",
  "charge.credited",
  "charge.credit_reversed",
  "payment.reversed",
  "payment.refunded",
  "payment.refund_voided",
  "payment.allocation_released",
  "deposit.created",
  "deposit.voided",
  "expense.created",
  "expense.updated",
  "expense.approved",
  "expense.rejected",
  "expense.voided",
  "expense_payment.recorded",
  "expense_payment.updated",
  "expense_payment.allocated",
  "expense_payment.allocation_released",
  "expense_payment.issued",
  "expense_payment.failed",
  "expense_payment.voided",
  "management_fee_agreement.created",
  "management_fee_agreement.updated",
  "management_fee_agreement.deleted",
  "management_fee.run_completed",
  "management_fee.fees_taken_back",
  "management_fee.run_reversed",
  "bank_account.created",
  "bank_account.updated",
  "bank_account.archived",
  "transfer.created",
  "transfer.voided",
  "adjustment.created",
  "adjustment.voided",
  "owner_contribution.recorded",
  "owner_contribution.voided",
  "owner_payable.drafted",
  "owner_payable.updated",
  "owner_payable.approved",
  "owner_payable.paid",
  "owner_payable.voided",
  "owner_statement.issued",
  "bank_statement.uploaded",
  "bank_statement.deleted",
  "reconciliation.created",
  "reconciliation.updated",
  "reconciliation.finalized",
  "reconciliation.voided",
  "security_deposit.created",
  "security_deposit.updated",
  "security_deposit.received",
  "security_deposit.applied",
  "security_deposit.transferred",
  "security_deposit.finalized",
  "security_deposit.reopened",
  "security_deposit.refunded",
  "security_deposit.transaction_voided",
  "journal_entry.posted",
  "journal_entry.reversed",
  "period.soft_closed",
  "period.closed",
  "period.reopened",
  "budget.created",
  "budget.updated",
  "budget.activated",
  "budget.archived",
  "budget.deleted",
  "recurring_charge.created",
  "recurring_charge.updated",
  "recurring_charge.terms_changed",
  "recurring_charge.deleted",
  "recurring_charges.imported",
  "security_deposits.imported",
  "expenses.imported",
];

/** Events of communications and imports that the audit log records: what users send, import and set up. Entries are written for events with an actor only. */
const otherAuditedEvents: readonly EventType[] = [
  "email_account.created",
  "email_account.updated",
  "email_account.deleted",
  "suppression.deleted",
  "blast.queued",
  "import_bundle.status_changed",
  "import_bundle.updated",
  "bulk_import.status_changed",
  "import_mapping_profile.created",
  "import_mapping_profile.updated",
  "import_mapping_profile.deleted",
];

const isAudited = (type: EventType): boolean => events[type].from === "portfolio" || auditedLedgerEvents.includes(type) || otherAuditedEvents.includes(type);

const optOutTypes: readonly EventType[] = ["sms_opt_out.created", "sms_opt_out.ended"];

export const eventSubscribers: Readonly<Record<Service, readonly EventType[]>> = {
  /** The audit log, and the consent of users who have sent STOP or START. */
  identity: [...(Object.keys(events) as EventType[]).filter(isAudited), ...optOutTypes],
  /** The activity feeds, and effects of events after the commit. */
  portfolio: [...activityTypes, "organization.created", "user.created", "user.updated", "user.deleted", ...optOutTypes],
  /** Projections, settings, the billing of leases, and the delivery of statements. */
  ledger: [
    "owner_statement.issued",
    "organization.updated",
    "tenant.created",
    "tenants.imported",
    "tenant.updated",
    "tenant.deleted",
    "tenant.merged",
    "property.created",
    "property.updated",
    "properties.imported",
    "property.deleted",
    "owner.deleted",
    "unit.created",
    "unit.updated",
    "unit.deleted",
    "units.imported",
    "vendor.updated",
    "vendor.deleted",
    "lease.created",
    "leases.imported",
    "lease.updated",
    "lease.activated",
    "lease.renewed",
    "lease.terminated",
    "lease.expired",
    "lease.deleted",
    "occupant.released",
  ],
  /** Notifications, and participants of conversations. */
  communications: [...notificationTypeNames, "tenant.updated", "tenant.deleted", "tenant.merged", "vendor.updated", "vendor.deleted"],
  /** Ids of imported records. */
  imports: ["tenant.merged"],
};
