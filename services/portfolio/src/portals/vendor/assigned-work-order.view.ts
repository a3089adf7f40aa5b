import { AssignedWorkOrder } from "@freehold/contract/maintenance/assigned-work-order.schema";
import type { WorkOrder } from "@freehold/contract/maintenance/work-orders";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { pickPortalFields } from "@freehold/kit/http/portal-fields";

type Address = AssignedWorkOrder["address"];

/**
 * Returns the API representation of work orders in the vendor portal, each with the property's address. Adds the address to the given
 * objects, because a copy would lose the version that `withVersion` attached.
 */
export async function assignedWorkOrderViews(db: StatementRunner, workOrders: readonly WorkOrder[]): Promise<AssignedWorkOrder[]> {
  const propertyIds = [...new Set(workOrders.map(({ propertyId }) => propertyId))];
  const rows = await db.all(sql<Address & { id: string }>`select id, street_line1, street_line2, city, state, postal_code from property
    where organization_id = ${db.organizationId} and id = any(${propertyIds}::uuid[])`);
  const addressByPropertyId = new Map(rows.map(({ id, ...address }) => [id, address]));
  return workOrders.map((workOrder) =>
    pickPortalFields(AssignedWorkOrder, Object.assign(workOrder, { address: addressByPropertyId.get(workOrder.propertyId)! })),
  );
}

/** Returns the API representation of one work order in the vendor portal. */
export const assignedWorkOrderView = async (db: StatementRunner, workOrder: WorkOrder): Promise<AssignedWorkOrder> =>
  (await assignedWorkOrderViews(db, [workOrder]))[0]!;
