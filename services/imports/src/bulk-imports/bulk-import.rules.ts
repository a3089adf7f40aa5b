import type { BulkEntityType, BulkImportMode, BulkImportStatus } from "@freehold/contract/imports/bulk-imports";
import type { ImportBundleStatus, ImportEntityType } from "@freehold/contract/imports/import-bundles";
import { stateMachine } from "@freehold/kit/state-machine";
import type { StartedBy } from "../import-bundles/started-by.ts";

/** Settings of a bulk import from its creation on. Other bundles have only `startedBy`, once they are started. */
export interface BulkSettings {
  entityType: BulkEntityType;
  mode: BulkImportMode;
  dryRun: boolean;
  /** Principal on whose behalf records are read and written. */
  startedBy: StartedBy;
}

/** Namespace of the identities of all bulk imports of an organization; it is invalid as a namespace of a bundle. */
export const BULK_NAMESPACE = "~bulk";

/** Entity type of the rows by type of bulk import. */
export const rowEntityTypes: Record<BulkEntityType, BulkRowType> = {
  properties: "property",
  units: "unit",
  owners: "owner",
  tenants: "tenant",
  vendors: "vendor",
  leases: "lease",
  charges: "charge",
  payments: "payment",
  expenses: "expense",
  recurring_charges: "recurring_charge",
  work_orders: "work_order",
};
export type BulkRowType = Exclude<ImportEntityType, "ownership" | "occupant" | "deposit" | "opening_balance">;

/** Transitions of a bulk import. */
export const bulkImportStates = stateMachine<BulkImportStatus>("bulk import", {
  validating: ["ready", "processing", "failed", "cancelled"],
  ready: ["processing", "cancelled"],
  processing: ["completed", "completed_with_errors", "failed", "cancelled"],
  completed: [],
  completed_with_errors: [],
  failed: [],
  cancelled: [],
});

const bulkStatuses: Record<ImportBundleStatus, BulkImportStatus> = {
  draft: "validating",
  inspecting: "validating",
  mapping: "validating",
  validating: "validating",
  ready: "ready",
  queued: "processing",
  processing: "processing",
  completed: "completed",
  completed_with_errors: "completed_with_errors",
  cancelled: "cancelled",
  failed: "failed",
};

/** Returns the status of a bulk import for the status of its bundle. */
export const toBulkStatus = (status: ImportBundleStatus): BulkImportStatus => bulkStatuses[status];

/** Returns the bundle statuses that correspond to any of the statuses of bulk imports. */
export const toBundleStatuses = (statuses: readonly BulkImportStatus[]): ImportBundleStatus[] =>
  (Object.keys(bulkStatuses) as ImportBundleStatus[]).filter((status) => statuses.includes(bulkStatuses[status]));
