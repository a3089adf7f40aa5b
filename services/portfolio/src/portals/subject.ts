import { OrgDb } from "@freehold/kit/db/org-db";
import { forbidden } from "@freehold/kit/errors";
import type { Principal } from "@freehold/kit/auth/principal";
import { sql } from "@freehold/kit/db/statement";

/** Whom the caller stands for. Nobody is a portal user without. */
export function requireSubjectId({ subjectId }: Principal): string {
  if (subjectId === null) throw forbidden("This account stands for nobody in the portal. Ask the office for an invite.", "scope_forbidden");
  return subjectId;
}

/** The same data for whom the caller stands for since its tenant was merged: the token that it came with does not know of that until it is refreshed. */
export async function resolveMergedTenant(db: OrgDb): Promise<OrgDb> {
  if (db.principal.role !== "tenant") return db;
  const merged = await db.first(sql<{ subjectId: string }>`select merged_into_id as subject_id from tenant
    where organization_id = ${db.organizationId} and id = ${db.principal.subjectId} and merged_into_id is not null`);
  return merged ? new OrgDb(db.database, { ...db.principal, ...merged }, db.request) : db;
}
