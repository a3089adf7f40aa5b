/** Validation of the records that an expense names. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { invalid, unknownReference } from "@freehold/kit/errors";
import type { Clients } from "../../clients.ts";
import { saveVendors } from "../../projections/projections.ts";

export interface ExpenseReferences {
  propertyId: string;
  unitId?: string | null | undefined;
  ownerId?: string | null | undefined;
  vendorId?: string | null | undefined;
  workOrderId?: string | null | undefined;
}

/**
 * Throws a 400 that names a record that is unknown or deleted, and a unit or work order of another property. Saves the names of the
 * vendors. Makes at most one call per kind of record. `pathOf` returns the path of a member of one of the references.
 */
export async function requireExpenseReferences(
  db: OrgDb,
  { portfolio }: Clients,
  references: readonly ExpenseReferences[],
  pathOf: (member: keyof ExpenseReferences, index: number) => string = (member) => member,
): Promise<void> {
  const find = async <T extends { id: string }>(member: keyof ExpenseReferences, read: (ids: string[]) => Promise<T[]>): Promise<Map<string, T>> => {
    const ids = [...new Set(references.flatMap((each) => each[member] ?? []))];
    return new Map((ids.length > 0 ? await read(ids) : []).map((record) => [record.id, record]));
  };
  const [properties, units, owners, vendors, workOrders] = await Promise.all([
    find("propertyId", async (ids) => (await portfolio.getProperties(db, { ids })).properties),
    find("unitId", async (ids) => (await portfolio.getUnits(db, { ids })).units),
    find("ownerId", async (ids) => (await portfolio.getOwners(db, { ids })).owners),
    find("vendorId", async (ids) => (await portfolio.getVendors(db, { ids })).vendors),
    find("workOrderId", async (ids) => (await portfolio.getWorkOrders(db, { ids })).workOrders),
  ]);
  for (const [index, { propertyId, unitId, ownerId, vendorId, workOrderId }] of references.entries()) {
    requireUndeleted(propertyId, properties, pathOf("propertyId", index), "property");
    requireUndeleted(ownerId, owners, pathOf("ownerId", index), "owner");
    requireUndeleted(vendorId, vendors, pathOf("vendorId", index), "vendor");
    requireOfProperty(unitId, units, propertyId, pathOf("unitId", index), "unit");
    requireOfProperty(workOrderId, workOrders, propertyId, pathOf("workOrderId", index), "work order");
  }
  await saveVendors(db, [...vendors.values()]);
}

function requireUndeleted(id: string | null | undefined, records: ReadonlyMap<string, { isDeleted: boolean }>, path: string, resource: string): void {
  if (id && records.get(id)?.isDeleted !== false) throw unknownReference(path, resource);
}

function requireOfProperty(
  id: string | null | undefined,
  records: ReadonlyMap<string, { propertyId: string }>,
  propertyId: string,
  path: string,
  resource: string,
): void {
  if (!id) return;
  const found = records.get(id);
  if (!found) throw unknownReference(path, resource);
  if (found.propertyId === propertyId) return;
  throw invalid([{ path, code: "mismatch", message: `The ${resource} belongs to another property. Check propertyId and ${path.split(".").at(-1)}.` }]);
}
