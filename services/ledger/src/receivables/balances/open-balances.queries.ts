/** Balances of all tenants and owners, for lists that are sorted or filtered by balance, and of single owners. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { OpenBalances, OwnerBalance } from "@freehold/proto/ledger/v1/ledger";
import { clampSumToSafeInteger } from "@freehold/domain/money";
import { getChart } from "../../chart/categories.ts";
import { OWNER_PAYABLE } from "../../chart/chart.ts";

/** Sums rows of `id` and `cents` by id and returns the nonzero balances, aggregated into arrays by the database. */
async function aggregateBalances(db: OrgDb, rows: RawBuilder<unknown>): Promise<OpenBalances> {
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

/** Selects the journal lines of the owner payable account that name an owner. */
const selectOwnerLines = async (db: OrgDb): Promise<RawBuilder<unknown>> =>
  sql`select owner_id as id, credit_cents - debit_cents as cents from journal_line
    where organization_id = ${db.organizationId} and owner_id is not null and account_id = ${(await getChart(db)).accountId(OWNER_PAYABLE)}`;

/** Returns the nonzero amounts payable to owners. */
export const listOwnerBalances = async (db: OrgDb): Promise<OpenBalances> => aggregateBalances(db, await selectOwnerLines(db));

/** Returns the amount payable to each owner. */
export async function getOwnerBalances(db: OrgDb, ownerIds: readonly string[]): Promise<OwnerBalance[]> {
  const lines = await selectOwnerLines(db);
  return db.all(sql`select requested.id as owner_id, ${clampSumToSafeInteger(sql`sum(line.cents)`)} as balance_cents
    from unnest(${[...ownerIds]}::uuid[]) as requested (id) left join (${lines}) line on line.id = requested.id group by requested.id`);
}
