import type { BodyOf, Output } from "@freehold/contract/operation";
import type { workOrders } from "@freehold/contract/work-orders";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { announce } from "../../announce.ts";
import type { Clients } from "../../clients.ts";
import { change, lockUnfinished } from "./change-work-order.ts";
import { keepWarning, refuseLapsedInsurance } from "./vendor-insurance.ts";
import { audienceOf, ofWorkOrder } from "./work-order-events.ts";
import { holdNamed, refuseUnknownColleague } from "./work-order-references.ts";
import type { WorkOrder } from "./work-order.entity.ts";
import { refuseEndBeforeStart } from "./work-order.rules.ts";
import { columnsOf, workOrderView } from "./work-order.view.ts";
import { findWorkOrder } from "./work-orders.queries.ts";

type Operation = (typeof workOrders)["operations"]["assignWorkOrder"];

/** Gives a work order that is not finished to a vendor, to a colleague or to both, or takes it from them. */
export async function assignWorkOrder(db: OrgDb, ask: Clients, id: string, { notify, ...terms }: BodyOf<Operation>): Promise<Output<Operation>> {
  if (terms.assignedUserId || terms.vendorId) await findWorkOrder(db, id);
  await refuseUnknownColleague(db, ask, terms.assignedUserId);
  const warning = await refuseLapsedInsurance(db, ask, terms.vendorId);
  return transaction(db, async (tx) => {
    const workOrder = await lockUnfinished(tx, id);
    const { vendorId } = workOrder;
    await holdNamed(tx, { vendorId: terms.vendorId });
    change(tx, workOrder, columnsOf(terms));
    if (workOrder.vendorId !== vendorId) keepWarning(tx, workOrder, warning);
    refuseEndBeforeStart(workOrder);
    await announceAssigned(tx, workOrder, notify ? terms : {});
    return { workOrder: workOrderView(await findWorkOrder(tx, id)) };
  });
}

interface Assignees {
  vendorId?: string | null | undefined;
  assignedUserId?: string | null | undefined;
}

/** Announces to whom a work order is assigned, and which of them is to be notified. */
export async function announceAssigned(tx: OrgTx, workOrder: WorkOrder, toNotify: Assignees): Promise<void> {
  const notifies = [toNotify.vendorId && ("vendor" as const), toNotify.assignedUserId && ("user" as const)].filter(
    (each) => each === "vendor" || each === "user",
  );
  await announce(tx, "work_order.assigned", {
    entityId: workOrder.id,
    data: { ...ofWorkOrder(workOrder), vendorId: workOrder.vendorId ?? null, assignedUserId: workOrder.assignedUserId ?? null, notifies },
    audience: await audienceOf(tx, workOrder),
  });
}
