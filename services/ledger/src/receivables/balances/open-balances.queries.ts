/** Balances of all leases, tenants and vendors, for lists that are sorted or filtered by balance, and of single vendors. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { OpenBalances, VendorBalance } from "@freehold/proto/ledger/v1/ledger";
import { clampSumToSafeInteger } from "@freehold/domain/money";

/** Balances of one message: at most 2.9 MB of the 4 MiB that a gRPC message may have. */
const BALANCES_PER_MESSAGE = 50_000;

/** Sums rows of `id` and `cents` by id and returns the nonzero balances of one state, aggregated into arrays by the database. */
export async function aggregateBalances(db: OrgDb, rows: RawBuilder<unknown>): Promise<OpenBalances[]> {
  const balances = sql`select id, ${clampSumToSafeInteger(sql`sum(cents)`)} as cents, (row_number() over () - 1) / ${sql.lit(BALANCES_PER_MESSAGE)} as message
    from (${rows}) part group by id having sum(cents) <> 0`;
  const messages = await db.all(
    sql<OpenBalances>`select array_agg(id)::text as ids, array_agg(cents)::text as amounts from (${balances}) balance group by message order by message`,
  );
  return messages.length > 0 ? messages : [{ ids: "{}", amounts: "{}" }];
}

/** Returns the nonzero balances of leases: open charges less the unallocated credit that is held for the lease. */
export const listLeaseBalances = (db: OrgDb): Promise<OpenBalances[]> =>
  aggregateBalances(
    db,
    sql`select lease_id as id, balance_cents as cents from open_charge where organization_id = ${db.organizationId} and lease_id is not null
      union all select coalesce(credit_lease_id, lease_id), -unallocated_cents from payment where organization_id = ${db.organizationId} and unallocated_cents > 0
        and coalesce(credit_lease_id, lease_id) is not null`,
  );

/** Returns the nonzero balances of tenants: open charges less unallocated credit. */
export const listTenantBalances = (db: OrgDb): Promise<OpenBalances[]> =>
  aggregateBalances(
    db,
    sql`select tenant_id as id, balance_cents as cents from open_charge where organization_id = ${db.organizationId}
      union all select tenant_id, -unallocated_cents from payment where organization_id = ${db.organizationId} and unallocated_cents > 0`,
  );

/** Returns the nonzero unpaid expenses of vendors. */
export const listVendorBalances = (db: OrgDb): Promise<OpenBalances[]> =>
  aggregateBalances(
    db,
    sql`select vendor_id as id, outstanding_cents as cents from expense where organization_id = ${db.organizationId} and vendor_id is not null and outstanding_cents > 0`,
  );

/** Returns the unpaid expenses of each vendor. */
export const getVendorBalances = (db: OrgDb, vendorIds: readonly string[]): Promise<VendorBalance[]> =>
  db.all(sql`select vendor_id, ${clampSumToSafeInteger(sql`sum(outstanding_cents)`)} as outstanding_cents from expense
    where organization_id = ${db.organizationId} and vendor_id = any(${[...vendorIds]}::uuid[]) group by 1`);
