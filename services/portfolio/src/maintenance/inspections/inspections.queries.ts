import {
  inspectionStatuses,
  type Inspection,
  type inspections,
  type InspectionTemplate as InspectionTemplateView,
  type inspectionTemplates,
} from "@freehold/contract/maintenance/inspections";
import type { QueryOf } from "@freehold/contract/operation";
import { columnsOf } from "@freehold/kit/db/entity";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { listConditions, listPage, type Page, onDays } from "@freehold/kit/db/list";
import { containsPattern } from "@freehold/kit/like-pattern";
import { foundIds } from "../../db/found-records.ts";
import { sql } from "@freehold/kit/db/statement";
import type { StoredArea, WorkOrderIdsByItem } from "./areas.rules.ts";
import { InspectionTemplate } from "./inspection.entity.ts";
import { inspectionStateMachine } from "./inspection.rules.ts";

export type InspectionRow = Omit<Inspection, "areas"> & {
  areas: StoredArea[];
  workOrders: WorkOrderIdsByItem;
  liveDocumentIds: string[];
  version: number;
};

const columns = sql`i.id, i.organization_id, i.property_id, p.name as property_name, i.unit_id, u.unit_number, i.lease_id, i.type, i.status, i.template_id,
  i.scheduled_at, i.started_at, i.completed_at, i.cancelled_at, i.cancel_reason, i.inspector_user_id, i.summary, i.areas, i.signatures, i.created_by_user_id,
  i.created_at, i.updated_at, i.version,
  (select coalesce(jsonb_object_agg(w.inspection_item_id, w.id), '{}') from work_order w
    where w.organization_id = i.organization_id and w.inspection_id = i.id and w.inspection_item_id is not null) as work_orders,
  (select coalesce(jsonb_agg(d.id), '[]') from document d
    where d.organization_id = i.organization_id and d.entity_type = 'inspection' and d.entity_id = i.id and d.deleted_at is null) as live_document_ids`;

/**
 * Inspections joined with property and unit names. Both joins are left joins, although every inspection has a property, so that
 * the planner can drop them from count queries.
 */
const inspectionWithNames = sql`inspection i left join property p on p.organization_id = i.organization_id and p.id = i.property_id
  left join unit u on u.organization_id = i.organization_id and u.id = i.unit_id`;

/** Returns an inspection, if it exists. */
export const findInspectionRow = (db: StatementRunner, id: string): Promise<InspectionRow | undefined> =>
  db.first(sql<InspectionRow>`select ${columns} from ${inspectionWithNames} where i.organization_id = ${db.organizationId} and i.id = ${id}`);

/** Returns an inspection. Throws 404. */
export async function getInspectionRow(db: StatementRunner, id: string): Promise<InspectionRow> {
  const row = await findInspectionRow(db, id);
  if (!row) throw notFound("Inspection");
  return row;
}

type Filters = QueryOf<(typeof inspections)["operations"]["listInspections"]>;

/** Returns the condition that the summary, property name or unit number contains the search text. */
function matchesSearch(db: StatementRunner, search: string) {
  return sql`(i.summary ilike ${containsPattern(search)} or i.property_id in ${foundIds(db, "property", search, ["name"])}
    or i.unit_id in ${foundIds(db, "unit", search, ["unit_number"])})`;
}

/**
 * Returns a page of inspections. `scheduledAfter` and `scheduledBefore` are inclusive days in the organization's time zone;
 * statuses sort in the order of the life cycle.
 */
export function listInspectionRows(db: OrgDb, query: Filters): Promise<Page<InspectionRow>> {
  const { search, type, status, scheduledAfter, scheduledBefore } = query;
  const { timezone } = db.principal;
  return listPage<InspectionRow>(db, query, {
    select: columns,
    from: inspectionWithNames,
    table: "i",
    where: [
      ...listConditions(db, "i", query, false),
      search !== undefined && matchesSearch(db, search),
      query.propertyId !== undefined && sql`i.property_id = ${query.propertyId}`,
      query.unitId !== undefined && sql`i.unit_id = ${query.unitId}`,
      query.leaseId !== undefined && sql`i.lease_id = ${query.leaseId}`,
      query.inspectorUserId !== undefined && sql`i.inspector_user_id = ${query.inspectorUserId}`,
      type && sql`i.type = any(${[...type]})`,
      status && sql`i.status = any(${[...status]})`,
      ...onDays(sql`i.scheduled_at`, scheduledAfter, scheduledBefore, timezone),
    ],
    sorts: {
      scheduledAt: sql`i.scheduled_at`,
      createdAt: sql`i.created_at`,
      status: sql`array_position(${[...inspectionStatuses]}::text[], i.status)`,
      propertyName: sql`p.name`,
    },
  });
}

/** Condition that the inspection `i` is scheduled or in progress. */
const unfinishedCondition = sql`i.status in (${sql.join(inspectionStateMachine.unfinished.map((status) => sql.lit(status)))})`;

/** Tells whether a property or unit has an inspection that is scheduled or in progress. */
export async function hasUnfinishedInspection(db: StatementRunner, table: "property" | "unit", id: string): Promise<boolean> {
  const row = await db.first(sql`select 1 as one from inspection i
    where i.organization_id = ${db.organizationId} and ${sql.ref(`i.${table}_id`)} = ${id} and ${unfinishedCondition} limit 1`);
  return row !== undefined;
}

/** Returns which of the ids are documents of the inspection, locked against deletion until the commit. */
export async function lockInspectionDocuments(db: StatementRunner, inspectionId: string, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.all(sql<{ id: string }>`select id from document where organization_id = ${db.organizationId} and id = any(${[...ids]}::uuid[])
    and entity_type = 'inspection' and entity_id = ${inspectionId} and deleted_at is null order by id for share`);
  return new Set(rows.map(({ id }) => id));
}

/** Tells whether a document is attached to an item of a completed inspection. */
export async function isAttachedToCompletedInspection(db: StatementRunner, { id, entityId }: { id: string; entityId: string }): Promise<boolean> {
  const row = await db.first(sql`select 1 as one from inspection where organization_id = ${db.organizationId} and id = ${entityId} and status = 'completed'
    and jsonb_path_exists(areas, '$[*].items[*].documentIds[*] ? (@ == $id)', jsonb_build_object('id', ${id}::text))`);
  return row !== undefined;
}

export type TemplateRow = InspectionTemplateView & { version: number };
const templateColumns = columnsOf(InspectionTemplate, "t");

/** Returns a template. Throws 404, also for a deleted one unless `includeDeleted`. */
export async function getTemplateRow(db: StatementRunner, id: string, { includeDeleted = false } = {}): Promise<TemplateRow> {
  const row = await db.first(sql<TemplateRow>`select ${templateColumns} from inspection_template t
    where t.organization_id = ${db.organizationId} and t.id = ${id} and ${includeDeleted ? sql`true` : sql`t.deleted_at is null`}`);
  if (!row) throw notFound("Inspection template");
  return row;
}

/** Returns a page of inspection templates. Search covers the name. */
export const listTemplateRows = (
  db: OrgDb,
  query: QueryOf<(typeof inspectionTemplates)["operations"]["listInspectionTemplates"]>,
): Promise<Page<TemplateRow>> =>
  listPage<TemplateRow>(db, query, {
    select: templateColumns,
    from: sql`inspection_template t`,
    table: "t",
    where: [
      ...listConditions(db, "t", query),
      query.search !== undefined && sql`t.name ilike ${containsPattern(query.search)}`,
      query.type && sql`t.type = any(${[...query.type]})`,
    ],
    sorts: { name: sql`t.name`, createdAt: sql`t.created_at` },
  });
