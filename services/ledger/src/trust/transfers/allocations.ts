/** Allocations of a requested transfer, with the tenants and properties of their leases. */
import type { transfers } from "@freehold/contract/trust/transfers";
import type { BodyOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { invalid, unknownReference } from "@freehold/kit/errors";
import type { Clients } from "../../clients.ts";
import { findProjectedLeases } from "../../projections/projections.ts";
import type { Allocation } from "./transfer.rules.ts";

type Requested = BodyOf<typeof transfers.operations.createTransfer>["allocations"];

/** Returns the allocations as they are stored. Throws a 400 that names an unknown property, owner or lease. */
export async function readAllocations(db: OrgDb, { portfolio }: Clients, requested: Requested): Promise<Allocation[]> {
  const idsOf = (member: "propertyId" | "ownerId" | "leaseId") => [...new Set(requested.flatMap((each) => each[member] ?? []))];
  const [propertyIds, ownerIds] = [idsOf("propertyId"), idsOf("ownerId")];
  const [leases, properties, owners] = await Promise.all([
    findProjectedLeases(db, portfolio, idsOf("leaseId")),
    propertyIds.length > 0 ? portfolio.getProperties(db, { ids: propertyIds }).then((response) => response.properties) : [],
    ownerIds.length > 0 ? portfolio.getOwners(db, { ids: ownerIds }).then((response) => response.owners) : [],
  ]);
  const known = new Set([...properties, ...owners].filter(({ isDeleted }) => !isDeleted).map(({ id }) => id));
  return requested.map(({ kind, ownerId = null, propertyId = null, leaseId = null, tenantId, amountCents }, index): Allocation => {
    const path = (member: string) => `allocations.${index}.${member}`;
    if (propertyId && !known.has(propertyId)) throw unknownReference(path("propertyId"), "property");
    if (ownerId && !known.has(ownerId)) throw unknownReference(path("ownerId"), "owner");
    if (!leaseId) return { kind, ownerId, propertyId, tenantId: null, leaseId, amountCents };
    const lease = leases.get(leaseId);
    if (!lease) throw unknownReference(path("leaseId"), "lease");
    if (propertyId && propertyId !== lease.propertyId)
      throw invalid([{ path: path("propertyId"), code: "mismatch", message: "The lease belongs to another property. Leave propertyId out." }]);
    if (tenantId && tenantId !== lease.tenantId && !lease.payerIds.includes(tenantId))
      throw invalid([{ path: path("tenantId"), code: "mismatch", message: "The tenant is not on the lease. Check tenantId and leaseId." }]);
    return { kind, ownerId, propertyId: lease.propertyId, tenantId: tenantId ?? lease.tenantId, leaseId, amountCents };
  });
}
