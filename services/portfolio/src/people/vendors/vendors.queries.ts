import type { Vendor as VendorView, vendors } from "@freehold/contract/people/vendors";
import type { QueryOf } from "@freehold/contract/operation";
import { columnsOf } from "@freehold/kit/db/entity";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { containsPattern } from "@freehold/kit/like-pattern";
import { sql } from "@freehold/kit/db/statement";
import { Vendor } from "./vendor.entity.ts";

export type VendorRow = Omit<VendorView, "outstandingCents"> & { version: number };

const insurances = sql`(select coalesce(json_agg(json_build_object('kind', i.kind, 'provider', i.provider, 'policyNumber', i.policy_number, 'expiresOn', i.expires_on,
    'documentId', i.document_id) order by i.position), '[]'::json)
  from vendor_insurance i where i.organization_id = v.organization_id and i.vendor_id = v.id)`;

const columns = sql`${columnsOf(Vendor, "v", ["taxIdSealed"])}, ${insurances} as insurances`;

/** Returns a vendor, a deleted one only with `includeDeleted`. Throws 404. */
export async function getVendorRow(db: StatementRunner, id: string, { includeDeleted = false } = {}): Promise<VendorRow> {
  const row = await db.first(
    sql<VendorRow>`select ${columns} from vendor v where v.organization_id = ${db.organizationId} and v.id = ${id} and (${includeDeleted} or v.deleted_at is null)`,
  );
  if (!row) throw notFound("Vendor");
  return row;
}

/** Vendor bills are not recorded yet, so all vendors have the same outstanding amount, 0. A subquery, since PostgreSQL rejects a constant in `order by`. */
const OUTSTANDING_CENTS = sql`(select 0)`;

type VendorFilters = QueryOf<(typeof vendors)["operations"]["listVendors"]>;

/** Returns a page of vendors. Search covers the names of vendor, company and contact, the e-mail address and the trade. */
export function listVendorRows(db: OrgDb, query: VendorFilters): Promise<Page<VendorRow>> {
  const { search, trade, isActive, insuranceExpiresBefore } = query;
  const like = search !== undefined ? containsPattern(search) : "";
  return listPage<VendorRow>(db, query, {
    select: columns,
    from: sql`vendor v`,
    table: "v",
    totalName: "vendor",
    where: [
      ...listConditions(db, "v", query),
      search !== undefined &&
        sql`(v.name ilike ${like} or v.company_name ilike ${like} or v.contact_name ilike ${like} or v.email ilike ${like} or v.trade ilike ${like})`,
      trade !== undefined && sql`lower(v.trade) = lower(${trade})`,
      isActive !== undefined && sql`v.is_active = ${isActive}`,
      insuranceExpiresBefore !== undefined &&
        sql`v.id in (select vendor_id from vendor_insurance where organization_id = ${db.organizationId} and expires_on < ${insuranceExpiresBefore})`,
    ],
    sorts: { name: sql`v.name`, trade: sql`v.trade`, outstandingCents: OUTSTANDING_CENTS, createdAt: sql`v.created_at` },
  });
}
