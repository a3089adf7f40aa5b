import type { OwnerApproval, ownerPortal } from "@freehold/contract/portals/owner-portal";
import type { QueryOf } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { and, listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { sql } from "@freehold/kit/db/statement";
import {
  estimateColumns,
  estimatesWithProperty,
  estimateStatus,
  estimateAccessConditions,
  maintenanceLimit,
} from "../../maintenance/work-orders/estimates/estimates.queries.ts";

export type ApprovalRow = Omit<OwnerApproval, "decidedBy"> & { version: number };

const columns = (db: StatementRunner) => sql`${estimateColumns(db)}, v.name as vendor_name, ${maintenanceLimit} as limit_cents,
  json_build_object('id', w.id, 'number', w.number, 'title', w.title, 'status', w.status, 'propertyId', w.property_id, 'propertyName', p.name,
    'unitNumber', u.unit_number) as work_order`;

const estimatesWithNames = sql`${estimatesWithProperty} left join unit u on u.organization_id = w.organization_id and u.id = w.unit_id
  left join vendor v on v.organization_id = e.organization_id and v.id = e.vendor_id`;

/** Conditions that the estimate is accessible and exceeds the maintenance limit, so that an owner must approve, or had to. */
const approvalConditions = (db: StatementRunner) => [...estimateAccessConditions(db), sql`e.amount_cents > ${maintenanceLimit}`];

/** Returns an estimate that requires or required the caller's approval. Throws 404. */
export async function getApprovalRow(db: StatementRunner, id: string): Promise<ApprovalRow> {
  const row = await db.first(sql<ApprovalRow>`select ${columns(db)} from ${estimatesWithNames} where ${and([...approvalConditions(db), sql`e.id = ${id}`])}`);
  if (!row) throw notFound("Estimate");
  return row;
}

/** Returns a page of the estimates that require or required the caller's approval. */
export const listApprovalRows = (db: OrgDb, query: QueryOf<(typeof ownerPortal)["operations"]["listOwnerApprovals"]>): Promise<Page<ApprovalRow>> =>
  listPage<ApprovalRow>(db, query, {
    select: columns(db),
    from: estimatesWithNames,
    table: "e",
    where: [
      ...listConditions(db, "e", query, false),
      ...approvalConditions(db),
      query.propertyId !== undefined && sql`w.property_id = ${query.propertyId}`,
      query.status && sql`${estimateStatus(today(db.principal.timezone))} = any(${[...query.status]})`,
    ],
    sorts: { createdAt: sql`e.created_at`, amountCents: sql`e.amount_cents` },
  });
