import type { BodyOf, Output } from "@freehold/contract/operation";
import type { workOrders } from "@freehold/contract/maintenance/work-orders";
import { now, today } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { invalid } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";
import { publish } from "../../../publish.ts";
import { findUserNames } from "../../../rpc/lookups.ts";
import type { Clients } from "../../../clients.ts";
import { changeWorkOrder, lockUnfinishedWorkOrder } from "../change-work-order.ts";
import { WorkOrderEstimate } from "./estimate.entity.ts";
import { estimateStateMachine, requireLinesMatchAmount, estimateStatusOn } from "./estimate.rules.ts";
import { estimateView } from "./estimate.view.ts";
import { getEstimateRow, listEstimateRows, readMaintenanceLimit, type EstimateFilters } from "./estimates.queries.ts";
import { workOrderEvent } from "../work-order-events.ts";
import { WorkOrder } from "../work-order.entity.ts";
import { requireUnfinishedWorkOrder } from "../work-order.rules.ts";
import { getWorkOrderRow } from "../work-orders.queries.ts";

type Operations = (typeof workOrders)["operations"];
type ListOperation = Operations["listWorkOrderEstimates"];

/** Returns a page of the estimates that the caller has access to. Throws 404 for a work order without access. */
export async function listWorkOrderEstimates(db: OrgDb, clients: Clients, id: string, query: EstimateFilters): Promise<Output<ListOperation>> {
  await getWorkOrderRow(db, id);
  const { rows, paging } = await listEstimateRows(db, id, query);
  const names = await findUserNames(
    db,
    clients,
    rows.map(({ decidedByUserId }) => decidedByUserId),
  );
  return { estimates: rows.map((row) => estimateView(row, names)), ...paging };
}

type CreateOperation = Operations["createWorkOrderEstimate"];

/** Creates a submitted estimate of the assigned vendor and sets the work order's estimate to its amount. */
export function createWorkOrderEstimate(db: OrgDb, id: string, { amountCents, lines, validUntil }: BodyOf<CreateOperation>): Promise<Output<CreateOperation>> {
  requireLinesMatchAmount(amountCents, lines);
  if (validUntil && validUntil < today(db.principal.timezone))
    throw invalid([{ path: "validUntil", code: "min", message: "validUntil is in the past. Send today or a later day." }]);
  return transaction(db, async (tx) => {
    const workOrder = await lockUnfinishedWorkOrder(tx, id);
    const estimate = tx.create(WorkOrderEstimate, {
      workOrderId: id,
      vendorId: workOrder.vendorId ?? null,
      amountCents,
      lines,
      validUntil: validUntil ?? null,
      status: "submitted",
      createdByUserId: db.principal.userId,
    });
    changeWorkOrder(tx, workOrder, { estimateCents: amountCents });
    await publish(tx, "work_order.updated", await workOrderEvent(tx, workOrder, {}));
    return { estimate: estimateView(await getEstimateRow(tx, estimate.id), new Map()) };
  });
}

type ApproveOperation = Operations["approveWorkOrderEstimate"];

/** Approves an estimate and rejects its work order's other approved or submitted estimates. Of several concurrent approvals only one succeeds. */
export const approveWorkOrderEstimate = (db: OrgDb, clients: Clients, id: string, { note }: BodyOf<ApproveOperation>): Promise<Output<ApproveOperation>> =>
  decide(db, clients, id, "approved", note);

type RejectOperation = Operations["rejectWorkOrderEstimate"];

/** Rejects a submitted estimate. */
export const rejectWorkOrderEstimate = (db: OrgDb, clients: Clients, id: string, { note }: BodyOf<RejectOperation>): Promise<Output<RejectOperation>> =>
  decide(db, clients, id, "rejected", note);

/** Approves or rejects an estimate. Locks the work order before the estimate, which serializes decisions on the same work order. */
async function decide(db: OrgDb, clients: Clients, id: string, status: "approved" | "rejected", note: string | undefined): Promise<Output<ApproveOperation>> {
  const names = await findUserNames(db, clients, [db.principal.userId]);
  return transaction(db, async (tx) => {
    const { workOrderId } = await getEstimateRow(tx, id);
    const [workOrder] = await tx.findAllForUpdate(WorkOrder, [workOrderId]);
    const estimate = await tx.getForUpdate(WorkOrderEstimate, id, "Estimate");
    estimateStateMachine.transition(estimateStatusOn(estimate, today(tx.principal.timezone)), status);
    requireUnfinishedWorkOrder(workOrder!.status);
    const decision = { decidedAt: now(), decidedByUserId: tx.principal.userId };
    const limitCents = await readMaintenanceLimit(tx, workOrder!.propertyId);
    if (status === "approved") await rejectOthers(tx, estimate, decision, limitCents);
    tx.assign(estimate, { ...decision, status, decidedLimitCents: limitCents, decisionNote: note ?? null });
    changeWorkOrder(tx, workOrder!, status === "approved" ? { estimateCents: estimate.amountCents, approvedEstimateCents: estimate.amountCents } : {});
    await publish(tx, "work_order.updated", await workOrderEvent(tx, workOrder!, {}));
    return { estimate: estimateView(await getEstimateRow(tx, id), names) };
  });
}

/** Rejects the other estimates of the work order that are approved, or submitted and not expired. */
async function rejectOthers(
  tx: OrgTx,
  { id, workOrderId }: WorkOrderEstimate,
  { decidedAt, decidedByUserId }: { decidedAt: Date; decidedByUserId: string | null },
  limitCents: WorkOrderEstimate["decidedLimitCents"],
): Promise<void> {
  await tx.all(sql`update work_order_estimate set status = 'rejected', decided_at = ${decidedAt}, decided_by_user_id = ${decidedByUserId}, updated_at = ${decidedAt},
      decided_limit_cents = case when decided_at is null then ${limitCents}::bigint else decided_limit_cents end, version = version + 1
    where organization_id = ${tx.organizationId} and work_order_id = ${workOrderId} and id <> ${id}
      and (status = 'approved' or status = 'submitted' and coalesce(valid_until >= ${today(tx.principal.timezone)}::date, true))`);
}
