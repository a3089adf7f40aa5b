/** Queries of the audit log. */
import type { auditLog, AuditEntry } from "@freehold/contract/identity/audit-log";
import type { Output, QueryOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { listPage, onDays } from "@freehold/kit/db/list";
import { sql } from "@freehold/kit/db/statement";

type Operation = typeof auditLog.operations.listAuditEntries;

/**
 * Returns one page of audit entries. `occurredAfter` and `occurredBefore` are inclusive days in the organization's time zone.
 * Entries are immutable, so `updatedAfter` filters by `occurredAt`.
 */
export async function listAuditEntries(db: OrgDb, query: QueryOf<Operation>): Promise<Output<Operation>> {
  const { actorUserId, entityType, entityId, action, occurredAfter, occurredBefore, updatedAfter } = query;
  const zone = db.principal.timezone;
  const { rows, paging } = await listPage<AuditEntry>(db, query, {
    select: sql`e.id, e.occurred_at, e.actor_user_id, e.action, e.entity_type, e.entity_id, e.before, e.after, e.request_id, e.ip`,
    from: sql`audit_entry e`,
    where: [
      sql`e.organization_id = ${db.organizationId}`,
      updatedAfter !== undefined && sql`e.occurred_at > ${updatedAfter}::timestamptz`,
      actorUserId !== undefined && sql`e.actor_user_id = ${actorUserId}`,
      entityType !== undefined && sql`e.entity_type = ${entityType}`,
      entityId !== undefined && sql`e.entity_id = ${entityId}`,
      action !== undefined && sql`e.action = ${action}`,
      ...onDays(sql`e.occurred_at`, occurredAfter, occurredBefore, zone),
    ],
    sorts: { occurredAt: sql`e.occurred_at` },
    table: "e",
  });
  return { auditEntries: rows, ...paging };
}
