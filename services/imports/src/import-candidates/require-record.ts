import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { unknownReference } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";
import type { Clients } from "../clients.ts";

type ExistenceChecks = Partial<Record<ImportEntityType, (db: OrgDb, id: string) => Promise<boolean>>>;

const existenceChecks = ({ portfolio }: Clients): ExistenceChecks => ({
  property: async (db, id) => (await portfolio.getProperties(db, { ids: [id] })).properties.some(({ isDeleted }) => !isDeleted),
  unit: async (db, id) => (await portfolio.getUnits(db, { ids: [id] })).units.length > 0,
  owner: async (db, id) => (await portfolio.getOwners(db, { ids: [id] })).owners.length > 0,
  tenant: async (db, id) => (await portfolio.getTenants(db, { ids: [id] })).tenants.some(({ isDeleted }) => !isDeleted),
  lease: async (db, id) => (await portfolio.getLeases(db, { ids: [id] })).leases.length > 0,
});

/** Throws 400 unless the record exists in portfolio. A record of another type must have been written by an earlier import. */
export async function requireExistingRecord(db: OrgDb, clients: Clients, entityType: ImportEntityType, entityId: string): Promise<void> {
  const existsInPortfolio = existenceChecks(clients)[entityType];
  const exists = existsInPortfolio ? await existsInPortfolio(db, entityId) : await isImported(db, entityType, entityId);
  if (!exists) throw unknownReference("entityId", entityType.replaceAll("_", " "));
}

async function isImported(db: OrgDb, entityType: ImportEntityType, entityId: string): Promise<boolean> {
  const imported = await db.first(sql`select 1 from import_identity
    where organization_id = ${db.organizationId} and entity_type = ${entityType} and entity_id = ${entityId} limit 1`);
  return imported !== undefined;
}
