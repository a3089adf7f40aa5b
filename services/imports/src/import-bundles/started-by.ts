/** Principal that requested the validation of an import, then that started it and on whose behalf its rows are written, stored with the bundle. */
import type { Role } from "@freehold/contract/roles";
import { OrgDb } from "@freehold/kit/db/org-db";

export interface StartedBy {
  userId: string;
  role: Role;
  timezone: string;
}

/** Returns the caller of a request as the starter of an import. */
export function startedByCaller({ principal }: OrgDb): StartedBy {
  const { userId, role, timezone } = principal;
  return { userId: userId!, role: role as Role, timezone };
}

/** Returns the database of the same organization with the starter as its principal, for calls on behalf of the import; for writes, with the bundle's id. */
export const onBehalfOf = ({ database, organizationId }: OrgDb, { userId, role, timezone }: StartedBy, importBundleId?: string): OrgDb =>
  new OrgDb(database, { organizationId, userId, role, subjectId: null, timezone, isImport: true, ...(importBundleId !== undefined && { importBundleId }) });
