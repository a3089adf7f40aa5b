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
import { getEstimateRow, listEstimateRows, type EstimateFilters } from "./estimates.queries.ts";
import { workOrderAudience, workOrderEventData } from "../work-order-events.ts";
import { WorkOrder } from "../work-order.entity.ts";
import { requireUnfinishedWorkOrder } from "../work-order.rules.ts";
import { getWorkOrderRow } from "../work-orders.queries.ts";

type Operations = (typeof workOrders)["operations"];
type Listed = Operations["listWorkOrderEstimates"];

/** The estimates of a work order, as far as the caller reaches both. */
export async function listWorkOrderEstimates(db: OrgDb, clients: Clients, id: string, query: EstimateFilters): Promise<Output<Listed>> {
  await getWorkOrderRow(db, id);
  const { rows, paging } = await listEstimateRows(db, id, query);
  const names = await findUserNames(
    db,
    clients,
    rows.map(({ decidedByUserId }) => decidedByUserId),
  );
  return { estimates: rows.map((row) => estimateView(row, names)), ...paging };
}

type Created = Operations["createWorkOrderEstimate"];

/** Submits an estimate of the vendor that the work order is assigned to. */
export function createWorkOrderEstimate(db: OrgDb, id: string, { amountCents, lines, validUntil }: BodyOf<Created>): Promise<Output<Created>> {
  requireLinesMatchAmount(amountCents, lines);
  if (validUntil && validUntil < today(db.principal.timezone))
    throw invalid([{ path: "validUntil", code: "min", message: "validUntil is over. Send today or a later day." }]);
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
    await announceUpdated(tx, workOrder);
    return { estimate: estimateView(await getEstimateRow(tx, estimate.id), new Map()) };
  });
}

type Approved = Operations["approveWorkOrderEstimate"];

/** Approves an estimate and rejects all others of its work order: of several approved at the same time one is. */
export const approveWorkOrderEstimate = (db: OrgDb, clients: Clients, id: string, { note }: BodyOf<Approved>): Promise<Output<Approved>> =>
  decide(db, clients, id, "approved", note);

type Rejected = Operations["rejectWorkOrderEstimate"];

/** Rejects an estimate on which nothing was decided. */
export const rejectWorkOrderEstimate = (db: OrgDb, clients: Clients, id: string, { note }: BodyOf<Rejected>): Promise<Output<Rejected>> =>
  decide(db, clients, id, "rejected", note);

/** Whoever decides locks the work order before the estimate, so that decisions on one work order come one after the other. */
async function decide(db: OrgDb, clients: Clients, id: string, status: "approved" | "rejected", note: string | undefined): Promise<Output<Approved>> {
  const names = await findUserNames(db, clients, [db.principal.userId]);
  return transaction(db, async (tx) => {
    const { workOrderId } = await getEstimateRow(tx, id);
    const [workOrder] = await tx.findAllForUpdate(WorkOrder, [workOrderId]);
    const estimate = await tx.getForUpdate(WorkOrderEstimate, id, "Estimate");
    estimateStateMachine.transition(estimateStatusOn(estimate, today(tx.principal.timezone)), status);
    requireUnfinishedWorkOrder(workOrder!.status);
    const decided = { decidedAt: now(), decidedByUserId: tx.principal.userId };
    if (status === "approved") await rejectOthers(tx, estimate, decided);
    tx.assign(estimate, { ...decided, status, decisionNote: note ?? null });
    changeWorkOrder(tx, workOrder!, status === "approved" ? { estimateCents: estimate.amountCents, approvedEstimateCents: estimate.amountCents } : {});
    await announceUpdated(tx, workOrder!);
    return { estimate: estimateView(await getEstimateRow(tx, id), names) };
  });
}

/** Rejects every other estimate of the work order that is approved or can still be. */
async function rejectOthers(
  tx: OrgTx,
  { id, workOrderId }: WorkOrderEstimate,
  { decidedAt, decidedByUserId }: { decidedAt: Date; decidedByUserId: string | null },
): Promise<void> {
  await tx.all(sql`update work_order_estimate set status = 'rejected', decided_at = ${decidedAt}, decided_by_user_id = ${decidedByUserId}, updated_at = ${decidedAt},
      version = version + 1
    where organization_id = ${tx.organizationId} and work_order_id = ${workOrderId} and id <> ${id}
      and (status = 'approved' or status = 'submitted' and coalesce(valid_until >= ${today(tx.principal.timezone)}::date, true))`);
}

/** An estimate changes the work order that it is about. */
const announceUpdated = async (tx: OrgTx, workOrder: WorkOrder): Promise<void> =>
  publish(tx, "work_order.updated", { entityId: workOrder.id, data: workOrderEventData(workOrder), audience: await workOrderAudience(tx, workOrder) });
