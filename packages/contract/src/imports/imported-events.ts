/**
 * Events of imports: one for the records of a kind that an import creates in one transaction, instead of one event for each record.
 * Changes of existing records by an import have the event of each record, because the audit log names their values before and after.
 */
import { z } from "zod";
import { defineEvents } from "../event-definition.ts";
import { Id } from "../values.ts";

const importedData = z.strictObject({
  bundleId: Id.describe("ID of the import bundle or of the bulk import."),
  ids: z.array(Id).describe("IDs of the created records."),
});
const importedOnLeasesData = importedData.extend({ leaseIds: z.array(Id).describe("IDs of the leases of the records, each once.") });

export const importedPortfolioEvents = defineEvents({
  "properties.imported": { from: "portfolio", entity: "import_bundle", description: "An import created properties.", data: importedData },
  "units.imported": { from: "portfolio", entity: "import_bundle", description: "An import created units.", data: importedData },
  "owners.imported": { from: "portfolio", entity: "import_bundle", description: "An import created owners.", data: importedData },
  "vendors.imported": { from: "portfolio", entity: "import_bundle", description: "An import created vendors.", data: importedData },
  "tenants.imported": { from: "portfolio", entity: "import_bundle", description: "An import created tenants.", data: importedData },
  "leases.imported": { from: "portfolio", entity: "import_bundle", description: "An import created or activated leases.", data: importedData },
  "work_orders.imported": { from: "portfolio", entity: "import_bundle", description: "An import created work orders.", data: importedData },
});

export const importedLedgerEvents = defineEvents({
  "recurring_charges.imported": {
    from: "ledger",
    entity: "import_bundle",
    description: "An import created recurring charges.",
    data: importedOnLeasesData,
  },
  "charges.imported": { from: "ledger", entity: "import_bundle", description: "An import posted charges.", data: importedOnLeasesData },
  "payments.imported": { from: "ledger", entity: "import_bundle", description: "An import recorded or allocated payments.", data: importedOnLeasesData },
  "security_deposits.imported": {
    from: "ledger",
    entity: "import_bundle",
    description: "An import created or received security deposits.",
    data: importedOnLeasesData,
  },
  "expenses.imported": { from: "ledger", entity: "import_bundle", description: "An import recorded expenses.", data: importedData },
});

type ImportedEventType = keyof typeof importedPortfolioEvents | keyof typeof importedLedgerEvents;

/** Event of an import by the type of the single-record events that it replaces. */
export const importedEventOf: Readonly<Partial<Record<string, ImportedEventType>>> = {
  "property.created": "properties.imported",
  "unit.created": "units.imported",
  "owner.created": "owners.imported",
  "vendor.created": "vendors.imported",
  "tenant.created": "tenants.imported",
  "lease.created": "leases.imported",
  "lease.activated": "leases.imported",
  "work_order.created": "work_orders.imported",
  "recurring_charge.created": "recurring_charges.imported",
  "charge.posted": "charges.imported",
  "payment.received": "payments.imported",
  "payment.allocated": "payments.imported",
  "security_deposit.created": "security_deposits.imported",
  "security_deposit.received": "security_deposits.imported",
  "expense.created": "expenses.imported",
};

const importedEvents = { ...importedPortfolioEvents, ...importedLedgerEvents };

/** Returns the data of the event of an import from the events that it replaces. */
export function importedEventData<T extends ImportedEventType>(
  type: T,
  bundleId: string,
  replaced: readonly { entityId: string; data: Readonly<Record<string, unknown>> }[],
): z.infer<(typeof importedEvents)[T]["data"]> {
  const ids = [...new Set(replaced.map(({ entityId }) => entityId))];
  const leaseIds = [...new Set(replaced.flatMap(({ data: { leaseId } }) => (typeof leaseId === "string" ? [leaseId] : [])))];
  const data = "leaseIds" in importedEvents[type].data.shape ? { bundleId, ids, leaseIds } : { bundleId, ids };
  return data as z.infer<(typeof importedEvents)[T]["data"]>;
}
