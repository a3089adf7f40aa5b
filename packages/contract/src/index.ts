/** The contract: all areas in the order of the documentation. */
import { accounts } from "./accounts.ts";
import { activity } from "./activity.ts";
import { auditLog } from "./audit-log.ts";
import { billingSchedules } from "./billing-schedules.ts";
import { auth } from "./auth.ts";
import { bulkImports } from "./bulk-imports.ts";
import { categories } from "./categories.ts";
import { charges } from "./charges.ts";
import { dashboard } from "./dashboard.ts";
import { documents } from "./documents.ts";
import { importBundles } from "./import-bundles.ts";
import { importMappingProfiles } from "./import-mapping-profiles.ts";
import { inspections, inspectionTemplates } from "./inspections.ts";
import { journalEntries } from "./journal-entries.ts";
import { leaseOccupants } from "./lease-occupants.ts";
import { leases } from "./leases.ts";
import { me } from "./me.ts";
import { messages } from "./messages.ts";
import { notes } from "./notes.ts";
import { notifications } from "./notifications.ts";
import type { OperationGroup, Operation, Service } from "./operation.ts";
import { ownerInvites } from "./owner-invites.ts";
import { ownerPortal } from "./owner-portal.ts";
import { owners } from "./owners.ts";
import { parkingRights } from "./parking-rights.ts";
import { payments } from "./payments.ts";
import { properties } from "./properties.ts";
import { recoveries } from "./recoveries.ts";
import { recurringCharges } from "./recurring-charges.ts";
import { rentChanges } from "./rent-changes.ts";
import { search } from "./search.ts";
import { serviceKeys } from "./service-keys.ts";
import { sessions } from "./sessions.ts";
import { shortLinks } from "./short-links.ts";
import { system } from "./system.ts";
import { tenantInvites } from "./tenant-invites.ts";
import { tenantPortal } from "./tenant-portal.ts";
import { tenants } from "./tenants.ts";
import { feeTemplates, units } from "./units.ts";
import { vendorInvites } from "./vendor-invites.ts";
import { vendorPortal } from "./vendor-portal.ts";
import { vendors } from "./vendors.ts";
import { workOrders } from "./work-orders.ts";

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
  vendorInvites,
  tenantPortal,
  ownerPortal,
  vendorPortal,
  workOrders,
  inspections,
  inspectionTemplates,
  notes,
  documents,
  search,
  activity,
  dashboard,
  categories,
  journalEntries,
  charges,
  recurringCharges,
  payments,
  notifications,
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
  ...vendorInvites.operations,
  ...tenantPortal.operations,
  ...ownerPortal.operations,
  ...vendorPortal.operations,
  ...workOrders.operations,
  ...inspections.operations,
  ...inspectionTemplates.operations,
  ...notes.operations,
  ...documents.operations,
  ...search.operations,
  ...activity.operations,
  ...dashboard.operations,
  ...categories.operations,
  ...journalEntries.operations,
  ...charges.operations,
  ...recurringCharges.operations,
  ...payments.operations,
  ...notifications.operations,
  ...messages.operations,
  ...bulkImports.operations,
  ...importBundles.operations,
  ...importMappingProfiles.operations,
};
export type OperationId = keyof typeof operationsById;
