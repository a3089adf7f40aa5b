import type { OrgTx } from "@freehold/kit/db/org-tx";
import { inOfficeReach } from "@freehold/kit/db/portal-reach";
import { sql } from "@freehold/kit/db/statement";
import type { WorkOrder } from "./work-order.entity.ts";

/** Returns the data shared by all work order events. */
export const workOrderEventData = ({ propertyId, unitId, status }: WorkOrder) => ({ propertyId, unitId: unitId ?? null, status });

/** Returns the audience of work order events: the vendor, the owners of the property, and the tenant if the work order is visible to the tenant. */
export async function workOrderAudience(tx: OrgTx, { propertyId, vendorId, tenantId, source, visibility }: WorkOrder) {
  // Tenants and vendors do not see the owners whom they notify.
  const owners = await inOfficeReach(tx, () =>
    tx.all(sql<{ ownerId: string }>`select owner_id from property_owner where organization_id = ${tx.organizationId} and property_id = ${propertyId}`),
  );
  const isVisibleToTenant = source === "tenant" || visibility === "tenant_shared" || visibility === "tenant_vendor_shared";
  return {
    vendorIds: vendorId ? [vendorId] : [],
    ownerIds: owners.map(({ ownerId }) => ownerId),
    tenantIds: tenantId && isVisibleToTenant ? [tenantId] : [],
  };
}
