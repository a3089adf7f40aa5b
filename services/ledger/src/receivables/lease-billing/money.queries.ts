/** What portfolio shows of the ledger's figures, in batches. */
import type { Policies } from "@freehold/contract/accounts";
import { today } from "@freehold/kit/time/clock";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { LeaseBalance, PropertyBalance, TenantBalance } from "@freehold/proto/ledger/v1/ledger";
import { addMonths, endOfMonth } from "@freehold/kit/time/plain-date";
import { clampSumToSafeInteger } from "@freehold/domain/money";
import { duePeriods, type Rule } from "../recurring-charges/recurring-charge.rules.ts";

/** Balance, late rent and deposits of leases, and when the next rent that is not charged yet falls due. */
export async function leaseBalances(db: OrgDb, leaseIds: readonly string[]): Promise<LeaseBalance[]> {
  const day = today(db.principal.timezone);
  const [rows, next] = await Promise.all([figures(db, leaseIds, day), nextRentDue(db, leaseIds, day)]);
  return rows.map((row) => ({ ...row, nextRentDueOn: next.get(row.leaseId) }));
}

const figures = (db: OrgDb, leaseIds: readonly string[], day: string): Promise<Omit<LeaseBalance, "nextRentDueOn">[]> =>
  db.all(sql`select wanted.id as lease_id,
      ${clampSumToSafeInteger(sql`coalesce((select sum(c.balance_cents) from open_charge c where c.organization_id = ${db.organizationId} and c.lease_id = wanted.id), 0)
        - coalesce((select sum(p.unallocated_cents) from payment p where p.organization_id = ${db.organizationId} and p.lease_id = wanted.id
          and p.unallocated_cents > 0), 0)`)} as balance_cents,
      ${clampSumToSafeInteger(sql`(select sum(c.balance_cents) from open_charge c where c.organization_id = ${db.organizationId} and c.lease_id = wanted.id
        and c.charge_type = 'rent' and c.due_date < ${day})`)} as overdue_rent_cents,
      ${clampSumToSafeInteger(sql`(select sum(c.allocated_cents) from charge c where c.organization_id = ${db.organizationId} and c.lease_id = wanted.id
        and c.charge_type = 'deposit')`)} as deposit_held_cents,
      (exists (select from charge c where c.organization_id = ${db.organizationId} and c.lease_id = wanted.id)
        or exists (select from payment p where p.organization_id = ${db.organizationId} and p.lease_id = wanted.id)) as has_entries,
      (exists (select from charge c where c.organization_id = ${db.organizationId} and c.lease_id = wanted.id and c.status <> 'voided')
        or exists (select from payment p where p.organization_id = ${db.organizationId} and p.lease_id = wanted.id and p.status not in ('reversed', 'failed')))
        as has_unreversed_entries
    from unnest(${[...leaseIds]}::uuid[]) as wanted (id)`);

/** The leases that owe more than they have credit for. */
export async function leasesWithBalance(db: OrgDb): Promise<string[]> {
  const rows = await db.all(sql<{ leaseId: string }>`select owed.lease_id from (
      select lease_id, sum(balance_cents) as cents from open_charge where organization_id = ${db.organizationId} group by lease_id) owed
    where owed.cents > coalesce((select sum(p.unallocated_cents) from payment p
      where p.organization_id = ${db.organizationId} and p.lease_id = owed.lease_id and p.unallocated_cents > 0), 0)`);
  return rows.map(({ leaseId }) => leaseId);
}

async function nextRentDue(db: OrgDb, leaseIds: readonly string[], day: string): Promise<Map<string, string>> {
  const rules = await db.all(sql<Rule & { leaseId: string; charged: string[] | null; method: Policies["prorationMethod"] }>`
    select (select b.policies ->> 'prorationMethod' from book b where b.organization_id = ${db.organizationId}) as method, r.lease_id, r.amount_cents, r.day_of_month, r.start_date, r.end_date, r.post_from, r.is_lease_rent, r.prorates_first_month,
      (select array_agg(c.period_start::text) from charge c where c.organization_id = r.organization_id and c.recurring_charge_rule_id = r.id) as charged
    from recurring_charge_rule r where r.organization_id = ${db.organizationId} and r.lease_id = any(${[...leaseIds]}::uuid[]) and r.is_lease_rent and r.status = 'active'
    order by r.start_date desc`);
  // Of several rents of a lease the earliest that is still to be charged comes last, and counts.
  return new Map(
    rules.flatMap(({ leaseId, charged, method, ...rule }) => {
      const horizon = endOfMonth(addMonths(rule.startDate > day ? rule.startDate : day, 2));
      const open = duePeriods(rule, horizon, method).find(({ periodStart }) => !charged?.includes(periodStart));
      return open ? [[leaseId, open.dueDate] as const] : [];
    }),
  );
}

/** What tenants owe on their leases, less the credit they have. */
export const tenantBalances = (db: OrgDb, tenantIds: readonly string[]): Promise<TenantBalance[]> =>
  db.all(sql`select wanted.id as tenant_id,
      ${clampSumToSafeInteger(sql`coalesce((select sum(c.balance_cents) from open_charge c where c.organization_id = ${db.organizationId} and c.tenant_id = wanted.id), 0)
        - coalesce((select sum(p.unallocated_cents) from payment p where p.organization_id = ${db.organizationId} and p.tenant_id = wanted.id
          and p.unallocated_cents > 0), 0)`)} as balance_cents
    from unnest(${[...tenantIds]}::uuid[]) as wanted (id)`);

/** What is open, and what of it is late rent, on the leases of properties. */
export const propertyBalances = (db: OrgDb, propertyIds: readonly string[]): Promise<PropertyBalance[]> =>
  db.all(sql`select wanted.id as property_id, ${clampSumToSafeInteger(sql`sum(c.balance_cents)`)} as open_cents,
      ${clampSumToSafeInteger(sql`sum(c.balance_cents) filter (where c.charge_type = 'rent' and c.due_date < ${today(db.principal.timezone)})`)} as overdue_rent_cents
    from unnest(${[...propertyIds]}::uuid[]) as wanted (id)
      left join open_charge c on c.organization_id = ${db.organizationId} and c.property_id = wanted.id
    group by wanted.id`);
