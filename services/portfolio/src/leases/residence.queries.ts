/**
 * Residence in a unit and tenancy of a lease: conditions on the lease `l` and its occupant `c`. Everything that depends on
 * either uses these conditions; the functions `left_tenancy_on`, `portal_shared_records` and
 * `released_from_unit_on` of the database repeat them for portal users.
 */
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

/** Returns the condition that a terminated lease has held its unit: one terminated on its first day, unless it is a renewal, was made by mistake. */
export const hasHeldUnit = (lease: string): RawBuilder<unknown> =>
  sql`(${sql.ref(`${lease}.termination_date`)} > ${sql.ref(`${lease}.start_date`)} or ${sql.ref(`${lease}.renewed_from_lease_id`)} is not null)`;

const followedWhen = (condition: RawBuilder<unknown>): RawBuilder<unknown> => sql`exists (select from lease later
  where later.organization_id = l.organization_id and later.unit_id = l.unit_id and later.id <> l.id
    and later.deleted_at is null and later.start_date > l.start_date and ${condition} and later.status not in ('draft', 'cancelled')
    and (later.status <> 'terminated' or ${hasHeldUnit("later")}))`;

/** Condition that another lease of the unit starts later than the lease `l`, also one that has ended since. */
export const isFollowed = followedWhen(sql`true`);

/** Returns the SQL of the last day on which a lease holds its unit; null for a lease without a last day. */
export const lastDayOf = (lease: string): RawBuilder<unknown> => {
  const column = (name: string) => sql.ref(`${lease}.${name}`);
  return sql`case ${column("status")} when 'terminated' then ${column("termination_date")} when 'expired' then ${column("end_date")}
    else least(${column("superseded_from")} - 1, case when ${column("term_type")} = 'fixed' then ${column("end_date")} end) end`;
};

/**
 * Returns the condition that the occupant `c` lives in the unit on a day under the lease `l`: from the move-in, and under a renewal not
 * before its start, until the move-out, the release or the day on which a renewal takes over. The tenants of an expired lease who were
 * not released stay until the next lease of the unit starts. Guarantors do not count, nor do drafts, cancelled and deleted leases.
 */
export const occupancyCondition = (day: string): RawBuilder<unknown> => sql`l.deleted_at is null and l.status not in ('draft', 'cancelled')
    and c.role <> 'guarantor' and c.removed_at is null and (c.released_on is null or c.released_on > ${day}::date)
    and (c.move_out_date is null or c.move_out_date > ${day}::date) and (l.superseded_from is null or l.superseded_from > ${day}::date)
    and coalesce(c.move_in_date, l.start_date) <= ${day}::date and (l.renewed_from_lease_id is null or l.start_date <= ${day}::date)
    and (l.status <> 'expired' or not ${followedWhen(sql`later.start_date <= ${day}::date`)})`;

/**
 * Returns the condition that the occupant `c` is under age on a day. The primary occupant, who has signed the lease, does not count as such. The functions
 * `portal_leases` and `portal_shared_records` of the database repeat it.
 */
export const isMinorOccupant = (day: string): RawBuilder<unknown> => sql`(c.role <> 'primary' and exists (select from tenant minor
  where minor.organization_id = c.organization_id and minor.id = c.tenant_id and minor.date_of_birth + interval '18 years' > ${day}::date))`;

/** Condition that the occupant `c` has the role of a tenant. Guarantors and other occupants, such as minors, read nothing about the lease. */
export const isTenantRole = sql`c.role in ('primary', 'co_tenant')`;

/**
 * Condition that the occupant `c` stayed until the lease `l` ended: until its termination, or as one of the last tenants of an expired lease,
 * which goes on as long as one of them stays.
 */
const hasStayed = sql`case l.status when 'terminated' then c.released_on >= l.termination_date
  when 'expired' then c.released_on >= l.end_date and not exists (select from lease_occupant other
    where other.organization_id = c.organization_id and other.lease_id = c.lease_id and other.id <> c.id and other.role in ('primary', 'co_tenant')
      and other.removed_at is null and (other.released_on is null or other.released_on > c.released_on)) else false end`;

/** Returns the condition that the occupant `c` is a tenant of the lease `l`, also of a draft, on a day: until the release, or for good after staying until the end. */
export const isUnreleasedTenant = (day: string): RawBuilder<unknown> =>
  sql`c.removed_at is null and ${isTenantRole} and (c.released_on is null or c.released_on > ${day}::date or ${hasStayed})`;

/**
 * Returns the condition that the occupant `c` is a tenant of the lease `l`, which was activated and neither cancelled nor deleted, on a day. Once a
 * renewal has taken over, only its tenants remain tenants of the renewed lease.
 */
export const isTenantOfLease = (day: string): RawBuilder<unknown> =>
  sql`l.deleted_at is null and l.status not in ('draft', 'cancelled') and ${isUnreleasedTenant(day)}
    and (l.superseded_from is null or l.superseded_from > ${day}::date or coalesce(left_tenancy_on(l.id, c.tenant_id, ${day}::date) > ${day}::date, true))`;

/** Returns the condition that the occupant `c` of the lease `l` reads what is shared about the unit and its property: the tenants who live there. */
export const isResidentTenant = (day: string): RawBuilder<unknown> => sql`${occupancyCondition(day)} and ${isTenantRole} and not ${isMinorOccupant(day)}`;

/** Returns the condition that the occupant `c` reads the lease `l` in the portal and receives its events: a tenant of the lease who is of age. */
export const isReaderOfLease = (day: string): RawBuilder<unknown> => sql`${isTenantOfLease(day)} and not ${isMinorOccupant(day)}`;
