import { isDeepStrictEqual } from "node:util";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { inOfficeReach } from "@freehold/kit/db/portal-reach";
import { sql } from "@freehold/kit/db/statement";
import { today } from "@freehold/kit/time/clock";
import { isNotReleased } from "./work-order.access.ts";
import type { WorkOrder } from "./work-order.entity.ts";

interface Audience {
  vendorIds: string[];
  ownerIds: string[];
  tenantIds: string[];
}

/** Members of a work order that decide which portal users have access to it. */
export type Participants = Pick<WorkOrder, "propertyId" | "unitId" | "vendorId" | "tenantId" | "source" | "visibility">;

/** Returns the members of a work order, before it changes, that decide which portal users have access to it. */
export const participantsOf = ({ propertyId, unitId, vendorId, tenantId, source, visibility }: WorkOrder): Participants => ({
  propertyId,
  unitId,
  vendorId,
  tenantId,
  source,
  visibility,
});

/**
 * Returns the payload of a work order event: the common data, `data`, and as its audience the portal users who have access to the work order
 * now, or had access before it changed, such as a vendor who lost it.
 */
export async function workOrderEvent<D extends object>(tx: OrgTx, workOrder: WorkOrder, data: D, before?: Participants) {
  const { id, propertyId, unitId = null, status } = workOrder;
  const hasOtherParticipants = before !== undefined && !isDeepStrictEqual(before, participantsOf(workOrder));
  const audiences = [await workOrderAudience(tx, workOrder), ...(hasOtherParticipants ? [await workOrderAudience(tx, before)] : [])];
  const idsOf = (kind: keyof Audience) => [...new Set(audiences.flatMap((audience) => audience[kind]))];
  const audience: Audience = { vendorIds: idsOf("vendorIds"), ownerIds: idsOf("ownerIds"), tenantIds: idsOf("tenantIds") };
  return { entityId: id, data: { propertyId, unitId, status, ...data }, audience };
}

/** Returns the vendor, the owners of the property, and the tenant if the work order is shown to the tenant, until the release from the unit. */
async function workOrderAudience(tx: OrgTx, { propertyId, unitId = null, vendorId, tenantId = null, source, visibility }: Participants): Promise<Audience> {
  const day = today(tx.principal.timezone);
  // Row-level security hides the owners from tenants and vendors.
  return inOfficeReach(tx, async () => {
    const [owners, tenants] = await Promise.all([
      tx.all(sql<{ id: string }>`select owner_id as id from property_owner where organization_id = ${tx.organizationId} and property_id = ${propertyId}`),
      tx.all(sql<{ id: string }>`select tenant_id as id from (values (${unitId}::uuid, ${tenantId}::uuid)) as w (unit_id, tenant_id)
        where is_shown_to_tenant(${source}, ${visibility}) and tenant_id is not null and ${isNotReleased(day)}`),
    ]);
    const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
    return { vendorIds: vendorId ? [vendorId] : [], ownerIds: idsOf(owners), tenantIds: idsOf(tenants) };
  });
}
