import type { QueryOf } from "@freehold/contract/operation";
import type { WorkOrderEstimate, workOrders } from "@freehold/contract/maintenance/work-orders";
import type { Cents } from "@freehold/contract/values";
import { today } from "@freehold/kit/time/clock";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { and, listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { estimateVisibleTo, workOrderVisibleTo } from "../work-order.access.ts";
import { unfinishedCondition } from "../work-orders.queries.ts";

export type EstimateRow = Omit<WorkOrderEstimate, "decidedBy"> & { version: number };

/** Returns the SQL expression of the status of the estimate `e` on a day: that of `estimateStatusOn`, also expired once its work order `w` is finished. */
export const estimateStatus = (day: string): RawBuilder<string> =>
  sql`(case when e.status = 'submitted' and (e.valid_until < ${day}::date or not ${unfinishedCondition}) then 'expired' else e.status end)`;

/** Returns the columns of the estimate `e` to which the caller has access. */
export const estimateColumns = ({ principal }: StatementRunner): RawBuilder<unknown> => {
  const columns = [
    sql`e.id, e.work_order_id, e.vendor_id, e.amount_cents, e.lines, e.valid_until, ${estimateStatus(today(principal.timezone))} as status`,
    // A vendor could learn the limit of the property from it.
    principal.role === "vendor" ? undefined : sql`coalesce(e.amount_cents > ${maintenanceLimit}, false) as needs_owner_approval`,
    sql`e.decided_by_user_id, e.decided_at, e.decision_note, e.created_by_user_id, e.created_at, e.updated_at, e.version`,
  ];
  return sql.join(columns.filter((column) => column !== undefined));
};

/** Maintenance limit for the estimate `e`: that of the property `p`, or the one at the decision, so that a later limit changes nothing that was decided. */
export const maintenanceLimit = sql`(case when e.decided_at is null then p.maintenance_limit_cents else e.decided_limit_cents end)`;

/** Returns the maintenance limit of a property; null when it has none. */
export async function readMaintenanceLimit(db: StatementRunner, propertyId: string): Promise<Cents | null> {
  const property = await db.first(sql<{ limitCents: Cents | null }>`select maintenance_limit_cents as limit_cents from property
    where organization_id = ${db.organizationId} and id = ${propertyId}`);
  return property?.limitCents ?? null;
}

/** Estimates joined with their work orders `w` and properties `p`. */
export const estimatesWithProperty = sql`work_order_estimate e join work_order w on w.organization_id = e.organization_id and w.id = e.work_order_id
  join property p on p.organization_id = w.organization_id and p.id = w.property_id`;

/** Conditions that the caller has access to the estimate `e` and its work order `w`. */
export const estimateAccessConditions = (db: StatementRunner) => [
  sql`e.organization_id = ${db.organizationId}`,
  workOrderVisibleTo(db.principal),
  estimateVisibleTo(db.principal),
];

/** Returns an estimate. Throws 404, also without access. */
export async function getEstimateRow(db: StatementRunner, id: string): Promise<EstimateRow> {
  const row = await db.first(
    sql<EstimateRow>`select ${estimateColumns(db)} from ${estimatesWithProperty} where ${and([...estimateAccessConditions(db), sql`e.id = ${id}`])}`,
  );
  if (!row) throw notFound("Estimate");
  return row;
}

const MAX_NEWEST_ESTIMATES = 100;

/** Returns the newest of those estimates of a work order to which the caller has access. */
export const findNewestEstimates = (db: StatementRunner, workOrderId: string): Promise<EstimateRow[]> =>
  db.all(sql<EstimateRow>`select ${estimateColumns(db)} from ${estimatesWithProperty} where ${and([...estimateAccessConditions(db), sql`e.work_order_id = ${workOrderId}`])}
    order by e.created_at desc, e.id desc limit ${MAX_NEWEST_ESTIMATES}`);

export type EstimateFilters = QueryOf<(typeof workOrders)["operations"]["listWorkOrderEstimates"]>;

/** Returns a page of the estimates of a work order that the caller has access to. */
export const listEstimateRows = (db: OrgDb, workOrderId: string, query: EstimateFilters): Promise<Page<EstimateRow>> =>
  listPage<EstimateRow>(db, query, {
    select: estimateColumns(db),
    from: estimatesWithProperty,
    table: "e",
    where: [
      ...listConditions(db, "e", query, false),
      ...estimateAccessConditions(db),
      sql`e.work_order_id = ${workOrderId}`,
      query.status && sql`${estimateStatus(today(db.principal.timezone))} = any(${[...query.status]})`,
    ],
    sorts: { createdAt: sql`e.created_at`, amountCents: sql`e.amount_cents` },
  });
