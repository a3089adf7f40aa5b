/** Access of a tenant to the money of the own leases. */
import { requireSubjectId } from "@freehold/domain/portal-subject";
import { OrgDb } from "@freehold/kit/db/org-db";
import { withOfficeReach, withReachedRecords } from "@freehold/kit/db/portal-reach";
import { notFound } from "@freehold/kit/errors";
import type { Clients } from "../../clients.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";

/** Tenant with the leases in reach, and the database with that reach. */
export interface TenantAccess {
  db: OrgDb;
  timezone: string;
  tenantId: string;
  /** Leases in reach, also of tenancies from which the tenant was released. */
  leaseIds: string[];
  /** Leases in reach without an end: the tenant was not released from them. */
  currentLeaseIds: string[];
}

/**
 * Returns the access of the calling tenant. Portfolio, which knows the occupants of leases, tells the leases; row-level security confines
 * the database to them, and to the days before a release. Throws a 404 for a requested lease that is not among them.
 */
export async function openTenantAccess(caller: OrgDb, clients: Clients, leaseId?: string): Promise<TenantAccess> {
  requireSubjectId(caller.principal);
  const [{ tenantId, tenancies }, { timezone }] = await Promise.all([
    clients.portfolio.getTenancies(caller, {}),
    // The time zone of the organization is a setting of the office.
    getLedgerSettings(withOfficeReach(caller)),
  ]);
  const selected = leaseId === undefined ? tenancies : tenancies.filter((tenancy) => tenancy.leaseId === leaseId);
  if (leaseId !== undefined && selected.length === 0) throw notFound("Lease");
  const db = new OrgDb(caller.database, { ...caller.principal, subjectId: tenantId, timezone }, caller.request);
  const idsOf = (list: typeof tenancies) => [...new Set(list.map((tenancy) => tenancy.leaseId))];
  return {
    db: withReachedRecords(
      db,
      tenancies.map((tenancy) => ({ id: tenancy.leaseId, before: tenancy.releasedOn })),
    ),
    timezone,
    tenantId,
    leaseIds: idsOf(selected),
    currentLeaseIds: idsOf(selected.filter(({ releasedOn }) => releasedOn === undefined)),
  };
}
