import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { unknownReference } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";
import type { Clients } from "../clients.ts";
import { comparableFields } from "../validation/match.rules.ts";

/** Throws 400 unless the record exists in portfolio and is not deleted. A record of a type that portfolio does not match must have been written by an earlier import. */
export async function requireExistingRecord(db: OrgDb, { portfolio }: Clients, entityType: ImportEntityType, entityId: string): Promise<void> {
  const exists = comparableFields[entityType]
    ? (await portfolio.findMatches(db, { kind: entityType, criteria: [{ key: entityId, id: entityId }] })).matches.length > 0
    : await isImported(db, entityType, entityId);
  if (!exists) throw unknownReference("entityId", entityType.replaceAll("_", " "));
}

async function isImported(db: OrgDb, entityType: ImportEntityType, entityId: string): Promise<boolean> {
  const imported = await db.first(sql`select 1 from import_identity
    where organization_id = ${db.organizationId} and entity_type = ${entityType} and entity_id = ${entityId} and not is_deleted limit 1`);
  return imported !== undefined;
}
