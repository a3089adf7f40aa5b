import type { Tenant as TenantView, tenants } from "@freehold/contract/people/tenants";
import type { QueryOf } from "@freehold/contract/operation";
import { today } from "@freehold/kit/time/clock";
import { columnsOf } from "@freehold/kit/db/entity";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { ApiError, notFound } from "@freehold/kit/errors";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { foundIds } from "../../db/found-records.ts";
import { balanceCents, hasBalance, sortsByBalance, withBalances } from "../balances.queries.ts";
import type { OpenBalances } from "@freehold/proto/ledger/v1/ledger";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { isResidentTenant, isTenantOfLease, isUnreleasedTenant, occupancyCondition } from "../../leases/residence.queries.ts";
import { Tenant } from "./tenant.entity.ts";

export type TenantRow = Omit<TenantView, "smsConsent" | "balanceCents"> & {
  smsConsentGranted: boolean;
  smsConsentAt: string | null;
  smsConsentSource: string | null;
  version: number;
};

/** Returns the SQL of the tenant's current lease on a day: active with the tenant as primary or co-tenant, or terminated while the tenant still lives there. */
const currentLease = (
  day: string,
): RawBuilder<unknown> => sql`(select l.id from lease_occupant c join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
  where c.organization_id = t.organization_id and c.tenant_id = t.id and l.start_date <= ${day}::date
    and (l.status = 'active' and ${isTenantOfLease(day)} or l.status = 'terminated' and ${isResidentTenant(day)})
  order by l.start_date desc, l.id desc limit 1)`;

const columns = (
  db: StatementRunner,
) => sql`${columnsOf(Tenant, "t", ["sameName", "sameEmail", "matchName", "mergedIntoId"])}, ${currentLease(today(db.principal.timezone))} as current_lease_id,
  t.merged_into_id as merged_into_tenant_id`;

/** Returns a tenant, a deleted one only with `includeDeleted`. Throws 404; for a merged duplicate the error names the surviving tenant. */
export async function getTenantRow(db: StatementRunner, id: string, { includeDeleted = false } = {}): Promise<TenantRow> {
  const row = await db.first(sql<TenantRow>`select ${columns(db)} from tenant t where t.organization_id = ${db.organizationId} and t.id = ${id}`);
  if (row && (includeDeleted || row.deletedAt === null)) return row;
  throw row?.mergedIntoTenantId
    ? new ApiError(404, `The tenant was merged into the tenant ${row.mergedIntoTenantId}.`, { code: "not_found" })
    : notFound("Tenant");
}

/** Tells whether the tenant lives in a unit, or is the tenant or an unreleased occupant of a draft, pending or active lease. */
export async function isOnLease(db: StatementRunner, tenantId: string): Promise<boolean> {
  const day = today(db.principal.timezone);
  const lease = await db.first(sql`select 1 as one from lease l where l.organization_id = ${db.organizationId} and l.deleted_at is null
    and (l.status in ('draft', 'pending', 'active') and l.tenant_id = ${tenantId} or exists (select 1 from lease_occupant c
      where c.organization_id = l.organization_id and c.lease_id = l.id and c.tenant_id = ${tenantId} and c.removed_at is null
        and (l.status in ('draft', 'pending', 'active') and (c.released_on is null or c.released_on > ${day}::date) or ${occupancyCondition(day)}))) limit 1`);
  return lease !== undefined;
}

type TenantFilters = QueryOf<(typeof tenants)["operations"]["listTenants"]>;

/** Returns the condition that the tenant `t` lives in a unit whose lease `l` matches, on a day. */
const occupies = (
  day: string,
  leaseCondition: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`exists (select 1 from lease_occupant c join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
  where c.organization_id = t.organization_id and c.tenant_id = t.id and ${occupancyCondition(day)} and ${leaseCondition})`;

/** Returns the condition that the tenant `t` is an unreleased tenant, on a day, of a lease with one of the statuses. */
const isOnLeaseWithStatus = (
  day: string,
  statuses: readonly string[],
) => sql`exists (select 1 from lease_occupant c join lease l on l.organization_id = c.organization_id and l.id = c.lease_id
  where c.organization_id = t.organization_id and c.tenant_id = t.id and ${isUnreleasedTenant(day)} and l.status = any(${[...statuses]}) and l.deleted_at is null)`;

/** Returns a page of tenants. Search covers names, e-mail address and phone number. Sorting and filtering by balance need the ledger's `balances`. */
export function listTenantRows(db: OrgDb, query: TenantFilters, balances?: OpenBalances): Promise<Page<TenantRow>> {
  const { search, propertyId, unitId, portalStatus, leaseStatus } = query;
  const day = today(db.principal.timezone);
  return listPage<TenantRow>(db, query, {
    select: columns(db),
    from: withBalances(sql`tenant t`, sql`t.id`, sortsByBalance(query), balances),
    table: "t",
    totalName: "tenant",
    where: [
      ...listConditions(db, "t", query),
      search !== undefined && sql`t.id in ${foundIds(db, "tenant", search, ["full_name", "company_name", "email", "phone"])}`,
      query.hasBalance !== undefined && hasBalance(sql`t.id`, query.hasBalance, balances),
      leaseStatus && isOnLeaseWithStatus(day, leaseStatus),
      portalStatus && sql`t.portal_status = any(${[...portalStatus]})`,
      propertyId !== undefined && occupies(day, sql`l.property_id = ${propertyId}`),
      unitId !== undefined && occupies(day, sql`l.unit_id = ${unitId}`),
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

/** Takes advisory locks on names, e-mail addresses and phone numbers, in a fixed order: transactions that add the same person run one after the other. */
export async function lockPossibleDuplicates(tx: StatementRunner, candidates: readonly DuplicateCriteria[]): Promise<void> {
  const keys = [...new Set(candidates.flatMap(keysOf))].map((key) => `${tx.organizationId} ${key}`).sort();
  await tx.all(sql`select pg_advisory_xact_lock(hashtextextended(key, 0)) from unnest(${keys}::text[]) as key`);
}

/** Returns at most ten tenants that may be the same person as a locked candidate, the strongest reason first. */
export const findPossibleDuplicates = (tx: StatementRunner, { fullName, email = null, phone = null }: DuplicateCriteria): Promise<PossibleDuplicate[]> =>
  tx.all(sql<PossibleDuplicate>`select id, full_name,
      case when same_email = lower(${email}) then 'email' when phone = ${phone} then 'phone' else 'name' end as reason
    from tenant where organization_id = ${tx.organizationId} and deleted_at is null
      and (same_email = lower(${email}) or phone = ${phone} or same_name = lower(${fullName}))
    order by (same_email = lower(${email})) desc nulls last, (phone = ${phone}) desc nulls last, id limit 10`);
