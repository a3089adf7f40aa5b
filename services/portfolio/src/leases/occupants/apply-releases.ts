import { addDays } from "@freehold/kit/time/plain-date";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { Job } from "@freehold/kit/jobs/scheduler";
import type { Clients } from "../../clients.ts";
import { calendarJob } from "../../jobs/calendar-job.ts";
import { workThrough } from "@freehold/kit/jobs/work-through";
import { publishLeaseUpdated } from "../lease-events.ts";
import { Lease } from "../lease.entity.ts";

export const APPLY_RELEASES = "applyReleases";

/** Creates the job that publishes the change of a lease on the day on which a co-tenant is released, because the person no longer pays on it from then on. */
export const applyReleases = (clients: Clients): Job =>
  calendarJob(clients, async (db, day) => {
    await workThrough(await findReleasedLeases(db, day), (leaseId) =>
      transaction(db, async (tx) => {
        const [lease] = await tx.findAllForUpdate(Lease, [leaseId]);
        tx.assign(lease!, { updatedAt: now() });
        await publishLeaseUpdated(tx, lease!);
      }),
    );
    return findNextRelease(db, addDays(day, 1));
  });

/** Days after a release during which the job still considers a lease that has ended. */
const PUBLISHED_AFTER_DAYS = 31;

/**
 * Releases of co-tenants from pending and active leases, and recent ones from ended leases, on which co-tenants pay open charges until their release.
 */
const fromCoTenantReleases = (
  db: StatementRunner,
  day: string,
) => sql`from lease_occupant c join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
  where c.organization_id = ${db.organizationId} and c.role = 'co_tenant' and c.removed_at is null and c.released_on is not null
    and l.deleted_at is null
    and (l.status in ('pending', 'active') or l.status not in ('draft', 'cancelled') and c.released_on > ${day}::date - ${sql.lit(PUBLISHED_AFTER_DAYS)}::int)`;

/** Returns the leases with a co-tenant who was released by a day, and which have not changed since that release. */
async function findReleasedLeases(db: StatementRunner, day: string): Promise<string[]> {
  const startOfRelease = sql`(c.released_on::timestamp at time zone ${db.principal.timezone})`;
  const rows = await db.all(sql<{ id: string }>`select distinct l.id ${fromCoTenantReleases(db, day)}
    and c.released_on <= ${day}::date and l.updated_at < ${startOfRelease} order by l.id`);
  return rows.map(({ id }) => id);
}

/** Returns the first day on or after `day` on which a co-tenant is released. */
async function findNextRelease(db: StatementRunner, day: string): Promise<string | undefined> {
  const row = await db.first(sql<{ day: string | null }>`select min(c.released_on) as day ${fromCoTenantReleases(db, day)} and c.released_on >= ${day}::date`);
  return row?.day ?? undefined;
}
