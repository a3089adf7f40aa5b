/** The tenant of a lease is its only primary occupant, so both change together. */
import { now } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { type Lease, LeaseOccupant } from "../lease.entity.ts";
import { Tenant } from "../../people/tenants/tenant.entity.ts";

/** Changes the tenant of a lease, whose row the transaction has locked. The former primary occupant is removed from the lease. */
export async function replacePrimaryOccupant(tx: OrgTx, lease: Lease, tenantId: string): Promise<void> {
  if (tenantId === lease.tenantId) return;
  lease.tenantId = tenantId;
  const occupants = await tx.find(LeaseOccupant, { leaseId: lease.id, removedAt: null });
  const formerPrimary = occupants.find(({ isPrimary }) => isPrimary);
  if (formerPrimary) formerPrimary.removedAt = now();
  // The unique index allows one primary occupant at a time, so the former one is removed first.
  await tx.flush();
  const existingOccupant = occupants.find((occupant) => occupant.tenantId === tenantId);
  if (existingOccupant) {
    tx.assign(existingOccupant, { role: "primary", isPrimary: true });
    return;
  }
  const tenant = (await tx.findOne(Tenant, { id: tenantId }))!;
  tx.create(LeaseOccupant, {
    leaseId: lease.id,
    tenantId,
    fullName: tenant.fullName,
    position: formerPrimary?.position ?? occupants.length,
    isPrimary: true,
    role: "primary",
    moveInDate: formerPrimary?.moveInDate ?? lease.moveInDate ?? lease.startDate,
  });
}
