/** Tenancies: a lease and its renewals, which share charges, credit and deposits. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

/** Returns the array of the ids of the leases and of the other leases of their tenancies. A lease that is not projected has no tenancy. */
export const leasesOfTenancies = (db: StatementRunner, leaseIds: readonly string[]): RawBuilder<unknown> => sql`array(select other.id from lease_copy own
  join lease_copy other on other.organization_id = own.organization_id and other.tenancy_id = own.tenancy_id
  where own.organization_id = ${db.organizationId} and own.id = any(${[...leaseIds]}::uuid[]))`;

/** Returns the id of the renewal that last took over the money of a lease, or null for none. */
export const latestTakeover = (db: StatementRunner, leaseId: RawBuilder<unknown>): RawBuilder<unknown> => sql`(select renewal.id from lease_copy own
  join lease_copy renewal on renewal.organization_id = own.organization_id and renewal.tenancy_id = own.tenancy_id
    and renewal.start_date > own.start_date and renewal.took_over_at is not null
  where own.organization_id = ${db.organizationId} and own.id = ${leaseId} order by renewal.start_date desc limit 1)`;
