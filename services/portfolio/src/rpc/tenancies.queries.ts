/** Tenancies of the calling tenant, for the money that other services show in the tenant portal. */
import { portalUserOf } from "@freehold/kit/auth/principal";
import { requireSubjectId } from "@freehold/domain/portal-subject";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { Tenancies } from "@freehold/proto/portfolio/v1/portfolio";
import { scopeToSurvivingTenant } from "../portals/surviving-tenant.ts";

/**
 * Returns the leases of the calling tenant, each with the day on which the tenant was released, unless the tenant stayed until its end. Throws 403 for
 * an account without a tenant.
 */
export async function findTenancies(caller: OrgDb): Promise<Tenancies> {
  requireSubjectId(caller.principal);
  const { principal } = await scopeToSurvivingTenant(caller);
  // `shared_before` is a time of the day of the release in the time zone of the principal.
  const rows = await caller.all(sql<{ leaseId: string; releasedOn: string | null }>`
    select entity_id as lease_id, (shared_before at time zone ${principal.timezone})::date as released_on
    from portal_shared_records(${portalUserOf(principal)}) where entity_type = 'lease' order by 1`);
  const tenancies = rows.map(({ leaseId, releasedOn }) => ({ leaseId, ...(releasedOn !== null && { releasedOn }) }));
  return { tenantId: requireSubjectId(principal), tenancies };
}
