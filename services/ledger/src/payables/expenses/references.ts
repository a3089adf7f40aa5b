/** Validation of the records that an expense names. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { invalid, unknownReference } from "@freehold/kit/errors";
import type { OwnedProperty } from "@freehold/proto/portfolio/v1/portfolio";
import type { Clients } from "../../clients.ts";
import { saveVendors } from "../../projections/projections.ts";
import { findOwnedProperties, isOwner } from "../../owners/owned-properties.ts";

export interface ExpenseReferences {
  propertyId: string;
  unitId?: string | null | undefined;
  ownerId?: string | null | undefined;
  vendorId?: string | null | undefined;
  workOrderId?: string | null | undefined;
}

/**
 * Throws a 400 that names a record that is unknown or deleted, a unit or work order of another property, and an owner who has no share in it. Saves the names of the
 * vendors. Makes at most one call per kind of record. `pathOf` returns the path of a member of one of the references.
 */
export async function requireExpenseReferences(
  db: OrgDb,
  clients: Clients,
  references: readonly ExpenseReferences[],
  pathOf: (member: keyof ExpenseReferences, index: number) => string = (member) => member,
): Promise<void> {
  const { portfolio } = clients;
  const find = async <T extends { id: string }>(member: keyof ExpenseReferences, read: (ids: string[]) => Promise<T[]>): Promise<Map<string, T>> => {
    const ids = [...new Set(references.flatMap((each) => each[member] ?? []))];
    return new Map((ids.length > 0 ? await read(ids) : []).map((record) => [record.id, record]));
  };
  const [properties, units, owners, owned, vendors, workOrders] = await Promise.all([
    find("propertyId", async (ids) => (await portfolio.getProperties(db, { ids })).properties),
    find("unitId", async (ids) => (await portfolio.getUnits(db, { ids })).units),
    find("ownerId", async (ids) => (await portfolio.getOwners(db, { ids })).owners),
    findOwnedBy(db, clients, references),
    find("vendorId", async (ids) => (await portfolio.getVendors(db, { ids })).vendors),
    find("workOrderId", async (ids) => (await portfolio.getWorkOrders(db, { ids })).workOrders),
  ]);
  for (const [index, { propertyId, unitId, ownerId, vendorId, workOrderId }] of references.entries()) {
    requireUndeleted(propertyId, properties, pathOf("propertyId", index), "property");
    requireUndeleted(ownerId, owners, pathOf("ownerId", index), "owner");
    requireOwned(owned, propertyId, ownerId, pathOf("ownerId", index));
    requireUndeleted(vendorId, vendors, pathOf("vendorId", index), "vendor");
    requireUndeleted(unitId, units, pathOf("unitId", index), "unit");
    requireOfProperty(unitId, units, propertyId, pathOf("unitId", index), "unit");
    requireOfProperty(workOrderId, workOrders, propertyId, pathOf("workOrderId", index), "work order");
  }
  await saveVendors(db, [...vendors.values()]);
}

/** Returns the properties of the owners of references. */
async function findOwnedBy(db: OrgDb, clients: Clients, references: readonly ExpenseReferences[]): Promise<OwnedProperty[]> {
  const ids = references.flatMap(({ ownerId }) => ownerId ?? []);
  return ids.length > 0 ? findOwnedProperties(db, clients, [...new Set(ids)]) : [];
}

function requireOwned(owned: readonly OwnedProperty[], propertyId: string, ownerId: string | null | undefined, path: string): void {
  if (!ownerId || owned.some((property) => property.propertyId === propertyId && isOwner(property, ownerId))) return;
  throw invalid([{ path, code: "mismatch", message: "The owner has no share in the property. Set ownerId to one of its owners or to null." }]);
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
