/** Import of a work order with its vendor and its status. */
import type { importedRecords } from "@freehold/contract/imports/imported-records";
import type { BodyOf } from "@freehold/contract/operation";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Clients } from "../clients.ts";
import { lockWorkOrder } from "../maintenance/work-orders/change-work-order.ts";
import { applyTransition, resolveTransitionTime } from "../maintenance/work-orders/transition-work-order.ts";
import { checkVendorInsurance } from "../maintenance/work-orders/vendor-insurance.ts";
import { requireOfficeUser } from "../maintenance/work-orders/work-order-references.ts";
import { insertWorkOrder } from "../maintenance/work-orders/work-orders.ts";

type Body = BodyOf<typeof importedRecords.operations.importWorkOrder>;

/** Statuses to set, in order, to bring a new work order to each status. */
const transitions: Record<Body["status"], readonly Body["status"][]> = {
  open: [],
  in_progress: ["in_progress"],
  completed: ["in_progress", "completed"],
  cancelled: ["cancelled"],
};

/** Inserts a work order and moves it to its status, in one transaction. The vendor is assigned without a notification, because the vendor has the work already. */
export async function importWorkOrder(db: OrgDb, clients: Clients, { status, completedAt, ...terms }: Body): Promise<{ recordId: string }> {
  await requireOfficeUser(db, clients, terms.assignedUserId);
  const insurance = await checkVendorInsurance(db, clients, terms.vendorId);
  const timeOf = (each: Body["status"]) => resolveTransitionTime(each === "completed" ? completedAt : undefined);
  return transaction(db, async (tx) => {
    const { workOrder } = await insertWorkOrder(tx, { ...terms, source: "import" }, insurance, {});
    const { id: recordId } = workOrder;
    for (const each of transitions[status]) await applyTransition(tx, await lockWorkOrder(tx, recordId), { status: each, at: timeOf(each) });
    return { recordId };
  });
}
