import type { Vendor as VendorView, vendors } from "@freehold/contract/people/vendors";
import type { QueryOf } from "@freehold/contract/operation";
import { columnsOf } from "@freehold/kit/db/entity";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { foundIds } from "../../db/found-records.ts";
import { sql } from "@freehold/kit/db/statement";
import type { OpenBalances } from "@freehold/proto/ledger/v1/ledger";
import { balanceCents, withBalances } from "../balances.queries.ts";
import { Vendor } from "./vendor.entity.ts";

export type VendorRow = Omit<VendorView, "outstandingCents"> & { version: number };

const insurances = sql`(select coalesce(json_agg(json_build_object('kind', i.kind, 'provider', i.provider, 'policyNumber', i.policy_number, 'expiresOn', i.expires_on,
    'documentId', live_document_id(i.document_id)) order by i.position), '[]'::json)
  from vendor_insurance i where i.organization_id = v.organization_id and i.vendor_id = v.id)`;

const columns = sql`${columnsOf(Vendor, "v", ["taxIdSealed", "matchName", "sameEmail", "isEmailSelfReported", "isPhoneSelfReported"])}, ${insurances} as insurances`;

/** Returns a vendor, a deleted one only with `includeDeleted`. Throws 404. */
export async function getVendorRow(db: StatementRunner, id: string, { includeDeleted = false } = {}): Promise<VendorRow> {
  const row = await db.first(
    sql<VendorRow>`select ${columns} from vendor v where v.organization_id = ${db.organizationId} and v.id = ${id} and (${includeDeleted} or v.deleted_at is null)`,
  );
  if (!row) throw notFound("Vendor");
  return row;
}

type VendorFilters = QueryOf<(typeof vendors)["operations"]["listVendors"]>;

/** Tells whether a list needs the unpaid expenses of all vendors, not only of those on its page. */
export const sortsByOutstanding = ({ sortBy }: Pick<VendorFilters, "sortBy">): boolean => sortBy === "outstandingCents";

/**
 * Returns a page of vendors. Search covers the names of vendor, company and contact, the e-mail address and the trade. Sorting by
 * unpaid expenses needs the ledger's `balances`.
 */
export function listVendorRows(db: OrgDb, query: VendorFilters, balances?: OpenBalances): Promise<Page<VendorRow>> {
  const { search, trade, isActive, insuranceExpiresBefore } = query;
  return listPage<VendorRow>(db, query, {
    select: columns,
    from: withBalances(sql`vendor v`, sql`v.id`, sortsByOutstanding(query), balances),
    table: "v",
    totalName: "vendor",
    where: [
      ...listConditions(db, "v", query),
      search !== undefined && sql`v.id in ${foundIds(db, "vendor", search, ["name", "company_name", "contact_name", "email", "trade"])}`,
      trade !== undefined && sql`lower(v.trade) = lower(${trade})`,
      isActive !== undefined && sql`v.is_active = ${isActive}`,
      insuranceExpiresBefore !== undefined &&
        sql`v.id in (select vendor_id from vendor_insurance where organization_id = ${db.organizationId} and expires_on <= ${insuranceExpiresBefore})`,
    ],
    sorts: { name: sql`v.name`, trade: sql`v.trade`, outstandingCents: balanceCents, createdAt: sql`v.created_at` },
  });
}
