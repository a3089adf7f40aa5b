import { PortalLease, PortalOccupant } from "@freehold/contract/portals/portals";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { leaseView } from "../leases/lease.view.ts";
import type { LeaseRow } from "../leases/leases.queries.ts";
import { pickPortalFields } from "@freehold/kit/http/portal-fields";

/**
 * Returns leases as shown in the portals: only the members of `PortalLease`, which exclude the balances. The renewal of a lease is
 * named once it is activated, because drafts are the office's.
 */
export async function portalLeaseViews(db: StatementRunner, rows: readonly LeaseRow[]): Promise<PortalLease[]> {
  const activatedIds = await findActivatedLeaseIds(
    db,
    rows.flatMap(({ renewedToLeaseId }) => renewedToLeaseId ?? []),
  );
  return rows.map((row) => {
    const lease = pickPortalFields(PortalLease, leaseView(row, undefined));
    return Object.assign(lease, {
      renewedToLeaseId: row.renewedToLeaseId !== null && activatedIds.has(row.renewedToLeaseId) ? row.renewedToLeaseId : null,
      occupants: lease.occupants.map((occupant) => pickPortalFields(PortalOccupant, occupant)),
    });
  });
}

/** Returns the ids of those leases that the caller reaches and that were activated and neither cancelled nor deleted. */
async function findActivatedLeaseIds(db: StatementRunner, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.all(sql<{ id: string }>`select id from lease where organization_id = ${db.organizationId} and id = any(${[...ids]}::uuid[])
    and status not in ('draft', 'cancelled') and deleted_at is null`);
  return new Set(rows.map(({ id }) => id));
}
