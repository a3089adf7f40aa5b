import type { Charge } from "./charge.entity.ts";

type Subject = Pick<Charge, "leaseId" | "tenantId" | "propertyId" | "unitId"> & { id: string };

/** Returns an event of a charge, with data of its own, visible to the office and the tenant. */
export const chargeEvent = <D extends object>({ id, leaseId, tenantId, propertyId, unitId }: Subject, data: D) => ({
  entityId: id,
  data: { leaseId, tenantId, propertyId, unitId, ...data },
  audience: { tenantIds: [tenantId] },
});
