import { today } from "@freehold/kit/time/clock";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { isResidentTenant, isReaderOfLease } from "../../leases/residence.queries.ts";

/** Returns the ids of the leases under which a tenant lives in the unit today or is going to move in. */
export async function findLeaseIdsOfResidence(db: StatementRunner, tenantId: string): Promise<Set<string>> {
  const day = today(db.principal.timezone);
  const movesIn = sql`l.status in ('pending', 'active') and ${isReaderOfLease(day)} and coalesce(c.move_in_date, l.start_date) > ${day}::date`;
  const rows = await db.all(sql<{ id: string }>`select l.id from lease_occupant c join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
    where c.organization_id = ${db.organizationId} and c.tenant_id = ${tenantId} and (${isResidentTenant(day)} or ${movesIn})`);
  return new Set(rows.map(({ id }) => id));
}
