/** Visibility of documents and notes: the office has access to all, a portal user to those of the user's own records that are shared with the portal. */
import type { Visibility } from "@freehold/contract/documents/documents";
import { isPortalRole, type PortalRole } from "@freehold/contract/roles";
import { portalUserOf } from "@freehold/kit/auth/principal";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { tenantVisibilities, vendorVisibilities } from "./sharing.rules.ts";

const sharedVisibilities: Record<PortalRole, readonly Visibility[]> = {
  tenant: tenantVisibilities,
  owner: ["owner_shared"],
  vendor: vendorVisibilities,
};

/** Returns the condition that the principal has access to the document `d` or the note `n`. `isOwn` admits shared ones about other records. */
export function visibilityCondition(db: StatementRunner, alias: "d" | "n", isOwn: RawBuilder<unknown> = sql`false`): RawBuilder<unknown> {
  const { role } = db.principal;
  if (!isPortalRole(role)) return sql`true`;
  const [visibility, entityType, entityId, sharedAt] = ["visibility", "entity_type", "entity_id", "shared_with_tenants_at"].map((column) =>
    sql.ref(`${alias}.${column}`),
  );
  return sql`${visibility} = any(${[...sharedVisibilities[role]]}) and (${isOwn} or exists (select from portal_shared_records(${portalUserOf(db.principal)}) reached
    where reached.entity_type = ${entityType} and reached.entity_id = ${entityId} and (reached.shared_before is null or ${sharedAt} < reached.shared_before)))`;
}
