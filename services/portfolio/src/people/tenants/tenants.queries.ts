import type { Tenant, tenants } from "@freehold/contract/people/tenants";
import type { QueryOf } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { ApiError, notFound } from "@freehold/kit/errors";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { containsPattern } from "@freehold/kit/like-pattern";
import { balanceCents, hasBalance, withBalances } from "../balances.queries.ts";
import type { OpenBalances } from "@freehold/proto/ledger/v1/ledger";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

export type TenantRow = Omit<Tenant, "smsConsent" | "balanceCents"> & { smsConsentGranted: boolean; smsConsentAt: string | null; version: number };

/** The lease that is active today and that the tenant answers for. */
const currentLease = (
  day: string,
): RawBuilder<unknown> => sql`(select l.id from lease_occupant c join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
  where c.organization_id = t.organization_id and c.tenant_id = t.id and c.role in ('primary', 'co_tenant') and c.removed_at is null
    and (c.released_on is null or c.released_on > ${day}::date) and l.status = 'active' and l.start_date <= ${day}::date and l.deleted_at is null
  order by l.start_date desc, l.id desc limit 1)`;

const columns = (
  db: StatementRunner,
) => sql`t.id, t.organization_id, t.full_name, t.first_name, t.last_name, t.company_name, t.email, t.phone, t.alternate_phone, t.date_of_birth,
  t.preferred_language, t.emergency_contact, t.mailing_address, t.user_id, t.portal_status, t.sms_consent_granted, t.sms_consent_at,
  ${currentLease(today(db.principal.timezone))} as current_lease_id, t.merged_into_id as merged_into_tenant_id, t.created_at, t.updated_at, t.deleted_at, t.version`;

/** One live tenant, or 404, which says of a duplicate whom to ask for instead; a deleted one only to whom just deleted it. */
export async function getTenantRow(db: StatementRunner, id: string, deletedToo = false): Promise<TenantRow> {
  const row = await db.first(sql<TenantRow>`select ${columns(db)} from tenant t where t.organization_id = ${db.organizationId} and t.id = ${id}`);
  if (row && (deletedToo || row.deletedAt === null)) return row;
  throw row?.mergedIntoTenantId
    ? new ApiError(404, `The tenant was merged into the tenant ${row.mergedIntoTenantId}.`, { code: "not_found" })
    : notFound("Tenant");
}

/** Tenants by their ids. */
export async function findTenantRows(db: StatementRunner, ids: readonly string[]): Promise<Map<string, TenantRow>> {
  const rows = await db.all(
    sql<TenantRow>`select ${columns(db)} from tenant t where t.organization_id = ${db.organizationId} and t.id = any(${[...ids]}::uuid[])`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Whether the tenant lives, or is about to, under a lease that is in force or may come to be. */
export async function isOnLease(db: StatementRunner, tenantId: string): Promise<boolean> {
  const lease = await db.first(sql`select 1 as one from lease l where l.organization_id = ${db.organizationId} and l.deleted_at is null
    and l.status in ('draft', 'pending', 'active') and (l.tenant_id = ${tenantId} or exists (select 1 from lease_occupant c
      where c.organization_id = l.organization_id and c.lease_id = l.id and c.tenant_id = ${tenantId} and c.removed_at is null and c.released_on is null)) limit 1`);
  return lease !== undefined;
}

type TenantFilters = QueryOf<(typeof tenants)["operations"]["listTenants"]>;

/** Those who live, or are about to, under a lease of the place. */
const livesAt = (
  place: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`exists (select 1 from lease_occupant c join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
  where c.organization_id = t.organization_id and c.tenant_id = t.id and c.removed_at is null and c.released_on is null
    and l.status in ('pending', 'active', 'expired') and l.deleted_at is null and ${place})`;

/** Those whom a lease of one of the statuses names. */
const isOnLeaseThatIs = (
  statuses: readonly string[],
) => sql`exists (select 1 from lease_occupant c join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
  where c.organization_id = t.organization_id and c.tenant_id = t.id and c.removed_at is null and l.status = any(${[...statuses]}) and l.deleted_at is null)`;

/** A page of tenants. Search looks at names, the e-mail address and the phone number. What they owe is the ledger's to say. */
export function listTenantRows(db: OrgDb, query: TenantFilters, balances?: OpenBalances): Promise<Page<TenantRow>> {
  const { search, propertyId, unitId, portalStatus, leaseStatus } = query;
  const like = search !== undefined ? containsPattern(search) : "";
  return listPage<TenantRow>(db, query, {
    select: columns(db),
    from: withBalances(sql`tenant t`, sql`t.id`, query, balances),
    table: "t",
    totalName: "tenant",
    where: [
      ...listConditions(db, "t", query),
      search !== undefined && sql`(t.full_name ilike ${like} or t.company_name ilike ${like} or t.email ilike ${like} or t.phone like ${like})`,
      query.hasBalance !== undefined && hasBalance(sql`t.id`, query.hasBalance, balances),
      leaseStatus && isOnLeaseThatIs(leaseStatus),
      portalStatus && sql`t.portal_status = any(${[...portalStatus]})`,
      propertyId !== undefined && livesAt(sql`l.property_id = ${propertyId}`),
      unitId !== undefined && livesAt(sql`l.unit_id = ${unitId}`),
    ],
    sorts: { fullName: sql`t.full_name`, email: sql`t.email`, balanceCents, createdAt: sql`t.created_at` },
  });
}

export interface DuplicateCriteria {
  fullName: string;
  email?: string | null | undefined;
  phone?: string | null | undefined;
}
export interface PossibleDuplicate {
  id: string;
  fullName: string;
  reason: "email" | "phone" | "name";
}

const keysOf = ({ fullName, email, phone }: DuplicateCriteria): string[] => [fullName, email, phone].flatMap((key) => (key ? [key.toLowerCase()] : []));

/** Whether two of these may be the same person. */
export function containsPossibleDuplicates(asked: readonly DuplicateCriteria[]): boolean {
  const keys = asked.flatMap((one) => [...new Set(keysOf(one))]);
  return new Set(keys).size < keys.length;
}

/** Live tenants who may be the same person as each: at most ten, the surest reason first. Whoever adds the same people meanwhile is waited for. */
export async function findPossibleDuplicates(tx: StatementRunner, asked: readonly DuplicateCriteria[]): Promise<PossibleDuplicate[][]> {
  const keys = [...new Set(asked.flatMap(keysOf))].map((key) => `${tx.organizationId} ${key}`).sort();
  await tx.all(sql`select pg_advisory_xact_lock(hashtextextended(key, 0)) from unnest(${keys}::text[]) as key`);
  const given = asked.map(({ fullName, email = null, phone = null }, place) => ({ place, full_name: fullName, email, phone }));
  const rows = await tx.all(sql<PossibleDuplicate & { place: number }>`select given.place, t.* from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
      as given (place int, full_name text, email text, phone text) cross join lateral (
      select id, full_name, case when same_email = lower(given.email) then 'email' when phone = given.phone then 'phone' else 'name' end as reason
      from tenant where organization_id = ${tx.organizationId} and deleted_at is null
        and (same_email = lower(given.email) or phone = given.phone or same_name = lower(given.full_name))
      order by (same_email = lower(given.email)) desc nulls last, (phone = given.phone) desc nulls last, id limit 10) t`);
  const found = Map.groupBy(rows, ({ place }) => place);
  return asked.map((_, place) => (found.get(place) ?? []).map(({ id, fullName, reason }) => ({ id, fullName, reason })));
}
