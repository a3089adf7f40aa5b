import { OrgDb } from "@freehold/kit/db/org-db";
import { wrapHandlers, type Routes } from "@freehold/kit/http/routes";
import { sql } from "@freehold/kit/db/statement";

/**
 * Returns the database in the scope of the surviving tenant when the caller's tenant was merged. Access tokens issued before
 * the merge still name the duplicate.
 */
export async function scopeToSurvivingTenant(db: OrgDb): Promise<OrgDb> {
  if (db.principal.role !== "tenant") return db;
  const merged = await db.first(sql<{ subjectId: string }>`select merged_into_id as subject_id from tenant
    where organization_id = ${db.organizationId} and id = ${db.principal.subjectId} and merged_into_id is not null`);
  return merged ? new OrgDb(db.database, { ...db.principal, ...merged }, db.request) : db;
}

/** Returns routes whose operations run in the scope of the surviving tenant. */
export const withSurvivingTenant = (routes: Routes): Routes =>
  wrapHandlers(routes, (handler, { access }) =>
    access === "public" ? handler : async (context) => handler({ ...context, db: await scopeToSurvivingTenant(context.db) }),
  );
