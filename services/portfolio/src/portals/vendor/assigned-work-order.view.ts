import { AssignedWorkOrder } from "@freehold/contract/portals/vendor-portal";
import type { WorkOrder } from "@freehold/contract/maintenance/work-orders";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { pickPortalFields } from "../portal-fields.ts";

type Address = AssignedWorkOrder["address"];

/** Returns the wire form of work orders for the vendor, each with the property's address. */
export async function assignedWorkOrderViews(db: StatementRunner, workOrders: readonly WorkOrder[]): Promise<AssignedWorkOrder[]> {
  const ids = [...new Set(workOrders.map(({ propertyId }) => propertyId))];
  const rows = await db.all(sql<Address & { id: string }>`select id, street_line1, street_line2, city, state, postal_code from property
    where organization_id = ${db.organizationId} and id = any(${ids}::uuid[])`);
  const addresses = new Map(rows.map(({ id, ...address }) => [id, address]));
  return workOrders.map((workOrder) => pickPortalFields(AssignedWorkOrder, Object.assign(workOrder, { address: addresses.get(workOrder.propertyId)! })));
}

export const assignedWorkOrderView = async (db: StatementRunner, workOrder: WorkOrder): Promise<AssignedWorkOrder> =>
  (await assignedWorkOrderViews(db, [workOrder]))[0]!;
