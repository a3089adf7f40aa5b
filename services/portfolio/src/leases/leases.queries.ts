import type { Lease as LeaseView, leases } from "@freehold/contract/leases/leases";
import type { QueryOf } from "@freehold/contract/operation";
import { now, today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { notFound } from "@freehold/kit/errors";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import type { OpenBalances } from "@freehold/proto/ledger/v1/ledger";
import { foundIds } from "../db/found-records.ts";
import { hasBalance } from "../people/balances.queries.ts";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { instantInJson } from "../db/json.queries.ts";
import { scheduledBaseRentOn } from "./billing-schedules/billing-schedules.queries.ts";
import { Lease } from "./lease.entity.ts";
import { isReaderOfLease } from "./residence.queries.ts";

/** Members of a lease that the ledger owns. */
export type LeaseBalanceMember = "depositHeldCents" | "balanceCents" | "nextRentDueOn" | "overduePostedRentCents";
export type LeaseRow = Omit<LeaseView, LeaseBalanceMember> & { version: number };

const occupants = sql`(select coalesce(json_agg(json_build_object('id', c.id, 'tenantId', c.tenant_id, 'tenantName', ct.full_name, 'fullName', c.full_name,
    'isPrimary', c.is_primary, 'role', c.role, 'providerRole', c.provider_role, 'relationship', c.relationship, 'notes', c.notes, 'moveInDate', c.move_in_date,
    'moveOutDate', c.move_out_date, 'releasedOn', c.released_on, 'removedAt', ${instantInJson("c.removed_at")}) order by c.is_primary desc, c.position), '[]'::json)
  from lease_occupant c left join tenant ct on ct.organization_id = c.organization_id and ct.id = c.tenant_id
  where c.organization_id = l.organization_id and c.lease_id = l.id and c.removed_at is null)`;

/** Date of a lease's current base rent: today, or the start date of a lease that has not started. */
const baseRentDate = (db: StatementRunner) => sql`greatest(${today(db.principal.timezone)}::date, l.start_date)`;

const columns = (
  db: StatementRunner,
) => sql`l.id, l.organization_id, l.property_id, p.name as property_name, l.unit_id, u.unit_number, l.tenant_id, t.full_name as tenant_name,
  l.status, l.lease_kind, l.term_type, l.start_date, l.end_date, l.termination_date, l.move_in_date, l.signed_at, l.executed_date, l.effective_date,
  l.rent_commencement_date, l.rent_commencement_condition, l.rent_cents, l.rent_charge_day, l.late_fee_type, l.late_fee_amount_cents, l.late_fee_grace_days,
  l.late_fee_percent_bps, l.co_tenants_jointly_liable, l.renewed_from_lease_id, l.renewed_to_lease_id, l.notice_given_on, l.planned_move_out_date,
  l.termination_reason, l.is_holdover, l.deposit_required_cents,
  l.end_date - ${today(db.principal.timezone)}::date as days_until_expiry,
  ${baseRentDate(db)} as scheduled_base_rent_as_of,
  coalesce(${scheduledBaseRentOn(baseRentDate(db))}, l.rent_cents) as scheduled_base_rent_cents,
  ${occupants} as occupants,
  l.created_at, l.updated_at, l.deleted_at, l.version`;

/** Left joins, although every lease has a property, a unit and a tenant, so that the planner can drop them from count queries. */
const leaseWithNames = sql`lease l left join property p on p.organization_id = l.organization_id and p.id = l.property_id
  left join unit u on u.organization_id = l.organization_id and u.id = l.unit_id left join tenant t on t.organization_id = l.organization_id and t.id = l.tenant_id`;

const hasOccupant = (tenantId: string) => sql`exists (select 1 from lease_occupant c
  where c.organization_id = l.organization_id and c.lease_id = l.id and c.tenant_id = ${tenantId} and c.removed_at is null)`;

/** Returns a lease, a deleted one only with `includeDeleted`. Throws 404. */
export async function getLeaseRow(db: StatementRunner, id: string, { includeDeleted = false } = {}): Promise<LeaseRow> {
  const row = await db.first(sql<LeaseRow>`select ${columns(db)} from ${leaseWithNames}
    where l.organization_id = ${db.organizationId} and l.id = ${id} and (${includeDeleted} or l.deleted_at is null)`);
  if (!row) throw notFound("Lease");
  return row;
}

/**
 * Locks a lease before one of its records changes, such as an occupant or a rent change. Changes of one lease's records are thus
 * serialized, and incremental sync sees the lease as updated. Throws 404.
 */
export async function lockParentLease(tx: OrgTx, id: string): Promise<Lease> {
  const [lease] = await tx.findAllForUpdate(Lease, [id]);
  if (!lease || lease.deletedAt) throw notFound("Lease");
  lease.updatedAt = now();
  return lease;
}

/** Returns leases by id, including deleted ones. */
export async function findLeaseRows(db: StatementRunner, ids: readonly string[]): Promise<Map<string, LeaseRow>> {
  const rows = await db.all(sql<LeaseRow>`select ${columns(db)} from ${leaseWithNames}
    where l.organization_id = ${db.organizationId} and l.id = any(${[...ids]}::uuid[])`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Maximum number of the leases in the response of a tenant. */
const MAX_TENANT_LEASES = 100;

const findNewestLeaseRows = (db: StatementRunner, condition: RawBuilder<unknown>): Promise<LeaseRow[]> =>
  db.all(sql<LeaseRow>`select ${columns(db)} from ${leaseWithNames} where l.organization_id = ${db.organizationId} and ${condition} and l.deleted_at is null
    order by l.start_date desc, l.id desc limit ${MAX_TENANT_LEASES}`);

/** Returns the leases with a tenant among their occupants, newest first, at most 100. */
export const findTenantLeaseRows = (db: StatementRunner, tenantId: string): Promise<LeaseRow[]> => findNewestLeaseRows(db, hasOccupant(tenantId));

/** Condition that a person is a tenant of the lease `l` today. */
const hasTenant = (db: StatementRunner, tenantId: string) => sql`exists (select from lease_occupant c where c.organization_id = l.organization_id
  and c.lease_id = l.id and c.tenant_id = ${tenantId} and ${isReaderOfLease(today(db.principal.timezone))})`;

/** Returns the leases of which a person is a tenant today, newest first, at most 100. */
export const findOwnLeaseRows = (db: StatementRunner, tenantId: string): Promise<LeaseRow[]> => findNewestLeaseRows(db, hasTenant(db, tenantId));

/** Returns a lease of which a person is a tenant today. Throws 404. */
export async function getOwnLeaseRow(db: StatementRunner, id: string, tenantId: string): Promise<LeaseRow> {
  const row = await db.first(sql<LeaseRow>`select ${columns(db)} from ${leaseWithNames}
    where l.organization_id = ${db.organizationId} and l.id = ${id} and ${hasTenant(db, tenantId)}`);
  if (!row) throw notFound("Lease");
  return row;
}

/** Tells whether a property or a unit has an active or pending lease. */
export async function hasActiveOrPendingLease(db: StatementRunner, table: "property" | "unit", id: string): Promise<boolean> {
  const lease = await db.first(sql`select 1 as one from lease l where l.organization_id = ${db.organizationId} and ${sql.ref(`l.${table}_id`)} = ${id}
    and l.status in ('active', 'pending') and l.deleted_at is null limit 1`);
  return lease !== undefined;
}

/** Returns the ids of the draft leases of a property or a unit. */
export async function findDraftLeaseIds(db: StatementRunner, table: "property" | "unit", id: string): Promise<string[]> {
  const rows = await db.all(sql<{ id: string }>`select l.id from lease l where l.organization_id = ${db.organizationId} and ${sql.ref(`l.${table}_id`)} = ${id}
    and l.status = 'draft' and l.deleted_at is null order by l.id`);
  return rows.map(({ id }) => id);
}

export interface PendingLease {
  id: string;
  startDate: string;
  renewedFromLeaseId: string | null;
}

/** Returns one batch of the pending leases that start by `day`, by start date, since a lease starts before its renewal, after `previous`. */
export const findLeasesToStart = (db: StatementRunner, day: string, previous?: PendingLease): Promise<PendingLease[]> =>
  db.all(sql<PendingLease>`select id, start_date, renewed_from_lease_id from lease where organization_id = ${db.organizationId} and status = 'pending' and deleted_at is null
    and start_date <= ${day}::date and (${previous?.id ?? null}::uuid is null or (start_date, id) > (${previous?.startDate ?? null}::date, ${previous?.id ?? null}::uuid))
    order by start_date, id limit 500`);

/** Tells whether a lease is pending and starts by `day`. */
export async function isDueToStart(db: StatementRunner, id: string, day: string): Promise<boolean> {
  const row = await db.first(sql`select 1 as one from lease where organization_id = ${db.organizationId} and id = ${id} and status = 'pending'
    and deleted_at is null and start_date <= ${day}::date`);
  return row !== undefined;
}

/** Returns the earliest date after `day` on which a pending lease starts. */
export async function findNextStartDate(db: StatementRunner, day: string): Promise<string | undefined> {
  const row = await db.first(sql<{ startDate: string | null }>`select min(start_date) as start_date from lease
    where organization_id = ${db.organizationId} and status = 'pending' and deleted_at is null and start_date > ${day}::date`);
  return row?.startDate ?? undefined;
}

/** Condition that the tenant or a co-tenant, the property or the unit of a lease has a name that contains the search text. */
const matchesSearch = (
  db: StatementRunner,
  search: string,
) => sql`(l.id in (select lease_id from lease_occupant where organization_id = ${db.organizationId} and removed_at is null
    and role in ('primary', 'co_tenant') and tenant_id in ${foundIds(db, "tenant", search, ["full_name"])})
  or l.property_id in ${foundIds(db, "property", search, ["name"])} or l.unit_id in ${foundIds(db, "unit", search, ["unit_number"])})`;

/** Condition that the active lease `l` expires on its end date: it has a fixed term, also one with rollover, and no activated renewal. */
export const isExpiring = sql`l.status = 'active' and l.term_type <> 'month_to_month' and l.superseded_from is null`;

type LeaseFilters = QueryOf<(typeof leases)["operations"]["listLeases"]>;

function conditions(db: OrgDb, query: LeaseFilters, balances: OpenBalances | undefined) {
  const { search, ownerId, status, tenantId, expiringWithinDays } = query;
  const day = today(db.principal.timezone);
  return [
    search !== undefined && matchesSearch(db, search),
    query.propertyId !== undefined && sql`l.property_id = ${query.propertyId}`,
    query.unitId !== undefined && sql`l.unit_id = ${query.unitId}`,
    tenantId !== undefined && hasOccupant(tenantId),
    ownerId !== undefined &&
      sql`exists (select 1 from property_owner po where po.organization_id = l.organization_id and po.property_id = l.property_id and po.owner_id = ${ownerId})`,
    status && sql`l.status = any(${[...status]})`,
    query.leaseKind !== undefined && sql`l.lease_kind = any(${query.leaseKind})`,
    query.termType !== undefined && sql`l.term_type = any(${query.termType})`,
    query.startAfter !== undefined && sql`l.start_date >= ${query.startAfter}::date`,
    query.startBefore !== undefined && sql`l.start_date <= ${query.startBefore}::date`,
    query.endAfter !== undefined && sql`l.end_date >= ${query.endAfter}::date`,
    query.endBefore !== undefined && sql`l.end_date <= ${query.endBefore}::date`,
    expiringWithinDays !== undefined && sql`${isExpiring} and l.end_date between ${day}::date and ${addDays(day, expiringWithinDays)}::date`,
    query.hasBalance !== undefined && hasBalance(sql`l.id`, query.hasBalance, balances),
  ];
}

/**
 * Returns a page of leases. Search covers the names of tenants, property and unit; the tenant filter covers all occupants.
 * A filter by balance needs the ledger's `balances`.
 */
export const listLeaseRows = (db: OrgDb, query: LeaseFilters, balances?: OpenBalances): Promise<Page<LeaseRow>> =>
  listPage<LeaseRow>(db, query, {
    select: columns(db),
    from: leaseWithNames,
    table: "l",
    totalName: "lease",
    where: [...listConditions(db, "l", query), ...conditions(db, query, balances)],
    sorts: {
      startDate: sql`l.start_date`,
      endDate: sql`l.end_date`,
      daysUntilExpiry: sql`l.end_date`,
      tenantName: sql`t.full_name`,
      propertyName: sql`p.name`,
      unitNumber: sql`u.unit_number`,
      rentCents: sql`l.rent_cents`,
      status: sql`l.status`,
      createdAt: sql`l.created_at`,
    },
  });
