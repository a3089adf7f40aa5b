/** Whose a lease is, and of which of them work can be asked for. */
import type { Lease } from "@freehold/contract/leases/leases";
import { conflict, invalid, unknownReference } from "@freehold/kit/errors";

interface Peopled {
  terminationDate: string | null;
  occupants: readonly Pick<Lease["occupants"][number], "tenantId" | "role" | "releasedOn">[];
}

/** Whether somebody answers for a lease on a day: as primary occupant or co-tenant, until being released. Whoever was there to the end of a lease keeps it. */
export const isTenantOf = ({ occupants, terminationDate }: Peopled, tenantId: string, day: string): boolean =>
  occupants.some(
    ({ tenantId: who, role, releasedOn }) =>
      who === tenantId &&
      (role === "primary" || role === "co_tenant") &&
      (releasedOn === null || releasedOn > day || (terminationDate !== null && releasedOn >= terminationDate)),
  );

type Held = Pick<Lease, "id" | "status" | "terminationDate">;

/** Whether the unit is the tenants' on a day, or will be: agreed on, and not over. Whoever stays on after the end still lives there. */
const isNotOver = ({ status, terminationDate }: Held, day: string): boolean =>
  status === "pending" || status === "active" || status === "expired" || (status === "terminated" && terminationDate !== null && terminationDate >= day);

/** The lease that a request is about: the one it names, or the only one that is not over, the active one of several. */
export function resolveRequestLease<L extends Held>(own: readonly L[], leaseId: string | undefined, day: string): L {
  const named = leaseId === undefined ? undefined : own.find(({ id }) => id === leaseId);
  if (leaseId !== undefined && !named) throw unknownReference("leaseId", "lease");
  const candidates = (named ? [named] : own).filter((lease) => isNotOver(lease, day));
  const active = candidates.filter(({ status }) => status === "active");
  const [meant, another] = active.length > 0 ? active : candidates;
  if (!meant) throw conflict("The lease is not in force. Ask the office for help.", "lease_not_active");
  if (another) throw invalid([{ path: "leaseId", code: "required", message: "You have several leases. Say with leaseId which one it is about." }]);
  return meant;
}
