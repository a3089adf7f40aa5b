/** Validation of the records that an expense names. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { invalid, unknownReference } from "@freehold/kit/errors";
import type { Clients } from "../../clients.ts";
import { replicateVendors } from "../../projections/projections.ts";

export interface ExpenseReferences {
  propertyId: string;
  unitId?: string | null | undefined;
  ownerId?: string | null | undefined;
  vendorId?: string | null | undefined;
  workOrderId?: string | null | undefined;
}

const idsOf = (id: string | null | undefined): string[] => (id ? [id] : []);

/**
 * Throws a 400 that names a record that is unknown or deleted, and a unit or work order of another property. Replicates the vendor's
 * name. `prefix` precedes the names of members, as in `lines.0.`.
 */
export async function requireExpenseReferences(db: OrgDb, { portfolio }: Clients, references: ExpenseReferences, prefix = ""): Promise<void> {
  const { propertyId, unitId, ownerId, vendorId, workOrderId } = references;
  const find = <T>(id: string | null | undefined, read: (ids: string[]) => Promise<T[]>) => (id ? read([id]) : Promise.resolve([]));
  const [properties, units, owners, vendors, workOrders] = await Promise.all([
    portfolio.getProperties(db, { ids: [propertyId] }).then((response) => response.properties),
    find(unitId, async (ids) => (await portfolio.getUnits(db, { ids })).units),
    find(ownerId, async (ids) => (await portfolio.getOwners(db, { ids })).owners),
    find(vendorId, async (ids) => (await portfolio.getVendors(db, { ids })).vendors),
    find(workOrderId, async (ids) => (await portfolio.getWorkOrders(db, { ids })).workOrders),
  ]);
  if (!properties[0] || properties[0].isDeleted) throw unknownReference(`${prefix}propertyId`, "property");
  if (ownerId && (!owners[0] || owners[0].isDeleted)) throw unknownReference(`${prefix}ownerId`, "owner");
  if (vendorId && (!vendors[0] || vendors[0].isDeleted)) throw unknownReference(`${prefix}vendorId`, "vendor");
  requireOfProperty(unitId, units[0], propertyId, `${prefix}unitId`, "unit");
  requireOfProperty(workOrderId, workOrders[0], propertyId, `${prefix}workOrderId`, "work order");
  await replicateVendors(db, portfolio, idsOf(vendorId));
}

function requireOfProperty(id: string | null | undefined, found: { propertyId: string } | undefined, propertyId: string, path: string, resource: string): void {
  if (!id) return;
  if (!found) throw unknownReference(path, resource);
  if (found.propertyId === propertyId) return;
  throw invalid([{ path, code: "mismatch", message: `The ${resource} belongs to another property. Check propertyId and ${path.split(".").at(-1)}.` }]);
}
