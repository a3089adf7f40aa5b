/** Runs of management fees and their fees: read and list. */
import type { managementFees, ManagementFee as FeeView, ManagementFeeRun as View, ManagementFeeRunSummary } from "@freehold/contract/payables/management-fees";
import type { QueryOf } from "@freehold/contract/operation";
import { columnsOf } from "@freehold/kit/db/entity";
import { listConditions, listPage } from "@freehold/kit/db/list";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { notFound } from "@freehold/kit/errors";
import { withVersion } from "@freehold/kit/http/etag";
import { ManagementFee, ManagementFeeRun } from "./run.entity.ts";

type Operations = typeof managementFees.operations;
type Row = ManagementFeeRunSummary & { version: number };
type Line = View["lines"][number];
type LineRow = Omit<Line, "base"> & { id: string; expenseId: string | null };
type BaseRow = Line["base"][number] & { feeId: string };

const columns = columnsOf(ManagementFeeRun, "r");
const feeColumns = sql`${columnsOf(ManagementFee, "f", ["rate"])}, r.status`;
const feeTables = sql`management_fee f join management_fee_run r on r.organization_id = f.organization_id and r.id = f.run_id`;

/** Returns a run with its fees as they were charged. Throws 404 for an unknown id. */
export async function getRun(db: StatementRunner, id: string): Promise<View> {
  const run = await db.first(sql<Row>`select ${columns} from management_fee_run r where r.organization_id = ${db.organizationId} and r.id = ${id}`);
  if (!run) throw notFound("Management fee run");
  const { version, ...summary } = run;
  const fees =
    await db.all(sql<LineRow>`select id, property_id, agreement_id, kind, month, lease_id, base_cents + coalesce(taken_back.cents, 0) as base_cents, computed_cents,
      minimum_applied, maximum_applied, is_waived, amount_cents + reversed_cents as amount_cents, expense_id
    from management_fee f cross join lateral (select -sum(b.amount_cents) as cents from management_fee_base b
      where b.organization_id = f.organization_id and b.fee_id = f.id and b.is_taken_back) taken_back
    where f.organization_id = ${db.organizationId} and f.run_id = ${id} order by f.id`);
  const base = await db.all(sql<BaseRow>`select b.fee_id, b.payment_id, b.charge_id, b.amount_cents from management_fee_base b
      join management_fee f on f.organization_id = b.organization_id and f.id = b.fee_id
    where b.organization_id = ${db.organizationId} and f.run_id = ${id} and not b.is_taken_back order by b.id`);
  const baseOf = Map.groupBy(base, ({ feeId }) => feeId);
  const lines = fees.map(({ id: feeId, expenseId: _expenseId, ...line }) => ({
    ...line,
    base: (baseOf.get(feeId) ?? []).map(({ feeId: _feeId, ...amount }) => amount),
  }));
  const expenseIds = [...new Set(fees.flatMap(({ expenseId }) => expenseId ?? []))];
  return withVersion({ ...summary, lines, expenseIds }, version);
}

/** Returns a page of runs, without their fees. */
export async function listRuns(db: OrgDb, query: QueryOf<Operations["listManagementFeeRuns"]>) {
  const { propertyId, status, periodAfter, periodBefore } = query;
  const { rows, paging } = await listPage<Row>(db, query, {
    table: "r",
    select: columns,
    from: sql`management_fee_run r`,
    sorts: { periodStart: sql`r.period_start`, totalCents: sql`r.total_cents`, createdAt: sql`r.created_at` },
    where: [
      ...listConditions(db, "r", query, false),
      propertyId !== undefined && sql`r.id in (select run_id from management_fee where organization_id = ${db.organizationId} and property_id = ${propertyId})`,
      status && sql`r.status = any(${status})`,
      periodAfter !== undefined && sql`r.period_end >= ${periodAfter}`,
      periodBefore !== undefined && sql`r.period_start <= ${periodBefore}`,
    ],
  });
  return { runs: rows.map(({ version, ...row }): ManagementFeeRunSummary => withVersion(row, version)), ...paging };
}

/** Returns a page of fees. */
export async function listManagementFees(db: OrgDb, query: QueryOf<Operations["listManagementFees"]>) {
  const { propertyId, agreementId, runId, kind, status, monthAfter, monthBefore } = query;
  const { rows, paging } = await listPage<FeeView & { version: number }>(db, query, {
    table: "f",
    select: feeColumns,
    from: feeTables,
    sorts: { month: sql`f.month`, amountCents: sql`f.amount_cents`, createdAt: sql`f.created_at` },
    where: [
      ...listConditions(db, "f", query, false),
      propertyId !== undefined && sql`f.property_id = ${propertyId}`,
      agreementId !== undefined && sql`f.agreement_id = ${agreementId}`,
      runId !== undefined && sql`f.run_id = ${runId}`,
      kind && sql`f.kind = any(${kind})`,
      status && sql`r.status = any(${status})`,
      monthAfter !== undefined && sql`f.month >= ${monthAfter}`,
      monthBefore !== undefined && sql`f.month <= ${monthBefore}`,
    ],
  });
  return { managementFees: rows.map(({ version, ...row }): FeeView => withVersion(row, version)), ...paging };
}
