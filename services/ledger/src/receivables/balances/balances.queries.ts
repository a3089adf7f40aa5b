/** Balances of leases, tenants and properties, in batches, for other services. */
import { today } from "@freehold/kit/time/clock";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { LeaseBalance, PropertyBalance, TenantBalance } from "@freehold/proto/ledger/v1/ledger";
import { getChart } from "../../chart/categories.ts";
import { DEPOSITS_HELD } from "../../chart/chart.ts";
import { clampSumToSafeInteger } from "@freehold/domain/money";
import { hasTransactions } from "../../trust/security-deposits/security-deposit.view.ts";
import { creditHeldFor, depositsHeldFor } from "./held-money.queries.ts";
import { findUnchargedPeriods } from "./uncharged-periods.queries.ts";

type Amounts = Omit<LeaseBalance, "nextRentDueOn" | "usedDepositId"> & { usedDepositId: string | null };

/** Returns balance, overdue rent, deposit held and next rent due date of each lease. */
export async function getLeaseBalances(db: OrgDb, leaseIds: readonly string[]): Promise<LeaseBalance[]> {
  const day = today(db.principal.timezone);
  const heldAccountId = (await getChart(db)).accountId(DEPOSITS_HELD);
  const [rows, nextRentDueDates] = await Promise.all([selectAmounts(db, leaseIds, day, heldAccountId), findNextRentDueDates(db, leaseIds, day)]);
  return rows.map((row) => ({ ...row, usedDepositId: row.usedDepositId ?? undefined, nextRentDueOn: nextRentDueDates.get(row.leaseId) }));
}

const selectAmounts = (db: OrgDb, leaseIds: readonly string[], day: string, heldAccountId: string): Promise<Amounts[]> =>
  db.all(sql`select requested.id as lease_id,
      ${clampSumToSafeInteger(sql`coalesce((select sum(c.balance_cents) from open_charge c where c.organization_id = ${db.organizationId} and c.lease_id = requested.id), 0)
        - coalesce((select sum(p.unallocated_cents) from payment p where p.organization_id = ${db.organizationId} and ${creditHeldFor(sql`requested.id`)}
          and p.unallocated_cents > 0), 0)`)} as balance_cents,
      ${clampSumToSafeInteger(sql`(select sum(c.balance_cents) from open_charge c where c.organization_id = ${db.organizationId} and c.lease_id = requested.id
        and c.charge_type = 'rent' and c.due_date < ${day})`)} as overdue_rent_cents,
      ${clampSumToSafeInteger(sql`coalesce((select sum(c.allocated_cents) from charge c where c.organization_id = ${db.organizationId} and ${depositsHeldFor(sql`requested.id`)}), 0)
        + coalesce((select sum(l.credit_cents - l.debit_cents) from security_deposit d join journal_line l on l.organization_id = d.organization_id and l.deposit_id = d.id
          where d.organization_id = ${db.organizationId} and d.lease_id = requested.id and l.account_id = ${heldAccountId}), 0)`)} as deposit_held_cents,
      (exists (select from charge c where c.organization_id = ${db.organizationId} and c.lease_id = requested.id)
        or exists (select from payment p where p.organization_id = ${db.organizationId} and p.lease_id = requested.id) or ${holdsTransferredMoney(db)}) as has_entries,
      ${hasUnreversedEntries(db)} as has_unreversed_entries, ${hasEntriesToUndo(db)} as has_entries_to_undo,
      (select d.id from security_deposit d where d.organization_id = ${db.organizationId} and d.lease_id = requested.id and d.is_open
        and ${hasTransactions} order by d.id limit 1) as used_deposit_id
    from unnest(${[...leaseIds]}::uuid[]) as requested (id)`);

const hasCharges = (db: OrgDb, isCounted = sql`true`) =>
  sql`exists (select from charge c where c.organization_id = ${db.organizationId} and c.lease_id = requested.id and c.status <> 'voided' and ${isCounted})`;

/**
 * Condition that the lease `requested` has charges that no recurring charge has posted, or money of another lease. Recurring charges of a renewal are voided
 * when it is cancelled, and its payments, which the bank has, become credit of the tenancy.
 */
const hasEntriesToUndo = (db: OrgDb) => sql`(${hasCharges(db, sql`c.recurring_charge_rule_id is null`)} or ${holdsTransferredMoney(db)})`;

/** Condition that the lease `requested` has charges that are not voided, payments that are not reversed, or money of another lease. */
const hasUnreversedEntries = (db: OrgDb) =>
  sql`(${hasCharges(db)} or ${holdsTransferredMoney(db)} or exists (select from payment p where p.organization_id = ${db.organizationId} and p.lease_id = requested.id and p.status not in ('reversed', 'failed')))`;

/** Condition that the lease `requested` has taken over credit or a paid deposit from the lease that it renews, or received a deposit of another one. */
const holdsTransferredMoney = (
  db: OrgDb,
) => sql`(exists (select from payment p where p.organization_id = ${db.organizationId} and p.credit_lease_id = requested.id and p.unallocated_cents > 0)
  or exists (select from charge c where c.organization_id = ${db.organizationId} and c.deposit_lease_id = requested.id and c.allocated_cents > 0)
  or exists (select from security_deposit d join security_deposit_transaction x on x.organization_id = d.organization_id and x.security_deposit_id = d.id
    where d.organization_id = ${db.organizationId} and d.lease_id = requested.id and x.kind = 'transfer_in' and x.voided_at is null))`;

/** Returns the due date of each lease's next rent that is not charged yet, searching two months ahead. */
async function findNextRentDueDates(db: OrgDb, leaseIds: readonly string[], day: string): Promise<Map<string, string>> {
  const periods = await findUnchargedPeriods(db, leaseIds, day, sql`(r.is_lease_rent or r.is_rent_part)`);
  // Descending start dates: later entries of a lease overwrite earlier ones in the map, so that its earliest uncharged rent remains.
  return new Map(periods.flatMap(({ leaseId, dueDates: [next] }) => (next ? [[leaseId, next.dueDate] as const] : [])));
}

/** Returns the balance of each tenant, open charges less unallocated credit, and what is held of the tenant's security deposits. */
export async function getTenantBalances(db: OrgDb, tenantIds: readonly string[]): Promise<TenantBalance[]> {
  const heldAccountId = (await getChart(db)).accountId(DEPOSITS_HELD);
  return db.all(sql`select requested.id as tenant_id,
      ${clampSumToSafeInteger(sql`coalesce((select sum(c.balance_cents) from open_charge c where c.organization_id = ${db.organizationId} and c.tenant_id = requested.id), 0)
        - coalesce((select sum(p.unallocated_cents) from payment p where p.organization_id = ${db.organizationId} and p.tenant_id = requested.id
          and p.unallocated_cents > 0), 0)`)} as balance_cents,
      ${clampSumToSafeInteger(sql`coalesce((select sum(c.allocated_cents) from security_deposit d
          join security_deposit_charge x on x.organization_id = d.organization_id and x.security_deposit_id = d.id
          join charge c on c.organization_id = x.organization_id and c.id = x.id
          where d.organization_id = ${db.organizationId} and d.tenant_id = requested.id), 0)
        + coalesce((select sum(l.credit_cents - l.debit_cents) from security_deposit d join journal_line l on l.organization_id = d.organization_id and l.deposit_id = d.id
          where d.organization_id = ${db.organizationId} and d.tenant_id = requested.id and l.account_id = ${heldAccountId}), 0)`)} as deposit_held_cents
    from unnest(${[...tenantIds]}::uuid[]) as requested (id)`);
}

/** Returns the open charges and the overdue rent of each property, and whether anything was posted for it. */
export const getPropertyBalances = (db: OrgDb, propertyIds: readonly string[]): Promise<PropertyBalance[]> =>
  db.all(sql`select requested.id as property_id, ${clampSumToSafeInteger(sql`sum(c.balance_cents)`)} as open_cents,
      ${clampSumToSafeInteger(sql`sum(c.balance_cents) filter (where c.charge_type = 'rent' and c.due_date < ${today(db.principal.timezone)})`)} as overdue_rent_cents,
      exists (select from journal_line l where l.organization_id = ${db.organizationId} and l.property_id = requested.id) as has_entries
    from unnest(${[...propertyIds]}::uuid[]) as requested (id)
      left join open_charge c on c.organization_id = ${db.organizationId} and c.property_id = requested.id
    group by requested.id`);
