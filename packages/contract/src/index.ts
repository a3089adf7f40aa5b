/** The contract: all operations, grouped in the order of the documentation. */
import { accountingPeriods } from "./ledger/accounting-periods.ts";
import { accountingReports } from "./ledger/accounting-reports.ts";
import { accounts } from "./identity/accounts.ts";
import { activity } from "./overview/activity.ts";
import { auditLog } from "./identity/audit-log.ts";
import { billingSchedules } from "./ledger/billing-schedules.ts";
import { blasts } from "./communications/blasts.ts";
import { budgets } from "./ledger/budgets.ts";
import { auth } from "./identity/auth.ts";
import { bankAccounts } from "./trust/bank-accounts.ts";
import { bulkImports } from "./imports/bulk-imports.ts";
import { categories } from "./ledger/categories.ts";
import { charges } from "./ledger/charges.ts";
import { conversations } from "./communications/conversations.ts";
import { dashboard } from "./overview/dashboard.ts";
import { deposits } from "./ledger/deposits.ts";
import { documents } from "./documents/documents.ts";
import { emailAccounts } from "./communications/email-accounts.ts";
import { expensePayments } from "./payables/expense-payments.ts";
import { expenses } from "./payables/expenses.ts";
import { importBundles } from "./imports/import-bundles.ts";
import { importMappingProfiles } from "./imports/import-mapping-profiles.ts";
import { inspections, inspectionTemplates } from "./maintenance/inspections.ts";
import { journalEntries } from "./ledger/journal-entries.ts";
import { leaseOccupants } from "./leases/lease-occupants.ts";
import { leases } from "./leases/leases.ts";
import { ledgers } from "./ledger/ledgers.ts";
import { managementFees } from "./payables/management-fees.ts";
import { me } from "./identity/me.ts";
import { messages } from "./communications/messages.ts";
import { notes } from "./overview/notes.ts";
import { notificationPreferences } from "./communications/notification-preferences.ts";
import { notifications } from "./communications/notifications.ts";
import type { OperationGroup, Operation, Service } from "./operation.ts";
import { ownerInvites } from "./people/owner-invites.ts";
import { ownerPortalMoney } from "./portals/owner-portal-money.ts";
import { ownerPortal } from "./portals/owner-portal.ts";
import { owners } from "./people/owners.ts";
import { parkingRights } from "./leases/parking-rights.ts";
import { payments } from "./ledger/payments.ts";
import { tenantConversations, vendorConversations } from "./portals/portal-conversations.ts";
import { tenantNotifications } from "./portals/portal-notifications.ts";
import { properties } from "./properties/properties.ts";
import { diagnostics } from "./trust/diagnostics.ts";
import { reconciliations } from "./trust/reconciliations.ts";
import { recoveries } from "./identity/recoveries.ts";
import { recurringCharges } from "./ledger/recurring-charges.ts";
import { refunds } from "./ledger/refunds.ts";
import { rentChanges } from "./leases/rent-changes.ts";
import { search } from "./overview/search.ts";
import { serviceKeys } from "./identity/service-keys.ts";
import { sessions } from "./identity/sessions.ts";
import { shortLinks } from "./identity/short-links.ts";
import { statementLines } from "./trust/statement-lines.ts";
import { suppressions } from "./communications/suppressions.ts";
import { system } from "./system.ts";
import { tenantInvites } from "./people/tenant-invites.ts";
import { tenantPortalMoney } from "./portals/tenant-portal-money.ts";
import { tenantPortal } from "./portals/tenant-portal.ts";
import { tenants } from "./people/tenants.ts";
import { checkRegister } from "./trust/check-register.ts";
import { ownerContributions } from "./trust/owner-contributions.ts";
import { ownerLedgers } from "./trust/owner-ledgers.ts";
import { ownerPayables } from "./trust/owner-payables.ts";
import { ownerStatements } from "./trust/owner-statements.ts";
import { securityDeposits } from "./trust/security-deposits.ts";
import { transfers } from "./trust/transfers.ts";
import { feeTemplates, units } from "./properties/units.ts";
import { vendorInvites } from "./people/vendor-invites.ts";
import { vendorPortal } from "./portals/vendor-portal.ts";
import { vendorPortalMoney } from "./portals/vendor-portal-money.ts";
import { vendors } from "./people/vendors.ts";
import { vendorLedgers } from "./payables/vendor-ledgers.ts";
import { workOrderCosts } from "./maintenance/work-order-costs.ts";
import { webhooks } from "./communications/webhooks.ts";
import { workOrders } from "./maintenance/work-orders.ts";

export const operationGroups: readonly OperationGroup[] = [
  auth,
  me,
  recoveries,
  sessions,
  shortLinks,
  accounts,
  auditLog,
  serviceKeys,
  properties,
  units,
  feeTemplates,
  leases,
  leaseOccupants,
  rentChanges,
  billingSchedules,
  parkingRights,
  tenants,
  tenantInvites,
  owners,
  ownerInvites,
  vendors,
  vendorLedgers,
  vendorInvites,
  tenantPortal,
  tenantPortalMoney,
  tenantConversations,
  tenantNotifications,
  ownerPortal,
  ownerPortalMoney,
  vendorPortal,
  vendorPortalMoney,
  vendorConversations,
  workOrders,
  workOrderCosts,
  inspections,
  inspectionTemplates,
  notes,
  documents,
  search,
  activity,
  dashboard,
  categories,
  journalEntries,
  accountingReports,
  accountingPeriods,
  budgets,
  charges,
  recurringCharges,
  payments,
  deposits,
  refunds,
  expenses,
  expensePayments,
  managementFees,
  bankAccounts,
  transfers,
  checkRegister,
  ownerContributions,
  ownerLedgers,
  ownerPayables,
  ownerStatements,
  statementLines,
  reconciliations,
  securityDeposits,
  diagnostics,
  ledgers,
  conversations,
  blasts,
  emailAccounts,
  suppressions,
  notificationPreferences,
  notifications,
  webhooks,
  messages,
  bulkImports,
  importBundles,
  importMappingProfiles,
];

export interface NamedOperation {
  id: string;
  tag: string;
  service: Service | "gateway";
  operation: Operation;
}

/** All operations with their id, tag and service. */
export const operations: readonly NamedOperation[] = [
  ...Object.entries(system).map(([id, operation]) => ({ id, tag: "System", service: "gateway" as const, operation })),
  ...operationGroups.flatMap(({ tag, service, operations }) => Object.entries(operations).map(([id, operation]) => ({ id, tag, service, operation }))),
];

/** Operations of the services by id, with their full types, for typed clients. */
export const operationsById = {
  ...auth.operations,
  ...me.operations,
  ...recoveries.operations,
  ...sessions.operations,
  ...shortLinks.operations,
  ...accounts.operations,
  ...auditLog.operations,
  ...serviceKeys.operations,
  ...properties.operations,
  ...units.operations,
  ...feeTemplates.operations,
  ...leases.operations,
  ...leaseOccupants.operations,
  ...rentChanges.operations,
  ...billingSchedules.operations,
  ...parkingRights.operations,
  ...tenants.operations,
  ...tenantInvites.operations,
  ...owners.operations,
  ...ownerInvites.operations,
  ...vendors.operations,
  ...vendorLedgers.operations,
  ...vendorInvites.operations,
  ...tenantPortal.operations,
  ...tenantPortalMoney.operations,
  ...tenantConversations.operations,
  ...tenantNotifications.operations,
  ...ownerPortal.operations,
  ...ownerPortalMoney.operations,
  ...vendorPortal.operations,
  ...vendorPortalMoney.operations,
  ...vendorConversations.operations,
  ...workOrders.operations,
  ...workOrderCosts.operations,
  ...inspections.operations,
  ...inspectionTemplates.operations,
  ...notes.operations,
  ...documents.operations,
  ...search.operations,
  ...activity.operations,
  ...dashboard.operations,
  ...categories.operations,
  ...journalEntries.operations,
  ...accountingReports.operations,
  ...accountingPeriods.operations,
  ...budgets.operations,
  ...charges.operations,
  ...recurringCharges.operations,
  ...payments.operations,
  ...deposits.operations,
  ...refunds.operations,
  ...expenses.operations,
  ...expensePayments.operations,
  ...managementFees.operations,
  ...bankAccounts.operations,
  ...transfers.operations,
  ...checkRegister.operations,
  ...ownerContributions.operations,
  ...ownerLedgers.operations,
  ...ownerPayables.operations,
  ...ownerStatements.operations,
  ...statementLines.operations,
  ...reconciliations.operations,
  ...diagnostics.operations,
  ...securityDeposits.operations,
  ...ledgers.operations,
  ...conversations.operations,
  ...blasts.operations,
  ...emailAccounts.operations,
  ...suppressions.operations,
  ...notificationPreferences.operations,
  ...notifications.operations,
  ...webhooks.operations,
  ...messages.operations,
  ...bulkImports.operations,
  ...importBundles.operations,
  ...importMappingProfiles.operations,
};
export type OperationId = keyof typeof operationsById;
