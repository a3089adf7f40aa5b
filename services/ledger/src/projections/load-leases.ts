/** Loading of leases and tenants: operations that are executed at the same time share the calls to portfolio. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { invalid, unknownReference } from "@freehold/kit/errors";
import { batchLoader } from "@freehold/kit/rpc/loader";
import type { Clients } from "../clients.ts";
import { findProjectedLeases, replicateMissingTenants, type ProjectedLease } from "./projections.ts";

interface Key {
  portfolio: Clients["portfolio"];
  id: string;
}
const distinctIds = (keys: readonly Key[]): string[] => [...new Set(keys.map(({ id }) => id))];

const leaseLoader = batchLoader(async (db, keys: readonly Key[]) => {
  const leases = await findProjectedLeases(db, keys[0]!.portfolio, distinctIds(keys));
  return keys.map(({ id }) => leases.get(id));
});

/** Returns a lease, or undefined for an unknown one. */
export const findProjectedLease = (db: OrgDb, { portfolio }: Clients, id: string): Promise<ProjectedLease | undefined> => leaseLoader(db, { portfolio, id });

/** Returns a lease. Throws a 400 for an unknown one. */
export async function loadLease(db: OrgDb, clients: Clients, id: string): Promise<ProjectedLease> {
  const lease = await findProjectedLease(db, clients, id);
  if (!lease) throw unknownReference("leaseId", "lease");
  return lease;
}

/** Returns a lease whose tenant can be charged. Throws a 400 for another one. */
export async function loadChargeableLease(db: OrgDb, clients: Clients, id: string): Promise<ProjectedLease> {
  const lease = await loadLease(db, clients, id);
  if (lease.isTenantDeleted) throw invalid([{ path: "leaseId", code: "not_found", message: "The tenant of this lease was deleted and cannot be charged." }]);
  return lease;
}

const tenantLoader = batchLoader(async (db, keys: readonly Key[]) => {
  await replicateMissingTenants(db, keys[0]!.portfolio, distinctIds(keys));
  return keys.map(() => undefined);
});

/** Replicates a tenant that is not projected yet. */
export const loadTenant = (db: OrgDb, { portfolio }: Clients, id: string): Promise<undefined> => tenantLoader(db, { portfolio, id });
