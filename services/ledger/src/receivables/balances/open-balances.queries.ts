/** Balances of all tenants and vendors, for lists that are sorted or filtered by balance, and of single vendors. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { OpenBalances, VendorBalance } from "@freehold/proto/ledger/v1/ledger";
import { clampSumToSafeInteger } from "@freehold/domain/money";

/** Sums rows of `id` and `cents` by id and returns the nonzero balances, aggregated into arrays by the database. */
export async function aggregateBalances(db: OrgDb, rows: RawBuilder<unknown>): Promise<OpenBalances> {
  const balances = sql`select id, ${clampSumToSafeInteger(sql`sum(cents)`)} as cents from (${rows}) part group by id having sum(cents) <> 0`;
  const row = await db.first(
    sql<OpenBalances>`select coalesce(array_agg(id)::text, '{}') as ids, coalesce(array_agg(cents)::text, '{}') as amounts from (${balances}) balance`,
  );
  return row!;
}

/** Returns the nonzero balances of tenants: open charges less unallocated credit. */
export const listTenantBalances = (db: OrgDb): Promise<OpenBalances> =>
  aggregateBalances(
    db,
    sql`select tenant_id as id, balance_cents as cents from open_charge where organization_id = ${db.organizationId}
      union all select tenant_id, -unallocated_cents from payment where organization_id = ${db.organizationId} and unallocated_cents > 0`,
  );

/** Returns the nonzero unpaid expenses of vendors. */
export const listVendorBalances = (db: OrgDb): Promise<OpenBalances> =>
  aggregateBalances(
    db,
    sql`select vendor_id as id, outstanding_cents as cents from expense where organization_id = ${db.organizationId} and vendor_id is not null and outstanding_cents > 0`,
  );

/** Returns the unpaid expenses of each vendor. */
export const getVendorBalances = (db: OrgDb, vendorIds: readonly string[]): Promise<VendorBalance[]> =>
  db.all(sql`select vendor_id, ${clampSumToSafeInteger(sql`sum(outstanding_cents)`)} as outstanding_cents from expense
    where organization_id = ${db.organizationId} and vendor_id = any(${[...vendorIds]}::uuid[]) group by 1`);
