/** Work orders of a vendor: those assigned to the vendor, as selected by `work-order.access.ts`. */
import type { AssignedWorkOrder } from "@freehold/contract/maintenance/assigned-work-order.schema";
import type { vendorPortal } from "@freehold/contract/portals/vendor-portal";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { inOfficeReach } from "@freehold/kit/db/portal-reach";
import { completeAfterCommit } from "@freehold/kit/db/idempotency";
import { publish } from "../../publish.ts";
import type { Clients } from "../../clients.ts";
import { insertNote } from "../../documents/notes/notes.ts";
import { publishAssignment } from "../../maintenance/work-orders/assign-work-order.ts";
import { changeWorkOrder, lockUnfinishedWorkOrder, lockWorkOrder } from "../../maintenance/work-orders/change-work-order.ts";
import { createWorkOrderEstimate } from "../../maintenance/work-orders/estimates/estimates.ts";
import { participantsOf, workOrderEvent } from "../../maintenance/work-orders/work-order-events.ts";
import type { WorkOrder } from "../../maintenance/work-orders/work-order.entity.ts";
import { requireEndAfterStart } from "../../maintenance/work-orders/work-order.rules.ts";
import { workOrderColumns, workOrderView } from "../../maintenance/work-orders/work-order.view.ts";
import { getWorkOrder, listWorkOrders } from "../../maintenance/work-orders/work-orders.ts";
import { getWorkOrderRow } from "../../maintenance/work-orders/work-orders.queries.ts";
import { addPortalComment } from "../portal-comment.ts";
import { requireAcceptable, requireDeclinable } from "./assigned-work-order.rules.ts";
import { assignedWorkOrderView, assignedWorkOrderViews } from "./assigned-work-order.view.ts";

type Operations = (typeof vendorPortal)["operations"];
type Result = { workOrder: AssignedWorkOrder };

type ListOperation = Operations["listAssignedWorkOrders"];

/** Returns a page of the work orders that are assigned to the caller. */
export async function listAssignedWorkOrders(db: OrgDb, clients: Clients, query: QueryOf<ListOperation>): Promise<Output<ListOperation>> {
  const { workOrders, ...paging } = await listWorkOrders(db, clients, query);
  return { workOrders: await assignedWorkOrderViews(db, workOrders), ...paging };
}

/** Returns a work order with the notes and documents shared with the caller, and the caller's estimates. */
export async function getAssignedWorkOrder(db: OrgDb, clients: Clients, id: string): Promise<Output<Operations["getAssignedWorkOrder"]>> {
  const { workOrder, notes, documents, estimates } = await getWorkOrder(db, clients, id);
  return { workOrder: await assignedWorkOrderView(db, workOrder), notes, documents, estimates };
}

/** Publishes the update of a work order and returns the updated work order. */
async function publishUpdate(tx: OrgTx, workOrder: WorkOrder): Promise<Result> {
  await publish(tx, "work_order.updated", await workOrderEvent(tx, workOrder, {}));
  return { workOrder: await assignedWorkOrderView(tx, workOrderView(await getWorkOrderRow(tx, workOrder.id), [])) };
}

/** Accepts a work order. Of several concurrent calls only one succeeds. */
export const acceptAssignedWorkOrder = (db: OrgDb, id: string): Promise<Result> =>
  transaction(db, async (tx) => {
    const workOrder = await lockWorkOrder(tx, id);
    requireAcceptable(workOrder);
    changeWorkOrder(tx, workOrder, { acceptedAt: now() });
    return publishUpdate(tx, workOrder);
  });

/**
 * Declines a work order: removes the vendor and the appointment, and stores the reason as a note for the office. Returns the
 * work order as it was before the vendor was removed, since the caller loses access.
 */
export const declineAssignedWorkOrder = (db: OrgDb, id: string, { reason }: BodyOf<Operations["declineAssignedWorkOrder"]>): Promise<Result> =>
  transaction(db, async (tx) => {
    const workOrder = await lockWorkOrder(tx, id);
    requireDeclinable(workOrder);
    const before = participantsOf(workOrder);
    changeWorkOrder(tx, workOrder, { acceptedAt: null, scheduledStart: null, scheduledEnd: null });
    const response = { workOrder: await assignedWorkOrderView(tx, workOrderView(await getWorkOrderRow(tx, id), [])) };
    // The vendor loses access to the work order with this change, and never had access to the note.
    await inOfficeReach(tx, async () => {
      changeWorkOrder(tx, workOrder, { vendorId: null });
      if (reason !== undefined) await insertNote(tx, { entityType: "work_order", entityId: id, body: reason, visibility: "organization_only" });
      await publishAssignment(tx, workOrder, {}, before);
    });
    return response;
  });

/** Sets the appointment of an unfinished work order. */
export const scheduleAssignedWorkOrder = (db: OrgDb, id: string, appointment: BodyOf<Operations["scheduleAssignedWorkOrder"]>): Promise<Result> =>
  transaction(db, async (tx) => {
    const workOrder = await lockUnfinishedWorkOrder(tx, id);
    changeWorkOrder(tx, workOrder, workOrderColumns(appointment));
    requireEndAfterStart(workOrder);
    return publishUpdate(tx, workOrder);
  });

type CommentOperation = Operations["commentOnAssignedWorkOrder"];

/** Adds a note that is visible to the office and the vendor. */
export const commentOnAssignedWorkOrder = (db: OrgDb, clients: Clients, id: string, { body }: BodyOf<CommentOperation>): Promise<Output<CommentOperation>> =>
  addPortalComment(db, clients, id, { body, visibility: "vendor_shared" }, (tx, workOrder) => assignedWorkOrderView(tx, workOrder));

type EstimateOperation = Operations["estimateAssignedWorkOrder"];
type EstimateResponse = Output<EstimateOperation>;

/** Submits an estimate for a work order. */
export function estimateAssignedWorkOrder(db: OrgDb, id: string, terms: BodyOf<EstimateOperation>): Promise<EstimateResponse> {
  const created: Promise<Pick<EstimateResponse, "estimate"> & Partial<EstimateResponse>> = createWorkOrderEstimate(db, id, terms);
  const response = completeAfterCommit(created, async ({ estimate }) => ({
    workOrder: await assignedWorkOrderView(db, workOrderView(await getWorkOrderRow(db, id), [])),
    estimate,
  }));
  return response as Promise<EstimateResponse>;
}
