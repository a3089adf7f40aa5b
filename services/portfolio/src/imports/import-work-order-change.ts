/** Import of a changed row of a work order: its fields and its status are written together or not at all. */
import type { importedRecords } from "@freehold/contract/imports/imported-records";
import type { BodyOf } from "@freehold/contract/operation";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { Clients } from "../clients.ts";
import { lockUnfinishedWorkOrder } from "../maintenance/work-orders/change-work-order.ts";
import { applyTransition, resolveTransitionTime } from "../maintenance/work-orders/transition-work-order.ts";
import { checkVendorInsurance } from "../maintenance/work-orders/vendor-insurance.ts";
import { requireOfficeUser } from "../maintenance/work-orders/work-order-references.ts";
import { applyWorkOrderChanges } from "../maintenance/work-orders/work-orders.ts";

type Body = BodyOf<typeof importedRecords.operations.importWorkOrderChange>;

/** Changes a work order by the rules of `updateWorkOrder` and `transitionWorkOrder`, in this order and in one transaction. */
export async function importWorkOrderChange(db: OrgDb, clients: Clients, id: string, change: Body): Promise<{ recordId: string }> {
  const { transitions, completedAt, ...fields } = change;
  await requireOfficeUser(db, clients, fields.assignedUserId);
  const insurance = await checkVendorInsurance(db, clients, fields.vendorId);
  const timeOf = (status: Body["transitions"][number]) => resolveTransitionTime(status === "completed" ? completedAt : undefined);
  return transaction(db, async (tx) => {
    const workOrder = await lockUnfinishedWorkOrder(tx, id);
    if (Object.keys(fields).length > 0) await applyWorkOrderChanges(tx, workOrder, fields, insurance);
    for (const status of transitions) await applyTransition(tx, workOrder, { status, at: timeOf(status) });
    return { recordId: id };
  });
}
