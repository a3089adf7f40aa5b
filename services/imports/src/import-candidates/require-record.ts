import type { ImportEntityType } from "@freehold/contract/import-bundles";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { unknownReference } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";
import type { Clients } from "../clients.ts";

type Questions = Partial<Record<ImportEntityType, (db: OrgDb, id: string) => Promise<boolean>>>;

const questions = ({ portfolio }: Clients): Questions => ({
  property: async (db, id) => (await portfolio.getProperties(db, { ids: [id] })).properties.some(({ isDeleted }) => !isDeleted),
  unit: async (db, id) => (await portfolio.getUnits(db, { ids: [id] })).units.length > 0,
  owner: async (db, id) => (await portfolio.getOwners(db, { ids: [id] })).owners.length > 0,
  tenant: async (db, id) => (await portfolio.getTenants(db, { ids: [id] })).tenants.some(({ isDeleted }) => !isDeleted),
  lease: async (db, id) => (await portfolio.getLeases(db, { ids: [id] })).leases.length > 0,
});

/** Refuses a record that the organization does not have; of what nobody can be asked for, one that no import made. */
export async function refuseUnknownRecord(db: OrgDb, ask: Clients, entityType: ImportEntityType, entityId: string): Promise<void> {
  const imported = await db.first(sql`select 1 from import_identity
    where organization_id = ${db.organizationId} and entity_type = ${entityType} and entity_id = ${entityId} limit 1`);
  if (imported) return;
  if (!(await questions(ask)[entityType]?.(db, entityId))) throw unknownReference("entityId", entityType.replaceAll("_", " "));
}
