/** The tenant of a lease is its one primary occupant: when one changes, so does the other. */
import { now } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { type Lease, LeaseOccupant } from "../lease.entity.ts";
import { Tenant } from "../../people/tenants/tenant.entity.ts";

/** Makes another tenant, whom the transaction holds, the lease's: whoever was the primary occupant is taken off. */
export async function changePrimary(tx: OrgTx, lease: Lease, tenantId: string): Promise<void> {
  if (tenantId === lease.tenantId) return;
  lease.tenantId = tenantId;
  const people = await tx.find(LeaseOccupant, { leaseId: lease.id, removedAt: null });
  const former = people.find(({ isPrimary }) => isPrimary);
  if (former) former.removedAt = now();
  // The place of the primary occupant must be free before another one takes it.
  await tx.flush();
  const known = people.find((one) => one.tenantId === tenantId);
  if (known) {
    tx.assign(known, { role: "primary", isPrimary: true });
    return;
  }
  const tenant = (await tx.findOne(Tenant, { id: tenantId }))!;
  tx.create(LeaseOccupant, {
    leaseId: lease.id,
    tenantId,
    fullName: tenant.fullName,
    position: former?.position ?? people.length,
    isPrimary: true,
    role: "primary",
    moveInDate: former?.moveInDate ?? lease.moveInDate ?? lease.startDate,
  });
}

/** Has those move in on another day who were to move in on the one that it replaces. */
export async function moveInWith(tx: OrgTx, leaseId: string, before: string, after: string): Promise<void> {
  if (before === after) return;
  for (const occupant of await tx.find(LeaseOccupant, { leaseId, moveInDate: before, removedAt: null })) occupant.moveInDate = after;
}
