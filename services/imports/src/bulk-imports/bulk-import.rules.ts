import type { BulkEntityType, BulkImportMode, BulkImportStatus } from "@freehold/contract/bulk-imports";
import type { ImportBundleStatus, ImportEntityType } from "@freehold/contract/import-bundles";
import { stateMachine } from "@freehold/kit/state-machine";
import type { StartedBy } from "../import-bundles/import-bundle.entity.ts";

/** What makes a bundle a bulk import. */
export interface Bulk {
  entityType: BulkEntityType;
  mode: BulkImportMode;
  dryRun: boolean;
  /** In whose name it looks at what is there, and writes. */
  by: StartedBy;
}

/** What the ids of all bulk imports of an organization are remembered under; no bundle can have such a namespace. */
export const BULK_NAMESPACE = "~bulk";

/** What one row is. */
export const rowType: Record<BulkEntityType, RowEntityType> = {
  properties: "property",
  units: "unit",
  owners: "owner",
  tenants: "tenant",
  vendors: "vendor",
  leases: "lease",
  charges: "charge",
  payments: "payment",
  recurring_charges: "recurring_charge",
  work_orders: "work_order",
};
export type RowEntityType = Exclude<ImportEntityType, "ownership" | "occupant" | "deposit" | "opening_balance">;

/** Every way that a bulk import can go. */
export const bulkFlow = stateMachine<BulkImportStatus>("bulk import", {
  validating: ["ready", "processing", "failed", "cancelled"],
  ready: ["processing", "cancelled"],
  processing: ["completed", "completed_with_errors", "failed", "cancelled"],
  completed: [],
  completed_with_errors: [],
  failed: [],
  cancelled: [],
});

const statuses: Record<ImportBundleStatus, BulkImportStatus> = {
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

/** Where a bulk import stands, by the bundle that it is. */
export const bulkStatusOf = (status: ImportBundleStatus): BulkImportStatus => statuses[status];

/** The statuses of bundles that are one of a bulk import. */
export const bundleStatusesOf = (wanted: readonly BulkImportStatus[]): ImportBundleStatus[] =>
  (Object.keys(statuses) as ImportBundleStatus[]).filter((each) => wanted.includes(statuses[each]));
