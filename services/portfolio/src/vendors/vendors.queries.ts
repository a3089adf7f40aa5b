import type { Vendor, vendors } from "@freehold/contract/vendors";
import type { QueryOf } from "@freehold/contract/operation";
import type { OrgDb, Runner } from "@freehold/kit/db";
import { notFound } from "@freehold/kit/errors";
import { containing, everyList, listPage, type Page } from "@freehold/kit/list";
import { sql } from "@freehold/kit/statement";

export type VendorRow = Vendor & { version: number };

const columns = sql`v.id, v.organization_id, v.name, v.email, v.phone, v.trade, v.notes, v.is_active, v.company_name, v.contact_name, v.address, v.category_id,
  v.include1099, v.w9_received_on, v.license_expires_on, v.payment_terms_days, v.user_id, v.portal_status, v.created_at, v.updated_at, v.deleted_at, v.version`;

/** One live vendor, or 404. */
export async function findVendor(db: Runner, id: string): Promise<VendorRow> {
  const row = await db.first(
    sql<VendorRow>`select ${columns} from vendor v where v.organization_id = ${db.organizationId} and v.id = ${id} and v.deleted_at is null`,
  );
  if (!row) throw notFound("Vendor");
  return row;
}

type VendorFilters = QueryOf<(typeof vendors)["operations"]["listVendors"]>;

/** A page of vendors. Search looks at names, the e-mail address and the trade. */
export function pageOfVendors(db: OrgDb, query: VendorFilters): Promise<Page<VendorRow>> {
  const { search, trade, isActive } = query;
  const like = search !== undefined ? containing(search) : "";
  return listPage<VendorRow>(db, query, {
    select: columns,
    from: sql`vendor v`,
    table: "v",
    kept: "vendor",
    where: [
      ...everyList(db, "v", query),
      search !== undefined &&
        sql`(v.name ilike ${like} or v.company_name ilike ${like} or v.contact_name ilike ${like} or v.email ilike ${like} or v.trade ilike ${like})`,
      trade !== undefined && sql`lower(v.trade) = lower(${trade})`,
      isActive !== undefined && sql`v.is_active = ${isActive}`,
    ],
    sorts: { name: sql`v.name`, trade: sql`v.trade`, createdAt: sql`v.created_at` },
  });
}
