/** Row-level access to work orders and estimates. Every query applies these conditions, so the portals share the office's functions. */
import { portalUserOf, type Principal } from "@freehold/kit/auth/principal";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { forbidden } from "@freehold/kit/errors";
import { now } from "@freehold/kit/time/clock";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

/** Returns the condition that the caller has access to the work order `w`: none for the office, the linked tenant, owner or vendor for a portal user. */
export function workOrderVisibleTo({ role, subjectId }: Principal): RawBuilder<unknown> | undefined {
  switch (role) {
    case "vendor":
      return sql`w.vendor_id = ${subjectId}`;
    case "owner":
      return sql`exists (select 1 from property_owner po where po.organization_id = w.organization_id and po.property_id = w.property_id and po.owner_id = ${subjectId})`;
    case "tenant":
      return sql`w.tenant_id = ${subjectId} and is_shown_to_tenant(w.source, w.visibility)`;
    default:
      return undefined;
  }
}

/** Returns the condition on the estimate `e`, in addition to `workOrderVisibleTo`: a vendor has access only to its own. */
export const estimateVisibleTo = ({ role, subjectId }: Principal): RawBuilder<unknown> | undefined =>
  role === "vendor" ? sql`e.vendor_id = ${subjectId}` : undefined;

const newestOwnAmount = (subjectId: string | null, status: RawBuilder<unknown>) => sql`(select e.amount_cents from work_order_estimate e
  where e.organization_id = w.organization_id and e.work_order_id = w.id and e.vendor_id = ${subjectId} and ${status} order by e.created_at desc, e.id desc limit 1)`;

/**
 * Returns the columns of the estimated, approved and actual cents of the work order `w`. A vendor has access to those of its own estimates only, and
 * not to an actual cost that was recorded for a former vendor.
 */
export const amountColumns = ({ role, subjectId }: Principal): RawBuilder<unknown> =>
  role === "vendor"
    ? sql`${newestOwnAmount(subjectId, sql`true`)} as estimate_cents, ${newestOwnAmount(subjectId, sql`e.status = 'approved'`)} as approved_estimate_cents,
        case when w.vendor_replaced_at is null or w.actual_cost_recorded_at >= w.vendor_replaced_at then w.actual_cents else 0 end as actual_cents`
    : sql`w.estimate_cents, w.approved_estimate_cents, w.actual_cents`;

/** Returns the `from` and `where` clauses of the time span in which the portal user has access to a work order. */
const fromSpanOf = (principal: Principal, workOrderId: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`from portal_work_order_spans(${portalUserOf(principal)}) span where span.work_order_id = ${workOrderId}`;

/** Returns a column of the plan of the work order `w`: null for a tenant who was released from the unit, once the work order has changed since the release. */
function planColumn(principal: Principal, column: RawBuilder<unknown>): RawBuilder<unknown> {
  if (principal.role !== "tenant") return column;
  return sql`case when not exists (select ${fromSpanOf(principal, sql`w.id`)} and span.reads_until <= w.updated_at) then ${column} end`;
}

/** Returns the vendor of the work order `w` to compare with, like the vendor name of `appointmentColumns`. */
export const vendorIdColumn = (principal: Principal): RawBuilder<unknown> => planColumn(principal, sql`w.vendor_id`);

/**
 * Returns the columns of vendor name, appointment and entry of the work order `w`. A tenant who was released from the unit has no access to them once
 * the work order has changed since the release.
 */
export function appointmentColumns(principal: Principal): RawBuilder<unknown> {
  const shown = (column: RawBuilder<unknown>) => planColumn(principal, column);
  return sql`${shown(sql`v.name`)} as vendor_name, ${shown(sql`w.scheduled_start`)} as scheduled_start, ${shown(sql`w.scheduled_end`)} as scheduled_end,
    coalesce(${shown(sql`w.entry_permission`)}, 'unknown') as entry_permission, ${shown(sql`w.entry_notes`)} as entry_notes`;
}

/**
 * Returns the condition on the note `n` of a work order, in addition to its visibility: vendors and tenants have access to the notes that were
 * shared with them since a former one was replaced, and their own.
 */
export function sharedSinceReplacement(principal: Principal): RawBuilder<unknown> {
  const { role, userId } = principal;
  if (role !== "vendor" && role !== "tenant") return sql`true`;
  const sharedAt = role === "vendor" ? sql`n.shared_with_vendors_at` : sql`n.shared_with_tenants_at`;
  return sql`(n.entity_type <> 'work_order' or n.created_by_user_id = ${userId}
    or exists (select ${fromSpanOf(principal, sql`n.entity_id`)} and (span.reads_from is null or span.reads_from <= ${sharedAt})))`;
}

/** Returns the condition that the tenant of the work order `w` was not released from its unit before or on a day. */
export const isNotReleased = (day: string): RawBuilder<unknown> => sql`coalesce(released_from_unit_on(w.unit_id, w.tenant_id) > ${day}::date, true)`;

/** Throws 403 when the tenant was released from the unit of the work order, whose other tenants depend on it. */
export async function requireUnreleasedTenant(db: StatementRunner, workOrderId: string): Promise<void> {
  if (await db.first(sql`select ${fromSpanOf(db.principal, sql`${workOrderId}`)} and span.reads_until <= ${now()}`))
    throw forbidden("You have left the unit of this maintenance request. Ask the office for help.", "scope_forbidden");
}
