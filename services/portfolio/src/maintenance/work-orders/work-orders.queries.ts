import type { QueryOf } from "@freehold/contract/operation";
import { type WorkOrder, type WorkOrderChange, type workOrders, workOrderPriorities, workOrderStatuses } from "@freehold/contract/maintenance/work-orders";
import { today } from "@freehold/kit/time/clock";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { and, listConditions, listPage, type Page, onDays } from "@freehold/kit/db/list";
import { foundIds } from "../../db/found-records.ts";
import { sql } from "@freehold/kit/db/statement";
import { amountColumns, appointmentColumns, vendorIdColumn, workOrderVisibleTo } from "./work-order.access.ts";
import { workOrderStateMachine } from "./work-order.rules.ts";

export type WorkOrderRow = Omit<WorkOrder, "expenseIds"> & { version: number };

const columns = (
  db: StatementRunner,
) => sql`w.id, w.organization_id, w.number, w.property_id, p.name as property_name, w.unit_id, u.unit_number, w.lease_id, w.tenant_id,
  t.full_name as tenant_name, w.vendor_id, w.assigned_user_id, w.title, w.description, w.category, w.priority, w.status, w.source,
  ${appointmentColumns(db.principal)}, w.requested_at, w.due_on, w.accepted_at, w.started_at, w.completed_at, w.cancelled_at,
  ${amountColumns(db.principal)}, w.chargeable_to, w.inspection_id, w.visibility, w.created_by_user_id,
  w.created_at, w.updated_at, w.version`;

/**
 * Work orders joined with property, unit, tenant and vendor names. All joins are left joins, although every work order has a
 * property, so that the planner can drop them from count queries.
 */
const workOrderWithNames = sql`work_order w left join property p on p.organization_id = w.organization_id and p.id = w.property_id
  left join unit u on u.organization_id = w.organization_id and u.id = w.unit_id
  left join tenant t on t.organization_id = w.organization_id and t.id = w.tenant_id
  left join vendor v on v.organization_id = w.organization_id and v.id = w.vendor_id`;

/** Condition that the work order `w` is open or in progress. Its literals match the partial index `work_order_unfinished` in every plan. */
export const unfinishedCondition = sql`w.status in (${sql.join(workOrderStateMachine.unfinished.map((status) => sql.lit(status)))})`;

/** Returns a work order. Throws 404, also without access. */
export async function getWorkOrderRow(db: StatementRunner, id: string): Promise<WorkOrderRow> {
  const row = await db.first(
    sql<WorkOrderRow>`select ${columns(db)} from ${workOrderWithNames}
      where ${and([sql`w.organization_id = ${db.organizationId} and w.id = ${id}`, workOrderVisibleTo(db.principal)])}`,
  );
  if (!row) throw notFound("Work order");
  return row;
}

/** Returns the condition that title, description, property, unit or vendor contain the search text, or that the number equals it. */
function matchesSearch(db: StatementRunner, search: string) {
  const number = /^#?(\d{1,9})$/.exec(search)?.[1];
  return sql`(w.id in ${foundIds(db, "work_order", search, ["title", "description"])} or w.number = ${number === undefined ? null : Number(number)}
    or w.property_id in ${foundIds(db, "property", search, ["name"])} or w.unit_id in ${foundIds(db, "unit", search, ["unit_number"])}
    or ${vendorIdColumn(db.principal)} in ${foundIds(db, "vendor", search, ["name"])})`;
}

export type WorkOrderFilters = QueryOf<(typeof workOrders)["operations"]["listWorkOrders"]>;

function filterConditions(db: OrgDb, query: WorkOrderFilters) {
  const { search, overdue, status, priority, category, createdAfter, createdBefore } = query;
  const { timezone } = db.principal;
  const isOverdue = sql`(${unfinishedCondition} and w.due_on is not null and w.due_on < ${today(timezone)}::date)`;
  return [
    search !== undefined && matchesSearch(db, search),
    query.propertyId !== undefined && sql`w.property_id = ${query.propertyId}`,
    query.unitId !== undefined && sql`w.unit_id = ${query.unitId}`,
    query.tenantId !== undefined && sql`w.tenant_id = ${query.tenantId}`,
    query.vendorId !== undefined && sql`w.vendor_id = ${query.vendorId}`,
    query.assignedUserId !== undefined && sql`w.assigned_user_id = ${query.assignedUserId}`,
    status && sql`w.status = any(${[...status]})`,
    priority && sql`w.priority = any(${[...priority]})`,
    category && sql`w.category = any(${[...category]})`,
    overdue !== undefined && sql`${isOverdue} = ${overdue}`,
    ...onDays(sql`w.created_at`, createdAfter, createdBefore, timezone),
    query.dueAfter !== undefined && sql`w.due_on >= ${query.dueAfter}::date`,
    query.dueBefore !== undefined && sql`w.due_on <= ${query.dueBefore}::date`,
  ];
}

/** Returns a page of the work orders that the caller has access to. Priorities sort by urgency, statuses in the order of the life cycle. */
export const listWorkOrderRows = (db: OrgDb, query: WorkOrderFilters): Promise<Page<WorkOrderRow>> =>
  listPage<WorkOrderRow>(db, query, {
    select: columns(db),
    from: workOrderWithNames,
    table: "w",
    where: [...listConditions(db, "w", query, false), workOrderVisibleTo(db.principal), ...filterConditions(db, query)],
    sorts: {
      number: sql`w.number`,
      createdAt: sql`w.created_at`,
      dueOn: sql`w.due_on`,
      priority: sql`array_position(${[...workOrderPriorities]}::text[], w.priority)`,
      status: sql`array_position(${[...workOrderStatuses]}::text[], w.status)`,
      propertyName: sql`p.name`,
    },
    nullable: ["dueOn"],
  });

/** Returns the next number of the organization. Locks the counter until the commit, so numbers are unique and without gaps. */
export async function nextWorkOrderNumber(tx: StatementRunner): Promise<number> {
  const row = await tx.first(sql<{ last: number }>`insert into work_order_counter (organization_id, last) values (${tx.organizationId}, 1)
    on conflict (organization_id) do update set last = work_order_counter.last + 1 returning last`);
  return row!.last;
}

/** Tells whether a property, unit or vendor has a work order that is open or in progress. */
export async function hasUnfinishedWorkOrder(db: StatementRunner, reference: "property" | "unit" | "vendor", id: string): Promise<boolean> {
  const row = await db.first(sql`select 1 as one from work_order w
    where w.organization_id = ${db.organizationId} and ${sql.ref(`w.${reference}_id`)} = ${id} and ${unfinishedCondition} limit 1`);
  return row !== undefined;
}

export type ChangeRow = Omit<WorkOrderChange, "actor">;
const MAX_NEWEST_CHANGES = 100;

/** Returns the newest changes of a work order. */
export const findNewestChanges = (db: StatementRunner, workOrderId: string): Promise<ChangeRow[]> =>
  db.all(sql<ChangeRow>`select c.at, c.actor_user_id, c.field, c.from_value as "from", c.to_value as "to" from work_order_change c
    where c.organization_id = ${db.organizationId} and c.work_order_id = ${workOrderId} order by c.at desc, c.id desc limit ${MAX_NEWEST_CHANGES}`);
