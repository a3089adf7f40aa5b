import type { StatementRunner } from "@freehold/kit/db/org-db";
import { tenantAudiences } from "../../projections/tenant-audience.ts";
import type { Charge } from "./charge.entity.ts";

type Subject = Pick<Charge, "leaseId" | "tenantId" | "propertyId" | "unitId"> & { id: string; depositLeaseId?: string | null | undefined };

/** Returns an event of each charge, with data of its own, visible to the office and the tenants who see the charge in the portal. */
export async function chargeEvents<C extends Subject, D extends object>(db: StatementRunner, charges: readonly C[], dataOf: (charge: C) => D) {
  const audiences = await tenantAudiences(
    db,
    charges.map(({ tenantId, leaseId, depositLeaseId }) => ({ tenantId, leaseIds: [leaseId, depositLeaseId] })),
  );
  return charges.map((charge, index) => {
    const { id, leaseId, tenantId, propertyId, unitId } = charge;
    return { entityId: id, data: { leaseId, tenantId, propertyId, unitId, ...dataOf(charge) }, audience: audiences[index]! };
  });
}
