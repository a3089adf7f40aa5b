/** What is open with everybody with whom something is: for lists that are sorted and filtered by it. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { OpenBalances, OwnerBalance } from "@freehold/proto/ledger/v1/ledger";
import { chartOf } from "../../chart/categories.ts";
import { OWNER_PAYABLE } from "../../chart/chart.ts";
import { clampSumToSafeInteger } from "@freehold/domain/money";

/** Rows of `id` and `cents`, summed up by id and put together by the database; those that come to nothing are left out. */
async function together(db: OrgDb, parts: RawBuilder<unknown>): Promise<OpenBalances> {
  const open = sql`select id, ${clampSumToSafeInteger(sql`sum(cents)`)} as cents from (${parts}) part group by id having sum(cents) <> 0`;
  const row = await db.first(
    sql<OpenBalances>`select coalesce(array_agg(id)::text, '{}') as ids, coalesce(array_agg(cents)::text, '{}') as amounts from (${open}) open`,
  );
  return row!;
}

/** What tenants owe, less the credit they have. */
export const openTenantBalances = (db: OrgDb): Promise<OpenBalances> =>
  together(
    db,
    sql`select tenant_id as id, balance_cents as cents from open_charge where organization_id = ${db.organizationId}
      union all select tenant_id, -unallocated_cents from payment where organization_id = ${db.organizationId} and unallocated_cents > 0`,
  );

/** The posted lines of Owner payable that name an owner. */
const ownerLines = async (db: OrgDb): Promise<RawBuilder<unknown>> =>
  sql`select owner_id as id, credit_cents - debit_cents as cents from journal_line
    where organization_id = ${db.organizationId} and owner_id is not null and account_id = ${(await chartOf(db)).idOf(OWNER_PAYABLE)}`;

/** What is owed to owners. */
export const openOwnerBalances = async (db: OrgDb): Promise<OpenBalances> => together(db, await ownerLines(db));

/** What is owed to each of these owners. */
export async function ownerBalances(db: OrgDb, ownerIds: readonly string[]): Promise<OwnerBalance[]> {
  const lines = await ownerLines(db);
  return db.all(sql`select wanted.id as owner_id, ${clampSumToSafeInteger(sql`sum(line.cents)`)} as balance_cents
    from unnest(${[...ownerIds]}::uuid[]) as wanted (id) left join (${lines}) line on line.id = wanted.id group by wanted.id`);
}
